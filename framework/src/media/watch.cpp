#include "media/watch.hpp"

#include "media/libav.hpp"

#include <fmt/format.h>

namespace marey::media {

void Watch::start() {
  begin_ = Clock::now();
  was_cancelled_ = false;
}

bool Watch::over() noexcept {
  try {
    if (cancelled_ && cancelled_()) was_cancelled_ = true;
  } catch (...) {  // it may not travel through libav's C code
    was_cancelled_ = true;
  }
  return was_cancelled_ || std::chrono::duration<double>(Clock::now() - begin_).count() > limit_seconds_;
}

void Watch::check(const std::filesystem::path& path, std::string_view what) {
  if (!over()) return;
  if (was_cancelled_) fail(path, fmt::format("{} was cancelled", what));
  fail(path, fmt::format("{} took longer than the limit of {} s", what, limit_seconds_));
}

}  // namespace marey::media
