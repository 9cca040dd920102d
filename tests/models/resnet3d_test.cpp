#include "models/workshop.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>
#include <marey/model/backbone.hpp>
#include <marey/model/head.hpp>

#include <ATen/Functions.h>

using namespace marey;
using test::contains;
using test::message_of;

namespace {

// In millions, with a head for 400 classes.
double millions(test::Workshop& workshop, const std::string& backbone) {
  const auto body = workshop.make<Backbone>("type = 'ResNet3D'\n" + backbone);
  const auto head = workshop.make<Head>("type = 'SlowFastHead'\nnum_classes = 400");
  head->connect(body->out_channels());
  std::int64_t n = 0;
  for (const auto& p : body->parameters()) n += p.numel();
  for (const auto& p : head->parameters()) n += p.numel();
  return static_cast<double>(n) / 1e6;
}

const std::string small =
    "type = 'ResNet3D'\nblocks = [1, 2]\nblock = 'bottleneck'\nstem_width = 8\nwidths = [4, 8]\n"
    "temporal_kernels = [[1], [3]]\nstrides = [1, 2]\ntemporal_strides = [1, 1]\ndilations = [1, 1]\n";
const std::string i3d =
    "stem_kernel = 5\ntemporal_kernels = [[3], [3, 1], [3, 1], [1, 3]]\nstage1_pool = 2\n";
const std::string c2d = "temporal_kernels = [[1], [1], [1], [1]]\nstage1_pool = 2\n";

at::Tensor clips(std::int64_t n, std::int64_t frames = 8, std::int64_t size = 32) {
  at::manual_seed(5);
  return at::randn({n, 3, frames, size, size});
}

}  // namespace

TEST_CASE("networks of one pathway have the published numbers of parameters") {
  test::Workshop workshop;
  CHECK(millions(workshop, "") == Approx(32.45).margin(0.005));             // SlowOnly R50
  CHECK(millions(workshop, "depth = 101") == Approx(60.36).margin(0.005));  // SlowOnly R101
  CHECK(millions(workshop, c2d) == Approx(24.33).margin(0.005));            // C2D R50
  CHECK(millions(workshop, c2d + "depth = 101") == Approx(43.3).margin(0.05));
  CHECK(millions(workshop, i3d) == Approx(28.04).margin(0.005));  // I3D R50
  // MMAction2's, with non-local blocks whose last projection has no bias.
  const std::string nonlocal =
      "[nonlocal]\nblocks = [[], [1, 3], [1, 3, 5], []]\nout_bias = false\npool_first = false\n";
  CHECK(millions(workshop, i3d + nonlocal + "affinity = 'dot_product'") == Approx(35.4).margin(0.05));
  CHECK(millions(workshop, i3d + nonlocal + "affinity = 'gaussian'") == Approx(31.7).margin(0.05));
  CHECK(millions(workshop, nonlocal) == Approx(39.81).margin(0.005));
  CHECK(millions(workshop, "stem_kernel = 5\ntemporal_kernels = [[3], [3], [3], [3]]") ==
        Approx(33.0).margin(0.05));  // I3D heavy
}

TEST_CASE("strides, pools and dilations give features of the size they promise") {
  test::Workshop workshop;
  const auto shape = [&](const std::string& more, std::int64_t frames = 8, std::int64_t size = 32) {
    return workshop.make<Backbone>(small + more)->forward(clips(1, frames, size))[0].sizes().vec();
  };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape("") == Shape{1, 32, 8, 4, 4});
  CHECK(shape("stage1_pool = 2") == Shape{1, 32, 4, 4, 4});
  CHECK(shape("stem_temporal_stride = 2\npool_temporal_stride = 2") == Shape{1, 32, 2, 4, 4});
  CHECK(shape("pool_padding = false", 8, 36) == Shape{1, 32, 8, 4, 4});
  CHECK(shape("pool_stride = 1\nstem_stride = 1", 4, 16) == Shape{1, 32, 4, 8, 8});
  const std::string detection =
      "type = 'ResNet3D'\nblocks = [1, 1]\nblock = 'basic'\nstem_width = 8\nwidths = [8, 8]\n"
      "temporal_kernels = [[1], [3]]\nstrides = [1, 1]\ndilations = [1, 2]\ntemporal_strides = [1, 2]\n";
  for (const char* more : {"", "dilated = 'first'", "temporal = 'both'", "temporal = 'second'"}) {
    INFO(more);
    CHECK(workshop.make<Backbone>(detection + more)->forward(clips(1))[0].sizes() ==
          at::IntArrayRef({1, 8, 4, 8, 8}));
  }
  CHECK(shape("strided = 'first'\ngroups = 2") == Shape{1, 32, 8, 4, 4});
}

TEST_CASE("the temporal kernels of a stage are repeated over its blocks") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>("type = 'ResNet3D'\n" + i3d)->named_parameters();
  const auto kernel = [&](const char* name) { return net[std::string(name) + ".conv.weight"].size(2); };
  CHECK(kernel("stem") == 5);
  CHECK(kernel("stage2.0.a") == 3);
  CHECK(kernel("stage2.1.a") == 1);
  CHECK(kernel("stage3.4.a") == 3);
  CHECK(kernel("stage4.0.a") == 1);
  CHECK(kernel("stage4.1.a") == 3);
  CHECK(kernel("stage4.1.b") == 1);
  const auto inflated = workshop.make<Backbone>(small + "temporal = 'second'")->named_parameters();
  CHECK(inflated["stage2.0.a.conv.weight"].size(2) == 1);
  CHECK(inflated["stage2.0.b.conv.weight"].size(2) == 3);
}

