// Our TimeSformer with the peers' weights gives the peers' outputs, losses, gradients and steps.
#include "models/peer_weights.hpp"
#include "models/workshop.hpp"
#include "support/catch.hpp"

#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

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

Network build(Workshop& workshop, const Tensors& fixture, std::string_view project, const std::string& more) {
  const Tensors weights = renamed(fixture, "w.", project);
  Network net{workshop.make<Backbone>("type = 'TimeSformer'\nembed_dim = 32\nnum_heads = 4\npatch_size = 8\n"
                                      "image_size = 32\ndrop_path = 0.0\n" +
                                      more),
              workshop.make<Head>("type = 'TransformerHead'\nnum_classes = 10")};
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

bool close(const at::Tensor& ours, const at::Tensor& theirs, double relative, double absolute) {
  UNSCOPED_INFO("largest difference " << (ours - theirs).abs().max().item<double>());
  return at::allclose(ours, theirs, relative, absolute);
}

// The tolerances are those of the fixtures' index.
void compare(Network& net, const Tensors& fixture, std::string_view project, const at::Tensor& clips) {
  {
    const at::NoGradGuard no_grad;
    net.train(false);
    const at::Tensor scores = net.forward(clips);
    CHECK(close(scores, fixture.at("out.logits"), 1e-4, 2e-5));
    CHECK(close(at::softmax(scores, 1), fixture.at("out.softmax"), 1e-4, 2e-5));
    CHECK(close(net.forward(clips.contiguous(at::MemoryFormat::ChannelsLast3d)), fixture.at("out.logits"),
                1e-4, 2e-5));
    net.to(at::kDouble);
    CHECK(close(net.forward(clips.to(at::kDouble)), fixture.at("out.logits_f64"), 1e-9, 1e-10));
    net.to(at::kFloat);
  }
  net.train(true);
  const at::Tensor scores = net.forward(clips);
  CHECK(close(scores.detach(), fixture.at("out.train_logits"), 1e-4, 2e-5));
  const at::Tensor loss = at::cross_entropy_loss(scores, fixture.at("in.label"));
  CHECK(close(loss.detach(), fixture.at("loss"), 1e-5, 1e-6));
  loss.backward();

  const Tensors gradients = renamed(fixture, "grad.", project),
                norms = renamed(fixture, "gradnorm.", project), stepped = renamed(fixture, "sgd.", project);
  CHECK(gradients.size() > 10);
  CHECK(stepped.size() > 3);
  double squares = 0;
  std::size_t compared = 0;
  for (const auto& [name, tensor] : net.state()) {
    INFO(name);
    const at::Tensor& ours = tensor.grad();
    REQUIRE(ours.defined());
    const double norm = ours.norm().item<double>();
    squares += norm * norm;
    if (const auto theirs = gradients.find(name); theirs != gradients.end()) {
      const double relative = ((ours - theirs->second).norm() / theirs->second.norm()).item<double>();
      INFO("relative difference " << relative);
      CHECK((at::allclose(ours, theirs->second, 1e-3, 1e-5) || relative < 1e-4));
      ++compared;
    }
    if (const auto theirs = norms.find(name); theirs != norms.end()) {
      CHECK(norm == Approx(theirs->second.item<double>()).epsilon(1e-3).margin(1e-5));
      ++compared;
    }
    if (const auto theirs = stepped.find(name); theirs != stepped.end()) {
      const at::Tensor before = tensor.detach(), d = ours + 1e-4 * before;
      CHECK(close(before - 0.05 * (d + 0.9 * d), theirs->second, 1e-4, 1e-6));
      ++compared;
    }
  }
  CHECK(compared == gradients.size() + norms.size() + stepped.size());
  CHECK(std::sqrt(squares) == Approx(fixture.at("grad_norm").item<double>()).epsilon(1e-4));
}

void compare_file(const char* file, std::string_view project, const std::string& options) {
  const Tensors fixture = read_fixture(file);
  if (fixture.empty()) return;
  Workshop workshop;
  for (const char* fused : {"true", "false"}) {
    INFO(file << ", fused_attention = " << fused);
    Network net = build(workshop, fixture, project, options + "fused_attention = " + fused);
    compare(net, fixture, project, fixture.at("in.x"));
    if (!fixture.contains("in.resized")) continue;
    net.train(false);
    const at::NoGradGuard no_grad;
    CHECK(close(net.forward(fixture.at("in.resized")), fixture.at("out.resized"), 1e-4, 2e-5));
  }
}

const std::string divided = "attention_type = 'divided_space_time'\ndepth = 3\nframes = 4\n";
const std::string joint = "attention_type = 'joint_space_time'\ndepth = 2\nframes = 3\n";
const std::string space_only = "attention_type = 'space_only'\ndepth = 2\nframes = 3\n";

}  // namespace

TEST_CASE("TimeSformer with the weights of its repository") {
  compare_file("timesformer_repo_divided", "timesformer", divided);
  compare_file("timesformer_repo_joint", "timesformer", joint);
  compare_file("timesformer_repo_space_only", "timesformer", space_only);
}

TEST_CASE("TimeSformer with MMAction2's weights") {
  compare_file("mmaction2_timesformer_divided", "mmaction2", divided);
  compare_file("mmaction2_timesformer_joint", "mmaction2", joint);
  compare_file("mmaction2_timesformer_space_only", "mmaction2", space_only);
}

TEST_CASE("TimeSformer with Hugging Face's weights") {
  constexpr std::string_view project = "hf";
  Workshop workshop;
  if (const Tensors fixture = read_fixture("hf_timesformer_divided"); !fixture.empty()) {
    Network net = build(workshop, fixture, project, divided);
    compare(net, fixture, project, fixture.at("in.pixel_values").permute({0, 2, 1, 3, 4}));
  }
  if (const Tensors fixture = read_fixture("hf_timesformer_space_only"); !fixture.empty()) {
    // Hugging Face does not average the frames: each gives scores of its own, as a clip of one frame does.
    Network net = build(workshop, fixture, project, space_only);
    compare(net, fixture, project, fixture.at("in.pixel_values").flatten(0, 1).unsqueeze(2));
  }
}
