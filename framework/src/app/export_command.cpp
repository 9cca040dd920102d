// marey export WEIGHTS --out FILE [--format safetensors|pth] [--names PROJECT] [--json]
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/train/pth.hpp>
#include <marey/train/safetensors.hpp>
#include <marey/train/weight_names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace marey::app {
namespace {

namespace fs = std::filesystem;

void options(Arguments& a) {
  a.take_positionals(1, 1);
  a.add_text("out", "the file to write, also -o; required");
  a.add_text("format", "safetensors, or pth as torch.save() writes it; without it, the ending of --out says");
  a.add_text("names",
             "whose names the tensors get: marey, mmaction2, pyslowfast, pytorchvideo, timesformer or hf",
             "marey");
  a.add_switch("json", "print one JSON document");
}

std::string format_of(const Arguments& a, const fs::path& out) {
  const std::vector<std::string> known{"safetensors", "pth"};
  if (!a.given("format")) {
    const std::string ending = out.extension().string();
    if (ending == ".safetensors") return known[0];
    if (ending == ".pth" || ending == ".pyth" || ending == ".pt") return known[1];
    throw UsageError(fmt::format(
        "--out {}: the ending shows no format; expected .safetensors, .pth, .pyth or .pt, or --format",
        out.string()));
  }
  const std::string format = a.text("format");
  if (std::ranges::find(known, format) == known.end())
    throw UsageError(fmt::format("--format {}: expected {}{}", format, fmt::join(known, " or "),
                                 did_you_mean(format, known)));
  return format;
}

// The key under which the project's own loader looks for its weights.
std::string place_of(const std::string& project) {
  if (project == "mmaction2") return "state_dict";
  if (project == "pyslowfast" || project == "pytorchvideo" || project == "timesformer") return "model_state";
  return {};
}

ExitCode run(const Arguments& a) {
  const fs::path in = a.positionals()[0];
  if (!a.given("out"))
    throw UsageError("--out is missing; expected the file to write, for example --out weights.pth");
  const fs::path out = a.text("out");
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored))
    throw UsageError(fmt::format("--out {}: is the file to export; choose another name", out.string()));
  const std::string format = format_of(a, out), names = a.text("names");
  const NamedWeights own = read_named_weights(in);
  if (own.weights.empty()) throw CheckpointError(fmt::format("{}: holds no tensor", in.string()));
  const TensorMap theirs = with_project_names(own.weights, names);
  const std::string under = format == "pth" ? place_of(names) : "";
  if (format == "pth")
    write_pth(out, theirs, under);
  else
    write_safetensors(out, theirs, {{"format", "pt"}});
  if (a.on("json")) {
    print(nlohmann::ordered_json{{"in", in.string()},
                                 {"out", out.string()},
                                 {"format", format},
                                 {"names", names},
                                 {"under", under},
                                 {"tensors", theirs.size()}}
              .dump(2));
  } else {
    print(fmt::format("written: {} ({}): {} tensors with the names of {}{}\n", out.string(), format,
                      theirs.size(), names, under.empty() ? "" : fmt::format(", under '{}'", under)));
  }
  return ExitCode::ok;
}

}  // namespace

extern const Command export_command{"export", options, run};

}  // namespace marey::app
