#include <talus/laws/contact_modes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::laws {

using dynamics::System;

namespace {

void set_law(FrictionElement& element, const model::FrictionModel& law) {
  element.law = &law;
  element.static_friction = model::static_friction(law);
  element.kinetic_friction = law.coefficient;
  element.has_stick = model::has_stick(law) && element.static_friction > 0;
  if (std::holds_alternative<model::DahlFriction>(law.kind)) element.dahl = 0;
}

}  // namespace

FrictionElements::FrictionElements(const System& machine)
    : contact_count(machine.contact_count()),
      joint_count(machine.joint_friction_count()),
      machine_(&machine) {
  for (Index i = 0; i < joint_count; ++i) {
    const dynamics::JointFriction friction = machine.joint_friction(i);
    FrictionElement element;
    element.kind = FrictionElement::Kind::joint;
    element.index = i;
    set_law(element, *friction.law);
    element.preload = friction.preload;
    element.is_guide = friction.is_guide;
    element.moment_arm = friction.moment_arm;
    element.is_pressed = friction.is_pressed;
    joints_.push_back(element);
  }
}

FrictionElement FrictionElements::of_contact(FrictionElement::Kind kind, Index contact) const {
  const model::FrictionModel& law = machine_->law(contact).friction;
  FrictionElement element;
  element.kind = kind;
  element.index = contact;
  if (kind == FrictionElement::Kind::tangent) {
    set_law(element, law);
    return element;
  }
  element.law = &law;
  element.static_friction = element.kinetic_friction =
      machine_->can_roll(contact) ? law.rolling : 0;
  element.has_stick = element.static_friction > 0;
  return element;
}

FrictionElement FrictionElements::operator[](Index element) const {
  if (element < contact_count) return of_contact(FrictionElement::Kind::tangent, element);
  if (element < 2 * contact_count)
    return of_contact(FrictionElement::Kind::rolling, element - contact_count);
  return joints_[static_cast<std::size_t>(element - 2 * contact_count)];
}

FrictionTable::FrictionTable(const System& machine) : FrictionElements(machine) {
  for (Index e = 0; e < count(); ++e) {
    list.push_back((*this)[e]);
    if (list.back().dahl >= 0) list.back().dahl = dahl_count++;
  }
}

Real joint_normal_force(const FrictionElement& element, Real lambda_1, Real lambda_2) {
  if (!element.is_pressed) return element.preload;
  if (!element.is_guide) return std::hypot(lambda_1, lambda_2) + element.preload;
  if (element.moment_arm == 0) return std::abs(lambda_1) + element.preload;
  return std::max(std::abs(lambda_1), std::abs(lambda_2) / element.moment_arm) + element.preload;
}

SlipLaw slip_law(const FrictionElement& element, FrictionMode mode, Real slip) {
  const bool is_smooth = mode == FrictionMode::smooth;
  const Real s = is_smooth ? (slip < 0 ? -1 : 1) : sign_of(mode);
  if (element.kind == FrictionElement::Kind::rolling) return {-s * element.kinetic_friction, 0};
  const Real viscous = element.law->viscous;
  if (std::holds_alternative<model::CoulombFriction>(element.law->kind))
    return {-s * element.kinetic_friction, -viscous * slip};
  // Past the end of the slip the coefficient stays what it was there.
  const Real smallest = is_smooth ? 0 : std::numeric_limits<Real>::min();
  const Real v = s * std::max(s * slip, smallest);
  return {model::slip_force(*element.law, v, 1) + viscous * v, -viscous * slip};
}

}  // namespace talus::laws
