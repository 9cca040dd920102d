#include "slowfast_head.hpp"
#include "transformer_head.hpp"
#include "x3d_head.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("heads", "0.1.0") {
  registry.add<marey::Head, marey::SlowFastHead>(
      "SlowFastHead", "average pooling of each pathway, dropout and one linear layer");
  registry.add<marey::Head, marey::TransformerHead>("TransformerHead",
                                                    "dropout and one linear layer on the class token");
  registry.add<marey::Head, marey::X3DHead>("X3DHead",
                                            "average pooling, a hidden layer, dropout and one linear layer");
}
