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
/// A body counts where it is there, with an image of its centre in the region.
[[nodiscard]] inline bool is_inside(const model::Probe& probe, const model::Model& model,
                                    const model::State& state, Index body) {
  return state.is_present(body) &&
         probe.region.contains(image_in(probe.region, model, state.position[body]));
}
/// A contact counts where it carries a force, lies in the region, and touches a body that counts.
[[nodiscard]] inline bool counts(const model::Probe& probe, const model::Model& model,
                                 const stepping::StepContact& contact) {
  return !contact.impulse.isZero(0) &&
         probe.region.contains(image_in(probe.region, model, contact.position)) &&
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
