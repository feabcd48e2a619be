#include <talus/scene/detail/probes.hpp>

#include <fmt/format.h>

#include <set>

#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/select_bodies.hpp>

namespace talus::scene::detail {
namespace {

class ProbeBuilder {
 public:
  ProbeBuilder(const Scene& scene, Problems& problems) : model_(scene.model), problems_(problems) {}

  model::Probe build(const ProbeSpec& spec) {
    if (spec.name == "." || spec.name == "..")
      problems_.add(spec.place.at("name"), "a probe cannot have this name");
    else if (!names_.insert(spec.name).second)
      problems_.add(spec.place.at("name"),
                    fmt::format("there is already a probe \"{}\"", spec.name));
    model::Probe probe{spec.name, spec.every, {}, {}, {}};
    probe.bodies =
        spec.bodies.empty() ? all_dynamic(model_) : select(spec.bodies, spec.place.at("bodies"));
    if (spec.region) {
      probe.region = {spec.region->min, spec.region->max};
      check_region(*spec.region, model_.cell, problems_);
    }
    probe.measure = measure_of(spec);
    return probe;
  }

 private:
  std::vector<Index> select(const std::vector<std::string>& names, const Place& place) {
    return select_bodies(model_, names, place, "it has no mass to measure", problems_);
  }

  Vec3 direction(const Vec3& vector, const Place& place) {
    if (vector.stableNorm() > 1e-150) return vector.stableNormalized();
    problems_.add(place, "expected a direction, got a zero vector");
    return Vec3::UnitZ();
  }

  model::MassFlow flow_of(const MassFlowSpec& spec) {
    model::MassFlow flow;
    flow.point = spec.point;
    flow.normal = direction(spec.normal, spec.place.at("normal"));
    flow.radius = spec.radius.value_or(0);
    if (!spec.size) {
      check_images(flow, spec.place);
      return flow;
    }
    flow.size = *spec.size;
    const Vec3 along = spec.along.value_or(Vec3::Zero());
    flow.along = direction(along - along.dot(flow.normal) * flow.normal, spec.place.at("along"));
    check_images(flow, spec.place);
    return flow;
  }

  /// The plane's images must be the plane itself or stand whole lengths of the cell apart, and
  /// those of the opening must not overlap.
  void check_images(const model::MassFlow& flow, const Place& place) {
    constexpr Real kUnitRoundOff = 1e-12;
    const Vec3 across = flow.normal.cross(flow.along);
    for (int k = 0; k < 3; ++k) {
      if (!model_.cell.is_periodic(k)) continue;
      const Real part = std::abs(flow.normal[k]);
      if (part > kUnitRoundOff && part < 1 - kUnitRoundOff)
        problems_.add(place.at("normal"),
                      fmt::format("in the periodic direction {} the images of this plane cut each "
                                  "other",
                                  "xyz"[k]),
                      "take a normal along that direction, or at right angles to it");
      const Real half = flow.radius > 0 ? flow.radius
                                        : 0.5 * (flow.size.x() * std::abs(flow.along[k]) +
                                                 flow.size.y() * std::abs(across[k]));
      if (part < 1 - kUnitRoundOff && 2 * half > model_.cell.length()[k] * (1 + 1e-9))
        problems_.add(place,
                      fmt::format("the opening is {:.6g} m wide in the periodic direction {}, "
                                  "wider than the cell, {:.6g} m",
                                  2 * half, "xyz"[k], model_.cell.length()[k]),
                      "leave the opening out to count the whole plane");
    }
  }

  void demand_region(const ProbeSpec& spec, const char* what) {
    if (!spec.region)
      problems_.add(spec.place.at(what), fmt::format("{} is that of a region: give one", what),
                    "region: {min: [...], max: [...]}");
  }

  model::Measure measure_of(const ProbeSpec& spec) {
    if (spec.mass_flow) return flow_of(*spec.mass_flow);
    if (spec.solid_fraction) {
      demand_region(spec, "solid_fraction");
      return model::SolidFraction{};
    }
    if (spec.coordination) return model::Coordination{};
    if (spec.forces) return model::ContactForces{spec.forces->bins, spec.forces->range};
    if (spec.fabric) return model::Fabric{};
    if (spec.stress) {
      demand_region(spec, "stress");
      return model::Stress{};
    }
    if (spec.repose) {
      const ReposeSpec& repose = *spec.repose;
      if (!(repose.low < repose.high)) problems_.add(repose.place, "expected low below high");
      return model::Repose{repose.surface == "cone", repose.cell, repose.low, repose.high};
    }
    if (spec.mixing) {
      demand_region(spec, "mixing");
      return model::Mixing{select(spec.mixing->tracers, spec.mixing->place.at("tracers")),
                           spec.mixing->cells};
    }
    if (spec.energy) return model::KineticEnergy{};
    return model::CentreOfMass{};
  }

  const model::Model& model_;
  Problems& problems_;
  std::set<std::string> names_;
};

}  // namespace

void build_probes(const std::vector<ProbeSpec>& specs, Scene& scene, Problems& problems) {
  ProbeBuilder builder(scene, problems);
  for (const ProbeSpec& spec : specs)
    if (spec.is_sound && !problems.full()) scene.probes.push_back(builder.build(spec));
}

}  // namespace talus::scene::detail
