// What the program says to people. Goes to stderr and to every sink added (the run's train.log).
#pragma once
#include <functional>
#include <string_view>

namespace marey::log {

enum class Level { debug, info, warning, error, plain };  // plain: the message says itself what it is
void write(Level, std::string_view message);              // thread-safe; a newline is added
inline void debug(std::string_view m) { write(Level::debug, m); }
inline void info(std::string_view m) { write(Level::info, m); }
inline void warning(std::string_view m) { write(Level::warning, m); }
inline void error(std::string_view m) { write(Level::error, m); }
void set_level(Level lowest);  // of stderr; sinks get everything

// One line at the bottom of the terminal that is redrawn in place; messages scroll above it. Nothing is shown
// where stderr is no terminal. Empty text takes it away.
bool is_terminal();
void set_status_line(std::string_view text);

// Gets every message until it is destroyed.
class Sink {
 public:
  explicit Sink(std::function<void(Level, std::string_view)>);
  ~Sink();
  Sink(const Sink&) = delete;
};

}  // namespace marey::log
