#pragma once

#include <talus/hdf5/hdf5.hpp>
#include <talus/model/model.hpp>

namespace talus::record::detail {

/// Shapes of the bodies: /bodies/shape…, the surfaces of polytopes and meshes, the parts of
/// compounds. A surface that bodies share is written once.
void write_shapes(hid_t file, const model::Model& model);

}  // namespace talus::record::detail
