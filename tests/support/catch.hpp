// Catch2 2.x (Debian 12) and 3.x behind one include.
#pragma once
// LibTorch defines a CHECK of its own. Its header comes first here, where there is one, so that Catch's CHECK
// is the one that tests see, in whatever order they include.
#if __has_include(<c10/util/Logging.h>)
#include <c10/util/Logging.h>
#undef CHECK
#endif
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
