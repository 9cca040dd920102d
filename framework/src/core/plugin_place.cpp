#include "core/plugin_place.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace marey {
namespace {

// Systems that give every user a group of his own also give him a umask of 002, so that all he builds is
// group-writable.
bool is_private_group(gid_t group, uid_t owner) {
  std::vector<char> user_text(1 << 14), group_text(1 << 16);
  passwd user{}, *user_found = nullptr;
  if (getpwuid_r(owner, &user, user_text.data(), user_text.size(), &user_found) != 0 || !user_found)
    return false;
  struct group entry {
  }, *found = nullptr;
  if (getgrgid_r(group, &entry, group_text.data(), group_text.size(), &found) != 0 || !found) return false;
  if (user.pw_gid != group || std::strcmp(entry.gr_name, user.pw_name) != 0) return false;
  for (char** member = entry.gr_mem; *member; ++member)
    if (std::strcmp(*member, user.pw_name) != 0) return false;
  return true;
}

std::string unsafe(const std::filesystem::path& path, bool direct) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return fmt::format("{} cannot be examined: {}", path.string(), std::strerror(errno));
  Permissions p{.mode = info.st_mode, .owner = info.st_uid};
  if (p.mode & S_IWGRP) p.group_is_private = is_private_group(info.st_gid, info.st_uid);
  return unsafe_permissions(path, p, ::geteuid(), direct);
}

}  // namespace

std::string unsafe_permissions(const std::filesystem::path& path, const Permissions& p, uid_t user,
                               bool direct) {
  const std::string name = path.string();
  const bool sticky_above = !direct && (p.mode & S_ISVTX);
  const bool group_writes = (p.mode & S_IWGRP) && !p.group_is_private;
  if ((p.mode & S_IWOTH) && !sticky_above)
    return fmt::format(
        "{} can be changed by every user of this machine; run: chmod o-w '{}', or move the plugin to a "
        "folder of yours",
        name, name);
  if (group_writes && !sticky_above)
    return fmt::format(
        "{} can be changed by its group; run: chmod g-w '{}', or move the plugin to a folder of yours", name,
        name);
  if (direct && p.owner != 0 && p.owner != user)
    return fmt::format(
        "{} belongs to another user (uid {}, you are {}); copy the plugin to a folder of yours, or run as "
        "root: chown root '{}'",
        name, p.owner, user, name);
  return {};
}

std::string unsafe_place(const std::filesystem::path& path) {
  if (std::string reason = unsafe(path, true); !reason.empty()) return reason;
  bool direct = !std::filesystem::is_directory(path);
  for (auto folder = path.parent_path();; folder = folder.parent_path()) {
    if (std::string reason = unsafe(folder, direct); !reason.empty()) return reason;
    direct = false;
    if (folder == folder.root_path() || folder.empty()) return {};
  }
}

}  // namespace marey
