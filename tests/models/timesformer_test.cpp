#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>
#include <ATen/autocast_mode.h>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

// A small network; the temporal branches add something from the start.
std::string small(const std::string& more) {
  std::string out =
      "type = 'TimeSformer'\nembed_dim = 24\nnum_heads = 4\nmlp_ratio = 2\npatch_size = 8\n" + more + "\n";
  for (const auto& [key, value] :
       {std::pair{"depth", "3"}, {"image_size", "32"}, {"frames", "4"}, {"zero_init_temporal", "false"}})
    if (!contains("\n" + more, std::string("\n") + key + " ="))
      out += std::string(key) + " = " + value + "\n";
  return out;
}

std::shared_ptr<Backbone> network(test::Workshop& workshop, const std::string& more = {}) {
  at::manual_seed(21);
  auto net = workshop.make<Backbone>(small(more));
  const at::NoGradGuard no_grad;
  for (auto& p : net->parameters()) p.add_(at::randn_like(p), 0.1);
  return net;
}

at::Tensor clips(std::int64_t n = 2, std::int64_t frames = 4, std::int64_t size = 32) {
  at::manual_seed(5);
  return at::randn({n, 3, frames, size, size});
}

using Gradients = std::map<std::string, at::Tensor>;

struct Step {
  at::Tensor out;
  Gradients gradients;
};

Step step(Backbone& net, const at::Tensor& x) {
  net.zero_grad();
  at::manual_seed(31);
  Step s{.out = net.forward(x)[0], .gradients = {}};
  (s.out * at::arange(s.out.numel()).view(s.out.sizes()).cos()).sum().backward();
  for (const auto& p : net.named_parameters())
    if (p.value().grad().defined()) s.gradients[p.key()] = p.value().grad().clone();
  return s;
}

std::int64_t count(const torch::nn::Module& module) {
  std::int64_t n = 0;
  for (const auto& p : module.parameters()) n += p.numel();
  return n;
}

std::int64_t count_with_head(test::Workshop& workshop, const std::string& more) {
  const auto body = workshop.make<Backbone>("type = 'TimeSformer'\n" + more);
  const auto head = workshop.make<Head>("type = 'TransformerHead'\nnum_classes = 400");
  head->connect(body->out_channels());
  return count(*body) + count(*head);
}

}  // namespace

TEST_CASE("TimeSformer has the published numbers of parameters") {
  test::Workshop workshop;
  CHECK(count_with_head(workshop, "") == 121'566'352);
  CHECK(count_with_head(workshop, "attention_type = 'joint_space_time'") == 86'112'400);
  CHECK(count_with_head(workshop, "attention_type = 'space_only'") == 86'106'256);
  CHECK(count_with_head(workshop, "frames = 16\nimage_size = 448") == 122'024'080);  // HR
  CHECK(count_with_head(workshop, "frames = 96") == 121'633'936);                    // L
  CHECK(count_with_head(workshop, "attention_type = 'divided_group_space_time'\nnum_attention_groups = 2") ==
        121'566'352);
}

TEST_CASE("TimeSformer's feature is one class token, its names those of the repository") {
  test::Workshop workshop;
  for (const char* type : {"divided_space_time", "joint_space_time", "space_only"}) {
    INFO(type);
    const auto net = network(workshop, std::string("attention_type = '") + type + "'");
    const auto features = net->forward(clips());
    REQUIRE(features.size() == 1);
    CHECK(features[0].sizes() == at::IntArrayRef({2, 24}));
    CHECK(net->out_channels() == std::vector<std::int64_t>{24});
    const auto p = net->named_parameters();
    for (const char* name : {"cls_token", "pos_embed", "patch_embed.proj.weight", "blocks.2.norm1.weight",
                             "blocks.0.attn.qkv.bias", "blocks.1.mlp.fc2.weight", "norm.bias"}) {
      INFO(name);
      CHECK(p.contains(name));
    }
    CHECK(p.contains("blocks.0.temporal_fc.weight") == (std::string(type) == "divided_space_time"));
    CHECK(p.contains("time_embed") == (std::string(type) != "space_only"));
  }
  CHECK_FALSE(network(workshop, "qkv_bias = false")->named_parameters().contains("blocks.0.attn.qkv.bias"));
}

