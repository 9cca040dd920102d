// What the front calls: finds the command, runs it, turns errors into messages and exit codes.
#include "app/command_names.hpp"
#include "app/commands.hpp"
#include "app/host.hpp"

#include <marey/core/diagnostics.hpp>
#include <marey/core/log.hpp>

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>

namespace marey::app {
namespace {

const Command* find(std::string_view name) {
  for (const Command* c : commands())
    if (c->name == name) return c;
  return nullptr;
}

[[noreturn]] void unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& c : command_names()) names.emplace_back(c.name);
  throw UsageError(
      fmt::format("marey has no command '{}'{}\n`marey --help` lists them", word, did_you_mean(word, names)));
}

ExitCode run(std::vector<std::string> words) {
  std::string name = words.front();
  std::size_t used = 1;
  if (!find(name) && words.size() > 1 && find(name + " " + words[1])) {
    name += " " + words[1];
    used = 2;
  }
  const Command* command = find(name);
  if (!command) unknown(name);
  const auto info = std::ranges::find(command_names(), name, &CommandName::name);
  Arguments arguments(info == command_names().end() ? CommandName{command->name, {}, {}} : *info);
  command->options(arguments);
  arguments.parse({words.begin() + static_cast<std::ptrdiff_t>(used), words.end()});
  if (arguments.on("help")) {
    print(arguments.help());
    return ExitCode::ok;
  }
  if (arguments.on("quiet")) log::set_level(log::Level::warning);
  return command->run(arguments);
}

int report(const std::string& message, ExitCode code) {
  log::set_status_line("");
  log::write(log::Level::error, message);
  return static_cast<int>(code);
}

}  // namespace
}  // namespace marey::app

extern "C" __attribute__((visibility("default"))) int marey_main(int argc, char** argv) {
  using namespace marey;
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is then an error of writing, like a full disk
  try {
    return static_cast<int>(app::run({argv + 1, argv + argc}));
  } catch (const RecipeError& e) {
    log::write(log::Level::plain, e.what());  // each line of it says "error" already
    return static_cast<int>(e.code());
  } catch (const Error& e) {
    return app::report(e.what(), e.code());
  } catch (const std::bad_alloc&) {
    return app::report("out of memory; try a smaller loader.batch_size or more gradient accumulation",
                       ExitCode::failure);
  } catch (const std::filesystem::filesystem_error& e) {
    return app::report(fmt::format("{}: {}", e.path1().string(), e.code().message()), ExitCode::failure);
  } catch (const c10::Error& e) {  // without its stack of addresses
    return app::report(e.what_without_backtrace(), ExitCode::failure);
  } catch (const std::exception& e) {
    return app::report(e.what(), ExitCode::failure);
  }
}
