#include "train/pickle_reader.hpp"
#include "train/pickle_tree.hpp"
#include "train/zip_archive.hpp"

#include <marey/core/error.hpp>
#include <marey/train/foreign_weights.hpp>
#include <marey/train/safetensors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace marey {
namespace {

constexpr std::uint64_t longest_pickle = std::uint64_t{64} << 20;
// The first pickle of the form that torch.save() wrote before version 1.6, as a little-endian number.
constexpr std::string_view legacy_mark("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);

std::string first_bytes(const FileDescriptor& file) {
  std::string out(std::min<std::uint64_t>(file.size(), 16), '\0');
  file.read(out.data(), out.size(), 0);
  return out;
}

void read_zip(const FileDescriptor& file, const std::filesystem::path& path, ForeignWeights& out) {
  const ZipArchive zip(file, path);
  constexpr std::string_view wanted = "/data.pkl";
  std::string root;
  for (const auto& [name, entry] : zip.entries()) {
    if (!name.ends_with(wanted) || name.find('/') + wanted.size() != name.size()) continue;
    if (!root.empty())
      throw CheckpointError(fmt::format("{}: cannot be read as weights: it holds two archives, '{}' and '{}'",
                                        path.string(), root, name));
    root = name.substr(0, name.find('/') + 1);
  }
  if (root.empty())
    throw CheckpointError(
        fmt::format("{}: is a zip file but holds no weights: expected an entry 'NAME/data.pkl', as "
                    "torch.save() writes it",
                    path.string()));
  if (zip.find(root + "byteorder")) {
    const auto& entry = zip.at(root + "byteorder");
    std::string order(std::min<std::uint64_t>(entry.size, 16), '\0');
    file.read(order.data(), order.size(), entry.begin);
    if (order != "little")
      throw CheckpointError(
          fmt::format("{}: cannot be read as weights: its numbers are {}-endian, little expected",
                      path.string(), order == "big" ? "big" : "strangely"));
  }
  const auto& pickle = zip.at(root + "data.pkl");
  if (pickle.size > longest_pickle)
    throw CheckpointError(
        fmt::format("{}: cannot be read as weights: '{}data.pkl' has {} bytes, at most {} expected",
                    path.string(), root, pickle.size, longest_pickle));
  PickleArena arena;
  PickleSource source(file, path, pickle.begin, pickle.begin + pickle.size, longest_pickle);
  const PickleValue* tree = PickleReader(source, arena).read();
  StoredTensors tensors(file, path);
  const std::string data = root + "data/";
  for (auto at = zip.entries().lower_bound(data); at != zip.entries().end() && at->first.starts_with(data);
       ++at)
    if (at->second.stored)
      tensors.add(at->first.substr(data.size()), {.begin = at->second.begin, .bytes = at->second.size});
  read_tree(*tree, tensors, path, out);
}

// The storages follow the last pickle: their number of elements, then the elements.
void add_legacy_storages(PickleSource& source, const PickleArena& arena, const PickleValue& keys,
                         StoredTensors& tensors) {
  std::map<std::string, c10::ScalarType> types;
  for (const PickleValue& v : arena)
    if (v.kind == PickleValue::Kind::storage) types.emplace(v.text, v.type);
  if (keys.kind != PickleValue::Kind::list) source.refuse("the list of its storages is no list");
  std::set<std::string> seen;
  for (const PickleValue* key : keys.items) {
    const auto type = types.find(key->text);
    if (key->kind != PickleValue::Kind::text || type == types.end())
      source.refuse("it lists a storage that no tensor lies in");
    if (!seen.insert(key->text).second)
      source.refuse(fmt::format("it lists the storage '{}' twice", key->text));
    const auto count = source.number<std::uint64_t>();
    const auto width = c10::elementSize(type->second);
    if (count > source.left() / width)
      source.refuse(fmt::format("the storage '{}' of {} elements of {} bytes, where {} bytes are left",
                                key->text, count, width, source.left()));
    tensors.add(key->text, {.begin = source.place(), .bytes = count * width});
    source.skip(count * width);
  }
}

void read_legacy(const FileDescriptor& file, const std::filesystem::path& path, ForeignWeights& out) {
  PickleArena arena;
  PickleSource source(file, path, 0, file.size(), longest_pickle);
  const PickleValue* mark = PickleReader(source, arena).read();
  if (mark->kind != PickleValue::Kind::big_integer || mark->text != legacy_mark)
    source.refuse("a pickle, but none of torch.save()");
  const PickleValue* version = PickleReader(source, arena).read();
  constexpr int known_version = 1001;
  if (version->kind != PickleValue::Kind::integer || version->integer != known_version)
    source.refuse(fmt::format("a format version other than {}", known_version));
  const PickleValue* system = PickleReader(source, arena).read();
  for (std::size_t i = 0; i + 1 < system->items.size(); i += 2)
    if (system->items[i]->text == "little_endian" && system->items[i + 1]->integer == 0)
      source.refuse("its numbers are big-endian, little expected");
  const PickleValue* tree = PickleReader(source, arena).read();
  const PickleValue* keys = PickleReader(source, arena).read();
  StoredTensors tensors(file, path);
  add_legacy_storages(source, arena, *keys, tensors);
  read_tree(*tree, tensors, path, out);
}

}  // namespace

ForeignWeights read_foreign_weights(const std::filesystem::path& path) {
  const auto file = FileDescriptor::open_to_read(path);
  const std::string start = first_bytes(file);
  ForeignWeights out;
  if (start.starts_with("PK\x03\x04")) {
    out.container = "zip";
    read_zip(file, path, out);
  } else if (start.starts_with('\x80')) {
    out.container = "legacy";
    read_legacy(file, path, out);
  } else if (start.size() > 8 && start[8] == '{') {
    out.container = "safetensors";
    SafetensorsMetadata metadata;
    out.weights = read_safetensors(path, &metadata);
    for (const auto& [key, value] : metadata) out.rest[key] = value;
  } else {
    throw CheckpointError(
        fmt::format("{}: is no weight file: expected what torch.save() or safetensors writes{}",
                    path.string(), start.empty() ? ", the file is empty" : ""));
  }
  return out;
}

}  // namespace marey
