#pragma once

#include <string>

#include <talus/hdf5/hdf5.hpp>

namespace talus::hdf5 {

/// Opens a file to read. In HDF5's older form nothing that describes the data carries a checksum,
/// and HDF5 follows damaged lengths out of its buffers. A file of that form is therefore visited
/// first, object by object, in a process of its own, and refused if that process does not come back
/// in good order. Costs a fork and a look at each header, for such files alone.
/// @throws Hdf5Error if it cannot be opened or is damaged so.
[[nodiscard]] File open_file(const std::string& path);

}  // namespace talus::hdf5
