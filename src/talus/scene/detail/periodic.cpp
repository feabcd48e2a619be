#include <talus/scene/detail/periodic.hpp>

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>
#include <variant>

#include <talus/base/text.hpp>
#include <talus/model/minimum_image_clearance.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::string_view kAxes = "xyz";
/// Images of bodies keep so much of a distance, as a factor of what they reach, for margins.
constexpr Real kRoom = 1.05;
constexpr Real kRoundOff = 1e-9;  ///< of lengths that are meant to be the same
constexpr Real kAlong = 1e-12;    ///< a normal's largest part in a periodic direction

class CellCheck {
 public:
  CellCheck(const Scene& scene, const std::function<const Place&(Index)>& place_of,
            Problems& problems)
      : scene_(scene),
        model_(scene.model),
        cell_(scene.model.cell),
        place_of_(place_of),
        problems_(problems) {}

  void run() {
    std::array<Index, 3> widest = {-1, -1, -1};  // of the dynamic bodies
    for (Index i = 0; i < model_.body_count(); ++i) {
      if (model_.bodies[i].kind != model::BodyKind::dynamic) continue;
      for (int k = 0; k < 3; ++k)
        if (widest[k] < 0 || reach(i)[k] > reach(widest[k])[k]) widest[k] = i;
    }
    for (Index i = 0; i < model_.body_count() && !problems_.full(); ++i) {
      if (std::holds_alternative<geometry::Plane>(model_.bodies[i].shape)) {
        check_plane(i);
        continue;
      }
      for (int k = 0; k < 3; ++k)
        if (cell_.is_periodic(k) && widest[k] >= 0) check_reach(i, k, widest[k]);
    }
    for (const model::Motion& motion : model_.motions)
      if (std::holds_alternative<geometry::Plane>(model_.bodies[motion.body].shape) &&
          turns(motion))
        note(motion.body,
             fmt::format("\"{}\" is a plane that turns: in a periodic cell it cannot",
                         model_.body_name(motion.body)),
             "move it without turning, or take a body of finite size");
  }

 private:
  [[nodiscard]] Vec3 reach(Index i) const {
    return model::image_reach(model_.bodies[i], scene_.initial.pose(i));
  }

  static bool turns(const model::Motion& motion) {
    for (const model::MotionTerm& term : motion.terms) {
      if (std::holds_alternative<model::ConstantRotation>(term) ||
          std::holds_alternative<model::HarmonicRotation>(term))
        return true;
      const auto* drifting = std::get_if<model::ConstantTwist>(&term);
      if (drifting != nullptr && !drifting->angular_velocity.isZero(0)) return true;
      const auto* tabled = std::get_if<model::TabulatedMotion>(&term);
      if (tabled != nullptr && !tabled->angle.empty()) return true;
    }
    return false;
  }

  void check_plane(Index i) {
    const Vec3 normal = (scene_.initial.pose(i) * model_.bodies[i].X_BS).q * Vec3::UnitZ();
    for (int k = 0; k < 3; ++k)
      if (cell_.is_periodic(k) && std::abs(normal[k]) > kAlong)
        note(i,
             fmt::format("\"{}\" is a plane that does not continue across the periodic faces: "
                         "its normal has the part {:.3g} along {}, allowed is 0",
                         model_.body_name(i), normal[k], kAxes[k]),
             fmt::format("turn it, or leave {} out of periodic", kAxes[k]));
  }

  void check_reach(Index i, int k, Index widest) {
    const Real own = reach(i)[k], other = reach(widest)[k], length = cell_.length()[k];
    if (2 * kRoom * (own + other) < length) return;
    const std::string what = fmt::format(
        "\"{}\" is too large for a cell of {:.4g} m along {}: it reaches {:.4g} m from its origin, "
        "and the largest dynamic body, \"{}\", {:.4g} m; images of both must not touch twice, so "
        "the two together may reach less than {:.4g} m",
        model_.body_name(i), length, kAxes[k], own, model_.body_name(widest), other,
        length / (2 * kRoom));
    note(i, what,
         model_.bodies[i].kind == model::BodyKind::dynamic
             ? fmt::format("make the cell longer than {:.4g} m", 2 * kRoom * (own + other))
             : "take a plane, or several smaller bodies side by side");
  }

  /// Once per entry: the members of a set are alike.
  void note(Index body, std::string message, std::string hint) {
    const Place& place = place_of_(body);
    if (noted_.insert(place.node).second) problems_.add(place, std::move(message), std::move(hint));
  }

  const Scene& scene_;
  const model::Model& model_;
  const PeriodicCell& cell_;
  const std::function<const Place&(Index)>& place_of_;
  Problems& problems_;
  std::set<const Node*> noted_;
};

}  // namespace

PeriodicCell cell_of(const SceneSpec& spec, Problems& problems) {
  if (!spec.periodic || !spec.periodic->is_sound) return {};
  if (spec.dimension == 2 && spec.periodic->z) {
    problems.add(spec.periodic->place.at("z"), "a planar scene is periodic along x and y at most",
                 "remove z");
    return {};
  }
  Vec3 low = Vec3::Zero(), length = Vec3::Zero();
  const PeriodicSpec& periodic = *spec.periodic;
  const std::array faces = {periodic.x, periodic.y, periodic.z};
  for (int k = 0; k < 3; ++k) {
    if (!faces[k]) continue;
    low[k] = faces[k]->x();
    length[k] = faces[k]->y() - faces[k]->x();
    if (length[k] > 0) continue;
    problems.add(periodic.place.at(kAxes.substr(static_cast<std::size_t>(k), 1)),
                 fmt::format("expected the low face, then the high one, got {} and {}",
                             faces[k]->x(), faces[k]->y()));
    return {};
  }
  return {low, length};
}

bool fills(const RegionSpec& region, const PeriodicCell& cell, int axis) {
  return cell.is_periodic(axis) &&
         region.max[axis] - region.min[axis] >= (1 - kRoundOff) * cell.length()[axis];
}

void check_region(const RegionSpec& region, const PeriodicCell& cell, Problems& problems,
                  int dimension) {
  std::string wrong;
  for (int k = 0; k < dimension; ++k)
    if (!(region.min[k] < region.max[k]))
      append(wrong, "{}{} and {} along {}", wrong.empty() ? "" : ", ", region.max[k], region.min[k],
             kAxes[k]);
  if (!wrong.empty())
    return problems.add(region.place.at("max"),
                        "expected max above min in every direction, got " + wrong);
  for (int k = 0; k < 3; ++k) {
    const Real length = region.max[k] - region.min[k];
    if (cell.is_periodic(k) && length > (1 + kRoundOff) * cell.length()[k])
      problems.add(region.place,
                   fmt::format("the region is {:.6g} m long in the periodic direction {}, longer "
                               "than the cell, {:.6g} m",
                               length, kAxes[k], cell.length()[k]));
  }
}

void check_periodic(const Scene& scene, const std::function<const Place&(Index)>& place_of,
                    Problems& problems) {
  if (scene.model.cell.is_periodic()) CellCheck(scene, place_of, problems).run();
}

}  // namespace talus::scene::detail
