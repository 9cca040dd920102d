#include "support/catch.hpp"
#include "train/small_run.hpp"

#include <marey/core/error.hpp>
#include <marey/train/run_folder.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;
using Strings = std::vector<std::string>;

namespace {

// Windows of two steps, the last of an epoch of one; dropout draws from LibTorch's generator.
const Strings traced{"train.max_epochs=3", "+hooks.trace.type=Trace", "+hooks.accumulate.type=Accumulate",
                     "hooks.accumulate.steps=2", "+hooks.save.type=Save"};

void check_equal(const TensorMap& a, const TensorMap& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, tensor] : a) {
    INFO(name);
    CHECK(tensor.equal(b.at(name)));
  }
}

void check_equal(const Checkpoint& a, const Checkpoint& b) {
  CHECK(a.state == b.state);  // place, generators, metrics
  check_equal(a.model, b.model);
  check_equal(a.optimizer.tensors, b.optimizer.tensors);
  REQUIRE(a.hooks.size() == b.hooks.size());
  for (const auto& [key, state] : a.hooks) {
    CHECK(state.values == b.hooks.at(key).values);
    check_equal(state.tensors, b.hooks.at(key).tensors);
  }
}

Strings joined(Strings a, const Strings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Strings only_batches(Strings all) {
  std::erase_if(all, [](const std::string& e) { return e.find('/') == std::string::npos; });
  return all;
}

struct sigaction action_of(int signal) {
  struct sigaction out {};
  ::sigaction(signal, nullptr, &out);
  return out;
}

}  // namespace

TEST_CASE("a resumed run equals the uninterrupted one bit by bit") {
  const SmallRun small;
  CHECK(small.train(traced, {.folder = small.run_folder("whole")}).code == ExitCode::ok);
  const Strings whole = take_events();
  REQUIRE(whole.size() == 21);

  // Within the first epoch, at its last step, at the first of the second, at the last of all.
  for (const std::int64_t steps : {1, 3, 4, 5, 8, 12}) {
    INFO("interrupted after step " << steps);
    const std::string name = "cut " + std::to_string(steps);
    const auto cut = small.train(traced, {.folder = small.run_folder(name), .stop_after_steps = steps});
    CHECK(cut.code == ExitCode::interrupted);
    CHECK(cut.steps == steps);
    const auto rest = small.train(traced, {.folder = small.run_folder(name), .resume = small.newest(name)});
    CHECK(rest.code == ExitCode::ok);
    CHECK(rest.steps == 12);
    CHECK(take_events() == whole);
    check_equal(read_checkpoint(small.newest("whole")), read_checkpoint(small.newest(name)));
  }
}

TEST_CASE("a run that resumes from an epoch's end equals the uninterrupted one") {
  const SmallRun small;
  small.train(traced, {.folder = small.run_folder("whole")});
  take_events();
  const auto first =
      small.run_folder("whole") / "checkpoints" / "step_000000004";  // saved after the evaluation
  CHECK(read_checkpoint(first).state.at("position") == 0);
  CHECK(read_checkpoint(first).state.at("epoch") == 1);
  small.train(traced, {.folder = small.run_folder("rest"), .resume = first});
  CHECK(take_events().size() == 14);
  check_equal(read_checkpoint(small.newest("whole")), read_checkpoint(small.newest("rest")));

  SECTION("a finished run that is made longer goes on") {
    const auto longer = joined(traced, {"train.max_epochs=4"});
    CHECK(small.train(longer, {.folder = small.run_folder("whole"), .resume = small.newest("whole")}).steps ==
          16);
  }
}

TEST_CASE("the first SIGINT or SIGTERM finishes the step, saves and ends the run") {
  const SmallRun small;
  small.train(traced, {.folder = small.run_folder("whole")});
  const Strings whole = take_events();
  const auto before = action_of(SIGINT).sa_handler;
  struct Case {
    const char* what;
    ExitCode code;
  };
  for (const auto& [what, code] :
       {Case{"interrupt", ExitCode::interrupted}, Case{"terminate", ExitCode::terminated},
        Case{"terminate in evaluation", ExitCode::terminated}}) {
    INFO(what);
    const std::string name = what;
    const auto cut = small.train(
        joined(traced, {"+hooks.act.type=Act", "+hooks.act.step=2", "+hooks.act.what=\"" + name + "\""}),
        {.folder = small.run_folder(name)});
    CHECK(cut.code == code);
    CHECK(cut.steps == (name == "terminate in evaluation" ? 4 : 2));
    CHECK(action_of(SIGINT).sa_handler == before);
    const Strings first = take_events();
    CHECK(std::ranges::count(first, "evaluated false") == (name == "terminate in evaluation" ? 1 : 0));
    small.train(traced, {.folder = small.run_folder(name), .resume = small.newest(name)});
    CHECK(joined(only_batches(first), take_events()) == whole);
    const auto a = read_checkpoint(small.newest("whole")), b = read_checkpoint(small.newest(name));
    CHECK(a.state == b.state);
    check_equal(a.model, b.model);
  }
}

