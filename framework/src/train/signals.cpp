#include "train/signals.hpp"

#include <atomic>

namespace marey {
namespace {

// A handler can reach nothing but a global; the process has one set of handlers anyway.
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  noted.store(signal);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGINT, &by_default, nullptr);
  ::sigaction(SIGTERM, &by_default, nullptr);
}

void watch(int signal, struct sigaction& old) {
  ::sigaction(signal, nullptr, &old);
  if (old.sa_handler == SIG_IGN) return;
  struct sigaction noting {};
  noting.sa_handler = &note;
  noting.sa_flags = SA_RESTART;
  ::sigemptyset(&noting.sa_mask);
  ::sigaddset(&noting.sa_mask, SIGINT);
  ::sigaddset(&noting.sa_mask, SIGTERM);
  ::sigaction(signal, &noting, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
  noted.store(0);
  watch(SIGINT, old_interrupt_);
  watch(SIGTERM, old_terminate_);
}

SignalWatch::~SignalWatch() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool SignalWatch::received() const { return noted.load() != 0; }

ExitCode SignalWatch::exit_code() const {
  return noted.load() == SIGTERM ? ExitCode::terminated : ExitCode::interrupted;
}

}  // namespace marey
