#pragma once

#include <functional>
#include <string>
#include <vector>

#include <talus/hdf5/hdf5.hpp>

namespace talus::hdf5 {

/// Texts of variable length, as records before version 0.3 have them. HDF5 does not survive a
/// damaged heap (H5HG_read follows any index), so only their places are read by HDF5; the heap
/// itself is read and checked here (HDF5 File Format Specification 3.0, III.E "Global Heap").
/// @param read reads the elements of a dataset or an attribute with a memory type into a buffer.
/// @throws Hdf5Error if the heap is damaged.
[[nodiscard]] std::vector<std::string> read_heap_texts(
    hid_t object, std::size_t count, const std::function<herr_t(hid_t type, void* data)>& read);

}  // namespace talus::hdf5
