#include "recognizer.hpp"

#include <marey/core/plugin.hpp>

MAREY_PLUGIN("recognizer", "0.1.0") {
  registry.add<marey::Model, marey::Recognizer>("Recognizer",
                                                "one label for each video: backbone, head and loss");
}
