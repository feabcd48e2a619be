#pragma once

#include <optional>
#include <vector>

#include <talus/stepping/event_driven/engine.hpp>

namespace talus::stepping::event_driven {

/// What is known at an event before it is resolved, and what it has become after.
struct Engine::EventContext {
  ModeQuery query;
  laws::Modes before;
  std::vector<bool> arrived;         // rigid contacts whose gap is zero now and was open
  std::vector<bool> fresh;           // contacts whose frictions have no history
  std::vector<bool> ended;           // friction elements whose slip velocity has come to zero
  std::vector<Vec2> impulse;         // per contact
  std::vector<Real> gap_rate, slip;  // per contact, before
  bool has_collided = false;
  bool is_painleve = false;
  Real restitution_factor = 1;  // of the restitutions, that the impact kept
  std::optional<Real> limit;    // an accumulation point has been closed
  Index limit_contact = -1;
};

}  // namespace talus::stepping::event_driven