TEST_CASE("a signal that was ignored stays ignored") {
  const SmallRun small;
  const auto old = std::signal(SIGINT, SIG_IGN);
  const auto result = small.train({"+hooks.act.type=Act", "+hooks.act.what=interrupt"});
  CHECK(result.code == ExitCode::ok);
  CHECK(action_of(SIGINT).sa_handler == SIG_IGN);
  std::signal(SIGINT, old);
}

TEST_CASE("a changed recipe is refused with its keys, unless that is allowed") {
  const SmallRun small;
  small.train(joined(traced, {"+hooks.act.type=Act"}), {.stop_after_steps = 2});
  const auto again = [&](const Strings& changes, bool allow = false) {
    return error_of([&] {
      small.train(joined(traced, changes), {.folder = small.run_folder(),
                                            .resume = small.newest(),
                                            .allow_recipe_change = allow,
                                            .stop_after_steps = 0});
    });
  };
  const std::string text = again({"optimizer.lr=0.25", "loader.batch_size=2"});
  CHECK_THAT(text, Contains("optimizer.lr: 0.5 in the checkpoint, 0.25 now"));
  CHECK_THAT(text,
             Contains("loader.batch_size: 3 in the checkpoint, 2 now") && Contains("--allow-recipe-change"));
  CHECK_THAT(again({"data.train.samples=19"}), Contains("data.train.samples: 20 in the checkpoint, 19 now"));
  CHECK_THAT(again({"~hooks.accumulate"}), Contains("hooks.accumulate.steps: 2 in the checkpoint, none now"));
  // What does not change the numbers: length, evaluation, threads, hooks that save, stop and log (act is gone
  // here).
  CHECK(again({"train.max_epochs=9", "name=other", "loader.threads=1", "hooks.save.every=1",
               "data.val.samples=5"}) == "no error");
  CHECK(again({"optimizer.lr=0.25"}, true) == "no error");
}

TEST_CASE("a checkpoint that does not fit is refused") {
  const SmallRun small;
  small.train(traced, {.stop_after_steps = 2});
  const auto resume = [&](const Strings& changes, const std::filesystem::path& from) {
    return error_of([&] {
      try {
        small.train(joined(traced, changes),
                    {.folder = small.run_folder(), .resume = from, .allow_recipe_change = true});
      } catch (const Error& e) {
        CHECK(e.code() == ExitCode::checkpoint);
        throw;
      }
    });
  };
  CHECK_THAT(resume({"model.num_classes=3", "data.train.classes=3", "data.val.classes=3"}, small.newest()),
             Contains("cannot be resumed: the weights do not fit the model") &&
                 Contains("weight (model [3, 3], file [3, 2])"));
  CHECK_THAT(resume({}, small.run_folder()), Contains("is no checkpoint"));
  CHECK_THAT(resume({"data.train.samples=4"}, small.newest()),
             Contains("batch 4 of an epoch that now has 2"));
  std::filesystem::resize_file(small.newest() / "model.safetensors", 100);
  CHECK_THAT(resume({}, small.run_folder() / "checkpoints" / "step_000000002"), Contains("100 bytes"));
}

// Run by the test below in a process of its own.
TEST_CASE("a run in a process of its own", "[.child]") {
  SmallRun small;
  Strings overrides = traced;
  overrides.push_back("hooks.save.every=1");
  small.train(overrides, {.folder = std::getenv("MAREY_TEST_RUN")});
}

TEST_CASE("a run that is killed while it saves goes on from the save before") {
  const SmallRun small;
  small.train(joined(traced, {"hooks.save.every=1"}), {.folder = small.run_folder("whole")});
  const Strings whole = take_events();
  for (const char* fault : {"ckpt.tensors:10", "ckpt.manifest:3", "ckpt.renamed:3"}) {
    INFO(fault);
    const std::string name = fault;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::setenv("MAREY_FAULT", fault, 1);
      ::setenv("MAREY_TEST_RUN", small.run_folder(name).c_str(), 1);
      ::freopen("/dev/null", "w", stdout);
      ::execl("/proc/self/exe", "tests", "a run in a process of its own", nullptr);
      ::_exit(127);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGKILL);

    const auto point = find_resume_point(small.run_folder(name).string(), {});
    REQUIRE(point);
    const auto step = read_checkpoint(point->checkpoint).step();
    CHECK((step == 2 || step == 3));
    small.train(joined(traced, {"hooks.save.every=1"}),
                {.folder = point->folder, .resume = point->checkpoint});
    const Strings rest = take_events();
    CHECK(std::ranges::equal(rest, std::span(whole).last(rest.size())));
    check_equal(read_checkpoint(small.newest("whole")), read_checkpoint(small.newest(name)));
  }
}
