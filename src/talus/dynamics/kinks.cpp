#include <talus/dynamics/kinks.hpp>

#include <algorithm>
#include <limits>

#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/model/lagrangian.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/time_law_of.hpp>

namespace talus::dynamics {
namespace {

/// The first of the kinks of laws that are seen.
class FirstKink {
 public:
  explicit FirstKink(Real time) : time_(time) {}
  void see(const model::TimeLaw& law) { take(model::next_kink(law, time_)); }
  void take(Real kink) { first_ = std::min(first_, kink); }
  [[nodiscard]] Real time() const { return first_; }

 private:
  const Real time_;
  Real first_ = std::numeric_limits<Real>::infinity();
};

}  // namespace

Real next_kink(const model::SpatialMachine& machine, Real time) {
  FirstKink first(time);
  for (const model::SpatialDrive& drive : machine.drives) first.see(drive.law);
  for (const model::SpatialJoint& joint : machine.joints)
    for (const model::AxisLaw& axis : joint.axes)
      if (axis.motor) first.see(axis.motor->target);
  for (const model::SpatialForce& element : machine.forces)
    if (const model::TimeLaw* law = model::law_of(element.kind)) first.see(*law);
  return first.time();
}

Real next_kink(const model::Machine& machine, Real time) {
  FirstKink first(time);
  for (const model::Drive& drive : machine.drives) first.see(drive.law);
  for (const model::ForceElement& element : machine.forces)
    first.see(*model::time_law_of(element.kind));
  return first.time();
}

Real next_kink(const model::Model& model, Real time) {
  FirstKink first(time);
  if (model.own_system) first.take(model.own_system->next_kink(time));
  if (model.spatial_machine) first.take(next_kink(*model.spatial_machine, time));
  if (model.machine) first.take(next_kink(*model.machine, time));
  for (const model::Motion& motion : model.motions) first.take(next_kink(motion.terms, time));
  return first.time();
}

}  // namespace talus::dynamics
