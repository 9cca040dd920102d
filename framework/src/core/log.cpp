#include <marey/core/log.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace marey::log {
namespace {

using Receiver = std::function<void(Level, std::string_view)>;

// The process has one stderr, so it has one of these.
struct Output {
  std::mutex mutex;
  Level lowest = Level::info;
  std::string status;
  std::vector<std::pair<const Sink*, Receiver>> sinks;
};

Output& output() {
  static Output o;
  return o;
}

std::string_view prefix(Level level) {
  switch (level) {
    case Level::debug:
      return "debug: ";
    case Level::warning:
      return "warning: ";
    case Level::error:
      return "error: ";
    default:
      return "";
  }
}

constexpr std::string_view erase_line = "\r\x1b[2K";

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void write(Level level, std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  Output& o = output();
  std::lock_guard lock(o.mutex);
  if (level >= o.lowest) {
    if (o.status.empty())
      put(fmt::format("{}{}\n", prefix(level), message));
    else
      put(fmt::format("{}{}{}\n{}", erase_line, prefix(level), message, o.status));
  }
  for (const auto& [sink, receiver] : o.sinks) receiver(level, message);
}

void set_level(Level lowest) {
  std::lock_guard lock(output().mutex);
  output().lowest = lowest;
}

bool is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void set_status_line(std::string_view text) {
  if (!is_terminal()) return;
  Output& o = output();
  std::lock_guard lock(o.mutex);
  if (o.status.empty() && text.empty()) return;
  o.status = text;
  put(fmt::format("{}{}", erase_line, o.status));
}

Sink::Sink(Receiver receiver) {
  std::lock_guard lock(output().mutex);
  output().sinks.emplace_back(this, std::move(receiver));
}

Sink::~Sink() {
  std::lock_guard lock(output().mutex);
  std::erase_if(output().sinks, [this](const auto& s) { return s.first == this; });
}

}  // namespace marey::log
