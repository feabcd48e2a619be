#pragma once

#include <talus/hdf5/hdf5.hpp>

namespace talus::hdf5 {

/// How files are made and extended: what describes the data (groups, attributes, datasets) carries
/// checksums, so that damage is an error. Without them HDF5 follows damaged lengths out of its
/// buffers. Such files need HDF5 1.8 or newer to read.
[[nodiscard]] Properties checked_access();

}  // namespace talus::hdf5
