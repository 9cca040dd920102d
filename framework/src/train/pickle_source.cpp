#include "train/pickle_source.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace marey {
namespace {

constexpr std::uint64_t window_size = 64 * 1024;
constexpr std::size_t longest_line = 512;

}  // namespace

void PickleSource::refuse_at(std::uint64_t place, const std::string& what) const {
  throw CheckpointError(
      fmt::format("{}: cannot be read as weights: at byte {}: {}", path_.string(), place, what));
}

void PickleSource::refill(std::size_t needed) {
  if (left() < needed) refuse(fmt::format("the pickle ends here, {} more bytes expected", needed - left()));
  window_begin_ += at_;
  at_ = 0;
  window_.resize(std::min<std::uint64_t>(std::max<std::uint64_t>(window_size, needed), end_ - window_begin_));
  file_.read(window_.data(), window_.size(), window_begin_);
}

void PickleSource::skip(std::uint64_t count) {
  if (count > left()) refuse(fmt::format("{} more bytes expected, {} are left", count, left()));
  window_begin_ = place() + count;
  window_.clear();
  at_ = 0;
}

std::string PickleSource::take(std::uint64_t count) {
  if (count > left()) refuse(fmt::format("a text of {} bytes where {} are left", count, left()));
  if (count > left_to_take_) refuse("the pickle is too long");
  std::string out(count, '\0');
  copy(out.data(), count);
  return out;
}

std::string PickleSource::line() {
  std::string out;
  for (char c; (c = static_cast<char>(byte())) != '\n';) {
    if (out.size() == longest_line) refuse(fmt::format("a name of more than {} bytes", longest_line));
    out += c;
  }
  return out;
}

}  // namespace marey
