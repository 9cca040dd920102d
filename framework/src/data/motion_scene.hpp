// One clip of the motion data set: what is drawn for it, and its frames.
#pragma once
#include "data/motion_texture.hpp"

#include <cstdint>
#include <vector>

namespace marey::data {

inline constexpr int motion_side = 112;  // of a frame, in pixels

// The disc at one moment. Its place lies on a torus, its size runs in a cycle: so each is distributed the
// same way at every moment and in every class, and one frame tells nothing about the class.
struct DiscState {
  double x = 0, y = 0;  // of its centre, in pixels
  double radius = 0;
  double angle = 0;  // radians, clockwise as seen
};

// What is drawn for a clip besides its pictures; of the same distribution for every class.
struct DiscCourse {
  double x = 0, y = 0, angle = 0, phase = 0;
  double speed = 0;   // pixels per frame
  double turn = 0;    // radians per frame
  double growth = 0;  // cycles of size per frame
};
DiscCourse draw_course(Random&);
DiscState state_at(const DiscCourse&, int label, int frame);

class MotionScene {
 public:
  // `pool` empty: textures are computed.
  MotionScene(int label, Split, const Textures& pool, Random);
  // Frame t as RGB24, motion_side squared.
  void render(int t, std::uint8_t* rgb24) const;

 private:
  struct Tile {  // square, of floats
    int side = 0;
    std::vector<Colour> pixels;
    Colour at(float x, float y) const;  // bilinear, clamped at the edges
  };
  static Tile draw_disc(const Texture&, float brightness, Random&);
  static Tile draw_background(const Texture&, float brightness, Random&);

  int label_;
  DiscCourse course_;
  float pan_x_, pan_y_;  // of the background, in pixels per frame
  Tile disc_, background_;
};

}  // namespace marey::data
