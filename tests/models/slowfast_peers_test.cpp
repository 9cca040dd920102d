// Our SlowFast with the peers' weights gives the peers' outputs, losses, gradients and statistics.
#include "models/peer_weights.hpp"
#include "models/workshop.hpp"
#include "support/catch.hpp"

#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

#include <cmath>

using namespace marey;
using namespace marey::test;

namespace {

struct Network {
  std::shared_ptr<Backbone> backbone;
  std::shared_ptr<Head> head;

  at::Tensor forward(const at::Tensor& clips) { return head->forward(backbone->forward(clips)); }
  Tensors state() const {
    Tensors out = state_of(*backbone, "backbone.");
    out.merge(state_of(*head, "head."));
    return out;
  }
  void train(bool on) { backbone->train(on), head->train(on); }
  void to(at::ScalarType type) { backbone->to(type), head->to(type); }
};

Network build(Workshop& workshop, const Tensors& fixture, std::string_view project, std::string backbone,
              std::string head) {
  const Tensors weights = renamed(fixture, "w.", project);
  const auto size = [&](const char* name, int dim) { return std::to_string(weights.at(name).size(dim)); };
  backbone = "type = 'SlowFast'\nbeta = 0.5\nstem_width = 4\nwidths = [4, 8, 16, 32]\nfusion_kernel = " +
             size("backbone.lateral.stem.conv.weight", 2) + "\n" + backbone;
  Network net{workshop.make<Backbone>(backbone),
              workshop.make<Head>("type = 'SlowFastHead'\ndropout = 0.0\nnum_classes = " +
                                  size("head.fc.weight", 0) + "\n" + head)};
  net.head->connect(net.backbone->out_channels());
  const at::NoGradGuard no_grad;
  Tensors state = net.state();
  for (auto& [name, tensor] : state) {
    INFO(name);
    REQUIRE(weights.contains(name));
    REQUIRE(weights.at(name).sizes() == tensor.sizes());
    tensor.copy_(weights.at(name));
  }
  CHECK(state.size() == weights.size());
  return net;
}

bool close(const at::Tensor& ours, const at::Tensor& theirs, double relative = 1e-4, double absolute = 2e-5) {
  UNSCOPED_INFO("largest difference " << (ours - theirs).abs().max().item<double>());
  return at::allclose(ours, theirs, relative, absolute);
}

void compare(Network& net, const Tensors& fixture, std::string_view project, const char* clips) {
  const at::Tensor x = fixture.at(clips), labels = fixture.at("in.label");
  {
    const at::NoGradGuard no_grad;
    net.train(false);
    CHECK(close(net.forward(x), fixture.at("out.logits")));
    CHECK(close(net.forward(x.contiguous(at::MemoryFormat::ChannelsLast3d)), fixture.at("out.logits")));
    net.to(at::kDouble);
    CHECK(close(net.forward(x.to(at::kDouble)), fixture.at("out.logits_f64"), 1e-9, 1e-10));
    net.to(at::kFloat);
  }
  net.train(true);
  const at::Tensor scores = net.forward(x);
  CHECK(close(scores, fixture.at("out.train_logits")));
  const at::Tensor loss = at::cross_entropy_loss(scores, labels);
  CHECK(close(loss.detach(), fixture.at("loss"), 1e-5, 1e-6));
  loss.backward();

  const Tensors gradients = renamed(fixture, "grad.", project),
                norms = renamed(fixture, "gradnorm.", project),
                statistics = renamed(fixture, "post.", project);
  int compared = 0;
  for (const auto& [name, tensor] : net.state()) {
    INFO(name);
    if (const auto theirs = gradients.find(name); theirs != gradients.end()) {
      const at::Tensor& ours = tensor.grad();
      const double relative = ((ours - theirs->second).norm() / theirs->second.norm()).item<double>();
      INFO("relative difference " << relative);
      // Another order of summation may put a value near 0 on the other side of a ReLU, in ours or in theirs.
      CHECK((at::allclose(ours, theirs->second, 1e-3, 1e-5) || relative < 1e-2));
      ++compared;
    }
    if (const auto theirs = norms.find(name); theirs != norms.end()) {
      CHECK(tensor.grad().norm().item<double>() ==
            Approx(theirs->second.item<double>()).epsilon(1e-2).margin(1e-5));
      ++compared;
    }
    if (const auto theirs = statistics.find(name); theirs != statistics.end()) {
      CHECK(close(tensor.to(at::kFloat), theirs->second.to(at::kFloat), 1e-5, 1e-6));
      ++compared;
    }
  }
  CHECK(compared > 50);
}

}  // namespace

TEST_CASE("SlowFast 8x8 with PySlowFast's weights") {
  const Tensors fixture = read_fixture("pyslowfast_slowfast_8x8like");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "pyslowfast";
  Network net = build(workshop, fixture, project, "alpha = 4", "");
  compare(net, fixture, project, "in.fast");

  // A larger frame is classified at every position: softmax first, then the mean.
  Network windows = build(workshop, fixture, project, "alpha = 4", "pool_size = 2");
  windows.train(false);
  const at::NoGradGuard no_grad;
  CHECK(close(windows.forward(fixture.at("in.fast")), fixture.at("out.logits")));
  CHECK(close(at::softmax(windows.forward(fixture.at("in.big_fast")), 1), fixture.at("out.big_eval")));
}

TEST_CASE("SlowFast 4x16 with PySlowFast's weights") {
  const Tensors fixture = read_fixture("pyslowfast_slowfast_4x16like");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "pyslowfast";
  Network net = build(workshop, fixture, project, "alpha = 8", "");
  compare(net, fixture, project, "in.fast");
}

TEST_CASE("SlowFast with PyTorchVideo's weights") {
  const Tensors fixture = read_fixture("ptv_slowfast_r50");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "pytorchvideo";
  Network net = build(workshop, fixture, project, "alpha = 4", "");
  compare(net, fixture, project, "in.fast");
}

TEST_CASE("SlowFast R50 with MMAction2's weights") {
  const Tensors fixture = read_fixture("mmaction2_slowfast_r50_4x16like");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "mmaction2";
  Network net = build(workshop, fixture, project, "alpha = 8\nlateral_norm = false\nslow_index = 'stride'",
                      "concat = 'fast_slow'");
  compare(net, fixture, project, "in.x");
}

TEST_CASE("SlowFast R18 with MMAction2's weights") {
  const Tensors fixture = read_fixture("mmaction2_slowfast_r18like");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "mmaction2";
  Network net =
      build(workshop, fixture, project,
            "depth = 18\nalpha = 4\nlateral_norm = false\nslow_index = 'stride'\ntemporal_in_both = true",
            "concat = 'fast_slow'");
  compare(net, fixture, project, "in.x");
}
