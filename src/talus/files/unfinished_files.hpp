#pragma once

#include <string>

namespace talus::files {

/// The name of a file under way, which a signal that ends the program removes: between its
/// construction and its destruction remove_unfinished_files() unlinks the file. At most 16 at a
/// time; further ones are not noted.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  int slot_ = -1;  // −1: not noted
};

/// Unlinks all files under way. Safe in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace talus::files
