#include <talus/scene/detail/population.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <talus/model/bounding_radius.hpp>
#include <talus/scene/detail/select_bodies.hpp>

namespace talus::scene::detail {
namespace {

/// In the plane a region is open along z.
model::Region region_of(const OpenRegionSpec& spec, const model::Model& model, Problems& problems) {
  const PeriodicCell& cell = model.cell;
  model::Region region;
  const model::Region open;
  if (spec.min) region.min = *spec.min;
  if (spec.max) region.max = *spec.max;
  if (model.dimension == 2) {
    region.min.z() = open.min.z();
    region.max.z() = open.max.z();
  }
  if (!(region.min.array() < region.max.array()).all())
    problems.add(spec.place, "expected max above min in every direction");
  else if (region.min.array().isInf().all() && region.max.array().isInf().all())
    problems.add(spec.place, "this region is all of space", "give min or max");
  for (int k = 0; k < 3; ++k) {
    const bool is_open = std::isinf(region.min[k]) && std::isinf(region.max[k]);
    if (cell.is_periodic(k) && !is_open &&
        !(region.max[k] - region.min[k] <= (1 + 1e-9) * cell.length()[k]))
      problems.add(spec.place,
                   fmt::format("in the periodic direction {} a region has no bounds, or two that "
                               "are no farther apart than the cell is long, {:.6g} m",
                               "xyz"[k], cell.length()[k]));
  }
  return region;
}

}  // namespace

void build_source(const BodySpec& spec, Index first, Scene& scene, Problems& problems) {
  const SourceSpec& from = *spec.source;
  model::Source source;
  source.first = first;
  source.region = {from.region.min, from.region.max};
  source.gap = from.gap;
  source.velocity = spec.velocity;
  source.velocity_spread = from.velocity_spread;
  source.angular_velocity = spec.angular_velocity;
  source.seed = static_cast<std::uint64_t>(from.seed);
  const VecX extent = (source.region.max - source.region.min).head(scene.model.dimension);
  Real mass = 0;
  for (Index k = 0; k < from.count; ++k) {
    const model::Body& body = scene.model.bodies[first + k];
    const Real size = 2 * model::bounding_radius(scene.model.dimension, body.shape, body.X_BS);
    if (size > extent.minCoeff())
      return problems.add(
          from.region.place,
          fmt::format("{}[{}] does not fit into the region: its bounding ball is {:.3g} m across, "
                      "the region's shortest edge is {:.3g} m",
                      spec.name, k, size, extent.minCoeff()),
          "make the region larger or the bodies smaller");
    mass += body.mass;
    source.due.push_back(
        from.start + (from.rate ? static_cast<Real>(k + 1) / *from.rate : mass / *from.mass_rate));
  }
  scene.model.sources.push_back(std::move(source));
}

void build_sinks(const std::vector<SinkSpec>& specs, Scene& scene, Problems& problems) {
  std::set<std::string> names;
  const std::vector<unsigned char> held = model::held_bodies(scene.model);
  for (const SinkSpec& spec : specs) {
    if (!spec.is_sound || problems.full()) continue;
    if (!names.insert(spec.name).second)
      problems.add(spec.place.at("name"), fmt::format("there is already a sink \"{}\"", spec.name));
    model::Sink sink;
    sink.name = spec.name;
    sink.is_outside = spec.outside.has_value();
    sink.region = region_of(spec.outside ? *spec.outside : *spec.region, scene.model, problems);
    sink.bodies = spec.bodies.empty()
                      ? all_dynamic(scene.model)
                      : select_bodies(scene.model, spec.bodies, spec.place.at("bodies"),
                                      "only dynamic bodies are taken out", problems);
    const auto is_held = [&](Index body) { return !held.empty() && held[body] != 0; };
    const auto first = std::find_if(sink.bodies.begin(), sink.bodies.end(), is_held);
    if (first != sink.bodies.end() && !spec.bodies.empty())
      problems.add(spec.place.at("bodies"),
                   fmt::format("\"{}\" is held by a joint, a drive or a force element",
                               scene.model.body_name(*first)),
                   "sinks take bodies that are free: what holds one would be left behind");
    std::erase_if(sink.bodies, is_held);
    scene.model.sinks.push_back(std::move(sink));
  }
}

}  // namespace talus::scene::detail
