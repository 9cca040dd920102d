// Weight files that lie: each is refused with a reason, quickly, and nothing else happens.
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "support/temporary_folder.hpp"
#include "train/hostile_file.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/random.hpp>
#include <marey/train/foreign_weights.hpp>

#include <ATen/Functions.h>

#include <limits>
#include <numeric>

using namespace marey;
using namespace marey::test;
using Catch::Matchers::Contains;

namespace {

const std::string six_floats = [] {
  std::string out;
  for (int i = 0; i < 6; ++i) out += little(static_cast<float>(i));
  return out;
}();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

std::string refusal(const TemporaryFolder& folder, const std::string& bytes) {
  const auto file = folder.write("x.pth", bytes);
  try {
    read_foreign_weights(file);
  } catch (const CheckpointError& e) {
    return e.what();
  }
  return "accepted";
}

std::string refusal_of_pickle(const TemporaryFolder& folder, const std::string& value) {
  return refusal(folder, archive_of(pickle::whole(value), {{"0", six_floats}}));
}

std::string refusal_of_tensor(const TemporaryFolder& folder, const pickle::Tensor& tensor) {
  return refusal_of_pickle(folder, pickle::table("w", pickle::tensor(tensor)));
}

std::string good_file() {
  return archive_of(pickle::whole("}(" + pickle::text("w") + pickle::tensor() + pickle::text("epoch") +
                                  pickle::integer(-7) + "u"),
                    {{"0", six_floats}});
}

// The older form: four pickles, the list of the storages, then these.
std::string legacy_file(const std::string& keys, const std::string& storages) {
  const std::string mark = std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  return mark + pickle::whole(pickle::integer(1001)) + pickle::whole(pickle::table("little_endian", "\x88")) +
         pickle::whole(pickle::table("w", pickle::tensor())) + pickle::whole(keys) + storages;
}

}  // namespace

TEST_CASE("weights by hand: strides and offsets are honoured") {
  const TemporaryFolder folder;
  const auto read = [&](const pickle::Tensor& t) {
    const std::string bytes =
        archive_of(pickle::whole(pickle::table("w", pickle::tensor(t))), {{"0", six_floats}});
    return read_foreign_weights(folder.write("x.pth", bytes)).weights.at("w");
  };
  const at::Tensor six = at::arange(6).to(at::kFloat);
  CHECK(read({}).equal(six.view({2, 3})));
  CHECK(read({.sizes = {3, 2}, .strides = {1, 3}}).equal(six.view({2, 3}).t()));
  CHECK(read({.offset = 1, .sizes = {2, 2}, .strides = {3, 1}}).equal(six.view({2, 3}).slice(1, 1)));
  CHECK(read({.offset = 5, .sizes = {}, .strides = {}}).equal(six[5]));
  CHECK(read({.offset = 2, .sizes = {4, 2}, .strides = {0, 2}}).equal(six.slice(0, 2, 5, 2).expand({4, 2})));
  CHECK(read({.sizes = {0, 3}, .strides = {3, 1}}).sizes() == at::IntArrayRef({0, 3}));
  CHECK(read({.sizes = {2, 1, 3}, .strides = {3, 77, 1}}).equal(six.view({2, 1, 3})));
  const ForeignWeights both = read_foreign_weights(folder.write("x.pth", good_file()));
  CHECK(both.rest == nlohmann::json{{"epoch", -7}});
}

TEST_CASE("weights by hand: a tensor that reaches beyond its storage is refused") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {2, 4}, .strides = {3, 1}}), Contains("reaches element 7"));
  CHECK_THAT(refusal_of_tensor(folder, {.offset = 1}), Contains("reaches element 7"));
  CHECK_THAT(refusal_of_tensor(folder, {.offset = -1}), Contains("negative"));
  CHECK_THAT(refusal_of_tensor(folder, {.strides = {3, -1}}), Contains("negative"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {-2, -3}}), Contains("negative"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {most, most}}), Contains("too large"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {2, 2}, .strides = {most, most}}), Contains("too large"));
  CHECK_THAT(refusal_of_tensor(folder, {.offset = most}), Contains("too large"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {0, most, 4}, .strides = {0, 0, 0}}), Contains("too large"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {6}}), Contains("1 sizes and 2 strides"));
  CHECK_THAT(refusal_of_tensor(folder, {.storage = "1"}), Contains("has not got"));
  CHECK_THAT(refusal_of_tensor(folder, {.elements = 7}), Contains("the file holds 24"));
  CHECK_THAT(refusal_of_tensor(folder, {.elements = most}), Contains("the file holds 24"));
  CHECK_THAT(refusal_of_tensor(folder, {.elements = -1}), Contains("its length"));
  CHECK_THAT(refusal_of_tensor(folder, {.type = "BoolStorage", .elements = 24, .offset = 4}),
             Contains("neither 0 nor 1"));
  CHECK_THAT(refusal_of_tensor(folder, {.type = "QInt8Storage"}), Contains("asks for torch.QInt8Storage"));
  // A few bytes that ask for gigabytes.
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = {1 << 30, 4}, .strides = {0, 1}}),
             Contains("far more memory"));
  CHECK_THAT(refusal_of_tensor(folder, {.sizes = std::vector<std::int64_t>(65, 1),
                                        .strides = std::vector<std::int64_t>(65, 1)}),
             Contains("at most 64"));
}

