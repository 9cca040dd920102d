#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <marey/core/error.hpp>
#include <marey/data/annotation_list.hpp>

#include <string>
#include <utility>
#include <vector>

using marey::data::AnnotationList;
using marey::data::ListOptions;
using Rows = std::vector<std::pair<std::string, std::int64_t>>;

namespace {

Rows rows(const std::string& text, const ListOptions& options = {}) {
  const auto list = AnnotationList::parse(text, "l.csv", options);
  Rows out;
  for (std::size_t i = 0; i < list.size(); ++i) out.emplace_back(list.path(i), list.label(i));
  return out;
}

std::string error_of(const std::string& text, const ListOptions& options = {}) {
  try {
    rows(text, options);
  } catch (const marey::DataError& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a row splits at its last blank, so paths may hold blanks and brackets") {
  CHECK(rows("a b, c (31) ünï.mp4 0\nname (31).mp4 1\nx/y.mp4\t2\n") ==
        Rows{{"a b, c (31) ünï.mp4", 0}, {"name (31).mp4", 1}, {"x/y.mp4", 2}});
  CHECK(rows("clip (1) 2.mp4 3") == Rows{{"clip (1) 2.mp4", 3}});
  CHECK(rows("folder 12 4") == Rows{{"folder 12", 4}});  // no file name before the numbers: one label
}

TEST_CASE("quoted paths hold anything") {
  CHECK(rows("\"a, b.mp4\",1\n\"say \"\"hi\"\".mp4\" 2\n\"c.mp4\"\t3\n\"d 1.mp4 2\" 4\n") ==
        Rows{{"a, b.mp4", 1}, {"say \"hi\".mp4", 2}, {"c.mp4", 3}, {"d 1.mp4 2", 4}});
  CHECK(rows("\"a, b.mp4\",1\nc.mp4,2\n", {.delimiter = ","}) == Rows{{"a, b.mp4", 1}, {"c.mp4", 2}});
  CHECK(rows("\"a.mp4 1\"") == Rows{{"a.mp4 1", -1}});
  CHECK(contains(error_of("\"a.mp4 1"), "l.csv:1: the quote at the start"));
  CHECK(contains(error_of("\"\" 1"), "l.csv:1: the path is empty"));
  CHECK(contains(error_of("\"a.mp4\"x 1"), "expected a blank after the quoted path"));
  CHECK(contains(error_of("\"a.mp4\" 1 2"), "expected one label"));
}

TEST_CASE("byte order mark, CRLF, blanks, empty lines and a missing last newline change nothing") {
  const Rows plain = rows("base.mp4 0\none.mp4 1\n");
  CHECK(rows("\xef\xbb\xbf"
             "base.mp4 0 \r\n\r\none.mp4 1") == plain);
  CHECK(rows("  base.mp4   0\t\n \t \n\n one.mp4 1 \n\n") == plain);
  CHECK(rows("base.mp4 , 0\r\none.mp4,\"1\"\r\n", {.delimiter = ","}) == plain);
}

TEST_CASE("rows know their line") {
  const auto list = AnnotationList::parse("\n\na.mp4 0\n\nb.mp4 5\n", "l.csv");
  CHECK(list.line(0) == 3);
  CHECK(list.line(1) == 5);
  CHECK(list.max_label() == 5);
}

TEST_CASE("other delimiters, and a hint when the wrong one is set") {
  CHECK(rows("a b.mp4;1", {.delimiter = ";"}) == Rows{{"a b.mp4", 1}});
  CHECK(rows("a b.mp4\t1", {.delimiter = "\t"}) == Rows{{"a b.mp4", 1}});
  CHECK(rows("a.mp4::1", {.delimiter = "::"}) == Rows{{"a.mp4", 1}});
  CHECK(contains(error_of("a.mp4,1"), "set delimiter = \",\""));
  CHECK(contains(error_of("a.mp4 1", {.delimiter = ","}), "set delimiter = \" \""));
  CHECK_THROWS_AS(rows("a 1", {.delimiter = ""}), marey::UsageError);
  CHECK_THROWS_AS(rows("a 1", {.delimiter = "\n"}), marey::UsageError);
}

TEST_CASE("labels out of range are refused with file and line") {
  CHECK(contains(error_of("a.mp4 0\nbase.mp4 3\n", {.num_classes = 3}),
                 "l.csv:2: label 3 is out of range: expected 0 to 2 (3 classes"));
  CHECK(contains(error_of("base.mp4 -1"), "l.csv:1: label -1 is out of range"));
  CHECK(contains(error_of("base.mp4 2147483647"), "out of range"));
  CHECK(contains(error_of("base.mp4 99999999999999999999"), "expected a label"));
  CHECK(contains(error_of("base.mp4 1.0"), "expected a label"));
  CHECK(rows("base.mp4 2", {.num_classes = 3}) == Rows{{"base.mp4", 2}});
}

TEST_CASE("several labels, missing labels and mixtures are refused") {
  CHECK(contains(error_of("a.mp4 1 3"), "several labels"));
  CHECK(contains(error_of("a.mp4 1 2 3 4"), "several labels"));
  CHECK(contains(error_of("a.mp4,1,3", {.delimiter = ","}), "several labels"));
  CHECK(contains(error_of("a.mp4 x"), "expected a label"));
  CHECK(rows("a.mp4\nb.mp4\n") == Rows{{"a.mp4", -1}, {"b.mp4", -1}});
  CHECK(
      contains(error_of("a.mp4 1\nb.mp4\nc.mp4\n"), "l.csv:2: no label, while line 1 has one (2 such rows)"));
}

TEST_CASE("texts that are no list") {
  CHECK(contains(error_of(""), "the list is empty"));
  CHECK(contains(error_of("\n \r\n"), "the list is empty"));
  CHECK(contains(error_of(std::string("a\0b 1", 5)), "zero bytes"));
  CHECK(contains(error_of("\xff\xfe"
                          "a"),
                 "UTF-16"));
  CHECK(contains(error_of("a.mp4 0\rb.mp4 1\r"), "carriage return"));  // would be one row of a strange path
  CHECK_THROWS_AS(AnnotationList::read("/no/such/list.csv"), marey::DataError);
}

TEST_CASE("all rows are judged; the first twenty are shown") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "v.mp4 -1\n";
  const std::string error = error_of(text);
  CHECK(contains(error, "l.csv: 30 rows are wrong"));
  CHECK(contains(error, "l.csv:20:"));
  CHECK_FALSE(contains(error, "l.csv:21:"));
  CHECK(contains(error, "and 10 more"));
}

TEST_CASE("one path under two labels is a warning with both lines") {
  const auto list = AnnotationList::parse("a.mp4 0\nb.mp4 1\na.mp4 2\nb.mp4 1\n", "l.csv");
  REQUIRE(list.warnings().size() == 1);
  CHECK(list.warnings()[0] == "l.csv:3: 'a.mp4' has label 2 here and label 0 on line 1");
}

TEST_CASE("a list is read from a file") {
  marey::test::TemporaryFolder folder;
  const auto file = folder.write("train.csv", "a b.mp4 7\n");
  const auto list = AnnotationList::read(file);
  REQUIRE(list.size() == 1);
  CHECK(list.path(0) == "a b.mp4");
  CHECK(list.name() == file.string());
}
