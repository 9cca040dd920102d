#include "models/small_timesformer.hpp"
#include "support/catch.hpp"

#include <marey/core/error.hpp>
#include <marey/model/head.hpp>

using namespace marey;
using namespace marey::test;

namespace {

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
    const auto net = timesformer(workshop, std::string("attention_type = '") + type + "'");
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
  CHECK_FALSE(
      timesformer(workshop, "qkv_bias = false")->named_parameters().contains("blocks.0.attn.qkv.bias"));
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
    const auto net = timesformer(workshop, std::string("attention_type = '") + type + "'");
    net->eval();
    const at::Tensor x = clips();
    CHECK(at::allclose(net->forward(x)[0], net->forward(x.flip({2}))[0], 1e-4, 1e-5) ==
          (std::string(type) == "space_only"));
  }
}

TEST_CASE("dropout and drop path act in training only") {
  test::Workshop workshop;
  for (const char* option :
       {"drop_path = 0.0\ndropout = 0.3", "drop_path = 0.0\nattention_dropout = 0.3", "drop_path = 0.5"}) {
    INFO(option);
    const auto net = timesformer(workshop, option);
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
    const auto net = timesformer(workshop, std::string("embedding_resize = '") + how + "'");
    net->eval();
    CHECK(net->forward(clips(1, 6, 48))[0].isfinite().all().item<bool>());
    CHECK(net->forward(at::randn({1, 3, 2, 16, 40}))[0].sizes() == at::IntArrayRef({1, 24}));
    // Embeddings that are the same everywhere stay so, whatever the size.
    auto p = net->named_parameters();
    const at::NoGradGuard no_grad;
    p["pos_embed"].fill_(0.5);
    p["time_embed"].fill_(0.25);
    const auto other = workshop.make<Backbone>(test::small_timesformer("image_size = 48\nframes = 6"));
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

TEST_CASE("TimeSformer refuses what cannot work") {
  test::Workshop workshop;
  const auto net =
      timesformer(workshop, "attention_type = 'divided_group_space_time'\nnum_attention_groups = 4");
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
