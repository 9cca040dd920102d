// The errors that end a command, each with the exit code that scripts can rely on.
#pragma once
#include <stdexcept>
#include <string>

namespace marey {

enum class ExitCode : int {
  ok = 0,
  failure = 1,
  usage = 2,       // command line or recipe
  data = 3,        // lists, labels, videos
  divergence = 4,  // loss or gradients no longer finite
  checkpoint = 5,
  interrupted = 130,
  terminated = 143,
};

// Thrown with a complete message: where, what is wrong, expected and got, next step.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::failure)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(message, ExitCode::usage) {}
};
struct DataError : Error {
  explicit DataError(const std::string& message) : Error(message, ExitCode::data) {}
};
struct DivergenceError : Error {
  explicit DivergenceError(const std::string& message) : Error(message, ExitCode::divergence) {}
};
struct CheckpointError : Error {
  explicit CheckpointError(const std::string& message) : Error(message, ExitCode::checkpoint) {}
};

}  // namespace marey
