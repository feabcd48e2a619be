#pragma once

#include <memory>

#include <talus/model/lagrangian.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::model {

/// The model of a system in generalized coordinates, which every scheme of stepping::make_scheme
/// steps: one body, "system", without a shape, in the place of all that moves.
/// @param system not null (contract).
[[nodiscard]] Model make_own_model(std::shared_ptr<const LagrangianSystem> system);

/// Its state: q and v are the internal variables kCoordinates and kRates; the body stays where it
/// is. @param q, v one entry per coordinate [SI]. Throws InputError where their lengths differ.
[[nodiscard]] State make_own_state(const VecX& q, const VecX& v, Real time = 0);

/// q and v of such a state. Throws InputError of another one.
[[nodiscard]] VecX coordinates_of(const State& state);
[[nodiscard]] VecX rates_of(const State& state);

}  // namespace talus::model
