// A small TimeSformer, clips for it, and what a training step makes of them.
#pragma once
#include "models/workshop.hpp"
#include "support/message_of.hpp"

#include <marey/model/backbone.hpp>

#include <ATen/Functions.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace marey::test {

// A small network; the temporal branches add something from the start.
inline std::string small_timesformer(const std::string& more) {
  std::string out =
      "type = 'TimeSformer'\nembed_dim = 24\nnum_heads = 4\nmlp_ratio = 2\npatch_size = 8\n" + more + "\n";
  for (const auto& [key, value] :
       {std::pair{"depth", "3"}, {"image_size", "32"}, {"frames", "4"}, {"zero_init_temporal", "false"}})
    if (!contains("\n" + more, std::string("\n") + key + " ="))
      out += std::string(key) + " = " + value + "\n";
  return out;
}

inline std::shared_ptr<Backbone> timesformer(Workshop& workshop, const std::string& more = {}) {
  at::manual_seed(21);
  auto net = workshop.make<Backbone>(small_timesformer(more));
  const at::NoGradGuard no_grad;
  for (auto& p : net->parameters()) p.add_(at::randn_like(p), 0.1);
  return net;
}

inline at::Tensor clips(std::int64_t n = 2, std::int64_t frames = 4, std::int64_t size = 32) {
  at::manual_seed(5);
  return at::randn({n, 3, frames, size, size});
}

struct Step {
  at::Tensor out;
  std::map<std::string, at::Tensor> gradients;
};

inline Step step(Backbone& net, const at::Tensor& x) {
  net.zero_grad();
  at::manual_seed(31);
  Step s{.out = net.forward(x)[0], .gradients = {}};
  (s.out * at::arange(s.out.numel()).view(s.out.sizes()).cos()).sum().backward();
  for (const auto& p : net.named_parameters())
    if (p.value().grad().defined()) s.gradients[p.key()] = p.value().grad().clone();
  return s;
}

}  // namespace marey::test
