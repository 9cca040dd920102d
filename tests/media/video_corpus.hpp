// The folder of real videos with measured facts (env MAREY_VIDEOS), and what its index says. Absent on most
// machines.
#pragma once
#include "support/places.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace marey::test {

inline std::filesystem::path video_folder() { return shared_folder("MAREY_VIDEOS", "videos"); }

inline std::optional<nlohmann::json> video_index() {
  std::ifstream file(video_folder() / "index.json");
  if (!file) return std::nullopt;
  return nlohmann::json::parse(file);
}

}  // namespace marey::test
