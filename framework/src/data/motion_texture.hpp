// Where the pictures on the disc and behind it come from: photos, or patterns computed from a seed.
#pragma once
#include <marey/core/random.hpp>
#include <marey/media/image.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

namespace marey::data {

using Colour = std::array<float, 3>;  // RGB, 0 to 255

class Texture {
 public:
  virtual ~Texture() = default;
  // The mean colour of about `scale` x `scale` texels around a place; defined everywhere.
  virtual Colour at(float x, float y, float scale) const = 0;
};

using Textures = std::vector<std::shared_ptr<const Texture>>;

enum class Split { train, val };

// The photos of a folder in the order of their names: every third one for val, the others for train. Throws
// DataError when there are not at least two for each.
struct PhotoTextures {
  Textures train, val;
  std::vector<std::string> names;
};
PhotoTextures load_photos(const std::filesystem::path& folder);

// Patterns of other families for train than for val.
std::shared_ptr<const Texture> computed_texture(Split, Random&);

}  // namespace marey::data
