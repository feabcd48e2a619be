#include <cmath>

#include <talus/base/hash.hpp>
#include <talus/stepping/machine/engine.hpp>

// What a state keeps of the engine: with it and the state a run resumes bit for bit.

namespace talus::stepping::machine {
namespace {

constexpr Real kSameAngle = 1e-9;  // [rad] an angle that has been through a quaternion

/// Of where forces have brought the bodies, without their angles: who moves or kicks a body between
/// two steps has another point, of which the modes are not known.
Real fingerprint(const VecX& q, const VecX& v, const dynamics::MassMatrix& mass) {
  StateHash hash;
  for (Index k = 0; k < q.size(); ++k) {
    if (mass.inverse_diagonal()[k] == 0) continue;
    if (k % 3 != 2) hash.add(q[k]);
    hash.add(v[k]);
  }
  return static_cast<Real>(hash.value() >> 12);  // 52 bits are a number
}

}  // namespace

void Engine::write(std::vector<Real>& to) const {
  to.clear();
  for (Index b = 0; b < machine_.body_count(); ++b) to.push_back(x_.q[3 * b + 2]);
  const Modes& modes = phase_.modes();
  for (Index i = 0; i < elements_.contact_count; ++i) {
    to.push_back(static_cast<Real>(modes.normal[i]));
    to.push_back(modes.impact_rate[i]);
    to.resize(to.size() + static_cast<std::size_t>(Accumulation::kSize));
    series_[i].write(to.data() + to.size() - Accumulation::kSize);
  }
  for (const FrictionMode mode : modes.friction) to.push_back(static_cast<Real>(mode));
  for (const Real force : x_.s) to.push_back(force);
  to.push_back(step_);
  to.push_back(is_lost_ ? 1 : 0);
  to.push_back(fingerprint(x_.q, x_.v, machine_.mass()));
  if (const VecX* memory = integrator_->memory())
    to.insert(to.end(), memory->begin(), memory->end());
}

bool Engine::read(Real time, const VecX& q, const VecX& v, const std::vector<Real>& from) {
  const auto size = static_cast<std::size_t>(
      machine_.body_count() + elements_.contact_count * (2 + Accumulation::kSize) +
      static_cast<Index>(elements_.list.size()) + elements_.dahl_count + 3);
  const auto coordinates = static_cast<std::size_t>(machine_.coordinate_count());
  if (from.size() != size && from.size() != size + coordinates) return false;
  if (from[size - 1] != fingerprint(q, v, machine_.mass())) return false;
  Point x{q, v, VecX::Zero(elements_.dahl_count)};
  const Real* next = from.data();
  for (Index b = 0; b < machine_.body_count(); ++b) {
    const Real kept = *next++;
    if (std::abs(kept - q[3 * b + 2]) > kSameAngle) return false;
    x.q[3 * b + 2] = kept;
  }
  Modes modes;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    modes.normal.push_back(static_cast<NormalMode>(static_cast<int>(*next++)));
    modes.impact_rate.push_back(*next++);
    series_[i].read(next);
    next += Accumulation::kSize;
  }
  for (std::size_t e = 0; e < elements_.list.size(); ++e)
    modes.friction.push_back(static_cast<FrictionMode>(static_cast<int>(*next++)));
  for (Real& force : x.s) force = *next++;
  step_ = *next++;
  is_lost_ = *next++ != 0;
  ++next;  // the fingerprint
  time_ = grid_ = last_event_ = time;
  x_ = x;
  events_.clear();
  set_modes(modes);
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.v));
  refresh();
  if (from.size() > size)
    integrator_->recall(Eigen::Map<const VecX>(next, machine_.coordinate_count()));
  return true;
}

}  // namespace talus::stepping::machine
