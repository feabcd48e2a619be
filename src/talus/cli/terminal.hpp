#pragma once

#include <cstdio>

namespace talus::cli {

/// Whether a line on the stream can be drawn anew: it is a terminal, and not one of type dumb.
[[nodiscard]] bool can_redraw(std::FILE* stream);

}  // namespace talus::cli
