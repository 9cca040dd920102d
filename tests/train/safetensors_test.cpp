#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/core/files.hpp>
#include <marey/core/random.hpp>
#include <marey/train/safetensors.hpp>

#include <ATen/Functions.h>

#include <cstring>

using namespace marey;
using Catch::Matchers::Contains;
using marey::test::TemporaryFolder;

namespace {

std::string file_of(const std::string& header, const std::string& data = {}) {
  std::string out(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + data;
}

std::string refusal(const TemporaryFolder& folder, const std::string& bytes) {
  try {
    read_safetensors(folder.write("x.safetensors", bytes));
  } catch (const CheckpointError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("safetensors: every element type and shape comes back bit by bit") {
  using enum c10::ScalarType;
  const TemporaryFolder folder;
  TensorMap all;
  for (const auto type : {Bool, Byte, Char, Short, UInt16, Int, UInt32, Long, UInt64, Half, BFloat16, Float,
                          Double, Float8_e4m3fn, Float8_e5m2, ComplexFloat})
    all.emplace(std::string("t.") + c10::toString(type),
                at::arange(6).remainder(2).to(at::kFloat).to(type).view({2, 3}));
  all.emplace("scalar", at::full({}, 2.5));
  all.emplace("nothing", at::empty({0, 3}));
  all.emplace("strided", at::arange(24).view({2, 3, 4}).permute({2, 0, 1}));
  all.emplace("one byte", at::ones({1}, at::kByte));
  write_safetensors(folder.path() / "a.safetensors", all, {{"format", "pt"}, {"who", "Étienne-Jules"}});

  SafetensorsMetadata metadata;
  const TensorMap back = read_safetensors(folder.path() / "a.safetensors", &metadata);
  CHECK(metadata == SafetensorsMetadata{{"format", "pt"}, {"who", "Étienne-Jules"}});
  REQUIRE(back.size() == all.size());
  for (const auto& [name, tensor] : all) {
    INFO(name);
    const at::Tensor& other = back.at(name);
    CHECK(other.scalar_type() == tensor.scalar_type());
    CHECK(other.sizes() == tensor.sizes());
    CHECK(other.is_contiguous());
    const at::Tensor plain = tensor.contiguous();
    CHECK(other.nbytes() == plain.nbytes());
    CHECK((plain.nbytes() == 0 ||
           std::memcmp(other.const_data_ptr(), plain.const_data_ptr(), plain.nbytes()) == 0));
  }
}

TEST_CASE("safetensors: the data begin at a multiple of eight, whatever the names") {
  const TemporaryFolder folder;
  std::string name;
  for (int i = 0; i < 9; ++i) {
    name += 'n';
    write_safetensors(folder.path() / "a.safetensors", {{name, at::ones({3})}});
    std::uint64_t length = 0;
    std::memcpy(&length, read_file(folder.path() / "a.safetensors").data(), sizeof length);
    CHECK(length % 8 == 0);
    CHECK(read_safetensors(folder.path() / "a.safetensors").at(name).equal(at::ones({3})));
  }
  write_safetensors(folder.path() / "none.safetensors", {});
  CHECK(read_safetensors(folder.path() / "none.safetensors").empty());
}

TEST_CASE("safetensors: what cannot be written is refused by name") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.safetensors";
  CHECK_THROWS_WITH(write_safetensors(path, {{"w", at::Tensor()}}), Contains("'w' is undefined"));
  CHECK_THROWS_WITH(write_safetensors(path, {{"w", at::ones({1}, at::kComplexDouble)}}),
                    Contains("'w'") && Contains("ComplexDouble"));
  CHECK_THROWS_WITH(write_safetensors(path, {{"__metadata__", at::ones({1})}}), Contains("__metadata__"));
  CHECK_THROWS_WITH(write_safetensors(path, {{"\xff", at::ones({1})}}), Contains("UTF-8"));
}

TEST_CASE("safetensors: hostile headers are refused with a reason") {
  const TemporaryFolder folder;
  const std::string four(4, '\0');
  const auto entry = [](const std::string& shape, const std::string& offsets,
                        const std::string& type = "F32") {
    return "{\"w\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}";
  };
  REQUIRE(refusal(folder, file_of(entry("[1]", "[0,4]"), four)) == "accepted");

  CHECK_THAT(refusal(folder, "abc"), Contains("at least 8 expected"));
  CHECK_THAT(refusal(folder, std::string(8, '\xff')), Contains("a header of 18446744073709551615 bytes"));
  CHECK_THAT(refusal(folder, file_of("")), Contains("no JSON object"));
  CHECK_THAT(refusal(folder, file_of("[]")), Contains("no JSON object"));
  CHECK_THAT(refusal(folder, file_of("{\"w\":")), Contains("cannot be parsed"));
  CHECK_THAT(refusal(folder, file_of("{\"w\":3}")), Contains("lacks one of"));
  CHECK_THAT(refusal(folder, file_of("{\"w\":[[[[[[1]]]]]]}")), Contains("nested too deeply"));
  CHECK_THAT(refusal(folder, file_of(entry("[1]", "[0,4]", "F33"), four)), Contains("unknown element type"));
  CHECK_THAT(refusal(folder, file_of(entry("[-1]", "[0,4]"), four)), Contains("natural number"));
  CHECK_THAT(refusal(folder, file_of(entry("[1.0]", "[0,4]"), four)), Contains("natural number"));
  CHECK_THAT(refusal(folder, file_of(entry("[9223372036854775807,4]", "[0,4]"), four)),
             Contains("too large"));
  CHECK_THAT(refusal(folder, file_of(entry("[4611686018427387904,0]", "[0,0]"))), Contains("too large"));
  CHECK_THAT(refusal(folder, file_of(entry("[2]", "[0,4]"), four)), Contains("needs 8 bytes"));
  CHECK_THAT(refusal(folder, file_of(entry("[2]", "[0,8]"), four)), Contains("bytes 0 to 8 of 4"));
  CHECK_THAT(refusal(folder, file_of(entry("[1]", "[4,0]"), four)), Contains("bytes 4 to 0"));
  CHECK_THAT(refusal(folder, file_of(entry("[1]", "[4,8]"), four + four)), Contains("hole"));
  CHECK_THAT(refusal(folder, file_of(entry("[1]", "[0,4]"), four + "x")), Contains("5 bytes of data"));
  CHECK_THAT(refusal(folder, file_of(entry("[4]", "[0,4]", "BOOL"), "\1\1\1\2")),
             Contains("neither 0 nor 1"));
  const std::string w = "\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";
  CHECK_THAT(refusal(folder, file_of("{" + w + "," + w + "}", four)), Contains("twice"));
  CHECK_THAT(refusal(folder, file_of("{" + w + ",\"v" + w.substr(2) + "}", four)), Contains("overlap"));
  CHECK_THAT(refusal(folder, file_of("{\"__metadata__\":{\"a\":1}}")), Contains("is no string"));
}

TEST_CASE("safetensors: a folder or a missing file is no file") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_safetensors(folder.path()), CheckpointError);
  CHECK_THROWS_AS(read_safetensors(folder.path() / "missing"), CheckpointError);
}

TEST_CASE("safetensors: random damage is refused or read, and nothing else happens") {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "a.safetensors",
                    {{"weight", at::arange(12).to(at::kFloat)}, {"mask", at::ones({5}, at::kBool)}},
                    {{"k", "v"}});
  const std::string good = read_file(folder.path() / "a.safetensors");
  int refused = 0;
  for (std::uint64_t trial = 0; trial < 1500; ++trial) {
    Random random(11, 0, trial);
    std::string bad = good;
    // The data are any bytes; the header is where a reader can be led astray.
    const auto end = static_cast<std::int64_t>(good.size()) - 53;
    for (std::int64_t i = 0, n = random.integer(1, 4); i < n; ++i)
      bad[static_cast<std::size_t>(random.integer(0, end - 1))] = static_cast<char>(random.integer(0, 255));
    if (random.chance(0.2)) bad.resize(static_cast<std::size_t>(random.integer(0, end)));
    try {
      read_safetensors(folder.write("b.safetensors", bad));
    } catch (const CheckpointError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
