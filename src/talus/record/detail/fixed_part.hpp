#pragma once

#include <hdf5.h>

#include <talus/model/model.hpp>
#include <talus/record/provenance.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::record::detail {

/// Writes what does not change during a run: the root's attributes, /bodies, /materials,
/// /provenance, and the attributes of /energies and /solver.
void write_fixed_part(hid_t file, const model::Model& model, stepping::Energy initial,
                      const Provenance& provenance);

}  // namespace talus::record::detail
