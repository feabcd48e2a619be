#include <talus/model/friction_model.hpp>

#include <cmath>
#include <numbers>

#include <talus/base/contract.hpp>

namespace talus::model {
namespace {

Real static_of(Real friction, Real static_friction) {
  return static_friction > 0 ? static_friction : friction;
}

Real sign(Real x) { return static_cast<Real>((x > 0) - (x < 0)); }

/// The friction coefficient c(|v|) of a law and its derivative; F_T = −c F_N sgn v.
struct Coefficient {
  Real value, slope;
};

struct CoefficientAt {
  Real friction, speed;  // μ, |v|

  Coefficient operator()(const CoulombFriction&) const { return {friction, 0}; }
  Coefficient operator()(const StribeckFriction& k) const {
    const Real excess = static_of(friction, k.static_friction) - friction;
    if (excess == 0) return {friction, 0};
    const Real x = speed / k.velocity;
    const Real decay = std::exp(-std::pow(x, k.exponent));
    return {friction + excess * decay,
            -excess * decay * k.exponent / k.velocity * std::pow(x, k.exponent - 1)};
  }
  Coefficient operator()(const TanhFriction& k) const {
    const Real t = std::tanh(speed / k.velocity);
    return {friction * t, friction * (1 - t * t) / k.velocity};
  }
  Coefficient operator()(const AtanFriction& k) const {
    const Real x = speed / k.velocity, scale = 2 / std::numbers::pi * friction;
    return {scale * std::atan(x), scale / k.velocity / (1 + x * x)};
  }
  Coefficient operator()(const PiecewiseLinearFriction& k) const {
    if (speed < k.from) return {0, 0};
    if (speed >= k.to) return {friction, 0};
    return {friction * (speed - k.from) / (k.to - k.from), friction / (k.to - k.from)};
  }
  Coefficient operator()(const DahlFriction&) const { return {0, 0}; }
};

Coefficient coefficient(const FrictionModel& law, Real velocity) {
  return std::visit(CoefficientAt{law.coefficient, std::abs(velocity)}, law.kind);
}

}  // namespace

bool has_stick(const FrictionModel& law) {
  return std::holds_alternative<CoulombFriction>(law.kind) ||
         std::holds_alternative<StribeckFriction>(law.kind);
}

Real static_friction(const FrictionModel& law) {
  if (const auto* coulomb = std::get_if<CoulombFriction>(&law.kind))
    return static_of(law.coefficient, coulomb->static_friction);
  if (const auto* stribeck = std::get_if<StribeckFriction>(&law.kind))
    return static_of(law.coefficient, stribeck->static_friction);
  return law.coefficient;
}

Real slip_force(const FrictionModel& law, Real velocity, Real normal_force) {
  return -coefficient(law, velocity).value * normal_force * sign(velocity) - law.viscous * velocity;
}

Real slip_force_slope(const FrictionModel& law, Real velocity, Real normal_force) {
  return -coefficient(law, velocity).slope * normal_force - law.viscous;
}

Real dahl_rate(const FrictionModel& law, Real force, Real velocity, Real normal_force) {
  const auto* dahl = std::get_if<DahlFriction>(&law.kind);
  TALUS_DEMAND(dahl != nullptr);
  const Real limit = law.coefficient * normal_force;
  if (!(limit > 0)) return 0;
  const Real base = 1 - force / limit * sign(velocity);
  const Real factor =
      dahl->exponent == 1 ? base : sign(base) * std::pow(std::abs(base), dahl->exponent);
  return dahl->stiffness * factor * velocity;
}

// With u = 1 − F s/F_c and s the direction, d|u|/d|x| = −(σ/F_c)|u|^a, and u keeps its sign.
Real dahl_force(const FrictionModel& law, Real force, Real way, Real normal_force) {
  const auto* dahl = std::get_if<DahlFriction>(&law.kind);
  TALUS_DEMAND(dahl != nullptr);
  const Real limit = law.coefficient * normal_force;
  if (!(limit > 0)) return 0;
  const Real s = sign(way);
  if (s == 0) return force;
  const Real u = 1 - force / limit * s, x = dahl->stiffness / limit * std::abs(way);
  const Real power = dahl->exponent - 1;
  Real left = std::abs(u);
  if (power == 0)
    left *= std::exp(-x);
  else if (left > 0)
    left *= std::pow(1 + power * x * std::pow(left, power), -1 / power);
  return s * limit * (1 - sign(u) * left);
}

// F = s L (1 − u q) with L = F_c and q = |left/u| of dahl_force, L ∂q/∂L = by (1 − (a − 1)(1 −
// u)/u).
Real dahl_force_by_normal(const FrictionModel& law, Real force, Real way, Real normal_force) {
  const auto* dahl = std::get_if<DahlFriction>(&law.kind);
  TALUS_DEMAND(dahl != nullptr);
  const Real limit = law.coefficient * normal_force, s = sign(way);
  if (!(limit > 0) || s == 0) return law.coefficient * s;
  const Real u = 1 - force / limit * s, x = dahl->stiffness / limit * std::abs(way);
  const Real power = dahl->exponent - 1, bent = std::pow(std::abs(u), power);
  const Real base = 1 + power * x * bent;
  const Real q = power == 0 ? std::exp(-x) : std::pow(base, -1 / power);
  if (q == 0 || !std::isfinite(base)) return law.coefficient * s;
  const Real by = q * x * bent / base;
  return law.coefficient * s * (1 - q - by * (u - power * (1 - u)));
}

}  // namespace talus::model
