#pragma once

#include <vector>

#include <talus/record/reader.hpp>

namespace talus::view {

/// Unpacks rows as they lie in a record into single precision, row by row: each chunk on a thread
/// of its own, as many at a time as the machine has processors. Cost: inflating the chunks that
/// the rows touch.
/// @throws InputError if the bytes are no such rows.
[[nodiscard]] std::vector<float> unpack(const record::PackedRows& packed);

}  // namespace talus::view
