#include "models/peer_network.hpp"
#include "support/message_of.hpp"

#include <marey/core/error.hpp>

using namespace marey;
using namespace marey::test;

namespace {

std::int64_t count(Workshop& workshop, const std::string& backbone) {
  const auto body = workshop.make<Backbone>("type = 'X3D'\n" + backbone);
  const auto head = workshop.make<Head>("type = 'X3DHead'\nnum_classes = 400");
  head->connect(body->out_channels());
  std::int64_t n = 0;
  for (const auto& p : body->parameters()) n += p.numel();
  for (const auto& p : head->parameters()) n += p.numel();
  return n;
}

const std::string tiny =
    "type = 'X3D'\nstem_width = 4\nwidth_factor = 1.0\ndepth_factor = 1.0\nblocks = [1, 2]\n"
    "temporal_kernels = [3, 3]\nstrides = [2, 2]\ndilations = [1, 1]\nzero_init = false\n";

}  // namespace

TEST_CASE("X3D has the published numbers of parameters") {
  Workshop workshop;
  CHECK(count(workshop, "") == 3'794'322);                    // XS, S, M
  CHECK(count(workshop, "depth_factor = 5.0") == 6'153'432);  // L
}

TEST_CASE("X3D with PySlowFast's weights") {
  const Tensors fixture = read_fixture("pyslowfast_x3d_xslike");
  if (fixture.empty()) return;
  Workshop workshop;
  constexpr std::string_view project = "pyslowfast";
  const Tensors weights = renamed(fixture, "w.", project);
  const auto network = [&](const std::string& head) {
    PeerNetwork net{
        workshop.make<Backbone>("type = 'X3D'\nstem_width = 8\nwidth_factor = 1.0\ndepth_factor = 1.0"),
        workshop.make<Head>("type = 'X3DHead'\ndropout = 0.0\nnum_classes = 10\nhidden = 48\n" + head)};
    net.head->connect(net.backbone->out_channels());
    load(net, weights);
    return net;
  };
  PeerNetwork net = network("");
  compare(net, fixture, project, "in.x");

  PeerNetwork windows = network("pool_size = 2");
  windows.train(false);
  const at::NoGradGuard no_grad;
  CHECK(close(at::softmax(windows.forward(fixture.at("in.big")), 1), fixture.at("out.big_eval")));
}

TEST_CASE("X3D's features keep the frames; gradients reach every parameter, in both memory formats") {
  Workshop workshop;
  const auto net = workshop.make<Backbone>(tiny);
  at::manual_seed(3);
  const at::Tensor x = at::randn({2, 3, 5, 32, 32});
  const auto run = [&](const at::Tensor& input) {
    net->zero_grad();
    const at::Tensor y = net->forward(input)[0];
    CHECK(y.sizes() == at::IntArrayRef({2, 18, 5, 4, 4}));
    y.square().mean().backward();
    std::vector<at::Tensor> out{y.detach()};
    for (const auto& p : net->named_parameters()) {
      INFO(p.key());
      CHECK(p.value().grad().abs().max().item<float>() > 0.f);
      out.push_back(p.value().grad().clone());
    }
    return out;
  };
  const auto a = run(x), b = run(x.contiguous(at::MemoryFormat::ChannelsLast3d));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(at::allclose(a[i], b[i], 1e-3, 1e-4));
  const auto names = net->named_parameters();
  CHECK(names.contains("stage2.0.se.fc1.weight"));
  CHECK_FALSE(names.contains("stage2.1.se.fc1.weight"));
  CHECK(workshop.make<Backbone>(tiny + "se_everywhere = true")
            ->named_parameters()
            .contains("stage2.1.se.fc1.weight"));
}

TEST_CASE("branches left out in training keep their mean") {
  Workshop workshop;
  const auto net = workshop.make<Backbone>(tiny + "drop_path = 0.5");
  const at::NoGradGuard no_grad;
  const at::Tensor x = at::randn({1, 3, 2, 32, 32}).expand({64, 3, 2, 32, 32});
  net->eval();
  const at::Tensor once = net->forward(x)[0];
  CHECK(at::equal(once[0], once[1]));
  net->train();
  const at::Tensor drawn = net->forward(x)[0];
  CHECK_FALSE(at::allclose(drawn[0], drawn[1]));
}

TEST_CASE("X3D refuses what cannot work") {
  Workshop workshop;
  const auto net = workshop.make<Backbone>("type = 'X3D'");
  CHECK(net->refuses(4, 160, 160).empty());
  CHECK(contains(net->refuses(4, 16, 160), "reduce frames 32 times; got frames of 160x16"));
  const auto problem = [&](const std::string& text) {
    return message_of<Error>([&] { workshop.make<Backbone>("type = 'X3D'\n" + text); });
  };
  CHECK(contains(problem("strides = [2]"), "`strides` needs one entry for each of the 4 stages; got 1"));
  CHECK(contains(problem("temporal_kernels = [3, 3, 4, 3]"), "must be odd"));
  const auto head = workshop.make<Head>("type = 'X3DHead'\nnum_classes = 4");
  CHECK(contains(message_of<UsageError>([&] { head->connect({8, 8}); }), "one pathway"));
  head->connect({8});
  CHECK(contains(message_of<Error>([&] {
                   head->forward({at::zeros({1, 9, 1, 2, 2})});
                 }),
                 "expected features [N, 8, T, H, W]; got [1, 9, 1, 2, 2]"));
}
