#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <talus/files/unfinished_files.hpp>

namespace talus::files {

/// How files that Talus wrote, of one kind, are told from all others.
struct OwnKind {
  std::string name;  ///< "a table", for messages
  std::function<bool(const std::filesystem::path&)> is_own;
};

/// A file that a command writes. An existing file is replaced only if it is empty or Talus wrote it
/// as the same kind, and never if it is an input. The content is written beside and renamed into
/// place by commit(); without it, the existing file stays, also where a signal ends the program
/// (unfinished_files.hpp). Devices and pipes are written directly.
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

/// Throws InputError if the rule forbids to replace the file; makes nothing.
void refuse_to_destroy(const std::filesystem::path& path, const OwnKind& kind,
                       std::span<const std::filesystem::path> inputs = {});

/// Makes the folder that files are written into, if it is not there. @throws InputError
void make_folder(const std::filesystem::path& path);

/// Writes a text or bytes as a whole. @throws InputError as OutputFile.
void write_file(const std::filesystem::path& path, const OwnKind& kind, std::string_view content,
                std::span<const std::filesystem::path> inputs = {});

}  // namespace talus::files
