#include <talus/record/detail/exchange_names.hpp>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace talus::record::detail {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const char* what, const fs::path& a, const fs::path& b) {
  throw fs::filesystem_error(what, a, b, std::error_code(errno, std::generic_category()));
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

bool FilePin::is_at(const fs::path& path) const {
  struct stat held {
  }, found{};
  return file_ >= 0 && ::fstat(file_, &held) == 0 && ::stat(path.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
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

}  // namespace talus::record::detail
