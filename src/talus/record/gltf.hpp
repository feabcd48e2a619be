#pragma once

#include <filesystem>

#include <talus/record/reader.hpp>

namespace talus::record {

/// Writes a record as animated glTF 2.0 in one binary file (.glb): a node per body with its name,
/// one mesh per look, translation and rotation of what moves at the time of every frame, materials
/// in the colours of the record's materials. Metres; glTF's y axis is up, so a root node turns z to
/// y; a planar record stays as it is. Of a machine in space a body's node is a child of that of the
/// body that holds it, in the tree that the joints span from what does not move. Bodies look
/// as in record/surface. A body that is not there has the scale 0.
/// @param every of so many frames one is taken, and the last.
/// @throws InputError if the record has no frames, is too large (kMaxGltfBytes), or the file cannot
/// be written.
void write_gltf(const RecordReader& record, const std::filesystem::path& target, Index every);

inline constexpr std::size_t kMaxGltfBytes = std::size_t(1) << 31;

}  // namespace talus::record
