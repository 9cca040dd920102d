#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Context.h>
#include <ATen/Functions.h>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

std::int64_t count(const torch::nn::Module& module) {
  std::int64_t n = 0;
  for (const auto& p : module.parameters()) n += p.numel();
  return n;
}

// Parameters of a backbone with a head for `classes`.
std::int64_t count_with_head(test::Workshop& workshop, const std::string& backbone, int classes) {
  const auto body = workshop.make<Backbone>("type = 'SlowFast'\n" + backbone);
  const auto head = workshop.make<Head>("type = 'SlowFastHead'\nnum_classes = " + std::to_string(classes));
  head->connect(body->out_channels());
  return count(*body) + count(*head);
}

at::Tensor clips(std::int64_t n, std::int64_t frames = 8, std::int64_t size = 32) {
  at::manual_seed(5);
  return at::randn({n, 3, frames, size, size});
}

}  // namespace

TEST_CASE("SlowFast has the published numbers of parameters") {
  test::Workshop workshop;
  CHECK(count_with_head(workshop, "alpha = 8\nfusion_kernel = 5", 400) == 34'480'216);  // R50 4x16
  CHECK(count_with_head(workshop, "alpha = 4\nfusion_kernel = 7", 400) == 34'566'488);  // R50 8x8
  CHECK(count_with_head(workshop,
                        "alpha = 4\nfusion_kernel = 7\nstrides = [1, 2, 2, 1]\ndilations = [1, 1, 1, 2]",
                        80) == 33'828'888);  // for AVA
  CHECK(count_with_head(workshop, "depth = 101\nalpha = 4\nfusion_kernel = 5", 400) == 62'826'968);
  // MMAction2's lateral connections have no norm.
  CHECK(count_with_head(workshop, "alpha = 8\nfusion_kernel = 5\nlateral_norm = false", 400) == 34'479'288);
  CHECK(count_with_head(workshop, "alpha = 4\nfusion_kernel = 7\nlateral_norm = false", 400) == 34'565'560);
}

TEST_CASE("SlowFast's features: the slow pathway has a frame for every alpha of the fast one") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>(test::small_slowfast);
  const auto features = net->forward(clips(2, 16, 64));
  REQUIRE(features.size() == 2);
  CHECK(features[0].sizes() == at::IntArrayRef({2, 16, 4, 2, 2}));
  CHECK(features[1].sizes() == at::IntArrayRef({2, 8, 16, 2, 2}));
  CHECK(net->out_channels() == std::vector<std::int64_t>{16, 8});
}

TEST_CASE("SlowFast's state has regular names") {
  test::Workshop workshop;
  const auto basic = workshop.make<Backbone>(test::small_slowfast)->named_parameters();
  for (const char* name : {"slow.stem.conv.weight", "slow.stem.bn.weight", "slow.stage1.0.a.conv.weight",
                           "fast.stage4.0.b.bn.bias", "slow.stage2.0.shortcut.conv.weight",
                           "lateral.stem.conv.weight", "lateral.stage3.bn.weight"}) {
    INFO(name);
    CHECK(basic.contains(name));
  }
  CHECK_FALSE(basic.contains("lateral.stage4.conv.weight"));
  CHECK(basic["slow.stage2.0.a.conv.weight"].sizes() == at::IntArrayRef({8, 8 + 2 * 4, 1, 3, 3}));
  CHECK(basic["fast.stem.conv.weight"].sizes() == at::IntArrayRef({4, 3, 5, 7, 7}));
}

TEST_CASE("temporal_blocks limits the temporal kernels to the first blocks of a stage") {
  test::Workshop workshop;
  const auto p = workshop
                     .make<Backbone>(
                         "type = 'SlowFast'\nblocks = [2, 2, 2, 2]\nblock = 'bottleneck'\nalpha = "
                         "2\nstem_width = 8\nwidths = [8, 8, 8, 8]\n"
                         "temporal_blocks = [2, 2, 1, 0]")
                     ->named_parameters();
  CHECK(p["slow.stage3.0.a.conv.weight"].size(2) == 3);
  CHECK(p["slow.stage3.1.a.conv.weight"].size(2) == 1);
  CHECK(p["slow.stage4.0.a.conv.weight"].size(2) == 1);
  CHECK(p["fast.stage2.1.a.conv.weight"].size(2) == 3);
}

TEST_CASE("SlowFast starts as its papers say") {
  test::Workshop workshop;
  const auto p = workshop.make<Backbone>("type = 'SlowFast'\nstem_width = 32\nblocks = [1, 1, 1, 1]")
                     ->named_parameters();
  CHECK(p["slow.stage1.0.c.bn.weight"].abs().max().item<float>() == 0.f);
  CHECK(p["slow.stage1.0.b.bn.weight"].min().item<float>() == 1.f);
  // Kaiming, fan out: variance 2 / (out · kernel).
  const auto& w = p["slow.stage4.0.b.conv.weight"];
  CHECK(w.std().item<float>() == Approx(std::sqrt(2.0 / (512 * 9))).epsilon(0.02));
  const auto q = workshop.make<Backbone>(test::small_slowfast + "zero_init = false")->named_parameters();
  CHECK(q["slow.stage1.0.b.bn.weight"].min().item<float>() == 1.f);
}

