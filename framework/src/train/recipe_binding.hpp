// Which part of a recipe a checkpoint is bound to: a run that resumes with another value there would not be
// the same run.
#pragma once
#include <marey/core/value.hpp>
#include <marey/train/hook.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace marey {

// The resolved recipe without what may change: the run's name and length, evaluation, the device, threads,
// what happens to bad files, and hooks that stop, save or log.
nlohmann::json binding_part(const Value& resolved, const std::map<std::string, Role>& hooks);

// "optimizer.lr: 0.1 in the checkpoint, 0.2 now", one a key.
std::vector<std::string> differences(const nlohmann::json& saved, const nlohmann::json& now);

}  // namespace marey
