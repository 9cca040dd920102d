// Runs a sample through the transforms of its data set.
#pragma once
#include <marey/core/part.hpp>
#include <marey/core/random.hpp>
#include <marey/data/clip.hpp>
#include <marey/data/transform.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace marey::data {

// Builds and prepares the transforms of a recipe. What one of them throws later comes out with its place in
// the recipe, its type and its plugin; an exception that is no marey::Error ends a run under every policy for
// bad files.
std::vector<std::shared_ptr<Transform>> make_pipeline(const std::vector<Part<Transform>>&,
                                                      const std::vector<std::string>& class_names);

// Whole frames first, then each transform in order. Throws UsageError when the result is not a set of equal
// views: no frames chosen, an index outside the video, crops of several sizes or outside the frame.
Clip plan_clip(Sample, const media::VideoInfo&, std::span<const std::shared_ptr<Transform>>, bool training,
               Random&);

}  // namespace marey::data
