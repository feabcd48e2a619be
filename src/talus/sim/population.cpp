#include <talus/sim/population.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <talus/base/contract.hpp>
#include <talus/base/random.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/geometry/ball_grid.hpp>
#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/model/bounding_radius.hpp>

namespace talus::sim {
namespace {

using model::Presence;

/// The random numbers of a body in a step, whatever was drawn before.
Random random_of(std::uint64_t seed, Index place, Index step) {
  std::uint64_t mixed = Random(seed).bits();
  mixed = Random(mixed ^ static_cast<std::uint64_t>(place)).bits();
  return Random(Random(mixed ^ static_cast<std::uint64_t>(step)).bits());
}

/// Bodies of a set that are due at a time, which is a rounded multiple of the step as the times of
/// the bodies are rounded sums.
Index due_count(const model::Source& source, Real time) {
  const Real round_off = 4 * std::numeric_limits<Real>::epsilon() * std::abs(time);
  return std::upper_bound(source.due.begin(), source.due.end(), time + round_off) -
         source.due.begin();
}

/// The room of a source's region: which balls it has place for.
class Room {
 public:
  /// @param radius of each body's bounding ball. @param largest of the balls to be put in [m].
  Room(const model::Model& model, const model::State& state, const std::vector<Real>& radius,
       const model::Region& region, Real gap, Real largest)
      : region_(region), periodic_(model.cell), gap_(gap) {
    struct Ball {
      Vec3 centre;
      Real radius;
    };
    std::vector<Ball> balls;
    Real largest_there = 0;
    const geometry::Aabb box{region.min.array() - gap, region.max.array() + gap};
    for (Index i = 0; i < model.body_count(); ++i) {
      if (!state.is_present(i)) continue;
      const model::Body& body = model.bodies[i];
      const bool is_wall = body.kind != model::BodyKind::dynamic &&
                           !std::holds_alternative<geometry::Sphere>(body.shape);
      if (is_wall) {
        const Pose X_WB = state.pose(i);
        for_each_image(model.cell, model.cell.beside(region.min, X_WB.p), [&](const Vec3& image) {
          const Pose X_WS = Pose{image, X_WB.q} * body.X_BS;
          if (overlap(geometry::bounds(body.shape, X_WS), box))
            walls_.push_back({&body.shape, X_WS});
        });
        continue;
      }
      for_each_image(model.cell, model.cell.above(region.min, state.position[i]),
                     [&](const Vec3& centre) {
                       if (!is_near(centre, radius[i])) return;
                       balls.push_back({centre, radius[i]});
                       largest_there = std::max(largest_there, radius[i]);
                     });
    }
    grid_.emplace(largest + std::max(largest, largest_there) + gap, gap);
    for (const Ball& ball : balls) grid_->add(ball.centre, ball.radius);
  }

  [[nodiscard]] bool has_place(const Vec3& centre, Real radius) {
    if (!grid_->has_room(centre, radius)) return false;
    const geometry::Shape sphere = geometry::Sphere{radius};
    const geometry::Aabb box{centre.array() - radius - gap_, centre.array() + radius + gap_};
    for (const Wall& wall : walls_) {
      if (!overlap(geometry::bounds(*wall.shape, wall.X_WS), box)) continue;
      geometry::contacts_of_pair(*wall.shape, sphere,
                                 wall.X_WS.inverse() * Pose{centre, Quat::Identity()}, gap_,
                                 contacts_);
      if (!contacts_.points.empty()) return false;
    }
    return true;
  }
  void add(const Vec3& centre, Real radius) {
    for_each_image(periodic_, centre, [&](const Vec3& image) {
      if (is_near(image, radius)) grid_->add(image, radius);
    });
  }

 private:
  struct Wall {
    const geometry::Shape* shape;
    Pose X_WS;
  };
  /// Whether a ball there can be in the way of one in the region.
  [[nodiscard]] bool is_near(const Vec3& centre, Real radius) const {
    const Vec3 nearest = centre.cwiseMax(region_.min).cwiseMin(region_.max);
    const Real reach = radius + gap_;
    return (centre - nearest).squaredNorm() < reach * reach;
  }

  model::Region region_;
  PeriodicCell periodic_;
  Real gap_;
  std::vector<Wall> walls_;
  std::optional<geometry::BallGrid> grid_;
  geometry::PairContacts contacts_;
};

}  // namespace

Population::Population(const model::Model& model)
    : model_(model), waiting_(model.sources.size(), 0) {
  if (model.sources.empty()) return;
  for (const model::Body& body : model.bodies)
    radius_.push_back(model::bounding_radius(model.dimension, body.shape, body.X_BS));
}

model::PopulationChange Population::update(model::State& state, Index step) {
  entered_.clear();
  model::PopulationChange change;
  if (!model_.has_changing_population()) return change;
  TALUS_DEMAND_EQ(state.presence.size(), state.position.size());
  for (const model::Sink& sink : model_.sinks) take_out(sink, state, change.out);
  for (std::size_t i = 0; i < model_.sources.size(); ++i) {
    // What was inserted before is in the state: a resumed run loses nothing.
    const model::Source& source = model_.sources[i];
    Index& first = waiting_[i];
    while (first < source.count() && state.presence[source.first + first] != Presence::waiting)
      ++first;
    const Index due = due_count(source, state.time);
    if (first >= due) continue;
    const std::size_t entered_before = entered_.size();
    put_in(source, first, due, step, state, change.in);
    first += static_cast<Index>(entered_.size() - entered_before);
    change.late += due - first;
  }
  return change;
}

void Population::take_out(const model::Sink& sink, model::State& state, model::Flow& out) const {
  for (const Index i : sink.bodies) {
    if (!state.is_present(i) || !sink.takes(model_.cell.above(sink.region.min, state.position[i])))
      continue;
    out.add({1, model_.bodies[i].mass, dynamics::energy_of(model_, state, i).total()});
    state.presence[i] = Presence::removed;
    state.velocity[i] = state.angular_velocity[i] = Vec3::Zero();
  }
}

void Population::put_in(const model::Source& source, Index first, Index due, Index step,
                        model::State& state, model::Flow& in) {
  const auto radii = radius_.begin() + source.first;
  const Real largest = *std::max_element(radii + first, radii + due);
  Room room(model_, state, radius_, source.region, source.gap, largest);
  for (Index place = first; place < due; ++place) {
    const Index body = source.first + place;
    const Real radius = radius_[body];
    Random random = random_of(source.seed, place, step);
    Vec3 velocity = source.velocity, centre;
    for (Real& component : velocity) component += source.velocity_spread * random.uniform(-1, 1);
    if (model_.dimension == 2) velocity.z() = 0;
    const Vec3 low = source.region.min.array() + radius, high = source.region.max.array() - radius;
    int tries = 0;
    for (; tries < kTries; ++tries) {
      for (int k = 0; k < 3; ++k) centre[k] = random.uniform(low[k], high[k]);
      if (model_.dimension == 2) centre.z() = 0;
      if (room.has_place(centre, radius)) break;
    }
    if (tries == kTries) return;
    room.add(centre, radius);
    state.presence[body] = Presence::present;
    state.position[body] = centre;
    state.velocity[body] = velocity;
    state.angular_velocity[body] = source.angular_velocity;
    in.add({1, model_.bodies[body].mass, dynamics::energy_of(model_, state, body).total()});
    entered_.push_back(body);
  }
}

}  // namespace talus::sim
