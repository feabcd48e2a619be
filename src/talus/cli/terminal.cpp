#include <talus/cli/terminal.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace talus::cli {

bool can_redraw(std::FILE* stream) {
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace talus::cli
