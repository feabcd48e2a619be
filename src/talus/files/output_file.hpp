#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/files/unfinished_files.hpp>

namespace talus::files {

/// How files that Talus wrote, of one kind, are told from all others.
struct OwnKind {
  std::string name;                                          ///< "a table", for messages
  std::function<bool(const std::filesystem::path&)> is_own;  ///< none: no file is replaced
  bool needs_file = false;  ///< it grows or is read again: no device can stand for it
};

/// A file that a command writes. An existing file is replaced only if it is empty or Talus wrote it
/// as the same kind, and never if it is an input. The content is written beside and renamed into
/// place by commit(); without it, the existing file stays, also where a signal ends the program
/// (unfinished_files.hpp). Behind a link it is the target that is written. Devices of characters
/// and pipes without a name (/dev/stdout, a shell's >(…)) are written directly, where the kind
/// permits; named pipes and disks never.
class OutputFile {
 public:
  /// @param inputs files that the same command reads.
  /// @throws InputError if the file must not be replaced or cannot be made.
  OutputFile(const std::filesystem::path& path, const OwnKind& kind,
             std::span<const std::filesystem::path> inputs = {});
  OutputFile(const std::filesystem::path& path, const OwnKind& kind,
             const std::vector<std::string>& inputs);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Where to write, for this program.
  [[nodiscard]] std::ostream& stream() { return stream_; }
  /// The file beside, for other programs that write.
  [[nodiscard]] const std::filesystem::path& part() const { return part_; }
  /// Gives the file its name. @throws InputError if not everything could be written.
  void commit();

 private:
  std::filesystem::path path_, part_;
  std::ofstream stream_;
  bool is_beside_ = false;
  std::optional<UnfinishedFile> unfinished_;
};

/// Throws InputError if the rule forbids it, or the folder takes no file; makes nothing.
void refuse_to_destroy(const std::filesystem::path& path, const OwnKind& kind,
                       std::span<const std::filesystem::path> inputs = {});

/// Where a name leads: links are followed, also to a file that is not there yet.
/// @throws InputError if they lead round.
[[nodiscard]] std::filesystem::path followed(std::filesystem::path path);

/// Whether two names lead to one file, which need not be there yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// The error of a file that cannot be written, in the words that all commands use.
[[nodiscard]] InputError cannot_write(const std::filesystem::path& path, std::error_code reason);

/// Makes the folder that files are written into, if it is not there. @throws InputError
void make_folder(const std::filesystem::path& path);

/// Writes a text or bytes as a whole. @throws InputError as OutputFile.
void write_file(const std::filesystem::path& path, const OwnKind& kind, std::string_view content,
                std::span<const std::filesystem::path> inputs = {});

}  // namespace talus::files
