#pragma once

#include <hdf5.h>

#include <string>

#include <talus/record/checkpoint.hpp>

namespace talus::record::detail {

/// What a run is resumed from, bit for bit: the whole of a state file (group "/"), and of a record
/// the group that is written over at every flush. The group's attributes are `step` and
/// `step_size`.
inline constexpr const char* kStateFileGroup = "/";
inline constexpr const char* kResumeGroup = "/resume/";

/// Writes state and memory; what the group had is replaced.
/// @param group ends with a slash and exists.
void write_state_part(hid_t file, const std::string& group, const Checkpoint& checkpoint);

/// Bytes that this writes, at most.
[[nodiscard]] std::size_t state_part_bytes(const Checkpoint& checkpoint);

/// Reads it back: all of a checkpoint but its names and the number of pushed steps.
/// @throws hdf5::Hdf5Error if a dataset is missing or has another number of entries than the rest.
[[nodiscard]] Checkpoint read_state_part(hid_t file, const std::string& group);

/// Variables that State::internal is made of; those without a layout are of an earlier version:
/// what they were is not known, and the checkpoint has no memory then.
void take_internal(const std::vector<double>& values, const std::string& layout,
                   Checkpoint& checkpoint);

}  // namespace talus::record::detail
