#include "data/motion_scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace marey::data {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double smallest_radius = 18, largest_radius = 34;
constexpr int disc_texels = 36;  // from the centre of the disc's picture to its edge
constexpr int margin = 30;       // of the background around a frame; it pans by less
constexpr float dark = 65,
                bright = 180;  // mean brightness: one for the disc, the other for what lies behind it
constexpr float disc_contrast = 46, background_contrast = 18;  // standard deviations of brightness

float brightness_of(const Colour& c) { return 0.299f * c[0] + 0.587f * c[1] + 0.114f * c[2]; }

// How a picture is looked at: a place, an angle and a size of one pixel in texels.
struct Window {
  float x, y, angle, zoom;
  Colour at(const Texture& texture, float dx, float dy) const {
    const float c = std::cos(angle) * zoom, s = std::sin(angle) * zoom;
    return texture.at(x + c * dx - s * dy, y + s * dx + c * dy, zoom);
  }
};

Window draw_window(Random& random) {
  const auto number = [&](double low, double high) { return static_cast<float>(random.uniform(low, high)); };
  return {number(-600, 600), number(-600, 600), number(0, 2 * pi), number(0.8, 2.2)};
}

// How much a turn changes the picture: the spread of brightness along rings, of the coarse picture that a
// network sees.
float unevenness(const Texture& texture, const Window& window) {
  constexpr int steps = 20;
  float total = 0;
  for (float radius : {0.3f, 0.55f, 0.8f}) {
    float sum = 0, squares = 0;
    for (int k = 0; k < steps; ++k) {
      const auto angle = static_cast<float>(2 * pi * k / steps);
      const float r = radius * disc_texels, dx = r * std::cos(angle), dy = r * std::sin(angle);
      constexpr float blur = 2;  // a few places instead of one
      float value = 0;
      for (const auto& [a, b] : {std::pair{-blur, -blur}, {blur, -blur}, {-blur, blur}, {blur, blur}})
        value += brightness_of(window.at(texture, dx + a, dy + b)) / 4;
      sum += value;
      squares += value * value;
    }
    total += squares / steps - (sum / steps) * (sum / steps);
  }
  return total;
}

// Brings pictures to a given brightness and contrast; `inside` says which pixels count.
template <class Inside>
void even_out(std::vector<Colour>& pixels, float brightness, float contrast, float most_gain,
              float saturation, const Colour& tint, Inside inside) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (!inside(i)) continue;
    const double l = brightness_of(pixels[i]);
    sum += l;
    squares += l * l;
    ++count;
  }
  const double mean = sum / count, deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  const float gain = std::min(most_gain, static_cast<float>(contrast / std::max(deviation, 1.0)));
  for (auto& p : pixels) {
    const float l = brightness_of(p);
    const float base = brightness + gain * (l - static_cast<float>(mean));
    for (std::size_t c = 0; c < 3; ++c)
      p[c] = std::clamp(base + saturation * (p[c] - l) + tint[c], 0.0f, 255.0f);
  }
}

const Texture& pick(const Textures& pool, Random& random) {
  return *pool[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(pool.size()) - 1))];
}

// From -side/2 to side/2: the shortest way round the torus.
double around(double distance) { return distance - motion_side * std::round(distance / motion_side); }

}  // namespace

DiscCourse draw_course(Random& random) {
  DiscCourse course;
  course.x = random.uniform(0, motion_side);
  course.y = random.uniform(0, motion_side);
  course.angle = random.uniform(0, 2 * pi);
  course.phase = random.uniform();
  course.speed = random.uniform(2.0, 3.8);
  course.turn = random.uniform(0.09, 0.17);
  course.growth = random.uniform(1.0 / 36, 1.0 / 24);
  return course;
}

DiscState state_at(const DiscCourse& course, int label, int frame) {
  double x = course.x, y = course.y, angle = course.angle, phase = course.phase;
  switch (label) {
    case 0:
      x -= course.speed * frame;
      break;
    case 1:
      x += course.speed * frame;
      break;
    case 2:
      y -= course.speed * frame;
      break;
    case 3:
      y += course.speed * frame;
      break;
    case 4:
      angle += course.turn * frame;
      break;
    case 5:
      angle -= course.turn * frame;
      break;
    case 6:
      phase += course.growth * frame;
      break;
    default:
      phase -= course.growth * frame;
      break;
  }
  const auto wrap = [](double value, double size) { return value - size * std::floor(value / size); };
  return {wrap(x, motion_side), wrap(y, motion_side),
          smallest_radius * std::pow(largest_radius / smallest_radius, wrap(phase, 1.0)),
          wrap(angle, 2 * pi)};
}

