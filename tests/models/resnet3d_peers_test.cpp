// Networks of one pathway, and non-local blocks, with PySlowFast's weights.
#include "models/peer_network.hpp"

using namespace marey;
using namespace marey::test;

namespace {

constexpr std::string_view project = "pyslowfast";

PeerNetwork network(Workshop& workshop, const Tensors& weights, const std::string& backbone,
                    const std::string& head = {}) {
  PeerNetwork net{workshop.make<Backbone>(backbone),
                  workshop.make<Head>("type = 'SlowFastHead'\ndropout = 0.0\nnum_classes = " +
                                      std::to_string(weights.at("head.fc.weight").size(0)) + "\n" + head)};
  net.head->connect(net.backbone->out_channels());
  load(net, weights);
  return net;
}

}  // namespace

TEST_CASE("SlowOnly R50 with PySlowFast's weights") {
  const Tensors fixture = read_fixture("pyslowfast_slow_r50");
  if (fixture.empty()) return;
  Workshop workshop;
  const Tensors weights = renamed(fixture, "w.", project);
  const std::string backbone = "type = 'ResNet3D'\nstem_width = 4\nwidths = [4, 8, 16, 32]";
  PeerNetwork net = network(workshop, weights, backbone);
  compare(net, fixture, project, "in.x");

  PeerNetwork windows = network(workshop, weights, backbone, "pool_size = 2");
  windows.train(false);
  const at::NoGradGuard no_grad;
  CHECK(close(at::softmax(windows.forward(fixture.at("in.big")), 1), fixture.at("out.big_eval")));
}

TEST_CASE("SlowFast with non-local blocks and PySlowFast's weights") {
  const Tensors fixture = read_fixture("pyslowfast_slowfast_nonlocal");
  if (fixture.empty()) return;
  Workshop workshop;
  const Tensors weights = renamed(fixture, "w.", project);
  PeerNetwork net = network(workshop, weights,
                            "type = 'SlowFast'\nalpha = 4\nbeta = 0.5\nstem_width = 4\n"
                            "widths = [4, 8, 16, 32]\n[nonlocal]\nblocks = [[], [1, 3], [1, 3, 5], []]\n"
                            "affinity = 'dot_product'");
  compare(net, fixture, project, "in.fast");
}
