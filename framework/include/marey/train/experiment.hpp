// A recipe as C++: read and checked as a whole, built when asked.
#pragma once
#include <marey/core/part.hpp>
#include <marey/core/registry.hpp>
#include <marey/data/dataset.hpp>
#include <marey/data/loader.hpp>
#include <marey/model/model.hpp>
#include <marey/train/hook.hpp>
#include <marey/train/metric.hpp>
#include <marey/train/optimizer.hpp>
#include <marey/train/schedule.hpp>

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace marey {

// The top level of a recipe; its schema() is the list of allowed keys.
struct Experiment {
  struct Loading {  // [loader]
    std::int64_t batch_size = 8, test_batch_size = 8;
    int threads = 2, prefetch = 3;
    bool drop_last = false;
    std::string on_error = "fail";
    double max_bad_fraction = 0.05;
    static Schema<Loading> schema();
  };
  struct Data {  // [data.train], [data.val], [data.test]
    Part<Dataset> train, val, test;
    static Schema<Data> schema();
  };
  struct Training {  // [train]
    std::int64_t max_epochs = 1;
    std::int64_t eval_interval = 1;  // epochs; 0: never
    std::string device = "auto";     // auto, cpu, cuda, cuda:1
    int threads = 0;                 // of LibTorch; 0: its default
    bool deterministic = true;
    static Schema<Training> schema();
  };
  enum class InitialHead { strict, reinitialise };
  struct Init {  // [init]
    FilePath weights;
    std::string from = "auto";
    InitialHead head = InitialHead::strict;
    bool partial = false;
    static Schema<Init> schema();
  };

  std::string name;  // default: the recipe file's stem
  std::uint32_t seed = 0;
  Part<Model> model;
  Init init;
  Data data;
  Loading loader;
  Training train;
  Part<Optimizer> optimizer;
  Part<Schedule> schedule;  // empty: constant
  std::map<std::string, Part<Hook>> hooks;
  std::vector<Part<Metric>> metrics;
  static Schema<Experiment> schema();
};

template <>
struct EnumNames<Experiment::InitialHead> {
  static constexpr std::array names{std::pair{Experiment::InitialHead::strict, "strict"},
                                    std::pair{Experiment::InitialHead::reinitialise, "reinitialise"}};
};

// Loads, merges and checks a recipe; RecipeError holds everything that is wrong.
struct LoadedRecipe {
  Experiment experiment;
  Value merged;    // as written, with origins
  Value resolved;  // every parameter with its value
};
LoadedRecipe load_experiment(const Registry&, const std::filesystem::path&,
                             const std::vector<std::string>& overrides = {});

}  // namespace marey