TEST_CASE("weights by hand: pickles that no torch.save() writes are refused") {
  using namespace pickle;
  const TemporaryFolder folder;
  const auto check = [&](const std::string& value, const std::string& reason) {
    CHECK_THAT(refusal_of_pickle(folder, value), Contains(reason));
  };
  check(global("os", "system") + text("x") + "\x85R", "asks for os.system");
  check(text("os") + text("system") + "\x93", "asks for os.system");  // protocol 4
  check(global("builtins", "eval"), "asks for builtins.eval");
  check(global("torch.serialization", "load"), "asks for torch.serialization.load");
  check(global("torch.hub", "load"), "asks for torch.hub.load");
  check(global("torch.nn.modules.conv", "Conv3d") + ")\x81", "whole module");
  check("(ios\nsystem\n", "no instruction");  // INST
  check("I5\n", "no instruction");
  check(std::string("\x82\x01", 2), "no instruction");  // extensions
  check("N(", "lacks its operands");
  check("N(1(", "lacks its operands");
  check("NN", "values left over");
  check("", "lacks its operands");
  check("R", "lacks its operands");
  check("t", "lacks its mark");
  check("(t0N", "holds no weights");
  check("}(Nu", "key without a value");
  check("NNa", "holds nothing");
  check("NNb", "has none");
  check("h\x07", "refers to value 7");
  check("NR", "lacks its operands");
  check("NNR", "no function");
  check("NQ", "no storage");
  check("X" + little(std::uint32_t{0xffffffff}), "a text of 4294967295 bytes");
  check("\x8d" + little(std::uint64_t{0xffffffffffffffff}), "a text of 18446744073709551615 bytes");
  check(global(std::string(600, 'a'), "b"), "more than 512 bytes");
  check(table("a\nb", tensor()), "is no text");
  check(table("\xff", tensor()), "is no text");
  check(table(std::string(1025, 'w'), tensor()), "more than 1024 bytes");
  check(table("epoch", integer(3)), "holds no weights");
  CHECK_THAT(refusal(folder, archive_of("\x80\x09N.")), Contains("protocol 9"));
  CHECK_THAT(refusal(folder, archive_of("")), Contains("ends here"));
  CHECK_THAT(refusal(folder, archive_of("\x80")), Contains("ends here"));
}

TEST_CASE("weights by hand: recursion and bombs end early") {
  using namespace pickle;
  const TemporaryFolder folder;
  const auto check = [&](const std::string& value, const std::string& reason) {
    CHECK_THAT(refusal_of_pickle(folder, value), Contains(reason));
  };
  check("}q\x01" + text("w") + "h\x01s", "nested too deeply");  // a table that holds itself
  check(
      "]q\x01h\x01"
      "a",
      "nested too deeply");
  check(std::string(100'000, ']') + std::string(99'999, 'a'), "nested too deeply");
  // Lists of ten times the list before: 10^30 entries in a few hundred bytes.
  std::string bomb = "]q" + std::string(1, '\0');
  for (char i = 1; i <= 30; ++i) {
    bomb += "](";
    for (int j = 0; j < 10; ++j) bomb += std::string("h") + static_cast<char>(i - 1);
    bomb += std::string("eq") + i;
  }
  check("(" + bomb + "l", "entries");
  // The same beside weights: what else is in the file is cut short, the weights are read.
  const auto both =
      archive_of(whole("(" + bomb + "t0}(" + text("model") + table("w", tensor()) + text("meta") + "h\x1eu"),
                 {{"0", six_floats}});
  const ForeignWeights read = read_foreign_weights(folder.write("x.pth", both));
  CHECK(read.weights.size() == 1);
  CHECK(read.rest.dump().size() < 4'000'000);
  check(std::string(2'100'000, ']'), "more than 2000000 values");
  check("]" + std::string(1, '\x94') + std::string(17'000'000, '2'), "more than 16000000 instructions");
  check("N" + std::string(2'100'000, '\x94'), "more than 2000000 remembered");
}

