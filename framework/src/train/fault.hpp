// Places where a test can make a save fail. MAREY_FAULT=ckpt.rename:2 raises SIGKILL on the second pass of
// that place, MAREY_FAULT=ckpt.state:1:full throws what a full disk gives.
#pragma once
#include <string_view>

namespace marey {

void fault_point(std::string_view place);

}  // namespace marey