TEST_CASE("gradients reach every parameter of a network with non-local blocks, in both memory formats") {
  test::Workshop workshop;
  for (const char* affinity : {"softmax", "dot_product", "gaussian"}) {
    INFO(affinity);
    const auto net = workshop.make<Backbone>(small +
                                             "zero_init = false\n[nonlocal]\nblocks = [[], [0, 1]]\n"
                                             "groups = [2]\naffinity = '" +
                                             affinity + "'");
    for (auto& p : net->named_parameters())
      if (p.key().find("nonlocal") != std::string::npos && p.key().ends_with("bn.weight"))
        p.value().detach().fill_(0.5);
    const auto run = [&](const at::Tensor& x) {
      net->zero_grad();
      const at::Tensor y = net->forward(x)[0];
      y.square().mean().backward();
      std::vector<at::Tensor> out{y.detach()};
      for (const auto& p : net->parameters()) out.push_back(p.grad().clone());
      return out;
    };
    const at::Tensor x = clips(2);
    const auto a = run(x), b = run(x.contiguous(at::MemoryFormat::ChannelsLast3d));
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO(i);
      CHECK(at::allclose(a[i], b[i], 1e-3, 1e-4));
    }
    for (const auto& p : net->named_parameters()) {
      INFO(p.key());
      // A constant that every key gets does not change a softmax.
      if (p.key().ends_with("phi.bias") && std::string(affinity) == "softmax") continue;
      // A norm follows, which takes a constant away.
      if (p.key().ends_with("out.bias") || p.key().ends_with("g.bias")) continue;
      CHECK(p.value().grad().abs().max().item<float>() > 0.f);
    }
  }
}

TEST_CASE("a non-local block starts as the identity, and can be left out by a recipe") {
  test::Workshop workshop;
  const auto outputs = [&](const std::string& more) {
    const auto net = workshop.make<Backbone>(small + more);
    const at::NoGradGuard no_grad;
    for (auto& p : net->named_parameters())
      if (p.key().find("nonlocal") == std::string::npos) {
        at::manual_seed(static_cast<std::uint64_t>(p.value().numel()));
        p.value().normal_(0, 0.1);
      }
    net->eval();
    return net->forward(clips(1))[0];
  };
  CHECK(at::equal(outputs(""), outputs("[nonlocal]\nblocks = [[0], [1]]")));
  CHECK(at::equal(outputs(""), outputs("[nonlocal]\nblocks = []")));
}

TEST_CASE("ResNet3D refuses what cannot work, with the numbers and what to change") {
  test::Workshop workshop;
  const auto net = workshop.make<Backbone>("type = 'ResNet3D'\n" + i3d +
                                           "[nonlocal]\nblocks = [[], [1], [], []]\ngroups = [2]\n");
  CHECK(net->refuses(8, 64, 64).empty());
  CHECK(contains(net->refuses(8, 16, 64), "reduce frames 32 times; got frames of 64x16"));
  CHECK(contains(net->refuses(1, 64, 64), "takes 2 frames at once and gets 1"));
  CHECK(contains(net->refuses(6, 64, 64), "stage 2 split its 3 frames into 2 groups"));
  const auto pooled = workshop.make<Backbone>(
      "type = 'ResNet3D'\n[nonlocal]\nblocks = [[], [], [], [1]]\npool = [[1, 4, 4]]");
  CHECK(contains(pooled->refuses(8, 64, 64),
                 "pool [1, 4, 4] features (frames, height, width) but get [8, 2, 2]"));
  CHECK(contains(message_of<UsageError>([&] { net->forward(clips(1, 1)); }), "takes 2 frames"));

  const auto problem = [&](const std::string& text) {
    return message_of<Error>([&] { workshop.make<Backbone>("type = 'ResNet3D'\n" + text); });
  };
  CHECK(contains(problem("depth = 51"), "depth is 18, 34, 50, 101 or 152; got 51"));
  CHECK(contains(problem("temporal_kernels = [[1], [2], [1], [1]]"), "must be odd"));
  CHECK(contains(problem("temporal_kernels = [[1], [], [1], [1]]"), "at least one kernel for each stage"));
  CHECK(contains(problem("depth = 18\ngroups = 2"), "`groups` are for bottlenecks"));
  CHECK(contains(problem("strided = 'both'"), "`strided` is"));
  CHECK(
      contains(problem("[nonlocal]\nblocks = [[0]]"), "`nonlocal.blocks` needs one list for each of the 4"));
  CHECK(contains(problem("[nonlocal]\nblocks = [[3], [], [], []]"), "stage 1 has blocks 0 to 2; got 3"));
  CHECK(contains(problem("[nonlocal]\npool = [[1, 2, 2], [1, 2, 2]]"), "`nonlocal.pool` needs one entry"));
}
