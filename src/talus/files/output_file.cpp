#include <talus/files/output_file.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <talus/base/error.hpp>

namespace talus::files {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throw_errno(const fs::path& path) {
  throw cannot_write(path, {errno, std::generic_category()});
}

/// Refuses what is not a file and cannot be written through like a stream.
void refuse_node(const fs::path& path, const fs::file_status& status, const OwnKind& kind) {
  if (!fs::exists(status) || fs::is_regular_file(status)) return;
  if (fs::is_directory(status)) throw file_error(path.string(), "this is a folder, not a file");
  std::error_code none;
  // A pipe without a name is behind /dev/stdout, whose link leads to no file.
  const bool is_named_pipe = fs::is_fifo(fs::symlink_status(followed(path), none));
  const bool is_stream = fs::is_character_file(status) || (fs::is_fifo(status) && !is_named_pipe);
  if (is_stream && !kind.needs_file) return;
  const char* found = fs::is_fifo(status)     ? "a pipe"
                      : fs::is_socket(status) ? "a socket"
                                              : "a device";
  throw file_error(path.string(),
                   fmt::format("this is {}, and {} needs a file: left as it is", found, kind.name),
                   "choose another name");
}

/// Refuses a file whose folder is not there, or takes no new one.
void refuse_folder(const fs::path& path) {
  const fs::path folder = followed(path).parent_path();
  if (::access((folder / ".").c_str(), W_OK) != 0) throw_errno(path);
}

/// A new empty file in the folder of `path`, with the permissions that a new file gets.
fs::path make_beside(const fs::path& path) {
  std::string name =
      (path.parent_path() / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const int file = ::mkstemp(name.data());
  if (file < 0) throw_errno(path);
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

InputError cannot_write(const fs::path& path, std::error_code reason) {
  const bool is_full = reason == std::errc::no_space_on_device;
  return file_error(path.string(),
                    "cannot write this file" + (reason ? ": " + reason.message() : std::string()),
                    is_full ? "make room on the disk" : "is the folder there and writable?");
}

fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system
  std::error_code none;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, none)); ++links) {
    if (links == kMostLinks)
      throw cannot_write(path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code none;
  const auto canonical = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(followed(path)), none);
  };
  return fs::equivalent(a, b, none) || canonical(a) == canonical(b);
}

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
  refuse_node(path, status, kind);
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // written through
  refuse_folder(path);
  if (!fs::exists(status)) return;
  for (const fs::path& input : inputs)
    if (is_same_file(path, input))
      throw file_error(path.string(), "this file is read by the same command: left as it is",
                       "choose another name");
  if (fs::file_size(path, ignored) == 0 || (kind.is_own && kind.is_own(path))) return;
  const std::string what =
      kind.is_own ? fmt::format(" and is not {} written by Talus", kind.name) : "";
  throw file_error(path.string(), fmt::format("this file exists{}: left as it is", what),
                   "choose another name, or remove the file first");
}

OutputFile::OutputFile(const fs::path& path, const OwnKind& kind, std::span<const fs::path> inputs)
    : path_(path) {
  refuse_to_destroy(path_, kind, inputs);
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  is_beside_ = !fs::exists(status) || fs::is_regular_file(status);
  if (is_beside_) path_ = followed(path_);  // what a link leads to is replaced, not the link
  part_ = is_beside_ ? make_beside(path_) : path_;
  if (is_beside_) unfinished_.emplace(part_.string());
  stream_.open(part_, std::ios::binary);
  if (!stream_) throw_errno(path);
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
  if (::rename(part_.c_str(), path_.c_str()) != 0) throw_errno(path_);
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
