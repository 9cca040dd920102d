#include "data/motion_texture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace marey::data {
namespace {

// A number in [0, 1) for a grid point.
float lattice(std::int32_t x, std::int32_t y, std::uint32_t seed) {
  std::uint32_t h =
      seed ^ (static_cast<std::uint32_t>(x) * 0x9E3779B1u) ^ (static_cast<std::uint32_t>(y) * 0x85EBCA77u);
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return static_cast<float>((h ^ (h >> 15)) >> 8) * (1.0f / 16777216.0f);
}

float smooth(float t) { return t * t * (3 - 2 * t); }
float mix(float a, float b, float t) { return a + (b - a) * t; }

float noise(float x, float y, std::uint32_t seed) {
  const float fx = std::floor(x), fy = std::floor(y);
  const auto i = static_cast<std::int32_t>(fx), j = static_cast<std::int32_t>(fy);
  const float u = smooth(x - fx), v = smooth(y - fy);
  return mix(mix(lattice(i, j, seed), lattice(i + 1, j, seed), u),
             mix(lattice(i, j + 1, seed), lattice(i + 1, j + 1, seed), u), v);
}

struct Look {
  std::uint32_t seed = 0;
  float size = 20;  // of a feature, in texels
  float angle = 0;
  Colour low{}, high{};
};

Look draw_look(Random& random) {
  Look look;
  look.seed = random.bits();
  look.size = static_cast<float>(random.uniform(14, 34));
  look.angle = static_cast<float>(random.uniform(0, 2 * std::numbers::pi));
  for (auto& c : look.low) c = static_cast<float>(random.uniform(0, 110));
  for (auto& c : look.high) c = static_cast<float>(random.uniform(130, 255));
  return look;
}

// Families are functions of a place, in units of a feature, to [0, 1]; every one is uneven, so that a turn
// shows.
using Family = float (*)(float x, float y, std::uint32_t seed);

float clouds(float x, float y, std::uint32_t seed) {
  const float sum = noise(x, y, seed) + 0.5f * noise(2.1f * x, 2.1f * y, seed + 1) +
                    0.25f * noise(4.3f * x, 4.3f * y, seed + 2);
  return std::clamp((sum / 1.75f - 0.5f) * 2.2f + 0.5f, 0.0f, 1.0f);
}

float bands(float x, float y, std::uint32_t seed) {
  const float bend = 2.5f * noise(0.4f * x, 0.4f * y, seed);
  return mix(0.5f + 0.5f * std::sin(3.0f * x + 4 * bend), noise(0.7f * x, 0.7f * y, seed + 1), 0.35f);
}

float checks(float x, float y, std::uint32_t seed) {
  const float u = x + 0.9f * noise(0.6f * x, 0.6f * y, seed),
              v = y + 0.9f * noise(0.6f * x, 0.6f * y, seed + 1);
  const bool odd = (static_cast<int>(std::floor(u)) + static_cast<int>(std::floor(v))) % 2 != 0;
  return mix(odd ? 1.0f : 0.0f,
             lattice(static_cast<int>(std::floor(u)), static_cast<int>(std::floor(v)), seed + 2), 0.5f);
}

// Calls visit(distance to the cell's point, the cell's own number) for the nine cells around.
template <class Visit>
void each_cell(float x, float y, std::uint32_t seed, Visit visit) {
  const auto i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
  for (int b = j - 1; b <= j + 1; ++b)
    for (int a = i - 1; a <= i + 1; ++a) {
      const float px = static_cast<float>(a) + lattice(a, b, seed),
                  py = static_cast<float>(b) + lattice(a, b, seed + 1);
      visit(std::hypot(x - px, y - py), lattice(a, b, seed + 2));
    }
}

float cells(float x, float y, std::uint32_t seed) {
  float nearest = 9, shade = 0;
  each_cell(x, y, seed, [&](float distance, float own) {
    if (distance < nearest) nearest = distance, shade = own;
  });
  return std::clamp(shade * 1.1f - 0.35f * nearest + 0.1f, 0.0f, 1.0f);
}

float spots(float x, float y, std::uint32_t seed) {
  float value = 0.3f * noise(0.5f * x, 0.5f * y, seed + 3);
  each_cell(x, y, seed, [&](float distance, float own) {
    const float edge = std::clamp((0.2f + 0.3f * own - distance) * 8, 0.0f, 1.0f);
    value = mix(value, 0.55f + 0.45f * own, edge);
  });
  return value;
}

float ripples(float x, float y, std::uint32_t seed) {
  float sum = 0;
  for (std::uint32_t k = 0; k < 3; ++k) {
    const float cx = 8 * lattice(1, static_cast<int>(k), seed) - 4,
                cy = 8 * lattice(2, static_cast<int>(k), seed) - 4;
    sum += std::sin(4.0f * std::hypot(x - cx, y - cy));
  }
  return mix(0.5f + sum / 6, noise(0.6f * x, 0.6f * y, seed), 0.4f);
}

class Pattern final : public Texture {
 public:
  Pattern(Family family, const Look& look)
      : family_(family), look_(look), c_(std::cos(look.angle)), s_(std::sin(look.angle)) {}

  Colour at(float x, float y, float) const override {
    const float u = (c_ * x + s_ * y) / look_.size, v = (c_ * y - s_ * x) / look_.size;
    const float t = family_(u, v, look_.seed);
    Colour out;
    for (std::size_t k = 0; k < 3; ++k) out[k] = mix(look_.low[k], look_.high[k], t);
    return out;
  }

 private:
  Family family_;
  Look look_;
  float c_, s_;
};

}  // namespace

std::shared_ptr<const Texture> computed_texture(Split split, Random& random) {
  static constexpr Family families[2][3] = {{clouds, bands, checks}, {cells, spots, ripples}};
  const auto kind = static_cast<std::size_t>(random.integer(0, 2));
  return std::make_shared<Pattern>(families[split == Split::val][kind], draw_look(random));
}

}  // namespace marey::data
