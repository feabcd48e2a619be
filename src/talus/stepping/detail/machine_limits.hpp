#pragma once

#include <span>
#include <string>
#include <vector>

#include <talus/model/machine.hpp>
#include <talus/model/model.hpp>

namespace talus::stepping::detail {

/// The joints of a model; none if there is no machine.
[[nodiscard]] std::span<const model::Joint> joints_of(const model::Model& model);

/// The laws of all contacts: of pairs of materials, and of joints with play.
[[nodiscard]] std::vector<model::InterfaceLaw> laws_of(const model::Model& model);

/// What of a machine is beyond rigid contacts with set-valued friction (Coulomb's, Stribeck's) and
/// joints without friction; in words with the reason ("supports … only"), empty if nothing is.
[[nodiscard]] std::string beyond_set_valued(const model::Model& model);

}  // namespace talus::stepping::detail
