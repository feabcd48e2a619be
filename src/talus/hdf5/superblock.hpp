#pragma once

#include <string>

namespace talus::hdf5 {

/// Writes the checksum of a file's superblock anew. H5Fget_file_image clears a flag of it and
/// leaves the checksum as it was, so that no HDF5 opens the file (1.10, 1.12).
void renew_superblock_checksum(std::string& file);

/// Whether a file is in HDF5's older form, in which what describes the data carries no checksums:
/// its superblock is of version 0 or 1, or the object header of its root group of version 1.
[[nodiscard]] bool is_of_older_form(const std::string& path);

}  // namespace talus::hdf5
