// Places where a test can kill the process: MAREY_FAULT=ckpt.rename:2 raises SIGKILL on the second pass of that place.
#pragma once
#include <string_view>

namespace marey {

void fault_point(std::string_view place);

}  // namespace marey
