// Weight files made by hand, well-formed or not: pickles, and zip files of stored entries.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marey::test {

template <class T>
std::string little(T value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

struct ZipEntry {
  std::string name, bytes;
  std::int64_t claimed = -1;    // the size that the directory states; -1: the true one
  std::int64_t local = -1;      // where the directory says that it begins; -1: the true place
  std::uint16_t method = 0;     // 8: deflated
  std::string local_name = {};  // of the local header; empty: the same
};

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string data, directory;
  for (const ZipEntry& e : entries) {
    const std::string& local_name = e.local_name.empty() ? e.name : e.local_name;
    const auto place =
        static_cast<std::uint32_t>(e.local < 0 ? static_cast<std::int64_t>(data.size()) : e.local);
    const auto size =
        static_cast<std::uint32_t>(e.claimed < 0 ? static_cast<std::int64_t>(e.bytes.size()) : e.claimed);
    const auto common = little(std::uint16_t{20}) + little(std::uint16_t{0}) + little(e.method) +
                        little(std::uint32_t{0}) + little(std::uint32_t{0}) + little(size) + little(size);
    data += "PK\x03\x04" + common + little(static_cast<std::uint16_t>(local_name.size())) +
            little(std::uint16_t{0}) + local_name + e.bytes;
    directory += "PK\x01\x02" + little(std::uint16_t{20}) + common +
                 little(static_cast<std::uint16_t>(e.name.size())) + std::string(12, '\0') + little(place) +
                 e.name;
  }
  const auto count = little(static_cast<std::uint16_t>(entries.size()));
  return data + directory + "PK\x05\x06" + std::string(4, '\0') + count + count +
         little(static_cast<std::uint32_t>(directory.size())) +
         little(static_cast<std::uint32_t>(data.size())) + std::string(2, '\0');
}

// A file as torch.save() writes it, of one pickle and its storages.
inline std::string archive_of(const std::string& pickle,
                              const std::vector<std::pair<std::string, std::string>>& storages = {}) {
  std::vector<ZipEntry> entries{{"archive/data.pkl", pickle}};
  for (const auto& [key, bytes] : storages) entries.push_back({"archive/data/" + key, bytes});
  entries.push_back({"archive/version", "3\n"});
  return zip_of(entries);
}

// Instructions of pickles.
namespace pickle {

inline std::string text(std::string_view s) {
  return "X" + little(static_cast<std::uint32_t>(s.size())) + std::string(s);
}
inline std::string integer(std::int64_t v) { return std::string("\x8a\x08") + little(v); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::int64_t>& values) {
  std::string out = "(";
  for (const auto v : values) out += integer(v);
  return out + "t";
}
inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }

struct Tensor {
  std::string storage = "0", type = "FloatStorage";
  std::int64_t elements = 6, offset = 0;
  std::vector<std::int64_t> sizes{2, 3}, strides{3, 1};
};
inline std::string tensor(const Tensor& t = {}) {
  return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") + global("torch", t.type) +
         text(t.storage) + text("cpu") + integer(t.elements) + "tQ" + integer(t.offset) + tuple(t.sizes) +
         tuple(t.strides) + "\x89" + global("collections", "OrderedDict") + ")RtR";
}
// A table of one entry.
inline std::string table(const std::string& key, const std::string& value) {
  return "}" + text(key) + value + "s";
}

}  // namespace pickle

}  // namespace marey::test
