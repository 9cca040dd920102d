#include "train/hook_list.hpp"

#include <marey/core/error.hpp>
#include <marey/core/log.hpp>
#include <marey/core/registry.hpp>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace marey {
namespace {

std::string title_of(const std::string& key, const Blueprint& blueprint) {
  const std::string& plugin = blueprint.component->plugin;
  return plugin.empty() ? fmt::format("hooks.{} ({})", key, blueprint.type())
                        : fmt::format("hooks.{} ({} of plugin {})", key, blueprint.type(), plugin);
}

// Errors of this program are complete and keep their exit code; others learn who threw them.
template <class Act>
auto named(const std::string& title, Act&& act) {
  try {
    return act();
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error& e) {
    throw Error(fmt::format("{}: {}", title, e.what_without_backtrace()));
  } catch (const std::exception& e) {
    throw Error(fmt::format("{}: {}", title, e.what()));
  }
}

}  // namespace

HookList::HookList(const std::map<std::string, Part<Hook>>& parts) {
  for (const auto& [key, part] : parts) {
    auto hook = part.make();
    const Role role = hook->role();
    entries_.push_back({key, title_of(key, part.blueprint()), std::move(hook), role});
  }
  std::ranges::stable_sort(entries_, {}, &Entry::role);  // the map gave them by key
}

template <class Act>
void HookList::each(Act&& act) {
  for (Entry& e : entries_) named(e.title, [&] { act(e); });
}

void HookList::at(Point point, Run& run) {
  each([&](Entry& e) { (e.hook.get()->*point)(run); });
}

void HookList::gradients_ready_until(Role last, Run& run) {
  each([&](Entry& e) {
    if (e.role <= last) e.hook->gradients_ready(run);
  });
}

void HookList::gradients_ready_after(Role last, Run& run) {
  each([&](Entry& e) {
    if (e.role > last) e.hook->gradients_ready(run);
  });
}

bool HookList::step_due(const Run& run) {
  bool due = true;
  each([&](Entry& e) { due = e.hook->step_due(run) && due; });
  return due;
}

bool HookList::allow_step(Run& run) {
  bool allowed = true;
  each([&](Entry& e) { allowed = e.hook->allow_step(run) && allowed; });
  return allowed;
}

at::Tensor HookList::map_loss(Run& run, at::Tensor loss) {
  each([&](Entry& e) { loss = e.hook->map_loss(run, std::move(loss)); });
  return loss;
}

void HookList::run_failed(Run& run, const std::exception& error) noexcept {
  for (Entry& e : entries_) {
    try {
      e.hook->run_failed(run, error);
    } catch (const std::exception& another) {
      log::warning(fmt::format("{}: while the run ended: {}", e.title, another.what()));
    } catch (...) {
      log::warning(fmt::format("{}: something unknown was thrown while the run ended", e.title));
    }
  }
}

HookList::Scopes HookList::around_forward(Run& run) {
  Scopes out;
  each([&](Entry& e) {
    if (auto scope = e.hook->around_forward(run)) out.open_.push_back(std::move(scope));
  });
  return out;
}

std::map<std::string, State> HookList::save() {
  std::map<std::string, State> out;
  each([&](Entry& e) { out.emplace(e.key, e.hook->save()); });
  return out;
}

void HookList::load(const std::map<std::string, State>& states) {
  each([&](Entry& e) {
    if (const auto found = states.find(e.key); found != states.end()) e.hook->load(found->second);
  });
}

std::map<std::string, Role> HookList::roles() const {
  std::map<std::string, Role> out;
  for (const Entry& e : entries_) out.emplace(e.key, e.role);
  return out;
}

}  // namespace marey
