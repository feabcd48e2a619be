#pragma once

#include <string>

namespace talus::hdf5 {

/// Writes the checksum of a file's superblock anew. H5Fget_file_image clears a flag of it and
/// leaves the checksum as it was, so that no HDF5 opens the file (1.10, 1.12).
void renew_superblock_checksum(std::string& file);

/// Whether what describes the data carries checksums: a superblock of version 2 or 3 and, at its
/// root group, an object header of version 2. True for what is no HDF5 file at all.
[[nodiscard]] bool has_checksums(const std::string& path);

}  // namespace talus::hdf5
