#include <talus/stepping/detail/function_laws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <variant>

#include <talus/math/itp_root.hpp>

namespace talus::stepping::detail {
namespace {

constexpr Real kSlip = 100;            // tolerances, of what friction at its bound can stop
constexpr Real kMostCompliance = 1e4;  // of what a contact gives way by without it
constexpr Real kBeyond = 2;            // of friction that is a function: more than it can be
constexpr Real kFlat = 0.5;            // friction that hardly depends on the slip, over 1/w
constexpr Real kFlatDrag = 0.1;        // the same beside a drag, which is of the last answer
constexpr Real kAtOnce = 1e3;          // γ where the pressure is not known to fall with λ
constexpr Real kLeastWay = 1e-6;       // of λ, through which a secant is drawn
constexpr Real kShorter = 0.5, kLonger = 1.2;  // ways of λ that turn, and that do not

/// C of a slope. Of a law so soft that the force hardly depends on the velocities of the step it is
/// a smaller one: the line then goes through the same point, with a slope that does not matter.
Real compliance(Real slope, Real own) { return 1 / std::max(slope, 1 / (kMostCompliance * own)); }

/// Where a function that falls is 0. @param low ≤ high, f(low) ≥ 0.
template <class Function>
Real root(const Function& f, Real low, Real high) {
  const Real tolerance =
      std::numeric_limits<Real>::epsilon() * std::max(std::abs(low), std::abs(high));
  return narrow(f, {low, high, f(low), f(high)}, tolerance).low;
}

/// Whether friction is a function of the velocity, and not of a bounded impulse.
bool is_function(const model::FrictionModel& friction) { return !model::has_stick(friction); }

}  // namespace

void FunctionLaws::start(Real step_size) {
  h_ = step_size;
  contacts_.clear();
}

void FunctionLaws::add(const collision::Contact& contact, const Vec3& before, Real rounding,
                       const Vec3& slip_bias, Index general) {
  Contact& own = contacts_.emplace_back();
  own.memory = {static_cast<Index>(contact.a), static_cast<Index>(contact.b), contact.feature, {}};
  const Memory* last = find(own.memory.body_a, own.memory.body_b, contact.feature);
  own.law = &bodies_.law(contact);
  own.general = general;
  own.normal = contact.normal;
  own.slip_bias = slip_bias;
  own.gap = contact.gap;
  own.before = before;
  const Real approach = -contact.normal.dot(before);
  const bool has_begun = last != nullptr && last->of.impact_rate > 0;
  own.memory.of.impact_rate = has_begun ? last->of.impact_rate : std::max(approach, Real(0));
  const model::FrictionModel& friction = own.law->friction;
  const Real speed = (before + approach * contact.normal).norm();
  own.is_held =
      model::has_stick(friction) && ((last != nullptr && last->of.sticks) || speed <= rounding);
  own.kinetic = friction.coefficient;
  if (std::holds_alternative<model::StribeckFriction>(friction.kind))
    own.kinetic = speed > rounding
                      ? -model::slip_force(friction, speed, 1) - friction.viscous * speed
                      : model::static_friction(friction);
}

const FunctionLaws::Memory* FunctionLaws::find(Index a, Index b,
                                               geometry::FeatureId feature) const {
  const std::tuple name(a, b, feature);
  const auto at =
      std::lower_bound(memory_.begin(), memory_.end(), name,
                       [](const Memory& one, const auto& other) { return one.name() < other; });
  return at != memory_.end() && at->name() == name ? &*at : nullptr;
}

/// r_N at a normal velocity u_N', and −∂r_N/∂u_N'.
FunctionLaws::Line FunctionLaws::normal_line(const Contact& contact, Real rate) const {
  const Real mean = theta_ * rate + (1 - theta_) * contact.normal.dot(contact.before);
  const model::NormalForce force = model::normal_force_slopes(
      contact.law->normal, -contact.gap - theta_ * h_ * mean, -mean, contact.memory.of.impact_rate);
  return {h_ * force.value, h_ * theta_ * (theta_ * h_ * force.by_penetration + force.by_rate)};
}

/// ‖r_T‖ at a slip speed and a normal impulse, and its derivative.
FunctionLaws::Line FunctionLaws::slip_line(const Contact& contact, Real speed, Real normal) const {
  const model::FrictionModel& law = contact.law->friction;
  const Real viscous = h_ * law.viscous, dragged = contact.share * viscous;
  if (!is_function(law)) return {contact.kinetic * normal + dragged * speed, dragged};
  const Real left = viscous - dragged;
  return {-h_ * model::slip_force(law, speed, normal / h_) - left * speed,
          -h_ * model::slip_force_slope(law, speed, normal / h_) - left};
}

/// The largest u_N' with a force: that at which δ̄ = 0, or a smaller one from which on a damped law
/// would pull. Forces of all laws fall as u_N' grows.
Real FunctionLaws::largest_rate(const Contact& contact) const {
  const Real before = contact.normal.dot(contact.before);
  const Real touching = -(contact.gap / (theta_ * h_) + (1 - theta_) * before) / theta_;
  return model::opening_rate(
      touching, [&](Real rate) { return normal_line(contact, rate).value; }, h_ * gravity_);
}

/// 0 ≤ r_N ⟂ u_N' + C r_N + bias ≥ 0. Where the law gives no force the line begins where it does.
/// @param alone u_N − w r_N. @return the force at the point.
Real FunctionLaws::set_normal(const Contact& contact, Real alone, bool is_secant,
                              problem::RigidContact& problem) const {
  const Real w = contact.own_normal, largest = largest_rate(contact);
  Real C = 0, from = largest, normal = 0;
  if (alone < largest) {
    const Real rate =
        root([&](Real u) { return alone - u + w * normal_line(contact, u).value; }, alone, largest);
    const Line line = normal_line(contact, rate);
    normal = line.value;
    C = compliance(is_secant && rate < largest ? normal / (largest - rate) : line.slope, w);
    from = rate + C * normal;
  } else {  // as stiff as where it moves on as fast as anything here
    const Real fall =
        std::max({std::abs(contact.normal.dot(contact.before)), std::abs(alone), h_ * gravity_});
    C = compliance(fall > 0 ? normal_line(contact, largest - fall).value / fall : 0, w);
  }
  problem.general[contact.general].bias = -from;
  problem.resistance[contact.general].compliance += C * contact.normal * contact.normal.transpose();
  return normal;
}

/// λ of viscous friction: λ = clamp(λ + γ p/D, 0, 1) is its inclusion, for any γ > 0. With γ ≥ 1
/// what it is missed by is felt as no less than the pressure that is too much or too little;
/// secants say where between 0 and 1 the pressure vanishes.
/// @param pressure p = r_N − u_N/w, or less than 0 where it is open. @param most D = h c ‖u_T‖.
void FunctionLaws::find_share(Contact& contact, Real pressure, Real most) const {
  if (most == 0 || pressure == contact.pressure) return;
  const Real now = contact.share, way = now - contact.last_share;
  if (std::abs(way) > kLeastWay) contact.fall = (contact.pressure - pressure) / way;
  contact.last_share = now;
  contact.pressure = pressure;
  const Real slope = contact.fall > 0 ? std::min(contact.fall, most) : most / kAtOnce;
  contact.share = std::clamp(now + pressure / slope, Real(0), Real(1));
}

bool FunctionLaws::shorten_ways() {
  bool any = false;
  for (Contact& contact : contacts_) {
    const Real way = contact.share - contact.last_share;
    if (way == 0) continue;
    contact.most_way *= way * contact.way < 0 ? kShorter : kLonger;
    contact.most_way = std::min(contact.most_way, Real(1));
    contact.way = std::clamp(way, -contact.most_way, contact.most_way);
    if (contact.way == way) continue;
    contact.share = contact.last_share + contact.way;
    any = true;
  }
  return any;
}

/// The bound of a set-valued law that sticks or has no function in slip, or the tangent of a
/// function: its slope along the slip, ‖Λ‖/‖u_T‖ across it, within a bound that no answer reaches;
/// where that is flat, Coulomb's law with the coefficient of the point.
/// @param alone u_T − w r_T. @param normal r_N.
void FunctionLaws::set_friction(const Contact& contact, const Vec3& alone, Real normal,
                                bool is_secant, problem::RigidContact& problem) const {
  const model::FrictionModel& law = contact.law->friction;
  problem::GeneralContact& general = problem.general[contact.general];
  const Real w = contact.own_slip, size = alone.norm(), most = w * bound(contact) * normal;
  const bool is_set_valued =
      !is_function(law) && (law.viscous == 0 || contact.is_held || size <= most);
  general.friction = is_set_valued ? bound(contact) : Real(0);
  if (is_set_valued || (normal == 0 && law.viscous == 0)) return;
  const Real speed =
      root([&](Real u) { return size - u - w * slip_line(contact, u, normal).value; }, 0, size);
  const Line line = slip_line(contact, speed, normal);
  problem::Resistance& resistance = problem.resistance[contact.general];
  const Vec3 direction = size > 0 ? Vec3(alone / size) : Vec3(Vec3::Zero());
  const bool is_flat =
      is_function(law) ? !is_secant && w * line.slope < kFlat : w * line.slope < kFlatDrag;
  if (is_flat) {  // as Coulomb's, with the pressure of the answer
    const Real drag = contact.share * h_ * law.viscous * speed;
    resistance.drag = -drag * direction;
    general.friction = contact.kinetic;
    if (is_function(law))
      general.friction = normal > 0 ? std::max((line.value - drag) / normal, Real(0)) : Real(0);
    return;
  }
  const Real across = compliance(speed > 0 ? line.value / speed : line.slope, w);
  const Real along = is_secant ? across : compliance(line.slope, w);
  const Mat3 C = across * (Mat3::Identity() - contact.normal * contact.normal.transpose()) +
                 (along - across) * direction * direction.transpose();
  resistance.compliance += C;
  resistance.slip_bias = -speed * direction;
  if (law.viscous > 0)
    resistance.drag = -line.value * direction;
  else
    resistance.slip_bias += C * (line.value * direction);
  general.friction = normal > 0 && (law.viscous == 0 || contact.share == 1)
                         ? kBeyond * (law.coefficient + line.value / normal)
                         : bound(contact);
}

void FunctionLaws::linearise(const problem::ContactImpulses& impulse,
                             std::span<const problem::BodyVelocity> velocity, bool is_secant,
                             problem::RigidContact& problem) {
  for (Contact& contact : contacts_) {
    const problem::GeneralContact& general = problem.general[contact.general];
    problem::Resistance& resistance = problem.resistance[contact.general];
    const Vec3 &n = contact.normal, &r = impulse.general[contact.general];
    const Vec3 u = problem::contact_velocity(general, velocity);
    const Mat3 block = problem::contact_block(problem, general);
    const Real w = contact.own_normal = n.dot(block * n);
    contact.own_slip = (block.trace() - w) / 2;
    const Real rate = n.dot(u), pressing = n.dot(r);
    resistance.compliance.setZero();
    resistance.slip_bias = contact.slip_bias;
    resistance.drag.setZero();
    Real pressure = pressing - (rate + general.bias) / w;
    if (!model::is_rigid(contact.law->normal)) {
      const Real force = set_normal(contact, rate - w * pressing, is_secant, problem);
      pressure = force > 0 ? force : pressing - (rate + general.bias) / w;
    }
    const Real normal = std::max(pressure, Real(0));
    find_share(contact, pressure, h_ * contact.law->friction.viscous * (u - rate * n).norm());
    set_friction(contact, u - rate * n - contact.own_slip * (r - pressing * n), normal, is_secant,
                 problem);
  }
}

bool FunctionLaws::let_go(const problem::RigidContact& problem,
                          const problem::ContactImpulses& impulse,
                          std::span<const problem::BodyVelocity> velocity, Real tolerance) {
  bool any = false;
  for (Contact& contact : contacts_) {
    const Vec3 &n = contact.normal, &r = impulse.general[contact.general];
    const Vec3 u = problem::contact_velocity(problem.general[contact.general], velocity);
    const Vec3 slip = u - n.dot(u) * n + contact.slip_bias;
    const Real stopped = contact.own_slip * bound(contact) * std::max(n.dot(r), Real(0));
    contact.slips = slip.norm() > kSlip * tolerance * stopped;
    if (!contact.slips || !contact.is_held || bound(contact) == contact.kinetic || stopped == 0)
      continue;
    contact.is_held = false;
    any = true;
  }
  return any;
}

void FunctionLaws::remember(const problem::ContactImpulses& impulse,
                            std::span<const Real> gap_after) {
  memory_.clear();
  for (Contact& contact : contacts_) {
    const Vec3& r = impulse.general[contact.general];
    const Real normal = contact.normal.dot(r);
    ContactMemory& of = contact.memory.of;
    if (!(normal > 0) && gap_after[contact.general] >= 0) continue;  // not begun
    of.sticks = normal > 0 && !is_function(contact.law->friction) && !contact.slips;
    if (!std::holds_alternative<model::DampedNormal>(contact.law->normal)) of.impact_rate = 0;
    if (of.sticks || of.impact_rate > 0) memory_.push_back(contact.memory);
  }
  order_memory();
}

void FunctionLaws::recall(std::span<const StepContact> contacts) {
  memory_.clear();
  for (const StepContact& contact : contacts)
    if (contact.memory.sticks || contact.memory.impact_rate > 0)
      memory_.push_back({contact.body_a, contact.body_b, contact.feature, contact.memory});
  order_memory();
}

void FunctionLaws::order_memory() {
  std::sort(memory_.begin(), memory_.end(),
            [](const Memory& one, const Memory& other) { return one.name() < other.name(); });
}

void FunctionLaws::write(StepContact& contact) const {
  if (const Memory* memory = find(contact.body_a, contact.body_b, contact.feature))
    contact.memory = memory->of;
}

}  // namespace talus::stepping::detail
