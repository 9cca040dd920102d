// A kind of component that needs no LibTorch, for plugins that are built in a second.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>

namespace zoo {

struct Tone {
  static constexpr std::string_view kind = "tone";
  virtual ~Tone() = default;
  virtual std::string sound() const = 0;
};

struct Beep : Tone {
  std::string sound() const override { return "beep"; }
};

// Leaves a trace when its plugin's static constructors run.
struct Trace {
  explicit Trace(const char* variable) { setenv(variable, "ran", 1); }
};

}  // namespace zoo
