// What saves memory changes no result: fused attention, activation checkpointing, bfloat16; what is frozen.
#include "models/small_timesformer.hpp"
#include "support/catch.hpp"

#include <ATen/autocast_mode.h>

using namespace marey;
using namespace marey::test;

TEST_CASE("fused attention and attention with its matrix give the same, with dropout too") {
  test::Workshop workshop;
  for (const char* dropout : {"0.0", "0.3"}) {
    INFO("attention_dropout = " << dropout);
    const std::string options = std::string("drop_path = 0.0\nattention_dropout = ") + dropout + "\n";
    const auto fused = timesformer(workshop, options),
               plain = timesformer(workshop, options + "fused_attention = false");
    const Step a = step(*fused, clips()), b = step(*plain, clips());
    CHECK(at::allclose(a.out, b.out, 1e-4, 1e-5));
    for (const auto& [name, gradient] : a.gradients) {
      INFO(name);
      CHECK(at::allclose(gradient, b.gradients.at(name), 1e-3, 1e-4));
    }
  }
}

TEST_CASE("blocks that are computed twice give the same gradients, bit by bit") {
  test::Workshop workshop;
  for (const char* type : {"divided_space_time", "joint_space_time", "space_only"})
    for (const char* drops :
         {"drop_path = 0.0\n", "drop_path = 0.5\ndropout = 0.2\nattention_dropout = 0.2\n"})
      for (const char* frozen : {"", "frozen_stages = 1\n"}) {
        INFO(type << ", " << drops << frozen);
        const std::string options = std::string("attention_type = '") + type + "'\n" + drops + frozen;
        const auto once = timesformer(workshop, options),
                   twice = timesformer(workshop, options + "activation_checkpointing = 3");
        const Step a = step(*once, clips());
        const at::Tensor next = at::rand({4});
        const Step b = step(*twice, clips());
        CHECK(at::equal(next, at::rand({4})));  // the generator goes on as if nothing had been drawn twice
        CHECK(at::equal(a.out, b.out));
        REQUIRE(a.gradients.size() == b.gradients.size());
        for (const auto& [name, gradient] : a.gradients) {
          INFO(name);
          CHECK(at::equal(gradient, b.gradients.at(name)));
        }
      }
}

TEST_CASE("under bfloat16 autocast the feature stays float and near, computed once or twice") {
  test::Workshop workshop;
  const auto once = timesformer(workshop, "drop_path = 0.0"),
             twice = timesformer(workshop, "drop_path = 0.0\nactivation_checkpointing = 3"),
             dropping = timesformer(workshop, "drop_path = 0.5"),
             dropping_twice = timesformer(workshop, "drop_path = 0.5\nactivation_checkpointing = 3");
  const Step exact = step(*once, clips());
  const auto in_bfloat16 = [&](Backbone& net) {
    net.zero_grad();
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::manual_seed(31);
    Step s{.out = net.forward(clips())[0], .gradients = {}};
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    (s.out * at::arange(s.out.numel()).view(s.out.sizes()).cos()).sum().backward();
    for (const auto& p : net.named_parameters()) s.gradients[p.key()] = p.value().grad().clone();
    return s;
  };
  CHECK((in_bfloat16(*once).out - exact.out).abs().max().item<float>() < 0.1f);
  for (const auto& [first, second] : {std::pair{once, twice}, {dropping, dropping_twice}}) {
    const Step a = in_bfloat16(*first), b = in_bfloat16(*second);
    CHECK(a.out.scalar_type() == at::kFloat);
    CHECK(at::equal(a.out, b.out));
    for (const auto& [name, gradient] : a.gradients) {
      INFO(name);
      CHECK(gradient.scalar_type() == at::kFloat);
      CHECK(at::equal(gradient, b.gradients.at(name)));
    }
  }
}

TEST_CASE("frozen stages keep their weights and stay in evaluation") {
  test::Workshop workshop;
  const auto net = timesformer(workshop, "frozen_stages = 2\ndropout = 0.3\ndrop_path = 0.5");
  const Step s = step(*net, clips());
  for (const auto& item : net->named_parameters()) {
    const std::string& name = item.key();
    INFO(name);
    const bool trained = name.starts_with("blocks.2.") || name.starts_with("norm.");
    CHECK(item.value().requires_grad() == trained);
    CHECK(s.gradients.contains(name) == trained);
  }
  net->train();
  const auto modules = net->named_modules();
  CHECK_FALSE(modules["blocks.1.mlp"]->is_training());
  CHECK(modules["blocks.2.mlp"]->is_training());
  const auto embeddings = timesformer(workshop, "frozen_stages = 0")->named_parameters();
  CHECK_FALSE(embeddings["time_embed"].requires_grad());
  CHECK_FALSE(embeddings["patch_embed.proj.weight"].requires_grad());
  CHECK(embeddings["blocks.0.norm1.weight"].requires_grad());
}

TEST_CASE("spatial attention can be frozen on its own") {
  test::Workshop workshop;
  const auto net = timesformer(workshop, "freeze_spatial_attention = true");
  for (const auto& item : net->named_parameters()) {
    const std::string& name = item.key();
    INFO(name);
    const bool spatial = contains(name, ".attn.") || contains(name, ".norm1.");
    CHECK(item.value().requires_grad() == !spatial);
  }
  const Step s = step(*net, clips());
  CHECK(s.gradients.contains("blocks.0.temporal_attn.qkv.weight"));
  CHECK_FALSE(s.gradients.contains("blocks.0.attn.qkv.weight"));
}
