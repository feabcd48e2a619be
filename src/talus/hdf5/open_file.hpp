#pragma once

#include <string>

#include <talus/hdf5/hdf5.hpp>

namespace talus::hdf5 {

/// What a file is opened for: all of it, or the attributes of its root alone.
enum class Need : unsigned char { all, root_attributes };

/// Opens a file to read. In HDF5's older form nothing that describes the data carries a checksum,
/// and HDF5 follows damaged lengths out of its buffers. A file of that form is therefore copied
/// into the newer form first, by a process of its own, and the copy is what is opened; where HDF5
/// breaks, it is that process which ends. Costs a fork and a copy of what is needed, for such files
/// alone.
/// @throws Hdf5Error if it cannot be opened, or any part of a file of the older form be read.
[[nodiscard]] File open_file(const std::string& path, Need need = Need::all);

}  // namespace talus::hdf5
