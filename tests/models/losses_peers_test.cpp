// Our losses with the peers' inputs give the peers' values and gradients.
#include "models/peer_weights.hpp"
#include "models/workshop.hpp"
#include "support/catch.hpp"

#include <marey/model/loss.hpp>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

using namespace marey;
using namespace marey::test;

namespace {

std::string list(const at::Tensor& values) {
  std::string out;
  for (std::int64_t i = 0; i < values.numel(); ++i)
    out += fmt::format("{}{:.9g}", i ? ", " : "", values[i].item<double>());
  return "[" + out + "]";
}

}  // namespace

TEST_CASE("losses equal those of PySlowFast, MMAction2 and PyTorchVideo") {
  const Tensors fixture = read_fixture("losses_blending_handed");
  if (fixture.empty()) return;
  Workshop workshop;
  const std::string weights = "class_weights = " + list(fixture.at("in.class_weight")) + "\n";
  const std::string ce = "type = 'CrossEntropy'\n", bce = "type = 'BCEWithLogits'\n";
  struct Row {
    const char* name;
    std::string loss;
    const char* labels;
  };
  const std::vector<Row> rows{
      {"ce", ce, "in.label"},
      {"soft_ce", ce + "soft_mean = 'clips'", "in.soft"},
      {"soft_ce", ce, "in.soft"},
      {"soft_ce_unnormalised", ce + "soft_mean = 'clips'", "in.soft_unnormalised"},
      {"ptv_soft_ce_normalise", ce + "soft_mean = 'rows'", "in.soft_unnormalised"},
      {"bce_logit", bce, "in.multilabel"},
      {"bce_of_sigmoid", "type = 'BCE'", "in.multilabel"},
      {"mm_ce", ce, "in.label"},
      {"mm_ce_weighted", ce + weights, "in.label"},
      {"mm_ce_soft", ce + "soft_mean = 'clips'", "in.soft"},
      {"mm_ce_soft_weighted", ce + weights, "in.soft"},
      {"mm_bce", bce, "in.multilabel"},
      {"mm_bce_weighted", bce + weights, "in.multilabel"},
      {"torch_ce_label_smoothing_0.1", ce + "label_smoothing = 0.1", "in.label"},
      {"mm_head_label_smooth_0.1", ce + "label_smoothing = 0.1", "in.label"},
      {"bce_logit", "type = 'Focal'\nalpha = 1\ngamma = 0", "in.multilabel"},
      {"ce", "type = 'Focal'\nalpha = 1\ngamma = 0\nactivation = 'softmax'", "in.label"},
  };
  for (const auto& row : rows) {
    INFO(row.name << ": " << row.loss);
    const auto loss = workshop.make<Loss>(row.loss);
    const at::Tensor logits = fixture.at("in.logits").clone().requires_grad_();
    const at::Tensor value = loss->forward(logits, fixture.at(row.labels));
    const std::string name = row.name;
    CHECK(at::allclose(value.detach(), fixture.at("loss." + name), 1e-5, 1e-6));
    value.backward();
    CHECK(at::allclose(logits.grad(), fixture.at("grad." + name), 1e-4, 1e-6));
  }
}
