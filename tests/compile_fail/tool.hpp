// A kind of component for these sources.
#pragma once
#include <marey/core/registry.hpp>

struct Tool {
  static constexpr std::string_view kind = "tool";
  virtual ~Tool() = default;
};
