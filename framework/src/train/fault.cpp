#include "train/fault.hpp"

#include <marey/core/error.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace marey {
namespace {

// "a:b" into a and b; b is empty where there is no colon.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

void fault_point(std::string_view place) {
  const char* text = std::getenv("MAREY_FAULT");
  if (!text) return;
  const auto [wanted, rest] = split(text);
  if (wanted != place) return;
  const auto [number, kind] = split(rest);
  int pass = 1;
  std::from_chars(number.data(), number.data() + number.size(), pass);
  static std::atomic<int> passes{0};  // one place per process: the environment names only one
  if (++passes != pass) return;
  if (kind == "full") throw Error(fmt::format("{}: {}", place, std::strerror(ENOSPC)));
  std::raise(SIGKILL);
}

}  // namespace marey
