#pragma once

#include <algorithm>
#include <limits>

#include <talus/sim/probe.hpp>

namespace talus::sim::detail {

inline constexpr Real kNothing = std::numeric_limits<Real>::quiet_NaN();

[[nodiscard]] inline bool is_selected(const model::Probe& probe, Index body) {
  return std::binary_search(probe.bodies.begin(), probe.bodies.end(), body);
}
/// Of a point's images in a periodic cell the one that is in the region, if there is one.
[[nodiscard]] inline Vec3 image_in(const model::Region& region, const model::Model& model,
                                   const Vec3& point) {
  return model.cell.above(region.min, point);
}
[[nodiscard]] inline bool is_inside(const model::Region& region, const model::Model& model,
                                    const Vec3& point) {
  return region.contains(image_in(region, model, point));
}
/// Calls a function with a point and the images of it next to it: 3 along every periodic axis.
template <class Visit>
void for_each_image(const PeriodicCell& cell, const Vec3& point, Visit visit) {
  const Vec3 last(cell.is_periodic(0) ? 1 : 0, cell.is_periodic(1) ? 1 : 0,
                  cell.is_periodic(2) ? 1 : 0);
  Vec3 step;
  for (step.x() = -last.x(); step.x() <= last.x(); ++step.x())
    for (step.y() = -last.y(); step.y() <= last.y(); ++step.y())
      for (step.z() = -last.z(); step.z() <= last.z(); ++step.z())
        visit(Vec3(point + step.cwiseProduct(cell.length())));
}
/// A contact counts where it carries a force, lies in the region, and touches a body that counts.
[[nodiscard]] inline bool counts(const model::Probe& probe, const model::Model& model,
                                 const stepping::StepContact& contact) {
  return !contact.impulse.isZero(0) && is_inside(probe.region, model, contact.position) &&
         (is_selected(probe, contact.body_a) || is_selected(probe, contact.body_b));
}

using MeterPointer = std::unique_ptr<Meter>;
// One per measure; the probe outlives them.
MeterPointer make_meter_of(const model::Probe&, const model::MassFlow&, const model::Model&,
                           const model::State& initial);
MeterPointer make_meter_of(const model::Probe&, const model::SolidFraction&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::Coordination&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::ContactForces&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::Fabric&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::Stress&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::Repose&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::Mixing&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::KineticEnergy&, const model::Model&,
                           const model::State&);
MeterPointer make_meter_of(const model::Probe&, const model::CentreOfMass&, const model::Model&,
                           const model::State&);

}  // namespace talus::sim::detail
