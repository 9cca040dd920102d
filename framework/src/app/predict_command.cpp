// marey predict RECIPE|RUN VIDEO … [--top-k 5] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"
#include "app/subject.hpp"
#include "app/video_files.hpp"

#include <marey/core/log.hpp>
#include <marey/data/loader.hpp>
#include <marey/data/pipeline.hpp>
#include <marey/train/runner.hpp>

#include <ATen/ops/topk.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace marey::app {
namespace {

void options(Arguments& a) {
  a.take_positionals(2);
  add_subject_options(a);
  a.add_number("top-k", "how many classes to name", 5);
  a.add_switch("json", "print one JSON document");
}

// The transforms of the recipe's test data set; the data set itself need not be there.
std::vector<std::shared_ptr<Transform>> test_pipeline(const Host& host, const LoadedRecipe& recipe,
                                                      const std::vector<std::string>& class_names) {
  const Value* data = recipe.merged.find("data");
  const Value* split = data ? data->find("test") : nullptr;
  if (!split && data) split = data->find("val");
  const Value* steps = split ? split->find("pipeline") : nullptr;
  if (!steps)
    throw UsageError("the recipe has neither data.test.pipeline nor data.val.pipeline; predicting needs one");
  Diagnostics problems;
  ReadContext context{host.registry, problems, "data.test.pipeline"};
  std::vector<Part<Transform>> parts;
  ParamType<std::vector<Part<Transform>>>::read(*steps, parts, {}, context);
  problems.throw_if_any();
  return data::make_pipeline(parts, class_names);
}

nlohmann::ordered_json best_classes(const at::Tensor& scores, std::int64_t k,
                                    const std::vector<std::string>& names) {
  const auto [values, indices] = at::topk(scores, std::min(k, scores.size(0)));
  auto out = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    const auto index = indices[i].item<std::int64_t>();
    const auto name = static_cast<std::size_t>(index) < names.size() ? names[static_cast<std::size_t>(index)]
                                                                     : fmt::format("class {}", index);
    out.push_back({{"class", name}, {"index", index}, {"probability", values[i].item<double>()}});
  }
  return out;
}

ExitCode run(const Arguments& a) {
  if (a.number("top-k") < 1)
    throw UsageError(fmt::format("--top-k {}: expected at least 1", a.number("top-k")));
  const Host host(a);
  const Subject subject = find_subject(host, a, {});
  const LoadedModel loaded = load_model(subject);
  const auto pipeline = test_pipeline(host, subject.recipe, loaded.class_names);
  const std::vector<std::string> files(a.positionals().begin() + 1, a.positionals().end());
  auto results = nlohmann::ordered_json::array();
  std::string text;
  ExitCode code = ExitCode::ok;
  for (const std::string& file : files) {
    try {
      c10::InferenceMode inference;
      data::Loader loader(std::make_shared<VideoFiles>(std::vector{file}, pipeline),
                          {.batch_size = 1, .threads = 1, .advice = {}});
      loader.start(0);
      auto batch = *loader.next();
      batch.pixels = batch.pixels.to(loaded.device);
      const at::Tensor scores = loaded.model->predict(batch)[0].to(at::kCPU);
      auto classes = best_classes(scores, a.number("top-k"), loaded.class_names);
      text += file + "\n";
      for (const auto& c : classes)
        text += fmt::format("  {:.4f}  {}\n", c["probability"].get<double>(), c["class"].get<std::string>());
      results.push_back({{"file", file}, {"classes", std::move(classes)}});
    } catch (const DataError& e) {  // the other files are still wanted
      log::error(e.what());
      results.push_back({{"file", file}, {"error", e.what()}});
      code = e.code();
    }
  }
  print(a.on("json") ? results.dump(2) : text);
  return code;
}

}  // namespace

extern const Command predict_command{"predict", options, run};

}  // namespace marey::app
