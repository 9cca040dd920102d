// The parameter `scaling` of transforms that change the size of a picture.
#pragma once
#include <marey/core/schema.hpp>
#include <marey/data/geometry.hpp>

#include <array>
#include <utility>

namespace marey {

template <>
struct EnumNames<media::Scaling> {
  static constexpr std::array names{
      std::pair{media::Scaling::precise, "precise"}, std::pair{media::Scaling::fast, "fast"},
      std::pair{media::Scaling::torch, "torch"}, std::pair{media::Scaling::cv2, "cv2"},
      std::pair{media::Scaling::pillow, "pillow"}};
};

namespace datasets {

inline constexpr const char* scaling_doc =
    "fast: anti-aliased bilinear straight from the decoder's planes, as quick as it goes; precise: the same, "
    "rounded alike on every processor. The others give the bytes of bilinear scaling in torch (align_corners "
    "= "
    "false, as PySlowFast), cv2 (as MMAction2) or pillow (as torchvision), and take more time. The last "
    "transform that scales decides; without any, colours are converted precisely";

inline media::FrameGeometry scaled(media::FrameGeometry g, int width, int height, media::Scaling scaling) {
  g.scaling = scaling;
  return data::resized(g, width, height);
}

}  // namespace datasets
}  // namespace marey
