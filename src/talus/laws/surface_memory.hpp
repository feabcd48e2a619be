#pragma once

#include <string_view>

#include <talus/laws/contact_modes.hpp>
#include <talus/laws/sparse_values.hpp>
#include <talus/model/internal_variables.hpp>

namespace talus::laws {

/// Whether a law of a machine depends on what was before: Dahl's force, whether it stuck, how fast
/// a contact began.
/// @param model of the machine.
[[nodiscard]] bool has_memory(const model::Model& model, const dynamics::System& machine,
                              const FrictionElements& elements);

/// Writes the values that are not 0 as an internal variable: places and values in turn.
void keep(const SparseValues& values, std::string_view name, model::InternalVariables& internal);
/// Values that keep() wrote; none where there is no such variable. @param count of places.
/// @throws InputError if the variables are another scheme's, or not of this model.
[[nodiscard]] SparseValues kept(const model::InternalVariables& internal, std::string_view owner,
                                std::string_view name, Index count);

/// Potential energy with the springs of compliant contacts and of Dahl's friction [J].
/// @param memory of friction elements; Dahl's force of those that have one [N].
[[nodiscard]] Real potential_energy(const dynamics::System& machine,
                                    const FrictionElements& elements, Real time, const VecX& q,
                                    const SparseValues& memory);

}  // namespace talus::laws
