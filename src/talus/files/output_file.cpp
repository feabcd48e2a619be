#include <talus/files/output_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <talus/base/error.hpp>

namespace talus::files {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannot_write(const fs::path& path, int reason) {
  throw file_error(path.string(),
                   std::string("cannot write this file") +
                       (reason != 0 ? std::string(": ") + std::strerror(reason) : std::string()),
                   "is the folder there and writable?");
}

/// A new empty file in the folder of `path`, with the permissions that a new file gets.
fs::path make_beside(const fs::path& path) {
  std::string name =
      (path.parent_path() / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const int file = ::mkstemp(name.data());
  if (file < 0) cannot_write(path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, 0666 & ~mask);
  ::close(file);
  return name;
}

std::vector<fs::path> paths_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw file_error(path.string(), "cannot make this folder: " + error.message(),
                     "choose another name");
}

void refuse_to_destroy(const fs::path& path, const OwnKind& kind,
                       std::span<const fs::path> inputs) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw file_error(path.string(), "this is a folder, not a file");
  if (!fs::is_regular_file(status)) return;
  for (const fs::path& input : inputs)
    if (fs::equivalent(path, input, ignored))
      throw file_error(path.string(), "this file is read by the same command: left as it is",
                       "choose another name");
  if (fs::file_size(path, ignored) > 0 && !kind.is_own(path))
    throw file_error(
        path.string(),
        fmt::format("this file exists and is not {} written by Talus: left as it is", kind.name),
        "choose another name, or remove the file first");
}

OutputFile::OutputFile(const fs::path& path, const OwnKind& kind, std::span<const fs::path> inputs)
    : path_(path) {
  refuse_to_destroy(path_, kind, inputs);
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_symlink(fs::symlink_status(path_, none)) && fs::exists(status))
    path_ = fs::canonical(path_);  // what the link points to is replaced, not the link
  is_beside_ = !fs::exists(status) || fs::is_regular_file(status);
  part_ = is_beside_ ? make_beside(path_) : path_;
  if (is_beside_) unfinished_.emplace(part_.string());
  stream_.open(part_, std::ios::binary);
  if (!stream_) cannot_write(path, errno);
}

OutputFile::OutputFile(const fs::path& path, const OwnKind& kind,
                       const std::vector<std::string>& inputs)
    : OutputFile(path, kind, std::span<const fs::path>(paths_of(inputs))) {}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (is_beside_) fs::remove(part_, ignored);
}

void OutputFile::commit() {
  stream_.close();
  if (!stream_)
    throw file_error(path_.string(), "the file cannot be written to its end", "is the disk full?");
  if (!is_beside_) return;
  if (::rename(part_.c_str(), path_.c_str()) != 0) cannot_write(path_, errno);
  is_beside_ = false;
  unfinished_.reset();
}

void write_file(const fs::path& path, const OwnKind& kind, std::string_view content,
                std::span<const fs::path> inputs) {
  OutputFile file(path, kind, inputs);
  file.stream().write(content.data(), static_cast<std::streamsize>(content.size()));
  file.commit();
}

}  // namespace talus::files
