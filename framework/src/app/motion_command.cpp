// marey data motion --out FOLDER
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/log.hpp>
#include <marey/data/motion.hpp>

#include <fmt/format.h>
