#include "train/pickle_tree.hpp"

#include <marey/core/error.hpp>

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace marey {
namespace {

using Kind = PickleValue::Kind;

constexpr int deepest = 64;
constexpr std::size_t most_entries = 200'000;
constexpr std::size_t longest_name = 1024;
constexpr std::size_t most_json = 100'000;  // values; shared values may unfold to more than memory holds
// The keys under which the projects keep the state dict, the first one that is there.
constexpr std::array<std::string_view, 5> usual_keys{"model_state", "state_dict", "model", "model_state_dict",
                                                     "module"};

// An object of TorchScript is the table of its attributes.
const PickleValue* table_of(const PickleValue& v) {
  if (v.kind == Kind::table) return &v;
  const bool script = v.kind == Kind::object && v.text.starts_with("__torch__") && v.items.size() == 1;
  return script && v.items[0]->kind == Kind::table ? v.items[0] : nullptr;
}

bool holds_tensors(const PickleValue& v) {
  const PickleValue* table = table_of(v);
  if (!table) return false;
  for (std::size_t i = 1; i < table->items.size(); i += 2)
    if (table->items[i]->kind == Kind::tensor) return true;
  return false;
}

std::string key_text(const PickleValue& key) {
  switch (key.kind) {
    case Kind::text:
      return key.text;
    case Kind::integer:
      return fmt::format("{}", key.integer);
    default:
      return fmt::format("key at byte {}", key.place);
  }
}

// Texts of a file may be any bytes; JSON and terminals want UTF-8, names without control characters.
std::string clean(const std::string& text) {
  return nlohmann::json::parse(
             nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

class Tree {
 public:
  Tree(StoredTensors& tensors, const std::filesystem::path& path) : tensors_(tensors), path_(path) {}

  void collect(const PickleValue& v, const std::string& name, TensorMap& out, int depth = 0) {
    if (depth > deepest) refuse("its tables are nested too deeply");
    if (++visited_ > most_entries) refuse(fmt::format("it has more than {} entries", most_entries));
    if (name.size() > longest_name)
      refuse(fmt::format("a tensor's name has more than {} bytes", longest_name));
    if (v.kind == Kind::tensor) {
      if (clean(name) != name ||
          std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 32; }))
        refuse(fmt::format("the tensor's name '{}' is no text", clean(name)));
      out.insert_or_assign(name, tensors_.make(v, name));
    } else if (const PickleValue* table = table_of(v)) {
      for (std::size_t i = 0; i + 1 < table->items.size(); i += 2)
        collect(*table->items[i + 1], joined(name, key_text(*table->items[i])), out, depth + 1);
    } else if (v.kind == Kind::list || v.kind == Kind::tuple) {
      for (std::size_t i = 0; i < v.items.size(); ++i)
        collect(*v.items[i], joined(name, fmt::format("{}", i)), out, depth + 1);
    }
  }

  nlohmann::json json(const PickleValue& v, int depth = 0) {
    if (++written_ > most_json || depth > deepest) return "…";
    switch (v.kind) {
      case Kind::none:
        return nullptr;
      case Kind::boolean:
        return v.integer != 0;
      case Kind::integer:
        return v.integer;
      case Kind::real:
        if (!std::isfinite(v.real)) return fmt::format("{}", v.real);
        return v.real;
      case Kind::text:
        return limited(v.text);
      case Kind::tensor:
        return fmt::format("tensor {} [{}]", c10::toString(v.type), fmt::join(v.sizes, ", "));
      case Kind::list:
      case Kind::tuple: {
        auto out = nlohmann::json::array();
        for (const PickleValue* item : v.items) {
          out.push_back(json(*item, depth + 1));
          if (written_ > most_json) break;
        }
        return out;
      }
      case Kind::table: {
        auto out = nlohmann::json::object();
        for (std::size_t i = 0; i + 1 < v.items.size(); i += 2) {
          out[limited(key_text(*v.items[i]))] = json(*v.items[i + 1], depth + 1);
          if (written_ > most_json) break;
        }
        return out;
      }
      case Kind::bytes:
      case Kind::big_integer:
        return fmt::format("{} bytes", v.text.size());
      default:
        return fmt::format("<{}>", limited(v.text));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw CheckpointError(fmt::format("{}: cannot be read as weights: {}", path_.string(), what));
  }
  static std::string joined(const std::string& name, const std::string& key) {
    return name.empty() ? key : name + "." + key;
  }
  // Shared texts count each time they are written, by their length.
  std::string limited(const std::string& text) {
    written_ += text.size() / 64;
    return written_ > most_json ? std::string("…") : clean(text);
  }

  StoredTensors& tensors_;
  const std::filesystem::path& path_;
  std::size_t visited_ = 0, written_ = 0;
};

// The entry of the root that is the state dict: its index, or npos where the root itself is.
std::size_t find_state(const PickleValue& root) {
  constexpr auto itself = static_cast<std::size_t>(-1);
  if (root.kind != Kind::table) return itself;
  for (const std::string_view wanted : usual_keys)
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2)
      if (root.items[i]->kind == Kind::text && root.items[i]->text == wanted &&
          holds_tensors(*root.items[i + 1]))
        return i;
  if (holds_tensors(root)) return itself;
  std::size_t only = itself;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
    if (!holds_tensors(*root.items[i + 1])) continue;
    if (only != itself) return itself;
    only = i;
  }
  return only;
}

}  // namespace

void read_tree(const PickleValue& root, StoredTensors& tensors, const std::filesystem::path& path,
               ForeignWeights& out) {
  Tree tree(tensors, path);
  const std::size_t at = find_state(root);
  const bool nested = at != static_cast<std::size_t>(-1);
  if (nested) out.found_under = key_text(*root.items[at]);
  tree.collect(nested ? *root.items[at + 1] : root, root.kind == Kind::tensor ? "tensor" : "", out.weights);
  if (out.weights.empty())
    throw CheckpointError(
        fmt::format("{}: holds no weights: expected tensors by name, or a table of them under '{}'",
                    path.string(), fmt::join(usual_keys, "', '")));
  if (root.kind != Kind::table) return;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const PickleValue& value = *root.items[i + 1];
    const bool taken =
        nested ? i == at : value.kind == Kind::tensor || table_of(value) || value.kind == Kind::list;
    if (taken) continue;
    // An optimizer's state is thousands of values; what it is suffices.
    const std::string key = clean(key_text(*root.items[i]));
    out.rest[key] = key.starts_with("optimizer") ? nlohmann::json("an optimizer's state") : tree.json(value);
  }
}

}  // namespace marey
