// Stored pictures as frames of a video: folders of numbered files, or anything else that gives their bytes.
#pragma once
#include <marey/media/frame_source.hpp>
#include <marey/media/video_reader.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace marey::media {

// Where the bytes of each picture come from.
class PictureStore {
 public:
  virtual ~PictureStore() = default;
  virtual std::int64_t frames() const = 0;
  virtual std::string name(std::int64_t index) const = 0;  // for messages
  // Replaces `bytes`. Throws MediaError.
  virtual void get(std::int64_t index, std::string& bytes) = 0;
};

struct PictureOptions {
  double fps = 0;  // pictures have none of their own; 0: unknown
  std::int64_t max_pixels = 8192LL * 4608;
  std::function<bool()> cancelled = {};  // asked before each picture
};

// Each picture is read, decoded and converted only when it is asked for. The size is that of the first one;
// a picture of another size is taken as the same view at another resolution. Orientation tags inside pictures
// are not applied: frames taken from a video have none.
class PictureSequence final : public FrameSource {
 public:
  PictureSequence(std::unique_ptr<PictureStore>, PictureOptions = {});
  ~PictureSequence() override;

  const VideoInfo& info() const override;
  void read(std::span<const FrameRequest>) override;
  const ReadStats& stats() const override;  // a packet is a picture's file; there are no seeks

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct FrameFolderOptions {
  std::string name_template = "img_%05d.jpg";  // see frame_names.hpp
  std::int64_t first = 1;                      // the number of frame 0
  std::int64_t frames = 0;                     // 0: as many as follow one another in the folder
  PictureOptions pictures = {};
};

// The folder may be a link. Throws MediaError.
std::unique_ptr<FrameSource> open_frame_folder(const std::filesystem::path&, const FrameFolderOptions& = {});

// The numbers of the frames in a folder, from one listing. Throws MediaError when it cannot be read.
class FrameNumbers {
 public:
  FrameNumbers(const std::filesystem::path&, const std::string& name_template);
  explicit FrameNumbers(std::vector<std::int64_t> ascending) : numbers_(std::move(ascending)) {}
  std::int64_t run_from(std::int64_t first) const;  // how many follow one another without a gap
  std::int64_t between(std::int64_t first, std::int64_t end) const;  // how many lie in [first, end)

 private:
  std::vector<std::int64_t> numbers_;  // ascending
};

}  // namespace marey::media
