#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <talus/base/types.hpp>

namespace talus::view {

/// Content of the built page (viewer/): the file that the environment variable TALUS_VIEWER names,
/// else share/talus/viewer/index.html beside the program, else what the build tree has.
/// @throws InputError if there is none, with how to get it.
[[nodiscard]] std::string load_page();

/// Writes one file that opens from the disk: the page with a record in it.
/// @param every of so many frames one is taken, and the last.
/// @throws InputError if the record cannot be read, the file not be written, or if the record is
/// too large for one page (kMaxPageBytes before compression).
/// @return bytes written.
std::size_t export_page(const std::filesystem::path& record, const std::filesystem::path& target,
                        const std::string& page, Index every);

inline constexpr std::size_t kMaxPageBytes = std::size_t(1) << 30;

}  // namespace talus::view
