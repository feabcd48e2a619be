#include <talus/scene/detail/overlap.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <talus/model/machine.hpp>
#include <talus/scene/detail/shapes.hpp>

namespace talus::scene::detail {
namespace {

/// A body in its cell: the cells of a level are cubes of edge 2^level, at least the diameter of the
/// bounding ball of every body of the level.
struct Placed {
  int level = 0;
  std::int64_t z = 0, y = 0, x = 0;
  Index body = 0;
};

bool by_cell(const Placed& a, const Placed& b) {
  return std::tie(a.level, a.z, a.y, a.x, a.body) < std::tie(b.level, b.z, b.y, b.x, b.body);
}

std::int64_t cell_index(Real coordinate, int level) {
  constexpr Real kFarthest = 1e15;
  return static_cast<std::int64_t>(
      std::clamp(std::floor(std::ldexp(coordinate, -level)), -kFarthest, kFarthest));
}

class OverlapSearch {
 public:
  OverlapSearch(const model::Model& model, const model::State& state, Real limit,
                const std::function<bool(const Overlap&)>& report)
      : model_(model), state_(state), limit_(limit), report_(report) {
    radius_.resize(model.bodies.size());
    centre_ = state.position;
    for (Vec3& centre : centre_) centre = model.cell.wrap(centre);
    for (Index body = 0; body < model.body_count(); ++body) {
      if (!state.is_present(body)) continue;
      radius_[body] = geometry::bounding_radius(model.bodies[body].shape);
      if (std::isinf(radius_[body])) {
        unbounded_.push_back(body);
        continue;
      }
      int level = 0;
      std::frexp(2 * radius_[body], &level);
      placed_.push_back(in_cell(body, level));
    }
    std::sort(placed_.begin(), placed_.end(), by_cell);
    for (const Placed& entry : placed_)
      if (levels_.empty() || levels_.back() != entry.level) levels_.push_back(entry.level);
  }

  void run() {
    for (Index body = 0; body < model_.body_count(); ++body) {
      if (std::isinf(radius_[body]) || !state_.is_present(body)) continue;
      for (const Index plane : unbounded_)
        if (!examine(plane, body, Vec3::Zero())) return;
      int own_level = 0;
      std::frexp(2 * radius_[body], &own_level);
      for (const int level : levels_)
        if (level >= own_level && !examine_images(body, level, level == own_level)) return;
    }
  }

 private:
  [[nodiscard]] Placed in_cell(Index body, int level, const Vec3& shift = Vec3::Zero()) const {
    const Vec3 p = centre_[body] + shift;
    return {level, cell_index(p.z(), level), cell_index(p.y(), level), cell_index(p.x(), level),
            body};
  }

  /// The body, and its images that are as near to the cell as bodies of the level can matter.
  bool examine_images(Index body, int level, bool is_own) {
    if (!model_.cell.is_periodic()) return examine_level(body, level, is_own, Vec3::Zero());
    const PeriodicCell& cell = model_.cell;
    const Real reach = std::ldexp(Real(2), level);
    Vec3 step;
    for (step.z() = -1; step.z() <= 1; ++step.z())
      for (step.y() = -1; step.y() <= 1; ++step.y())
        for (step.x() = -1; step.x() <= 1; ++step.x()) {
          const Vec3 shift = step.cwiseProduct(cell.length());
          bool is_near = true;
          for (int k = 0; k < 3; ++k) {
            if (step[k] == 0) continue;
            const Real from_low = centre_[body][k] + shift[k] - cell.low()[k];
            is_near &=
                cell.is_periodic(k) && from_low >= -reach && from_low <= cell.length()[k] + reach;
          }
          if (is_near && !examine_level(body, level, is_own, shift)) return false;
        }
    return true;
  }

  bool examine_level(Index body, int level, bool is_own, const Vec3& shift) {
    const Placed home = in_cell(body, level, shift);
    for (std::int64_t z = home.z - 1; z <= home.z + 1; ++z)
      for (std::int64_t y = home.y - 1; y <= home.y + 1; ++y) {
        const Placed first{level, z, y, home.x - 1, 0};
        for (auto other = std::lower_bound(placed_.begin(), placed_.end(), first, by_cell);
             other != placed_.end() && other->level == level && other->z == z && other->y == y &&
             other->x <= home.x + 1;
             ++other) {
          if (is_own && other->body >= body) continue;  // each pair once
          if (!examine(other->body, body, shift)) return false;
        }
      }
    return true;
  }

  /// The body a and the image of b at a shift. False when the search is over.
  bool examine(Index a, Index b, const Vec3& shift) {
    using model::BodyKind;
    const model::Body& body_a = model_.bodies[a];
    const model::Body& body_b = model_.bodies[b];
    if (body_a.kind != BodyKind::dynamic && body_b.kind != BodyKind::dynamic) return true;
    if ((model_.machine || model_.spatial_machine) && !model::can_touch(model_, a, b)) return true;
    const Real reach = radius_[a] + radius_[b];
    const Pose X_WA{centre_[a], state_.orientation[a]};
    const Pose X_WB{centre_[b] + shift, state_.orientation[b]};
    if ((X_WA.p - X_WB.p).squaredNorm() >= reach * reach) return true;
    const Real depth =
        overlap_depth(body_a.shape, X_WA * body_a.X_BS, body_b.shape, X_WB * body_b.X_BS);
    const Real size = std::min(least_thickness(body_a.shape), least_thickness(body_b.shape));
    if (!(depth > limit_ * size)) return true;
    return report_({std::min(a, b), std::max(a, b), depth, size});
  }

  const model::Model& model_;
  const model::State& state_;
  Real limit_;
  const std::function<bool(const Overlap&)>& report_;
  std::vector<Vec3> centre_;  // in the cell
  std::vector<Real> radius_;
  std::vector<Placed> placed_;
  std::vector<Index> unbounded_;
  std::vector<int> levels_;
};

}  // namespace

void find_overlaps(const model::Model& model, const model::State& state, Real limit,
                   const std::function<bool(const Overlap&)>& report) {
  OverlapSearch(model, state, limit, report).run();
}

}  // namespace talus::scene::detail