TEST_CASE("TimeSformer starts as its paper says") {
  test::Workshop workshop;
  const auto p = workshop.make<Backbone>("type = 'TimeSformer'\ndepth = 1")->named_parameters();
  CHECK(p["time_embed"].abs().max().item<float>() == 0.f);
  CHECK(p["blocks.0.temporal_fc.weight"].abs().max().item<float>() == 0.f);
  CHECK(p["pos_embed"].std().item<float>() == Approx(0.02f).epsilon(0.05));
  CHECK(p["blocks.0.mlp.fc1.weight"].std().item<float>() == Approx(0.02f).epsilon(0.05));
  CHECK(p["blocks.0.mlp.fc1.bias"].abs().max().item<float>() == 0.f);
  // A temporal branch that gives 0 makes frames that are alike count once.
  const auto net = workshop.make<Backbone>(
      "type = 'TimeSformer'\nembed_dim = 24\nnum_heads = 4\ndepth = 2\n"
      "patch_size = 8\nimage_size = 32");
  net->eval();
  const at::Tensor frame = clips(2, 1);
  CHECK(at::allclose(net->forward(frame)[0], net->forward(frame.expand({2, 3, 4, 32, 32}))[0], 1e-4, 1e-5));
}

TEST_CASE("the order of frames matters, except to space_only") {
  test::Workshop workshop;
  for (const char* type : {"divided_space_time", "joint_space_time", "space_only"}) {
    INFO(type);
    const auto net = network(workshop, std::string("attention_type = '") + type + "'");
    net->eval();
    const at::Tensor x = clips();
    CHECK(at::allclose(net->forward(x)[0], net->forward(x.flip({2}))[0], 1e-4, 1e-5) ==
          (std::string(type) == "space_only"));
  }
}