TEST_CASE("weights by hand: zip files that lie are refused") {
  const TemporaryFolder folder;
  const std::string good = pickle::whole(pickle::table("w", pickle::tensor()));
  const auto check = [&](const std::vector<ZipEntry>& entries, const std::string& reason) {
    CHECK_THAT(refusal(folder, zip_of(entries)), Contains(reason));
  };
  REQUIRE(refusal(folder, zip_of({{"a/data.pkl", good}, {"a/data/0", six_floats}})) == "accepted");
  check({{"a/data.pkl", good}, {"a/data/0", six_floats}, {"a/data/0", six_floats}}, "appears twice");
  check({{"a/data.pkl", good}, {"a/data/0", six_floats, -1, 0}}, "another name");
  check({{"a/data.pkl", good}, {"a/data/0", six_floats, 1000}}, "the data end at byte");
  check({{"a/data.pkl", good, static_cast<std::int64_t>(good.size()) + 20}, {"a/data/0", six_floats}},
        "overlap");
  check({{"a/data/0", six_floats, -1, 7}, {"a/data.pkl", good}}, "does not begin at byte 7");
  check({{"a/data/0", six_floats, -1, 4'000'000'000}, {"a/data.pkl", good}}, "behind the data");
  check({{"a/data/0", six_floats, 0xffffffff}, {"a/data.pkl", good}}, "no 64-bit size");
  check({{"a/data.pkl", good, -1, -1, 8}, {"a/data/0", six_floats}}, "compressed");
  check({{"a/data.pkl", good}, {"a/data/0", six_floats, -1, -1, 8}}, "has not got");
  check({{"a/data.pkl", good}, {"b/data.pkl", good}}, "two archives");
  check({{"a/data.pkl", good}, {"a/byteorder", "big"}, {"a/data/0", six_floats}}, "big-endian");
  check({{"word/document.xml", "x"}}, "is a zip file but holds no weights");
  CHECK_THAT(refusal(folder, "PK\x03\x04"), Contains("no valid zip file"));
  CHECK_THAT(refusal(folder, "PK\x03\x04" + std::string(100, 'x')), Contains("no end record"));
}

TEST_CASE("weights by hand: the older form") {
  using namespace pickle;
  const TemporaryFolder folder;
  const std::string keys = "]" + text("0") + "a", six = little(std::uint64_t{6}) + six_floats;
  CHECK(read_foreign_weights(folder.write("x.pth", legacy_file(keys, six))).weights.at("w").numel() == 6);
  CHECK_THAT(refusal(folder, legacy_file(keys, little(std::uint64_t{7}) + six_floats)),
             Contains("7 elements of 4 bytes, where 24"));
  CHECK_THAT(refusal(folder, legacy_file(keys, little(std::uint64_t{0x4000000000000001}) + six_floats)),
             Contains("4611686018427387905 elements"));
  CHECK_THAT(refusal(folder, legacy_file(keys, little(std::uint64_t{5}) + six_floats)),
             Contains("but the file holds 20"));
  CHECK_THAT(refusal(folder, legacy_file(keys, "")), Contains("more bytes expected"));
  CHECK_THAT(refusal(folder, legacy_file("]" + text("1") + "a", six)), Contains("no tensor lies in"));
  CHECK_THAT(refusal(folder, legacy_file("](" + text("0") + text("0") + "e", six + six)), Contains("twice"));
  CHECK_THAT(refusal(folder, legacy_file("]", "")), Contains("has not got"));
  CHECK_THAT(refusal(folder, whole(integer(5))), Contains("none of torch.save()"));
}

TEST_CASE("weights by hand: a truncated file is refused") {
  const TemporaryFolder folder;
  const std::string keys = "]" + pickle::text("0") + "a", six = little(std::uint64_t{6}) + six_floats;
  for (const std::string& good : {good_file(), legacy_file(keys, six)}) {
    REQUIRE(refusal(folder, good) == "accepted");
    for (std::size_t size = 0; size < good.size(); size += 7) {
      INFO(size << " of " << good.size());
      CHECK(refusal(folder, good.substr(0, size)) != "accepted");
    }
    CHECK(refusal(folder, good.substr(0, good.size() - 1)) != "accepted");
  }
}

TEST_CASE("weights by hand: random damage is refused or read, and nothing else happens") {
  const TemporaryFolder folder;
  const std::string keys = "]" + pickle::text("0") + "a", six = little(std::uint64_t{6}) + six_floats;
  const std::string files[] = {good_file(), legacy_file(keys, six)};
  int refused = 0, read = 0;
  for (std::uint64_t trial = 0; trial < 6000; ++trial) {
    Random random(13, 0, trial);
    std::string bad = files[trial % 2];
    const auto size = static_cast<std::int64_t>(bad.size());
    for (std::int64_t i = 0, n = random.integer(1, 4); i < n; ++i)
      bad[static_cast<std::size_t>(random.integer(0, size - 1))] = static_cast<char>(random.integer(0, 255));
    if (random.chance(0.1)) bad.resize(static_cast<std::size_t>(random.integer(0, size - 1)));
    if (random.chance(0.1)) bad.insert(bad.size() / 2, 3, 'q');
    (refusal(folder, bad) == "accepted" ? read : refused)++;
  }
  CHECK(refused > 3000);
  CHECK(read > 100);  // damage of the floats' bytes, and of what the directory does not count on
}
