#include "train/recipe_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace marey {
namespace {

constexpr std::array free_keys{
    "/name",
    "/init",
    "/metrics",
    "/data/val",
    "/data/test",
    "/train/max_epochs",
    "/train/eval_interval",
    "/train/device",
    "/train/threads",
    "/loader/threads",
    "/loader/prefetch",
    "/loader/test_batch_size",
    "/loader/max_bad_fraction",
};

bool may_change(Role role) { return role == Role::checkpoint || role == Role::stop || role == Role::log; }

std::string dotted(std::string_view pointer) {  // "/data/train/0" → "data.train.0"
  std::string out(pointer.substr(pointer.empty() ? 0 : 1));
  std::ranges::replace(out, '/', '.');
  return out;
}

std::string shown(const nlohmann::json& flat, const std::string& key) {
  return flat.contains(key) && !flat[key].is_null() ? flat[key].dump() : "none";
}

}  // namespace

nlohmann::json binding_part(const Value& resolved, const std::map<std::string, Role>& hooks) {
  auto out = nlohmann::json::parse(to_json(resolved));
  for (const char* key : free_keys) {
    const nlohmann::json::json_pointer pointer(key);
    if (out.contains(pointer)) out.at(pointer.parent_pointer()).erase(pointer.back());
  }
  if (out.contains("hooks"))
    for (const auto& [key, role] : hooks)
      if (may_change(role)) out["hooks"].erase(key);
  return out;
}

std::vector<std::string> differences(const nlohmann::json& saved, const nlohmann::json& now) {
  const auto then = saved.flatten(), today = now.flatten();
  std::set<std::string> keys;
  for (const auto& item : then.items()) keys.insert(item.key());
  for (const auto& item : today.items()) keys.insert(item.key());
  std::vector<std::string> out;
  for (const auto& key : keys)
    if (const auto a = shown(then, key), b = shown(today, key); a != b)
      out.push_back(fmt::format("{}: {} in the checkpoint, {} now", dotted(key), a, b));
  return out;
}

}  // namespace marey
