// What an override of the command line may become: "model.backbone.al" → "model.backbone.alpha=".
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace marey::app {

// The recipe tells the types of its components, the schema their parameters. Whole words come back.
std::vector<std::string> complete_override(const std::string& word, const nlohmann::json& schema,
                                           const std::filesystem::path& recipe);

}  // namespace marey::app
