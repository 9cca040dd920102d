#include "grad_clip.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("grad_clip", "0.1.0") {
  registry.add<marey::Hook, marey::hooks::GradClip>("GradClip", "bounds the gradients of each step");
}
