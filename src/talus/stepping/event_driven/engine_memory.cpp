#include <cmath>

#include <talus/base/hash.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/engine.hpp>

// What a state keeps of the engine: with it and the state a run resumes bit for bit.

namespace talus::stepping::event_driven {
namespace {

/// Of where forces have brought the bodies, in the plane without their angles: who moves or kicks a
/// body between two steps has another point, of which the modes are not known.
Real fingerprint(const VecX& q, const VecX& v, const dynamics::MassMatrix& mass,
                 const model::State& state) {
  StateHash hash;
  for (Index i = 0; mass.is_spatial() && i < mass.body_count(); ++i)
    for (const Real part : state.orientation[i].coeffs())
      if (mass.moves(i)) hash.add(part);
  for (Index k = 0; k < q.size(); ++k) {
    if (mass.inverse_diagonal()[k] == 0) continue;
    if (!mass.is_planar() || k % 3 != 2) hash.add(q[k]);
    hash.add(v[k]);
  }
  return static_cast<Real>(hash.value() >> 12);  // 52 bits are a number
}

template <class Mode>
std::vector<Real> numbers_of(const std::vector<Mode>& modes) {
  std::vector<Real> numbers;
  numbers.reserve(modes.size());
  for (const auto mode : modes) numbers.push_back(static_cast<Real>(mode));
  return numbers;
}
/// @return whether all are modes up to the last one.
template <class Mode>
bool take_modes(const std::vector<Real>& numbers, Mode last, std::vector<Mode>& modes) {
  for (const Real number : numbers) {
    if (!(number >= 0 && number <= static_cast<Real>(last))) return false;
    modes.push_back(static_cast<Mode>(static_cast<int>(number)));
  }
  return true;
}

/// Angles with every bit, which orientations do not keep. @return whether they are these.
bool take_angles(const model::InternalVariables& from, VecX& q) {
  const auto* angles = from.find(model::kAngles);
  if (angles == nullptr) return false;
  for (std::size_t b = 0; b < angles->size(); ++b) {
    Real& angle = q[3 * static_cast<Index>(b) + 2];
    if (std::abs((*angles)[b] - angle) > tolerance::kSameAngle) return false;
    angle = (*angles)[b];
  }
  return true;
}

// The internal variables.
constexpr std::string_view kOwner = "event_driven",
                           kContactMode = "contact_mode",  // NormalMode per contact
    kImpactRate = "impact_rate",                           // per contact, with which it began
    kAccumulation = "accumulation",   // per contact Accumulation::kSize numbers
    kFrictionMode = "friction_mode",  // FrictionMode per friction element
    kDahlForce = "dahl_force", kStep = "internal_step",
                           kIsLost = "is_lost",  // 1: the last step found no motion
    kPoint = "point",                            // fingerprint of where all this holds
    kReference = "reference",                    // Phase::reference, where there is one
    kAcceleration = "algorithmic_acceleration";  // of generalized-α

}  // namespace

void Engine::write(model::State& state) const {
  model::InternalVariables& to = state.internal;
  const laws::Modes& modes = phase_.modes();
  std::vector<Real> series(static_cast<std::size_t>(elements_.contact_count * Accumulation::kSize));
  for (Index i = 0; i < elements_.contact_count; ++i)
    series_[i].write(series.data() + i * Accumulation::kSize);
  to.set_owner(kOwner);
  to.add(kContactMode, numbers_of(modes.normal));
  to.add(kImpactRate, modes.impact_rate);
  to.add(kAccumulation, std::move(series));
  to.add(kFrictionMode, numbers_of(modes.friction));
  to.add(kDahlForce, {x_.s.begin(), x_.s.end()});
  to.add(kStep, {step_});
  to.add(kIsLost, {is_lost_ ? Real(1) : Real(0)});
  to.add(kPoint, {fingerprint(x_.q, x_.v, machine_.mass(), state)});
  if (const VecX& reference = phase_.reference(); reference.size() > 0)
    to.add(kReference, {reference.begin(), reference.end()});
  if (const VecX* memory = integrator_->memory())
    to.add(kAcceleration, {memory->begin(), memory->end()});
}

bool Engine::read(const VecX& q, const VecX& v, const model::State& state) {
  const model::InternalVariables& from = state.internal;
  const auto taken = [&](std::string_view name, Index count) {
    return from.of_scheme(kOwner, name, count);
  };
  const Index contacts = elements_.contact_count;
  const auto* contact_modes = taken(kContactMode, contacts);
  const auto* impact_rates = taken(kImpactRate, contacts);
  const auto* series = taken(kAccumulation, contacts * Accumulation::kSize);
  const auto* friction_modes = taken(kFrictionMode, static_cast<Index>(elements_.list.size()));
  const auto* forces = taken(kDahlForce, elements_.dahl_count);
  const auto *step = taken(kStep, 1), *is_lost = taken(kIsLost, 1), *point = taken(kPoint, 1);
  const auto* acceleration = taken(kAcceleration, machine_.coordinate_count());
  for (const auto* needed :
       {contact_modes, impact_rates, series, friction_modes, forces, step, is_lost, point})
    if (needed == nullptr) return false;
  if ((*point)[0] != fingerprint(q, v, machine_.mass(), state)) return false;
  Point x{q, v, VecX::Map(forces->data(), elements_.dahl_count)};
  if (machine_.mass().is_planar() && !take_angles(from, x.q)) return false;
  laws::Modes modes;
  modes.impact_rate = *impact_rates;
  if (!take_modes(*contact_modes, laws::NormalMode::released, modes.normal) ||
      !take_modes(*friction_modes, laws::FrictionMode::smooth, modes.friction))
    return false;
  for (Index i = 0; i < contacts; ++i) series_[i].read(series->data() + i * Accumulation::kSize);
  step_ = (*step)[0];
  is_lost_ = (*is_lost)[0] != 0;
  time_ = grid_ = last_event_ = state.time;
  x_ = x;
  events_.clear();
  set_modes(modes);
  if (const auto* reference = from.find(kReference))
    phase_.set_reference(VecX::Map(reference->data(), static_cast<Index>(reference->size())));
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.q, x_.v));
  refresh();
  if (acceleration != nullptr)
    integrator_->recall(VecX::Map(acceleration->data(), machine_.coordinate_count()));
  return true;
}

}  // namespace talus::stepping::event_driven
