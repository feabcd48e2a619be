#include <talus/dynamics/planar_contacts.hpp>

#include <cmath>

#include <talus/model/machine.hpp>

namespace talus::dynamics {
namespace {

/// The corners of b against a.
void add_candidates(Index a, Index b, const std::vector<geometry::PlanarShape>& shapes,
                    std::vector<CornerCandidate>& candidates) {
  const geometry::PlanarShape& target = shapes[static_cast<std::size_t>(a)];
  const geometry::PlanarShape& shape = shapes[static_cast<std::size_t>(b)];
  if (shape.is_half_plane) return;
  const bool is_point = !target.is_half_plane && target.corners.size() == 1;
  if (is_point && (shape.corners.size() > 1 || a > b)) return;
  for (std::size_t corner = 0; corner < shape.corners.size(); ++corner)
    candidates.push_back({a, b, corner});
}

}  // namespace

std::vector<CornerCandidate> corner_candidates(const model::Model& model,
                                               const std::vector<geometry::PlanarShape>& shapes) {
  std::vector<CornerCandidate> candidates;
  for (Index a = 0; a < model.body_count(); ++a)
    for (Index b = a + 1; b < model.body_count(); ++b)
      if (model::can_touch(model, a, b)) {
        add_candidates(a, b, shapes, candidates);
        add_candidates(b, a, shapes, candidates);
      }
  return candidates;
}

Mat2 turned(Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  return (Mat2() << c, -s, s, c).finished();
}

PlanarTouch meet(const CornerCandidate& candidate, const std::vector<geometry::PlanarShape>& shapes,
                 const PlanarPose& pose_a, const PlanarPose& pose_b, bool moves_a, bool moves_b) {
  const geometry::PlanarShape& target = shapes[static_cast<std::size_t>(candidate.body_a)];
  const geometry::PlanarShape& shape = shapes[static_cast<std::size_t>(candidate.body_b)];
  PlanarTouch touch;
  touch.body_a = candidate.body_a;
  touch.body_b = candidate.body_b;
  touch.corner = pose_b.p + pose_b.R * shape.corners[candidate.corner];
  const geometry::CoreDistance core =
      distance_from_core(target, pose_a.R.transpose() * (touch.corner - pose_a.p));
  touch.gap = core.distance - shape.radius - target.radius;
  touch.normal = pose_a.R * core.normal;
  touch.centre = pose_a.p + pose_a.R * core.nearest;
  touch.centre_distance = core.distance;
  touch.is_point = core.is_corner;
  if (shape.radius + target.radius == 0) touch.room = core.room;
  touch.share = !moves_a ? 0 : !moves_b ? 1 : 0.5;
  touch.reach = shape.radius + touch.share * touch.gap;
  const Vec2 on_b = touch.corner - shape.radius * touch.normal;
  const Vec2 on_a = touch.centre + target.radius * touch.normal;
  touch.position = !moves_a ? on_b : !moves_b ? on_a : Vec2((on_a + on_b) / 2);
  return touch;
}

}  // namespace talus::dynamics