TEST_CASE("one attention group is divided attention, bit by bit") {
  test::Workshop workshop;
  const std::string drops = "drop_path = 0.4\ndropout = 0.1\n";
  const auto divided = network(workshop, drops);
  const auto grouped =
      network(workshop, drops + "attention_type = 'divided_group_space_time'\nnum_attention_groups = 1");
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
  const auto net =
      network(workshop, "attention_type = 'divided_group_space_time'\nnum_attention_groups = 2\ndepth = 1");
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
  const auto net = network(workshop, grouped), ungrouped = network(workshop, "depth = 2\n");
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

TEST_CASE("fused attention and attention with its matrix give the same, with dropout too") {
  test::Workshop workshop;
  for (const char* dropout : {"0.0", "0.3"}) {
    INFO("attention_dropout = " << dropout);
    const std::string options = std::string("drop_path = 0.0\nattention_dropout = ") + dropout + "\n";
    const auto fused = network(workshop, options),
               plain = network(workshop, options + "fused_attention = false");
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
        const auto once = network(workshop, options),
                   twice = network(workshop, options + "activation_checkpointing = 3");
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
  const auto once = network(workshop, "drop_path = 0.0"),
             twice = network(workshop, "drop_path = 0.0\nactivation_checkpointing = 3"),
             dropping = network(workshop, "drop_path = 0.5"),
             dropping_twice = network(workshop, "drop_path = 0.5\nactivation_checkpointing = 3");
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

TEST_CASE("dropout and drop path act in training only") {
  test::Workshop workshop;
  for (const char* option :
       {"drop_path = 0.0\ndropout = 0.3", "drop_path = 0.0\nattention_dropout = 0.3", "drop_path = 0.5"}) {
    INFO(option);
    const auto net = network(workshop, option);
    const auto at_seed = [&](std::uint64_t seed) {
      const at::Tensor x = clips(4);
      at::manual_seed(seed);
      return net->forward(x)[0];
    };
    CHECK_FALSE(at::equal(at_seed(1), at_seed(2)));
    CHECK(at::equal(at_seed(1), at_seed(1)));
    net->eval();
    CHECK(at::equal(at_seed(1), at_seed(2)));
  }
}

TEST_CASE("clips of another size or length") {
  test::Workshop workshop;
  for (const char* how : {"nearest", "linear"}) {
    INFO(how);
    const auto net = network(workshop, std::string("embedding_resize = '") + how + "'");
    net->eval();
    CHECK(net->forward(clips(1, 6, 48))[0].isfinite().all().item<bool>());
    CHECK(net->forward(at::randn({1, 3, 2, 16, 40}))[0].sizes() == at::IntArrayRef({1, 24}));
    // Embeddings that are the same everywhere stay so, whatever the size.
    auto p = net->named_parameters();
    const at::NoGradGuard no_grad;
    p["pos_embed"].fill_(0.5);
    p["time_embed"].fill_(0.25);
    const auto other = workshop.make<Backbone>(small("image_size = 48\nframes = 6"));
    auto q = other->named_parameters();
    for (const auto& item : p)
      if (q[item.key()].sizes() == item.value().sizes()) q[item.key()].copy_(item.value());
    q["pos_embed"].fill_(0.5);
    q["time_embed"].fill_(0.25);
    other->eval();
    const at::Tensor x = clips(1, 6, 48);
    CHECK(at::allclose(net->forward(x)[0], other->forward(x)[0], 1e-5, 1e-6));
  }
}

TEST_CASE("frozen stages keep their weights and stay in evaluation") {
  test::Workshop workshop;
  const auto net = network(workshop, "frozen_stages = 2\ndropout = 0.3\ndrop_path = 0.5");
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
  const auto embeddings = network(workshop, "frozen_stages = 0")->named_parameters();
  CHECK_FALSE(embeddings["time_embed"].requires_grad());
  CHECK_FALSE(embeddings["patch_embed.proj.weight"].requires_grad());
  CHECK(embeddings["blocks.0.norm1.weight"].requires_grad());
}

TEST_CASE("spatial attention can be frozen on its own") {
  test::Workshop workshop;
  const auto net = network(workshop, "freeze_spatial_attention = true");
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

TEST_CASE("TimeSformer refuses what cannot work") {
  test::Workshop workshop;
  const auto net = network(workshop, "attention_type = 'divided_group_space_time'\nnum_attention_groups = 4");
  CHECK(net->refuses(4, 32, 32).empty());
  CHECK(contains(net->refuses(4, 32, 36), "multiples of 8; got 36x32 pixels"));
  CHECK(contains(net->refuses(4, 4, 32), "multiples of 8"));
  CHECK(contains(net->refuses(6, 32, 32), "got 6 frames of 16 patches"));
  CHECK(contains(message_of<UsageError>([&] { net->forward(clips(1, 6)); }), "num_attention_groups = 4"));
  CHECK(contains(message_of<Error>([&] {
                   net->forward(at::zeros({1, 4, 4, 32, 32}));
                 }),
                 "expected clips [N, 3, T, H, W]; got [1, 4, 4, 32, 32]"));
  const auto wrong = [&](const std::string& more) {
    return message_of<Error>([&] { workshop.make<Backbone>("type = 'TimeSformer'\n" + more); });
  };
  CHECK(contains(wrong("num_heads = 7"), "got 7 heads for 768 numbers"));
  CHECK(contains(wrong("image_size = 225"), "patches of 16 for pictures of 225 pixels"));
  CHECK(contains(wrong("num_attention_groups = 2"), "divided_group_space_time"));
  CHECK(contains(wrong("frozen_stages = 13"), "the 12 blocks"));
}

TEST_CASE("the transformer head classifies class tokens, and refuses feature maps") {
  test::Workshop workshop;
  const auto head = workshop.make<Head>("type = 'TransformerHead'\nnum_classes = 3\ndropout = 0.5");
  CHECK(contains(message_of<Error>([&] { head->forward({at::zeros({1, 6})}); }), "connect()"));
  CHECK(contains(message_of<UsageError>([&] { head->connect({6, 2}); }), "2 pathways"));
  head->connect({6});
  const at::Tensor x = at::randn({2, 6});
  CHECK_FALSE(at::equal(head->forward({x}), head->forward({x})));
  head->eval();
  const auto p = head->named_parameters();
  CHECK(at::allclose(head->forward({x}), at::linear(x, p["fc.weight"], p["fc.bias"])));
  CHECK(contains(message_of<UsageError>([&] {
                   head->forward({at::zeros({1, 6, 2, 2, 2})});
                 }),
                 "expected the class tokens [N, 6] of a transformer; got [1, 6, 2, 2, 2]"));
}
