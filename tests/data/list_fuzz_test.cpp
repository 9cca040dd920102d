// Any bytes give a list or a DataError, and quickly.
#include "support/catch.hpp"

#include <marey/core/error.hpp>
#include <marey/core/random.hpp>
#include <marey/data/annotation_list.hpp>

#include <string>
#include <string_view>

using marey::data::AnnotationList;

namespace {

// Every row's path lies within the text, and labels are in range; or there is a DataError.
void parse_any(std::string text, std::string_view delimiter) {
  const std::size_t size = text.size();
  try {
    const auto list = AnnotationList::parse(std::move(text), "fuzz",
                                            {.delimiter = std::string(delimiter), .num_classes = 10});
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      REQUIRE_FALSE(list.path(i).empty());
      REQUIRE(list.label(i) >= -1);
      REQUIRE(list.label(i) < 10);
      bytes += list.path(i).size();
    }
    REQUIRE(bytes <= size);
  } catch (const marey::DataError&) {
  }
}

}  // namespace

TEST_CASE("random texts never crash the list parser") {
  constexpr std::string_view alphabet = "a.mp4 0 1\t,;\"\"\n\r\n12-\\ \xc3\xa4";
  constexpr std::string_view delimiters[] = {" ", ",", "\t", ";", "ab"};
  for (std::uint64_t run = 0; run < 20000; ++run) {
    marey::Random random(1, 0, run);
    std::string text(static_cast<std::size_t>(random.integer(0, 60)), ' ');
    const bool any_byte = random.chance(0.2);
    for (char& c : text)
      c = any_byte
              ? static_cast<char>(random.integer(0, 255))
              : alphabet[static_cast<std::size_t>(random.integer(0, static_cast<int>(alphabet.size()) - 1))];
    parse_any(std::move(text), delimiters[random.integer(0, 4)]);
  }
}

TEST_CASE("long rows cost no more than their length") {
  std::string numbers, quotes(1 << 20, '"'), blanks(1 << 20, ' ');
  for (int i = 0; i < (1 << 19); ++i) numbers += "1 ";
  parse_any(numbers, " ");  // quadratic, this would take minutes; recursive, it would overflow the stack
  parse_any("a.mp4 " + numbers, " ");
  parse_any(quotes, " ");
  parse_any(blanks + "a.mp4" + blanks + "1", " ");
}
