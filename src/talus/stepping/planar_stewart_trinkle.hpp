#pragma once

#include <memory>

#include <talus/model/machine.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping {

/// A scheme of the implicit family for a planar model (dimension 2): LagrangianStepper on
/// dynamics::PlanarSystem, which every shape pair takes part in.
///
/// Friction has two directions, exact Coulomb friction in the plane, with the coefficient that the
/// law has at the start of the step: μ₀ of a contact that sticks (in the step of
/// release μ₀ still applies), Stribeck's at the slip velocity of then; any solver named is replaced
/// by Lemke's method. last_problem() is empty: the problem is an LCP.
[[nodiscard]] std::unique_ptr<Scheme> make_planar_stewart_trinkle(const model::Model& model,
                                                                  const SchemeOptions& options,
                                                                  Variant variant);

}  // namespace talus::stepping
