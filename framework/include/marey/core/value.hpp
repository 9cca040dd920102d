// A recipe's tree of values. Every node knows the place that set it, so that each message can point there.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace marey {

// A text that values come from: a recipe file, or one override of the command line.
struct Source {
  std::string name;       // as shown: a path as the user wrote it, or "command line"
  std::string directory;  // absolute; relative paths in the text start here
  std::string text;
};

struct Origin {
  std::shared_ptr<const Source> source;  // null: set by the program (a default)
  std::uint32_t line = 0, column = 0;    // 1-based; columns count bytes
};
std::string to_string(const Origin&);  // "configs/x.toml:14:9", "" without a source

class Value {
 public:
  struct Entry;
  using Array = std::vector<Value>;
  using Table = std::vector<Entry>;  // in the order written; keys are unique

  enum class Kind { null, boolean, integer, number, string, array, table };  // same order as the variant

  Value() = default;
  Value(bool v);
  Value(int v);
  Value(std::int64_t v);
  Value(double v);
  Value(const char* v);
  Value(std::string v);
  Value(std::string_view v);
  Value(Array v);
  Value(Table v);
  static Value table();
  static Value array();

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_null() const { return kind() == Kind::null; }
  bool is_table() const { return kind() == Kind::table; }
  bool is_array() const { return kind() == Kind::array; }
  bool is_string() const { return kind() == Kind::string; }

  // Null when the value is of another kind.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data_); }
  const double* number() const { return std::get_if<double>(&data_); }
  const std::string* string() const { return std::get_if<std::string>(&data_); }
  const Array* array_items() const { return std::get_if<Array>(&data_); }
  Array* array_items() { return std::get_if<Array>(&data_); }
  const Table* entries() const { return std::get_if<Table>(&data_); }
  Table* entries() { return std::get_if<Table>(&data_); }

  // Table access; null when absent or when this is no table.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  const Entry* entry(std::string_view key) const;
  // Adds or replaces. This must be a table (or null, which becomes one).
  Value& set(std::string_view key, Value value, Origin key_origin = {});
  bool erase(std::string_view key);

  Origin origin;  // where the value stands (for a table: its header)

  // Equal content; origins do not count, the order of keys neither.
  friend bool operator==(const Value&, const Value&);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> data_;
};

struct Value::Entry {
  std::string key;
  Value value;
  Origin key_origin;
};

// Here, because only now is an Entry complete.
inline Value::Value(bool v) : data_(v) {}
inline Value::Value(int v) : data_(std::int64_t{v}) {}
inline Value::Value(std::int64_t v) : data_(v) {}
inline Value::Value(double v) : data_(v) {}
inline Value::Value(const char* v) : data_(std::string(v)) {}
inline Value::Value(std::string v) : data_(std::move(v)) {}
inline Value::Value(std::string_view v) : data_(std::string(v)) {}

std::string_view kind_name(Value::Kind);  // "string", "integer", …

// One line of TOML: 3, "x", [1, 2], {a = 1}. Null is shown as "none".
std::string to_inline_toml(const Value&);
// A TOML document of a table: scalars first, then sub-tables; nulls are left out.
std::string to_toml(const Value& table);
std::string to_json(const Value&, int indent = -1);

}  // namespace marey
