// Names of numbered frames. A template holds one number:
//
//   img_%05d.jpg         padded with zeros to five digits; longer numbers keep all theirs
//   img_{:05}.jpg        the same in the form of MMAction2; {:05d}, {:d} and {} as well
//   {folder}_%06d.jpg    {folder} stands for the name of the frames' folder
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace marey::media {

class FrameNames {
 public:
  // Throws UsageError when the template holds no number, several, a path, or anything else in braces.
  explicit FrameNames(std::string_view name_template);

  // `folder` is the folder's own name, without the path.
  std::string name(std::int64_t number, std::string_view folder) const;
  // The number of a file's name; nullopt when the name is none of these.
  std::optional<std::int64_t> number(std::string_view file_name, std::string_view folder) const;

 private:
  std::string before_, after_;  // of the number, with {folder} still in place
  int digits_ = 0;
};

}  // namespace marey::media
