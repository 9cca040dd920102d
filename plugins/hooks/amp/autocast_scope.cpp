#include "autocast_scope.hpp"

#include <ATen/autocast_mode.h>

namespace marey::hooks {
namespace {

class AutocastScope final : public ForwardScope {
 public:
  AutocastScope(c10::DeviceType device, c10::ScalarType dtype)
      : device_(device),
        was_enabled_(at::autocast::is_autocast_enabled(device)),
        was_dtype_(at::autocast::get_autocast_dtype(device)) {
    at::autocast::set_autocast_enabled(device, true);
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::increment_nesting();
  }
  ~AutocastScope() override {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, was_enabled_);
    at::autocast::set_autocast_dtype(device_, was_dtype_);
  }
  AutocastScope(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType was_dtype_;
};

}  // namespace

std::unique_ptr<ForwardScope> autocast_scope(c10::DeviceType device, c10::ScalarType dtype) {
  return std::make_unique<AutocastScope>(device, dtype);
}

}  // namespace marey::hooks
