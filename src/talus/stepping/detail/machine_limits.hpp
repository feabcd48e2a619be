#pragma once

#include <string>
#include <vector>

#include <talus/model/machine.hpp>

namespace talus::stepping::detail {

/// The surface laws of all contacts of a machine: of pairs of materials, and of joints with play.
[[nodiscard]] std::vector<model::SurfaceLaw> surfaces_of(const model::Machine& machine);

/// What of a machine is beyond rigid contacts with set-valued friction (Coulomb's, Stribeck's) and
/// joints without friction; in words with the reason ("knows …"), empty if nothing is.
[[nodiscard]] std::string beyond_set_valued(const model::Machine& machine);

}  // namespace talus::stepping::detail
