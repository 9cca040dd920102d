#include <marey/core/error.hpp>
#include <marey/media/frame_names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace marey::media {
namespace {

constexpr std::string_view folder_mark = "{folder}";
constexpr std::size_t max_digits = 18;

[[noreturn]] void refuse(std::string_view name_template, std::string_view what) {
  throw UsageError(
      fmt::format("the frame name '{}' {}; expected something like img_%05d.jpg or img_{{:05}}.jpg",
                  name_template, what));
}

struct Field {
  std::size_t length = 0;  // 0: no number starts here
  int digits = 0;
};

// %05d, %d, {:05}, {:05d}, {:d}, {:}, {}
Field number_field(std::string_view s) {
  const bool percent = s.starts_with('%'), braces = s.starts_with('{');
  if (!percent && !braces) return {};
  std::size_t at = 1;
  if (braces && at < s.size() && s[at] == ':') ++at;
  int digits = 0;
  // Without a leading zero a number would be padded with blanks.
  const bool padded = at < s.size() && s[at] == '0';
  const auto end = std::min(s.find_first_not_of("0123456789", at), s.size());
  if (end > at) {
    if (!padded || end - at > 3) return {};
    std::from_chars(s.data() + at, s.data() + end, digits);
  }
  at = end;
  const bool letter = at < s.size() && s[at] == 'd';
  if (letter) ++at;
  if (percent) return letter ? Field{at, digits} : Field{};
  return at < s.size() && s[at] == '}' ? Field{at + 1, digits} : Field{};
}

std::string filled(std::string_view s, std::string_view folder) {
  std::string out(s);
  for (auto at = out.find(folder_mark); at != std::string::npos;
       at = out.find(folder_mark, at + folder.size()))
    out.replace(at, folder_mark.size(), folder);
  return out;
}

}  // namespace

FrameNames::FrameNames(std::string_view name_template) {
  bool found = false;
  for (std::size_t at = 0; at < name_template.size();) {
    const auto rest = name_template.substr(at);
    std::string& side = found ? after_ : before_;
    if (rest.starts_with(folder_mark)) {
      side += folder_mark;
      at += folder_mark.size();
    } else if (const auto field = number_field(rest); field.length > 0) {
      if (found) refuse(name_template, "holds several numbers");
      if (field.digits > static_cast<int>(max_digits)) refuse(name_template, "asks for too many digits");
      found = true;
      digits_ = field.digits;
      at += field.length;
    } else if (rest.front() == '%' || rest.front() == '{' || rest.front() == '}') {
      refuse(name_template, fmt::format("holds '{}', which is no number", rest));
    } else if (rest.front() == '/' || rest.front() == '\0') {
      refuse(name_template, "holds a path; the folder is named by the list");
    } else {
      side += rest.front();
      ++at;
    }
  }
  if (!found) refuse(name_template, "holds no number");
}

std::string FrameNames::name(std::int64_t number, std::string_view folder) const {
  return fmt::format("{}{:0{}}{}", filled(before_, folder), number, digits_, filled(after_, folder));
}

std::optional<std::int64_t> FrameNames::number(std::string_view file_name, std::string_view folder) const {
  const std::string before = filled(before_, folder), after = filled(after_, folder);
  if (file_name.size() <= before.size() + after.size() || !file_name.starts_with(before) ||
      !file_name.ends_with(after))
    return {};
  file_name.remove_prefix(before.size());
  file_name.remove_suffix(after.size());
  if (file_name.size() > max_digits || file_name.find_first_not_of("0123456789") != std::string_view::npos)
    return {};
  std::int64_t value = 0;
  std::from_chars(file_name.data(), file_name.data() + file_name.size(), value);
  // img_1.jpg is not img_00001.jpg.
  if (fmt::format("{:0{}}", value, digits_) != file_name) return {};
  return value;
}

}  // namespace marey::media
