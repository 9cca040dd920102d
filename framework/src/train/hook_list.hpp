// The hooks of a run in the order in which they act: by role, then by key. What goes wrong in one names it.
#pragma once
#include <marey/train/experiment.hpp>
#include <marey/train/hook.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

class HookList {
 public:
  HookList() = default;
  explicit HookList(const std::map<std::string, Part<Hook>>&);

  using Point = void (Hook::*)(Run&);
  void at(Point, Run&);
  // Lets the hooks up to a role act, or those after it.
  void gradients_ready_until(Role last, Run&);
  void gradients_ready_after(Role last, Run&);

  bool step_due(const Run&);  // every hook is asked, and all must agree
  bool allow_step(Run&);      // the same
  at::Tensor map_loss(Run&, at::Tensor loss);
  void run_failed(Run&, const std::exception&) noexcept;  // what goes wrong here is logged

  // Entered in order, left in the reverse order.
  class Scopes {
   public:
    Scopes() = default;
    Scopes(Scopes&&) = default;
    ~Scopes() {
      while (!open_.empty()) open_.pop_back();
    }

   private:
    friend class HookList;
    std::vector<std::unique_ptr<ForwardScope>> open_;
  };
  Scopes around_forward(Run&);

  std::map<std::string, State> save();
  // A hook that is new in this recipe starts afresh.
  void load(const std::map<std::string, State>&);
  std::map<std::string, Role> roles() const;

 private:
  struct Entry {
    std::string key, title;  // title: for messages, 'hooks.amp (AMP of plugin amp)'
    std::shared_ptr<Hook> hook;
    Role role;
  };
  template <class Act>
  void each(Act&&);
  std::vector<Entry> entries_;
};

}  // namespace marey
