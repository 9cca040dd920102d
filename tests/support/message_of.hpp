// The text of the exception of class E that a call throws, "" when it throws none.
#pragma once
#include <string>
#include <string_view>
#include <utility>

namespace marey::test {

template <class E, class F>
std::string message_of(F&& call) {
  try {
    std::forward<F>(call)();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace marey::test
