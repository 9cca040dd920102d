#include <marey/core/recipe.hpp>
#include <marey/train/experiment.hpp>

#include <fmt/format.h>

namespace marey {

Schema<Experiment::Loading> Experiment::Loading::schema() {
  using L = Loading;
  return Schema<L>{}
      .arg<&L::batch_size>({.doc = "clips of one micro-step in training", .min = 1, .max = 65536})
      .arg<&L::test_batch_size>({.doc = "clips of one batch in evaluation", .min = 1, .max = 65536})
      .arg<&L::threads>({.doc = "threads that decode; 0: one for each core", .min = 0, .max = 1024})
      .arg<&L::prefetch>({.doc = "batches under way at most", .min = 1, .max = 1024})
      .arg<&L::drop_last>({.doc = "leave out the last, smaller batch of an epoch in training"})
      .arg<&L::on_error>({.doc = "a video that cannot be read: fail ends the run with exit code 3, skip "
                                 "takes the next good one",
                          .one_of = {"fail", "skip"}})
      .arg<&L::max_bad_fraction>(
          {.doc = "under skip: more bad videos than this part of the data set end the run",
           .min = 0,
           .max = 1});
}

Schema<Experiment::Data> Experiment::Data::schema() {
  return Schema<Data>{}
      .arg<&Data::train>({.doc = "what `marey train` learns from"})
      .arg<&Data::val>({.doc = "what is evaluated during training"})
      .arg<&Data::test>({.doc = "what `marey test` evaluates; without it, val"});
}

Schema<Experiment::Training> Experiment::Training::schema() {
  using T = Training;
  return Schema<T>{}
      .arg<&T::max_epochs>({.doc = "length of the run", .unit = "epochs", .min = 1})
      .arg<&T::eval_interval>({.doc = "evaluates after every so many epochs and after the last; 0: never",
                               .unit = "epochs",
                               .min = 0})
      .arg<&T::device>({.doc = "auto, cpu, cuda or cuda:N; auto takes an accelerator where there is one"})
      .arg<&T::threads>({.doc = "threads of LibTorch; 0: its default", .min = 0, .max = 1024})
      .arg<&T::deterministic>({.doc = "the same numbers in every run of this recipe on this machine"});
}

Schema<Experiment::Init> Experiment::Init::schema() {
  return Schema<Init>{}
      .arg<&Init::weights>(
          {.doc = "a weight file (.safetensors, .pth, .pyth, .pt) or a checkpoint folder that training "
                  "starts from; empty: random weights"})
      .arg<&Init::from>(
          {.doc = "the project whose names the file has; auto goes by the names",
           .one_of = {"auto", "marey", "mmaction2", "pyslowfast", "pytorchvideo", "timesformer", "hf"}})
      .arg<&Init::head>(
          {.doc = "strict takes the file's head; reinitialise leaves the model's head at its random "
                  "weights, for another set of classes"})
      .arg<&Init::partial>({.doc = "tensors that only the model or only the file has are no error"});
}

Schema<Experiment> Experiment::schema() {
  using E = Experiment;
  return Schema<E>{}
      .arg<&E::name>({.doc = "of the run folder; without it, the recipe file's name"})
      .arg<&E::seed>({.doc = "of the weights, the order and the transforms"})
      .arg<&E::model>({.doc = "what is trained", .required = true})
      .arg<&E::init>({.doc = "the weights that training starts from"})
      .arg<&E::data>({.doc = "data sets"})
      .arg<&E::loader>({.doc = "how samples become batches"})
      .arg<&E::train>({.doc = "the run"})
      .arg<&E::optimizer>({.doc = "what updates the weights"})
      .arg<&E::schedule>({.doc = "the learning rate over the run; without it, constant"})
      .arg<&E::hooks>({.doc = "what acts at points of the run, by name"})
      .arg<&E::metrics>({.doc = "what judges an evaluation"});
}

LoadedRecipe load_experiment(const Registry& registry, const std::filesystem::path& path,
                             const std::vector<std::string>& overrides) {
  LoadedRecipe out;
  out.merged = load_recipe(path, overrides);
  Diagnostics problems;
  ReadContext context{registry, problems};
  const auto fields = Experiment::schema().fields;
  read_fields(&out.experiment, fields, out.merged, context);
  problems.throw_if_any();
  if (out.experiment.name.empty()) out.experiment.name = path.stem().string();
  out.resolved = write_fields(&out.experiment, fields);
  return out;
}

}  // namespace marey
