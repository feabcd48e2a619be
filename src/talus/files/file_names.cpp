#include <talus/files/file_names.hpp>

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/files/output_file.hpp>

namespace talus::files {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const char* what, const fs::path& a, const fs::path& b) {
  throw fs::filesystem_error(what, a, b, std::error_code(errno, std::generic_category()));
}

bool is_same(int file, const fs::path& path) {
  struct stat held {
  }, found{};
  return file >= 0 && ::fstat(file, &held) == 0 && ::stat(path.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

fs::path lock_name(const fs::path& path) {
  fs::path name = followed(path);
  name += ".lock";
  return name;
}

}  // namespace

FilePin::FilePin(const fs::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

FilePin::~FilePin() {
  if (file_ >= 0) ::close(file_);
}

FilePin::FilePin(FilePin&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FilePin& FilePin::operator=(FilePin&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

bool FilePin::is_at(const fs::path& path) const { return is_same(file_, path); }

FileLock::FileLock(const fs::path& path) : name_(lock_name(path)) {
  // A lock file that its owner removed between our opening and locking locks nothing: try again.
  while (file_ < 0) {
    file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) return;
    const bool is_locked = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    const bool is_taken = !is_locked && errno == EWOULDBLOCK;
    if (is_locked && is_same(file_, name_)) return;
    ::close(std::exchange(file_, -1));
    if (is_taken)
      throw file_error(path.string(), "another run is writing this file: left as it is",
                       "choose another name with -o, or wait until that run has ended");
    if (!is_locked) return;
  }
}

bool FileLock::is_held(const fs::path& path) {
  const int file = ::open(lock_name(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return is_held;
}

FileLock::~FileLock() {
  if (file_ < 0) return;
  struct stat held {};
  if (::fstat(file_, &held) == 0 && held.st_size == 0) ::unlink(name_.c_str());  // never a user's
  ::close(file_);
}

FileLock::FileLock(FileLock&& other) noexcept
    : name_(std::move(other.name_)), file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  return *this;
}

void exchange_names(const fs::path& live, const fs::path& spare) {
  if (::renameat2(AT_FDCWD, spare.c_str(), AT_FDCWD, live.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) fail("cannot exchange", live, spare);
  exchange_names_by_link(live, spare);
}

void exchange_names_by_link(const fs::path& live, const fs::path& spare) {
  fs::path old = spare;
  old += ".old";
  ::unlink(old.c_str());
  // On a file system without links the old file is given up: the caller copies the new one.
  const bool is_kept = ::link(live.c_str(), old.c_str()) == 0;
  if (::rename(spare.c_str(), live.c_str()) != 0) fail("cannot rename", spare, live);
  if (is_kept && ::rename(old.c_str(), spare.c_str()) != 0) fail("cannot rename", old, spare);
}

void reserve_room(const fs::path& path, std::uintmax_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail("cannot open", path, {});
  const bool is_full = ::fallocate(file, 0, 0, static_cast<off_t>(bytes)) != 0 &&
                       errno != EOPNOTSUPP && errno != ENOSYS;
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (is_full) fail("no room for the next numbers", path, {});
}

void sync_to_disk(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::fdatasync(file);
  ::close(file);
}

}  // namespace talus::files
