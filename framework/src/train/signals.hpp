// SIGINT and SIGTERM end a run in good order: the first one is noted, a second one does what it does by
// default.
#pragma once
#include <marey/core/error.hpp>

#include <signal.h>

#include <optional>

namespace marey {

// Watches while it lives, then puts back what was there. A signal that was ignored stays ignored (nohup). One
// at a time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;

  bool received() const;
  ExitCode exit_code() const;  // of the signal received: 130 or 143

 private:
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

}  // namespace marey
