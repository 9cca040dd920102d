// Whether a file may be loaded as code: only when nobody but its owner, this user or root, can change it.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace marey {

struct Permissions {
  mode_t mode = 0;
  uid_t owner = 0;
  bool group_is_private = false;  // the owner is the only member of the file's group
};

// "" when safe, else the reason with the command that helps. `direct`: the file itself or the folder that
// holds it; above that a sticky folder such as /tmp is safe, because others cannot rename what is in it.
std::string unsafe_permissions(const std::filesystem::path&, const Permissions&, uid_t user, bool direct);

// The same for a file or folder on the disk, with all folders above it. `path` is canonical.
std::string unsafe_place(const std::filesystem::path&);

}  // namespace marey
