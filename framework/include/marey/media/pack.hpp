// Many files in few: tar archives with an index, so that each file is read at its place.
//
//   FOLDER/shard-00000.tar …   plain tar archives; any tar program unpacks them
//   FOLDER/pack.tsv            what lies where
//
// A pack holds video files, or folders of numbered pictures. Before a folder's pictures comes a member
// `frames.tsv` that says where they are, so that a folder costs one row of the index.
#pragma once
#include <marey/media/picture_sequence.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace marey::media {

struct PackedFile {
  std::filesystem::path shard;
  std::int64_t offset = 0, bytes = 0;
};

enum class PackKind { videos, frames };

class Pack {
 public:
  // Throws DataError: no pack, one of another kind, an index that is no index, shards that are missing or of
  // another size than the index says.
  Pack(const std::filesystem::path& folder, PackKind);
  // For tests: the text of an index; shards are not looked for.
  static Pack parse(std::string text, std::filesystem::path folder, PackKind);

  std::size_t size() const { return rows_.size(); }
  const std::filesystem::path& folder() const { return folder_; }
  // By the name in the list that was packed. Of a folder of pictures it is the member frames.tsv.
  std::optional<PackedFile> find(std::string_view name) const;

 private:
  struct Shard {
    std::string name;
    std::int64_t bytes = 0;
  };
  struct Row {
    std::size_t shard = 0;
    std::int64_t offset = 0, bytes = 0;
  };
  Pack() = default;
  void read(PackKind);
  void check_shards() const;

  std::filesystem::path folder_;
  std::unique_ptr<std::string> text_;  // the keys of rows_ point into it
  std::vector<Shard> shards_;
  std::unordered_map<std::string_view, Row> rows_;
};

// Of a folder in a pack. `options.frames` 0: as many as follow one another. Throws MediaError.
std::unique_ptr<FrameSource> open_packed_frames(const PackedFile& table, const std::string& folder,
                                                const FrameFolderOptions&);
FrameNumbers packed_frame_numbers(const PackedFile& table, const std::string& folder,
                                  const std::string& name_template);

// Writes a pack. The index comes last: without finish() there is no pack, and the shards are removed. The
// same files give the same bytes.
class PackWriter {
 public:
  // Throws DataError when the folder holds a pack already. A shard is closed when it has reached
  // `shard_bytes`.
  PackWriter(std::filesystem::path folder, PackKind, std::int64_t shard_bytes);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;

  // `name`: as in the list. A name that was added before is left out. Throws Error.
  void add_video(const std::string& name, const std::filesystem::path& file);
  struct Picture {
    std::string name;  // without a folder
    std::filesystem::path file;
  };
  void add_frames(const std::string& name, const std::vector<Picture>&);
  void finish();

  std::int64_t files() const;  // members for which somebody asked: videos or pictures
  std::int64_t bytes() const;  // of all shards so far
  std::int64_t shards() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace marey::media
