#include <talus/scene/detail/spec.hpp>

// How probes are written.

namespace talus::scene::detail {
namespace {

Typed<MassFlowSpec> mass_flow_type() {
  return Object<MassFlowSpec>(
             "mass flow",
             "Mass and number of bodies whose centres cross a plane, or an opening "
             "in it; every step counts.")
      .field("point", &MassFlowSpec::point, vector3(Quantity::length), with_default("[0, 0, 0]"),
             "A point of the plane, the centre of the opening.")
      .field("normal", &MassFlowSpec::normal, vector3(Quantity::ratio), required(),
             "Direction in which crossing counts positive, any length but zero.")
      .field("radius", &MassFlowSpec::radius, number(Quantity::length, kPositive), optional(),
             "Radius of a round opening.")
      .field("size", &MassFlowSpec::size, vector2(Quantity::length), optional(),
             "Edges of a rectangular opening.")
      .field("along", &MassFlowSpec::along, vector3(Quantity::ratio), optional(),
             "Direction of its first edge.")
      .at_most_one({"radius", "size"})
      .needs("size", {"along"})
      .needs("along", {"size"})
      .done();
}

Typed<ForcesSpec> forces_type() {
  return Object<ForcesSpec>("force distribution",
                            "Normal forces of the contacts: mean, deviation, percentiles and a "
                            "histogram of force over mean force.")
      .field("bins", &ForcesSpec::bins, integer({.low = 1, .high = 1000}), with_default("20"),
             "Bins of the histogram.")
      .field("range", &ForcesSpec::range, number(Quantity::ratio, kPositive), with_default("5"),
             "Where its last bin ends, in mean forces.")
      .done();
}

Typed<ReposeSpec> repose_type() {
  return Object<ReposeSpec>("angle of repose",
                            "Slope of the free surface: the highest body of every column of a grid "
                            "makes the surface, to which a cone or a plane is fitted.")
      .field("surface", &ReposeSpec::surface, choice({"cone", "plane"}), with_default("cone"),
             "cone: a heap about the vertical axis through its centre of mass; plane: a slope.")
      .field("cell", &ReposeSpec::cell, number(Quantity::length, kPositive), required(),
             "Width of the columns; about twice a grain's diameter.")
      .field("low", &ReposeSpec::low, number(Quantity::ratio, kShare), with_default("20 %"),
             "Points lower than this share of the surface's height are not fitted.")
      .field("high", &ReposeSpec::high, number(Quantity::ratio, kShare), with_default("80 %"),
             "Nor are points higher than this.")
      .done();
}

Typed<MixingSpec> mixing_type() {
  constexpr Range kCells{.low = 1, .high = 100};
  return Object<MixingSpec>("mixing index", "Lacey's mixing index of some of the bodies.")
      .field("tracers", &MixingSpec::tracers, list(name(), 1), required(),
             "Bodies and sets whose spreading is measured.")
      .field("cells", &MixingSpec::cells, counts3(kCells), with_default("4"),
             "Cells along x, y and z into which the region is cut.")
      .done();
}

Typed<PlainSpec> plain_type(std::string_view title, std::string_view description) {
  return Object<PlainSpec>(title, description).done();
}

}  // namespace

Typed<RegionSpec> region_type() {
  return Object<RegionSpec>("region", "A box along the world's axes.")
      .field("min", &RegionSpec::min, vector3(Quantity::length), required(), "Lowest corner.")
      .field("max", &RegionSpec::max, vector3(Quantity::length), required(), "Highest corner.")
      .done();
}

Typed<ProbeSpec> probe_type() {
  return Object<ProbeSpec>(
             "probe",
             "Something that is measured every so many steps and written to the record: "
             "talus export OUT.h5 --probe NAME gives it as CSV. A contact counts where it carries "
             "a "
             "force, lies in the region and touches a body that counts.")
      .field("name", &ProbeSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("every", &ProbeSpec::every, integer({.low = 1, .high = 1e9}), with_default("1"),
             "Steps from one sample to the next.")
      .field("bodies", &ProbeSpec::bodies, list(name(), 1, 1000, /*single_stands_for_list=*/true),
             optional(), "Bodies and sets that count; without it all dynamic bodies.")
      .field("region", &ProbeSpec::region, region_type(), optional(),
             "Where bodies (by their centres) and contacts count; without it everywhere.")
      .field("mass_flow", &ProbeSpec::mass_flow, mass_flow_type(), optional(),
             "Flow through a plane or an opening.")
      .field("solid_fraction", &ProbeSpec::solid_fraction,
             plain_type("solid fraction",
                        "Volume of bodies over that of the region: balls exactly as cut by its "
                        "faces, other shapes whole where their centre is inside."),
             optional(), "Share of the region that is filled.")
      .field("coordination", &ProbeSpec::coordination,
             plain_type("coordination", "How many bodies a body of the region touches."),
             optional(), "Coordination number.")
      .field("forces", &ProbeSpec::forces, forces_type(), optional(), "Distribution of forces.")
      .field("fabric", &ProbeSpec::fabric,
             plain_type("fabric", "Mean of n n over the contacts that carry a force."), optional(),
             "Fabric tensor.")
      .field(
          "stress", &ProbeSpec::stress,
          plain_type("stress",
                     "Mean stress of the region: forces times the ways between centres as far as "
                     "they lie in it, and the kinetic part. Compression is positive."),
          optional(), "Stress tensor.")
      .field("repose", &ProbeSpec::repose, repose_type(), optional(), "Angle of repose.")
      .field("mixing", &ProbeSpec::mixing, mixing_type(), optional(), "Mixing index.")
      .field("energy", &ProbeSpec::energy,
             plain_type("kinetic energy", "Kinetic energy and granular temperature."), optional(),
             "Kinetic energy.")
      .field("centre", &ProbeSpec::centre,
             plain_type("centre of mass", "Mass, centre of mass and its velocity."), optional(),
             "Centre of mass.")
      .exactly_one({"mass_flow", "solid_fraction", "coordination", "forces", "fabric", "stress",
                    "repose", "mixing", "energy", "centre"})
      .done();
}

}  // namespace talus::scene::detail
