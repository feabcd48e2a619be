#include <talus/model/normal_law.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>

namespace talus::model {
namespace {

/// δⁿ; the usual exponents without a logarithm.
Real power(Real penetration, Real exponent) {
  if (exponent == 1.5) return penetration * std::sqrt(penetration);
  if (exponent == 1) return penetration;
  if (exponent == 0.5) return std::sqrt(penetration);
  return std::pow(penetration, exponent);
}

/// χ v, v the velocity of approach.
Real damping_number(const DampedNormal& law) {
  const Real e = law.restitution;
  switch (law.kind) {
    case DampedNormal::Kind::hunt_crossley:
      return 3 * (1 - e) / 2;
    case DampedNormal::Kind::lankarani_nikravesh:
      return 3 * (1 - e * e) / 4;
    case DampedNormal::Kind::flores:
      return 8 * (1 - e) / (5 * e);
  }
  return 0;
}

/// The force before it is kept from pulling.
struct ForceAt {
  Real penetration, rate, impact_rate;

  Real operator()(const RigidNormal&) const {
    TALUS_DEMAND(false);
    return 0;
  }
  Real operator()(const HertzNormal& k) const {
    return k.stiffness * power(penetration, k.exponent);
  }
  Real operator()(const DampedNormal& k) const {
    const Real elastic = k.stiffness * power(penetration, k.exponent);
    if (!(impact_rate > 0)) return elastic;
    return elastic * (1 + damping_number(k) * (rate / impact_rate));
  }
  Real operator()(const ViscousNormal& k) const {
    return k.stiffness * power(penetration, k.exponent) + k.damping * penetration * rate;
  }
};

/// Derivatives of ForceAt by the penetration and its rate.
struct SlopesAt {
  Real penetration, rate, impact_rate;
  struct Slopes {
    Real by_penetration, by_rate;
  };

  Slopes operator()(const RigidNormal&) const {
    TALUS_DEMAND(false);
    return {0, 0};
  }
  Slopes operator()(const HertzNormal& k) const {
    return {k.stiffness * k.exponent * power(penetration, k.exponent - 1), 0};
  }
  Slopes operator()(const DampedNormal& k) const {
    const Real stiffness = k.stiffness * k.exponent * power(penetration, k.exponent - 1);
    if (!(impact_rate > 0)) return {stiffness, 0};
    const Real chi = damping_number(k) / impact_rate;
    return {stiffness * (1 + chi * rate), k.stiffness * power(penetration, k.exponent) * chi};
  }
  Slopes operator()(const ViscousNormal& k) const {
    return {k.stiffness * k.exponent * power(penetration, k.exponent - 1) + k.damping * rate,
            k.damping * penetration};
  }
};

struct EnergyAt {
  Real penetration;

  Real operator()(const RigidNormal&) const {
    TALUS_DEMAND(false);
    return 0;
  }
  Real operator()(const auto& k) const {
    return k.stiffness * power(penetration, k.exponent) * penetration / (k.exponent + 1);
  }
};

}  // namespace

bool is_rigid(const NormalLaw& law) { return std::holds_alternative<RigidNormal>(law); }

Real normal_force(const NormalLaw& law, Real penetration, Real rate, Real impact_rate) {
  if (!(penetration > 0)) {
    TALUS_DEMAND(!is_rigid(law));
    return 0;
  }
  return std::max<Real>(0, std::visit(ForceAt{penetration, rate, impact_rate}, law));
}

NormalForce normal_force_slopes(const NormalLaw& law, Real penetration, Real rate,
                                Real impact_rate) {
  const Real value = normal_force(law, penetration, rate, impact_rate);
  if (!(value > 0)) return {};
  const auto slopes = std::visit(SlopesAt{penetration, rate, impact_rate}, law);
  return {value, slopes.by_penetration, slopes.by_rate};
}

Real stored_energy(const NormalLaw& law, Real penetration) {
  return std::visit(EnergyAt{std::max<Real>(0, penetration)}, law);
}

}  // namespace talus::model
