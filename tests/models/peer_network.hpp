// A backbone with its head, loaded with a peer's weights, against what the peer computed with them.
#pragma once
#include "models/peer_weights.hpp"
#include "models/workshop.hpp"
#include "support/catch.hpp"

#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

#include <memory>
#include <string>

namespace marey::test {

struct PeerNetwork {
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

// Every tensor of ours gets the peer's of that name, and none of the peer's is left over.
inline void load(PeerNetwork& net, const Tensors& weights) {
  const at::NoGradGuard no_grad;
  Tensors state = net.state();
  for (auto& [name, tensor] : state) {
    INFO(name);
    REQUIRE(weights.contains(name));
    REQUIRE(weights.at(name).sizes() == tensor.sizes());
    tensor.copy_(weights.at(name));
  }
  for (const auto& [name, tensor] : weights) {
    INFO(name);
    CHECK(state.contains(name));
  }
}

inline bool close(const at::Tensor& ours, const at::Tensor& theirs, double relative = 1e-4,
                  double absolute = 2e-5) {
  UNSCOPED_INFO("largest difference " << (ours - theirs).abs().max().item<double>());
  return at::allclose(ours, theirs, relative, absolute);
}

// Gradients and running statistics after a backward pass. `gradients`, `norms`, `statistics`: the peer's,
// under our names.
inline int compare_states(const PeerNetwork& net, const Tensors& gradients, const Tensors& norms,
                          const Tensors& statistics) {
  int compared = 0;
  for (const auto& [name, tensor] : net.state()) {
    INFO(name);
    if (const auto theirs = gradients.find(name); theirs != gradients.end()) {
      const at::Tensor& ours = tensor.grad();
      REQUIRE(ours.defined());
      const double relative = ((ours - theirs->second).norm() / theirs->second.norm()).item<double>();
      INFO("relative difference " << relative);
      // Another order of summation may put a value near 0 on the other side of a ReLU, in ours or in theirs.
      CHECK((at::allclose(ours, theirs->second, 1e-3, 1e-5) || relative < 1e-2));
      ++compared;
    }
    if (const auto theirs = norms.find(name); theirs != norms.end()) {
      REQUIRE(tensor.grad().defined());
      CHECK(tensor.grad().norm().item<double>() ==
            Approx(theirs->second.item<double>()).epsilon(1e-2).margin(1e-5));
      ++compared;
    }
    if (const auto theirs = statistics.find(name); theirs != statistics.end()) {
      CHECK(close(tensor.to(at::kFloat), theirs->second.to(at::kFloat), 1e-5, 1e-6));
      ++compared;
    }
  }
  return compared;
}

// Evaluation in float (both memory formats) and double, the training loss, gradients, statistics.
inline void compare(PeerNetwork& net, const Tensors& fixture, std::string_view project, const char* clips) {
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
  CHECK(compare_states(net, renamed(fixture, "grad.", project), renamed(fixture, "gradnorm.", project),
                       renamed(fixture, "post.", project)) > 50);
}

}  // namespace marey::test
