// Exact scaling against pictures that torch, cv2 and Pillow scaled.
#include "media/resample.hpp"
#include "support/catch.hpp"
#include "support/places.hpp"
#include "transforms/resize.hpp"
#include "transforms/three_crop.hpp"

#include <marey/train/foreign_weights.hpp>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <filesystem>

using namespace marey;
using media::Axis;
using media::Scaling;

namespace {

TensorMap peer_pictures() {
  const auto file = test::fixture_folder("peers") / "spatial_handed.pt";
  if (!std::filesystem::exists(file)) {
    WARN("skipped: " << file.string() << " is absent");
    return {};
  }
  return read_foreign_weights(file).weights;
}

Axis whole(std::int64_t size, std::int64_t out) {
  return {static_cast<int>(size), 0, static_cast<double>(size) / static_cast<double>(out),
          static_cast<int>(out),  0, static_cast<int>(size)};
}

}  // namespace

TEST_CASE("scaling as torch: floats within 0.001, bytes to the nearest") {
  const auto peers = peer_pictures();
  if (peers.empty()) return;
  const at::Tensor pictures = peers.at("in.img").contiguous();  // [2, 30, 41, 3]
  for (const char* key : {"out.sf_resize_20", "out.sf_resize_48"}) {
    const at::Tensor expected = peers.at(key).permute({0, 2, 3, 1}).contiguous();
    const at::Tensor scaled = at::empty_like(expected), bytes = at::empty_like(expected, at::kByte);
    const Axis x = whole(41, expected.size(2)), y = whole(30, expected.size(1));
    for (std::int64_t i = 0; i < 2; ++i) {
      media::resample_torch(pictures[i].data_ptr<std::uint8_t>(), x, y, scaled[i].data_ptr<float>());
      media::resample(Scaling::torch, pictures[i].data_ptr<std::uint8_t>(), x, y,
                      bytes[i].data_ptr<std::uint8_t>());
    }
    INFO(key);
    CHECK((scaled - expected).abs().max().item<float>() < 1e-3f);
    CHECK((bytes.to(at::kFloat) - expected).abs().max().item<float>() < 0.5011f);
  }
}

TEST_CASE("scaling as cv2 and Pillow: bytes within 1") {
  const auto peers = peer_pictures();
  if (peers.empty()) return;
  const at::Tensor pictures = peers.at("in.img").contiguous();
  const std::pair<const char*, Scaling> cases[] = {{"out.mm_cv2_bilinear_20", Scaling::cv2},
                                                   {"out.mm_cv2_bilinear_48", Scaling::cv2},
                                                   {"out.pil_bilinear_20", Scaling::pillow},
                                                   {"out.pil_bilinear_48", Scaling::pillow}};
  for (const auto& [key, scaling] : cases) {
    const at::Tensor expected = peers.at(key), bytes = at::empty_like(expected);
    for (std::int64_t i = 0; i < 2; ++i)
      media::resample(scaling, pictures[i].data_ptr<std::uint8_t>(), whole(41, expected.size(2)),
                      whole(30, expected.size(1)), bytes[i].data_ptr<std::uint8_t>());
    const at::Tensor off = (bytes.to(at::kInt) - expected.to(at::kInt)).abs();
    INFO(key << ": " << off.ne(0).sum().item<std::int64_t>() << " of " << off.numel() << " differ");
    CHECK(off.max().item<int>() <= (scaling == Scaling::pillow ? 0 : 1));
    CHECK(off.ne(0).sum().item<std::int64_t>() * 50 <= off.numel());
  }
}

TEST_CASE("sizes and places of crops as the peers compute them") {
  const auto peers = peer_pictures();
  if (peers.empty()) return;
  const auto rows = [&](const char* key) { return peers.at(key).to(at::kLong).contiguous(); };
  const at::Tensor sizes = rows("out.short_side_sizes");  // h, w, s, floor h, floor w, nearest h, nearest w
  for (std::int64_t i = 0; i < sizes.size(0); ++i) {
    const auto* r = sizes[i].data_ptr<std::int64_t>();
    const int width = static_cast<int>(r[1]), height = static_cast<int>(r[0]), size = static_cast<int>(r[2]);
    CHECK(datasets::short_side_size(width, height, size, true) == std::pair<int, int>(r[4], r[3]));
    CHECK(datasets::short_side_size(width, height, size, false) == std::pair<int, int>(r[6], r[5]));
  }
  const auto check_places = [&](const char* key, bool middle_last) {
    const at::Tensor crops = rows(key);  // h, w, size, which, top, left
    for (std::int64_t i = 0; i < crops.size(0); ++i) {
      const auto* r = crops[i].data_ptr<std::int64_t>();
      const int width = static_cast<int>(r[1]), height = static_cast<int>(r[0]),
                size = static_cast<int>(r[2]);
      INFO(key << " row " << i << ": " << height << "x" << width << " crop " << size << " which " << r[3]);
      const std::pair<int, int> expected(r[5], r[4]);
      if (r[3] < 0)
        CHECK(std::pair((width - size) / 2, (height - size) / 2) == expected);
      else
        CHECK(datasets::three_places(width, height, size, middle_last).at(static_cast<std::size_t>(r[3])) ==
              expected);
    }
  };
  check_places("out.sf_uniform_crop", false);
  check_places("out.mm_crops", true);
}

TEST_CASE("scaling by rule: a part of the picture, one pixel, a flat picture") {
  std::vector<std::uint8_t> ramp;
  for (int i = 0; i < 8; ++i) ramp.insert(ramp.end(), 3, static_cast<std::uint8_t>(i * 10));
  const Axis one{1, 0, 1, 1, 0, 1};
  for (const auto scaling : {Scaling::torch, Scaling::cv2, Scaling::pillow}) {
    std::vector<std::uint8_t> out(4 * 3);
    media::resample(scaling, ramp.data(), {8, 2, 1, 4, 0, 8}, one, out.data());  // 1:1 is a copy
    CHECK(std::vector<std::uint8_t>{out[0], out[3], out[6], out[9]} ==
          std::vector<std::uint8_t>{20, 30, 40, 50});
    media::resample(scaling, ramp.data(), {1, 0, 0.25, 4, 0, 1}, one, out.data());
    CHECK(out == std::vector<std::uint8_t>(12, 0));
    const std::vector<std::uint8_t> white(5 * 7 * 3, 255);
    std::vector<std::uint8_t> big(11 * 3 * 3);
    media::resample(scaling, white.data(), whole(5, 11), whole(7, 3), big.data());
    CHECK(big == std::vector<std::uint8_t>(11 * 3 * 3, 255));
  }
}
