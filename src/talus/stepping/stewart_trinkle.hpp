#pragma once

#include <memory>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Stewart & Trinkle's implicit time stepping at position level (key `stewart_1996`), inelastic
/// impacts, for rigid bodies in 3-D: implicit_step with the engine's bodies and contacts as its
/// source.
///
/// The tangents are the paper's, t1 = n × ẑ, t2 = t1 × n (x̂ and ŷ where n is vertical), or those of
/// math/contact_frame; k directions at equal angles. Solver "lemke" ("auto" here) solves the LCP
/// and certifies it as the LCP it is; any other solver takes the circular cone at the same
/// positions (k → ∞) and is certified for exact Coulomb friction. Deviation: rotations are
/// integrated by dynamics::rotate_freely, which carries the gyroscopic term; v̄ is what leads from q
/// to q̄. M is that of q̄, and bodies turn from q: a step in which they turn so far that impulses
/// raise their energy is not certified (detail/raised_by_contacts). Restitution is not part of the
/// method: see unsupported(). Machines in space: their rows at q̄ are in the mixed
/// LCP of eq. (17) (detail/machine_step.hpp, detail/polyhedral_rows.hpp), Φ at the level of
/// positions; forces of elements and efforts are those of the start, springs and dampers of axes of
/// the end.
[[nodiscard]] std::unique_ptr<Scheme> make_stewart_trinkle(const model::Model& model,
                                                           const SchemeOptions& options);

/// Anitescu & Potra's stepping (key `anitescu_1997`) for rigid bodies in 3-D: velocity level,
/// linearised at q.
[[nodiscard]] std::unique_ptr<Scheme> make_anitescu_potra(const model::Model& model,
                                                          const SchemeOptions& options);

/// Its constraint-stabilised form (key `anitescu_2004`).
[[nodiscard]] std::unique_ptr<Scheme> make_anitescu_potra_stabilised(const model::Model& model,
                                                                     const SchemeOptions& options);

/// The paper's contact frame (n, t1, t2) as columns.
[[nodiscard]] Mat3 stewart_trinkle_frame(const Vec3& normal);

}  // namespace talus::stepping