Colour MotionScene::Tile::at(float x, float y) const {
  const float limit = static_cast<float>(side) - 1.001f;
  x = std::clamp(x, 0.0f, limit);
  y = std::clamp(y, 0.0f, limit);
  const auto x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const float fx = x - static_cast<float>(x0), fy = y - static_cast<float>(y0);
  const Colour* p =
      &pixels[static_cast<std::size_t>(y0) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x0)];
  const Colour* q = p + side;
  Colour out;
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = (p[0][c] * (1 - fx) + p[1][c] * fx) * (1 - fy) + (q[0][c] * (1 - fx) + q[1][c] * fx) * fy;
  return out;
}

MotionScene::MotionScene(int label, Split split, const Textures& pool, Random random) : label_(label) {
  course_ = draw_course(random);
  const double way = random.uniform(0, 2 * pi), speed = random.uniform(0, 0.5);
  pan_x_ = static_cast<float>(speed * std::cos(way));
  pan_y_ = static_cast<float>(speed * std::sin(way));
  const bool bright_disc = random.chance(0.5);
  std::shared_ptr<const Texture> computed[2];
  const Texture *front, *behind;
  if (pool.empty()) {
    for (auto& texture : computed) texture = computed_texture(split, random);
    front = computed[0].get();
    behind = computed[1].get();
  } else {
    front = &pick(pool, random);
    do behind = &pick(pool, random);
    while (behind == front);
  }
  disc_ = draw_disc(*front, bright_disc ? bright : dark, random);
  background_ = draw_background(*behind, bright_disc ? dark : bright, random);
}

MotionScene::Tile MotionScene::draw_disc(const Texture& texture, float brightness, Random& random) {
  Window best{};
  float best_unevenness = -1;
  for (int k = 0; k < 8; ++k) {  // photos have flat parts, on which no turn could be seen
    const Window window = draw_window(random);
    const float found = unevenness(texture, window);
    if (found > best_unevenness) best = window, best_unevenness = found;
  }
  Tile tile{2 * disc_texels + 3, {}};
  const int half = tile.side / 2;
  for (int y = -half; y <= half; ++y)
    for (int x = -half; x <= half; ++x)
      tile.pixels.push_back(best.at(texture, static_cast<float>(x), static_cast<float>(y)));
  const double hue = random.uniform(0, 2 * pi);
  Colour tint;
  for (std::size_t c = 0; c < 3; ++c)
    tint[c] = static_cast<float>(38 * std::cos(hue + 2 * pi * static_cast<double>(c) / 3));
  even_out(tile.pixels, brightness, disc_contrast, 6, 1.0f, tint, [&](std::size_t i) {
    const int x = static_cast<int>(i) % tile.side - half, y = static_cast<int>(i) / tile.side - half;
    return x * x + y * y <= disc_texels * disc_texels;
  });
  return tile;
}

MotionScene::Tile MotionScene::draw_background(const Texture& texture, float brightness, Random& random) {
  const Window window = draw_window(random);
  Tile tile{motion_side + 2 * margin, {}};
  for (int y = 0; y < tile.side; ++y)
    for (int x = 0; x < tile.side; ++x)
      tile.pixels.push_back(window.at(texture, static_cast<float>(x), static_cast<float>(y)));
  even_out(tile.pixels, brightness, background_contrast, 2, 0.35f, {}, [](std::size_t) { return true; });
  return tile;
}

void MotionScene::render(int t, std::uint8_t* rgb24) const {
  const DiscState disc = state_at(course_, label_, t);
  const auto zoom = static_cast<float>(disc_texels / disc.radius);
  const float c = std::cos(static_cast<float>(disc.angle)) * zoom,
              s = std::sin(static_cast<float>(disc.angle)) * zoom;
  const auto radius = static_cast<float>(disc.radius);
  const auto time = static_cast<float>(t);
  for (int y = 0; y < motion_side; ++y) {
    const auto dy = static_cast<float>(around(y - disc.y));
    for (int x = 0; x < motion_side; ++x, rgb24 += 3) {
      Colour colour = background_.at(static_cast<float>(x + margin) + pan_x_ * time,
                                     static_cast<float>(y + margin) + pan_y_ * time);
      const auto dx = static_cast<float>(around(x - disc.x));
      const float cover = std::clamp(radius - std::sqrt(dx * dx + dy * dy) + 0.5f, 0.0f, 1.0f);
      if (cover > 0) {
        constexpr float centre = disc_texels + 1;
        const Colour over = disc_.at(centre + c * dx + s * dy, centre + c * dy - s * dx);
        for (std::size_t k = 0; k < 3; ++k) colour[k] += (over[k] - colour[k]) * cover;
      }
      for (std::size_t k = 0; k < 3; ++k) rgb24[k] = static_cast<std::uint8_t>(colour[k] + 0.5f);
    }
  }
}

}  // namespace marey::data
