// Overrides of the command line: optimizer.lr=0.05  +hooks.ema.type=EMA  ~hooks.early_stopping
#include <marey/core/recipe.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace marey {
namespace {

struct KeyPart {
  std::string text;
  std::uint32_t column;
};

enum class Action { set, add, remove };

struct Override {
  Action action = Action::set;
  std::vector<KeyPart> key;
  std::string_view value;
  std::uint32_t value_column = 1;
};

// One override under way, with all that a message needs.
class Applier {
 public:
  Applier(Value& recipe, std::shared_ptr<const Source> source, std::uint32_t line, Diagnostics& problems)
      : recipe_(recipe), source_(std::move(source)), line_(line), problems_(problems) {}

  void apply(std::string_view text) {
    Override o;
    if (parse(text, o)) act(o);
  }

 private:
  Origin at(std::uint32_t column) const { return {source_, line_, column}; }

  bool refuse(std::uint32_t column, const std::string& path, const std::string& why) {
    problems_.add(at(column), path, why);
    return false;
  }

  bool parse(std::string_view text, Override& o) {
    std::size_t i = 0;
    if (text.starts_with('+') || text.starts_with('~')) {
      o.action = text.front() == '+' ? Action::add : Action::remove;
      i = 1;
    }
    constexpr std::string_view forms = "expected key=value, +key=value or ~key";
    for (bool more = true; more;) {
      KeyPart part{{}, static_cast<std::uint32_t>(i + 1)};
      if (i < text.size() && text[i] == '"') {
        const std::size_t end = text.find('"', i + 1);
        if (end == std::string_view::npos) return refuse(part.column, {}, "the quote is not closed");
        part.text = text.substr(i + 1, end - i - 1);
        i = end + 1;
      } else {
        const std::size_t end = std::min(text.find_first_of(".=", i), text.size());
        part.text = text.substr(i, end - i);
        i = end;
      }
      if (part.text.empty()) return refuse(part.column, {}, fmt::format("a key is empty; {}", forms));
      o.key.push_back(std::move(part));
      more = i < text.size() && text[i] == '.';
      if (more) ++i;
    }
    const bool has_value = i < text.size() && text[i] == '=';
    if (!has_value && i < text.size())
      return refuse(static_cast<std::uint32_t>(i + 1), {}, std::string(forms));
    if (o.action == Action::remove && has_value)
      return refuse(static_cast<std::uint32_t>(i + 1), {}, "~key takes no value; it removes the key");
    if (o.action != Action::remove && !has_value)
      return refuse(1, {}, fmt::format("there is no '='; {}", forms));
    if (has_value) {
      o.value = text.substr(i + 1);
      o.value_column = static_cast<std::uint32_t>(i + 2);
    }
    return true;
  }

  // TOML where it parses as such; else the word itself.
  Value value_of(const Override& o) const {
    Value out;
    try {
      auto text = std::make_shared<Source>();
      text->text = fmt::format("v = {}", o.value);
      Value parsed = parse_toml(text);
      const Value* v = parsed.find("v");
      out = v && parsed.entries()->size() == 1 ? *v : Value(o.value);
    } catch (const RecipeError&) {
      out = Value(o.value);
    }
    place(out, at(o.value_column));
    return out;
  }

  static void place(Value& v, const Origin& at) {
    v.origin = at;
    if (auto* items = v.array_items())
      for (Value& item : *items) place(item, at);
    if (auto* entries = v.entries())
      for (auto& e : *entries) {
        e.key_origin = at;
        place(e.value, at);
      }
  }

  // The list element that `part` names; null, with a message, when there is none.
  Value* element(Value::Array& items, const KeyPart& part, const std::string& path) {
    std::size_t i = 0;
    const auto [end, error] = std::from_chars(part.text.data(), part.text.data() + part.text.size(), i);
    if (error != std::errc{} || end != part.text.data() + part.text.size())
      refuse(part.column, path, fmt::format("this is a list; expected an index, got '{}'", part.text));
    else if (items.empty())
      refuse(part.column, path, "the list is empty; append with +key=value");
    else if (i >= items.size())
      refuse(part.column, path, fmt::format("expected an index from 0 to {}, got {}", items.size() - 1, i));
    else
      return &items[i];
    return nullptr;
  }

  void act(const Override& o) {
    Value* here = &recipe_;
    std::string path;
    for (std::size_t i = 0; i < o.key.size(); ++i) {
      const KeyPart& part = o.key[i];
      const bool last = i + 1 == o.key.size();
      if (auto* items = here->array_items()) {
        Value* item = element(*items, part, path);
        if (!item) return;
        path += "." + part.text;
        if (last) return act_on_element(o, *here, *item, path);
        here = item;
        continue;
      }
      if (!here->is_table()) {
        refuse(part.column, path,
               fmt::format("its value is of type {}, which has no key '{}'", kind_name(here->kind()),
                           part.text));
        return;
      }
      const Value& table = *here;
      if (!path.empty()) path += '.';
      path += part.text;
      if (last) return act_on_key(o, *here, part, path);
      Value* next = here->find(part.text);
      if (!next || (next->boolean() && !*next->boolean())) {
        if (o.action == Action::remove) return missing(table, part, path);
        Value fresh = Value::table();
        fresh.origin = at(part.column);
        next = &here->set(part.text, std::move(fresh), at(part.column));
      }
      here = next;
    }
  }

  void act_on_element(const Override& o, Value& list, Value& item, const std::string& path) {
    if (o.action == Action::remove)
      list.array_items()->erase(list.array_items()->begin() + (&item - list.array_items()->data()));
    else if (o.action == Action::add && !item.is_array())
      refuse(1, path, "this element is already there; write it without '+' to change it");
    else if (o.action == Action::add)
      item.array_items()->push_back(value_of(o));
    else
      item = value_of(o);
  }

  void act_on_key(const Override& o, Value& table, const KeyPart& part, const std::string& path) {
    Value* old = table.find(part.text);
    if (o.action == Action::remove) {
      if (!table.erase(part.text)) missing(table, part, path);
    } else if (o.action == Action::set || !old) {
      table.set(part.text, value_of(o), at(part.column));
    } else if (old->is_array()) {
      old->array_items()->push_back(value_of(o));
    } else {
      refuse(1, path,
             fmt::format("this key is already there ({}); write it without '+' to change it",
                         to_string(old->origin)));
    }
  }

  void missing(const Value& table, const KeyPart& part, const std::string& path) {
    std::vector<std::string> keys;
    for (const auto& e : *table.entries()) keys.push_back(e.key);
    refuse(part.column, path, "there is no such key to remove" + did_you_mean(part.text, keys));
  }

  Value& recipe_;
  std::shared_ptr<const Source> source_;
  std::uint32_t line_;
  Diagnostics& problems_;
};

}  // namespace

void apply_overrides(Value& recipe, const std::vector<std::string>& overrides, Diagnostics& problems) {
  auto source = std::make_shared<Source>();
  source->name = "command line";
  source->directory = std::filesystem::current_path().string();
  source->text = fmt::format("{}", fmt::join(overrides, "\n"));
  std::uint32_t line = 1;
  for (const std::string& text : overrides) {
    Applier(recipe, source, line, problems).apply(text);
    line += 1 + static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
  }
}

}  // namespace marey