TEST_CASE("the frames of the slow pathway follow the rule of each zoo") {
  // With every weight but one frame's alike, what differs is which frames are seen: change one frame, look
  // for a change.
  test::Workshop workshop;
  const auto seen = [&](const std::string& rule) {
    at::manual_seed(1);
    const auto net = workshop.make<Backbone>(
        "type = 'SlowFast'\nblocks = [1]\nblock = 'basic'\nwidths = [8]\nstrides = [1]\ndilations = [1]\n"
        "temporal_kernels = [1]\nfast_temporal_kernels = [1]\nfast_stem_kernel = 1\nfusion_kernel = 1\n"
        "alpha = 8\nbeta = 0.25\nslow_index = '" +
        rule + "'");
    net->eval();
    for (auto& p : net->named_parameters())
      if (p.key().starts_with("lateral")) p.value().detach().zero_();
    const at::Tensor x = clips(1, 32, 16);
    const at::Tensor before = net->forward(x)[0];
    std::vector<std::int64_t> out;
    for (std::int64_t t = 0; t < 32; ++t) {
      at::Tensor y = x.clone();
      y.select(2, t).add_(3);
      if (!at::equal(net->forward(y)[0], before)) out.push_back(t);
    }
    return out;
  };
  const at::NoGradGuard no_grad;
  CHECK(seen("linspace") == std::vector<std::int64_t>{0, 10, 20, 31});
  CHECK(seen("stride") == std::vector<std::int64_t>{0, 8, 16, 24});
}

TEST_CASE("channels-last and contiguous clips give the same features and gradients") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>(test::small_slowfast + "zero_init = false");
  const at::Tensor x = clips(2);
  const auto gradients = [&](const at::Tensor& input) {
    net->zero_grad();
    const auto features = net->forward(input);
    (features[0].square().mean() + features[1].square().mean()).backward();
    std::vector<at::Tensor> out{features[0].detach(), features[1].detach()};
    for (const auto& p : net->parameters()) out.push_back(p.grad().clone());
    return out;
  };
  const auto a = gradients(x), b = gradients(x.contiguous(at::MemoryFormat::ChannelsLast3d));
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(i);
    CHECK(at::allclose(a[i], b[i], 1e-3, 1e-4));
  }
  // The layout survives: nothing on the way copies the clips into another one.
  CHECK(net->forward(x.contiguous(at::MemoryFormat::ChannelsLast3d))[0].is_contiguous(
      at::MemoryFormat::ChannelsLast3d));
}

TEST_CASE("gradients reach every parameter of SlowFast") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>(test::small_slowfast + "zero_init = false");
  const auto features = net->forward(clips(2));
  (features[0].square().sum() + features[1].square().sum()).backward();
  for (const auto& p : net->named_parameters()) {
    INFO(p.key());
    REQUIRE(p.value().grad().defined());
    CHECK(p.value().grad().abs().max().item<float>() > 0.f);
  }
}

TEST_CASE("SlowFast refuses clips that do not fit, and says what would") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>(test::small_slowfast);
  CHECK(net->refuses(16, 64, 64).empty());
  CHECK(contains(net->refuses(18, 64, 64), "multiple of 4; got 18. Take 20 frames or 16"));
  CHECK(contains(net->refuses(2, 64, 64), "got 2. Take 4 frames, or another alpha"));
  CHECK(contains(net->refuses(16, 64, 16), "reduce frames 32 times; got frames of 16x64"));
  CHECK(contains(message_of<UsageError>([&] { net->forward(clips(1, 6)); }), "got 6"));
  CHECK(contains(message_of<Error>([&] {
                   net->forward(at::zeros({1, 1, 8, 32, 32}));
                 }),
                 "expected clips [N, 3, T, H, W]; got [1, 1, 8, 32, 32]"));
}

TEST_CASE("parameters of SlowFast that contradict each other are refused when the recipe is read") {
  test::Workshop workshop;
  const auto problem = [&](const std::string& text) {
    return message_of<Error>([&] { workshop.make<Backbone>("type = 'SlowFast'\n" + text); });
  };
  CHECK(contains(problem("depth = 51"), "depth is 18, 34, 50, 101 or 152; got 51"));
  CHECK(contains(problem("blocks = [1, 1]"), "`widths` needs one entry for each of the 2 stages; got 4"));
  CHECK(contains(problem("fusion_kernel = 4"), "`fusion_kernel` must be odd"));
  CHECK(contains(problem("fast_temporal_kernels = [3, 3, 2, 3]"), "`fast_temporal_kernels` must be odd"));
  CHECK(contains(problem("beta = 0"), "`beta` of 0"));
  CHECK(contains(problem("aplha = 4"), "alpha"));
}
