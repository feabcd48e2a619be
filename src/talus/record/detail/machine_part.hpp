#pragma once

#include <hdf5.h>

#include <talus/model/model.hpp>

namespace talus::record::detail {

/// Writes what connects bodies, in the plane and in space: joints, where they hold which bodies,
/// and drives. Nothing where there is no machine.
void write_machine(hid_t file, const model::Model& model);

}  // namespace talus::record::detail
