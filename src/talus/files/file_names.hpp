#pragma once

#include <cstdint>
#include <filesystem>

namespace talus::files {

/// Holds on to the file behind a name, to tell later whether the name still stands for it.
/// (Comparing inode numbers alone does not tell: a new file may get the number of a removed one.)
class FilePin {
 public:
  FilePin() = default;
  explicit FilePin(const std::filesystem::path& path);
  ~FilePin();
  FilePin(FilePin&& other) noexcept;
  FilePin& operator=(FilePin&& other) noexcept;
  [[nodiscard]] bool is_at(const std::filesystem::path& path) const;

 private:
  int file_ = -1;
};

/// Swaps the files behind two existing names: `live` stands for a whole file at every moment.
/// Where the file system cannot exchange names, the old file behind `live` gets the name
/// `spare` only after the new one is in place.
/// @throws std::filesystem::filesystem_error
void exchange_names(const std::filesystem::path& live, const std::filesystem::path& spare);

/// The fallback of exchange_names, without the system call: link + rename.
void exchange_names_by_link(const std::filesystem::path& live, const std::filesystem::path& spare);

/// Keeps other programs from writing the same file: holds the lock `<path>.lock`, beside what the
/// path leads to, until it ends. The system gives the lock back when a process ends, however it
/// ends.
class FileLock {
 public:
  FileLock() = default;
  /// @throws InputError if another run holds the lock. Where the file system has no locks, or the
  /// folder cannot be written, there is none: the first write says what is wrong.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  /// Whether a program holds the lock now.
  [[nodiscard]] static bool is_held(const std::filesystem::path& path);

 private:
  std::filesystem::path name_;
  int file_ = -1;
};

/// Makes sure that a file can grow to `bytes`, by making it that large; `bytes` not above its size
/// changes nothing. Where the file system cannot promise room, this does nothing.
/// @throws std::filesystem::filesystem_error if the disk is full
void reserve_room(const std::filesystem::path& path, std::uintmax_t bytes);

/// Flushes a file's content to the disk. Quiet where that is not possible.
void sync_to_disk(const std::filesystem::path& path);

}  // namespace talus::files
