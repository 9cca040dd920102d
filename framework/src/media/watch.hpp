// Bounds blocking work on one file: a time limit for each operation and a question whether to give up.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>

namespace marey::media {

class Watch {
 public:
  Watch(double limit_seconds, std::function<bool()> cancelled)
      : limit_seconds_(limit_seconds), cancelled_(std::move(cancelled)) {}

  void start();  // a new operation has all its time
  bool over() noexcept;
  // Throws MediaError when it is over.
  void check(const std::filesystem::path&, std::string_view what);

  // libav asks this between reads; `watch` is a Watch.
  static int interrupt(void* watch) { return static_cast<Watch*>(watch)->over() ? 1 : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  double limit_seconds_;
  std::function<bool()> cancelled_;
  Clock::time_point begin_ = Clock::now();
  bool was_cancelled_ = false;
};

}  // namespace marey::media
