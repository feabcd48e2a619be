#pragma once

#include <memory>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping {

/// LagrangianStepper as a scheme of a model in generalized coordinates (model::make_own_model):
/// stewart_trinkle and anitescu_potra, stabilised or not, with any number of tangents per contact.
/// Contacts of a step have the normal e_y and their tangents along e_x and e_z. Gaps below 0 are
/// taken back with velocity, as in the papers.
[[nodiscard]] std::unique_ptr<Scheme> make_lagrangian_scheme(const model::Model& model,
                                                             const SchemeOptions& options,
                                                             Variant variant);

}  // namespace talus::stepping
