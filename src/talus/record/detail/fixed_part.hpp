#pragma once

#include <hdf5.h>

#include <talus/model/model.hpp>
#include <talus/record/provenance.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::record::detail {

/// Writes what does not change during a run: the root's attributes, /bodies, /materials,
/// /provenance, and the attributes of /certificates, /energies and /solver.
/// @param tolerance what the steps are asked to meet.
void write_fixed_part(hid_t file, const model::Model& model, stepping::Energy initial,
                      Real tolerance, const Provenance& provenance);

}  // namespace talus::record::detail
