// marey data motion --out FOLDER [--photos FOLDER] [--train 60] [--val 20] [--seed 7]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/data/motion.hpp>

#include <fmt/format.h>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(0, 0);
  a.add_text("out", "the folder to write; required");
  a.add_text("photos", "a folder of pictures to take textures from (default: textures are computed)");
  a.add_number("train", "training clips of each class", 60);
  a.add_number("val", "validation clips of each class", 20);
  a.add_number("seed", "another one gives other clips", 7);
}

int clips(const Arguments& a, const char* name) {
  const auto n = a.number(name);
  if (n < 1 || n > 100000) throw UsageError(fmt::format("--{} {}: expected from 1 to 100000", name, n));
  return static_cast<int>(n);
}

ExitCode run(const Arguments& a) {
  if (!a.given("out"))
    throw UsageError("--out is missing; expected the folder to write, for example --out data/motion");
  if (a.number("seed") < 0) throw UsageError(fmt::format("--seed {}: expected 0 or more", a.number("seed")));
  data::MotionOptions options{.out = a.text("out"),
                              .train_per_class = clips(a, "train"),
                              .val_per_class = clips(a, "val"),
                              .seed = static_cast<std::uint64_t>(a.number("seed"))};
  if (a.given("photos")) options.photos = a.text("photos");
  const bool written = data::write_motion_dataset(options, [](std::int64_t done, std::int64_t total) {
    log::set_status_line(fmt::format("{} of {} clips", done, total));
  });
  log::set_status_line("");
  log::info(written ? fmt::format("{}: {} training and {} validation clips", a.text("out"),
                                  8 * options.train_per_class, 8 * options.val_per_class)
                    : fmt::format("{}: complete already, left as it is", a.text("out")));
  return ExitCode::ok;
}

}  // namespace

extern const Command motion_command{"data motion", options, run};

}  // namespace marey::app
