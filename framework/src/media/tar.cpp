#include "media/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace marey::media {
namespace {

constexpr std::size_t longest_name = 100;
constexpr std::int64_t greatest_octal = (std::int64_t{1} << 33) - 1;

std::string member_name(std::string_view name) {
  std::filesystem::path out;
  for (const auto& part : std::filesystem::path(name).relative_path().lexically_normal())
    if (part != ".." && part != "." && !part.empty()) out /= part;
  return out.empty() ? "_" : out.string();
}

std::string block(std::string_view name, std::int64_t bytes, char type) {
  std::string b(static_cast<std::size_t>(tar_block), '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    std::memcpy(&b[at], text.data(), text.size());
  };
  put(0, name.substr(0, longest_name));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  if (bytes <= greatest_octal) {
    put(124, fmt::format("{:011o}", bytes));
  } else {  // as GNU tar and POSIX readers take it: binary, marked by the first bit
    b[124] = static_cast<char>(0x80);
    for (std::size_t i = 0; i < 8; ++i)
      b[135 - i] = static_cast<char>(static_cast<std::uint64_t>(bytes) >> (8 * i) & 0xff);
  }
  put(136, "00000000000");
  put(148, "        ");
  b[156] = type;
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : b) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  b[154] = '\0';
  return b;
}

// "LENGTH path=NAME\n", where LENGTH counts itself.
std::string path_record(std::string_view name) {
  const std::size_t rest = name.size() + 7;
  std::size_t length = rest + 1;
  while (rest + fmt::format("{}", length).size() != length) length = rest + fmt::format("{}", length).size();
  return fmt::format("{} path={}\n", length, name);
}

}  // namespace

std::string tar_header(std::string_view name, std::int64_t bytes) {
  const std::string member = member_name(name);
  if (member.size() <= longest_name) return block(member, bytes, '0');
  std::string record = path_record(member);
  std::string out = block("long_name", static_cast<std::int64_t>(record.size()), 'x');
  record.resize(static_cast<std::size_t>(tar_padded(static_cast<std::int64_t>(record.size()))), '\0');
  return out + record + block(member, bytes, '0');
}

}  // namespace marey::media
