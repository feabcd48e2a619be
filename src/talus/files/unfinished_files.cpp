#include <talus/files/unfinished_files.hpp>

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace talus::files {
namespace {

// What a signal handler may read: no locks, no memory that moves.
std::array<std::atomic<char*>, 16> unfinished_names;
static_assert(std::atomic<char*>::is_always_lock_free);

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) {
  char* name = ::strdup(path.c_str());
  if (name == nullptr) return;
  for (std::size_t i = 0; i < unfinished_names.size(); ++i) {
    char* expected = nullptr;
    if (!unfinished_names[i].compare_exchange_strong(expected, name)) continue;
    slot_ = static_cast<int>(i);
    return;
  }
  std::free(name);
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ >= 0) std::free(unfinished_names[static_cast<std::size_t>(slot_)].exchange(nullptr));
}

void remove_unfinished_files() noexcept {
  const int error = errno;
  for (const std::atomic<char*>& slot : unfinished_names)
    if (const char* name = slot.load(); name != nullptr) ::unlink(name);
  errno = error;
}

}  // namespace talus::files
