// Attention in groups of tokens.
#include "models/small_timesformer.hpp"
#include "support/catch.hpp"

using namespace marey;
using namespace marey::test;

TEST_CASE("one attention group is divided attention, bit by bit") {
  test::Workshop workshop;
  const std::string drops = "drop_path = 0.4\ndropout = 0.1\n";
  const auto divided = timesformer(workshop, drops);
  const auto grouped =
      timesformer(workshop, drops + "attention_type = 'divided_group_space_time'\nnum_attention_groups = 1");
  const Step a = step(*divided, clips()), b = step(*grouped, clips());
  CHECK(at::equal(a.out, b.out));
  REQUIRE(a.gradients.size() == b.gradients.size());
  for (const auto& [name, gradient] : a.gradients) {
    INFO(name);
    CHECK(at::equal(gradient, b.gradients.at(name)));
  }
}

TEST_CASE("the first block's attention groups are runs of neighbours") {
  // Against the definition, written out group by group.
  test::Workshop workshop;
  const auto net = timesformer(
      workshop, "attention_type = 'divided_group_space_time'\nnum_attention_groups = 2\ndepth = 1");
  net->eval();
  const at::Tensor x = clips(1);
  const auto p = net->named_parameters();
  const auto run = [&](const at::Tensor& y) {
    const at::NoGradGuard no_grad;
    return net->forward(y)[0];
  };
  const at::Tensor base = run(x);
  const auto reference = [&](const at::Tensor& y, std::int64_t groups) {
    const at::NoGradGuard no_grad;
    const std::int64_t T = 4, N = 16, D = 24;
    const at::Tensor patches =
        at::conv2d(y[0].transpose(0, 1), p["patch_embed.proj.weight"], p["patch_embed.proj.bias"], {8, 8})
            .flatten(2)
            .transpose(1, 2);  // [T, N, D]
    const at::Tensor pos = p["pos_embed"][0], time = p["time_embed"][0];
    at::Tensor z = patches + pos.narrow(0, 1, N) + time.unsqueeze(1);
    const at::Tensor cls = p["cls_token"][0] + pos.narrow(0, 0, 1);  // [1, D]
    const auto norm = [&](const at::Tensor& t, const std::string& name) {
      return at::layer_norm(t, {D}, p[name + ".weight"], p[name + ".bias"], 1e-6);
    };
    const auto linear = [&](const at::Tensor& t, const std::string& name) {
      return at::linear(t, p[name + ".weight"], p[name + ".bias"]);
    };
    // t [L, D], one sequence
    const auto attend = [&](const at::Tensor& t, const std::string& name) {
      const std::int64_t L = t.size(0);
      const auto qkv = linear(t, name + ".qkv").view({L, 3, 4, D / 4}).permute({1, 2, 0, 3});
      const at::Tensor w = at::softmax(at::matmul(qkv[0], qkv[1].transpose(1, 2)) / std::sqrt(D / 4.0), 2);
      return linear(at::matmul(w, qkv[2]).transpose(0, 1).reshape({L, D}), name + ".proj");
    };
    const std::string block = "blocks.0.";
    at::Tensor moved = z.clone();
    for (std::int64_t n = 0; n < N; ++n)
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t length = T / groups;
        const at::Tensor t = norm(z.select(1, n).narrow(0, g * length, length), block + "temporal_norm1");
        moved.select(1, n).narrow(0, g * length, length) +=
            linear(attend(t, block + "temporal_attn"), block + "temporal_fc");
      }
    at::Tensor sum = at::zeros({1, D});
    for (std::int64_t t = 0; t < T; ++t)
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t length = N / groups;
        const at::Tensor s = at::cat({cls, moved[t].narrow(0, g * length, length)});
        sum += attend(norm(s, block + "norm1"), block + "attn").narrow(0, 0, 1);
      }
    at::Tensor c = cls + sum / (T * groups);
    c = c + linear(at::gelu(linear(norm(c, block + "norm2"), block + "mlp.fc1")), block + "mlp.fc2");
    return norm(c, "norm");
  };
  CHECK(at::allclose(base, reference(x, 2), 1e-4, 1e-5));
  CHECK_FALSE(at::allclose(base, reference(x, 1), 1e-4, 1e-5));
}

TEST_CASE("odd blocks of a grouped TimeSformer attend to every other token") {
  test::Workshop workshop;
  const std::string grouped =
      "attention_type = 'divided_group_space_time'\nnum_attention_groups = 2\ndepth = 2\n";
  const auto net = timesformer(workshop, grouped), ungrouped = timesformer(workshop, "depth = 2\n");
  net->eval(), ungrouped->eval();
  const at::NoGradGuard no_grad;
  // The first block's branches add nothing: the second alone is at work.
  for (const auto& n : {net, ungrouped}) {
    auto p = n->named_parameters();
    for (const char* name : {"temporal_fc", "attn.proj", "mlp.fc2"})
      for (const char* part : {".weight", ".bias"}) p[std::string("blocks.0.") + name + part].zero_();
    p["time_embed"].zero_();
  }
  // Frames a b a b: to an interleaved group all its frames are alike, as in a still clip of a or of b.
  const at::Tensor a = clips(1, 1), b = at::randn_like(a);
  const auto seen = [&](Backbone& n, const std::vector<at::Tensor>& frames) {
    return n.forward(at::cat(frames, 2))[0];
  };
  // Temporal groups {0, 2} and {1, 3}: order within and between them is nothing to the class token.
  CHECK(at::allclose(seen(*net, {a, b, a, b}), seen(*net, {b, a, b, a}), 1e-4, 1e-5));
  CHECK_FALSE(at::allclose(seen(*net, {a, b, a, b}), seen(*net, {a, a, b, b}), 1e-4, 1e-5));
  CHECK(at::allclose(seen(*ungrouped, {a, b, a, b}), seen(*ungrouped, {a, a, b, b}), 1e-4, 1e-5));
}
