#include <talus/scene/detail/forces_in_space.hpp>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include <talus/scene/detail/joints_in_space.hpp>
#include <talus/scene/detail/shape_maker.hpp>

namespace talus::scene::detail {
namespace {

class ForceInSpace {
 public:
  ForceInSpace(const ForceSpec& spec, const BodyPair& bodies, MachineContext& context)
      : spec_(spec),
        context_(context),
        problems_(context.problems),
        pose_a_(pose_of(context, bodies.a)),
        pose_b_(pose_of(context, bodies.b)) {}

  model::SpatialForceKind make() {
    if (spec_.spring) return spring(*spec_.spring);
    if (spec_.damper) {
      model::LineElement line;
      (void)set_points(*spec_.damper, line);
      line.damping = spec_.damper->damping;
      return line;
    }
    if (spec_.pull) {
      model::LineElement line;
      check_apart(set_points(*spec_.pull, line), spec_.pull->place);
      line.force = context_.time_law(spec_.pull->force, Quantity::force);
      return line;
    }
    if (spec_.torsion_spring) return torsion(*spec_.torsion_spring);
    if (spec_.bushing) return bushing(*spec_.bushing);
    if (spec_.moment) {
      const MomentSpec& moment = *spec_.moment;
      return model::AppliedTorque{load_direction(moment), frame(moment.follows),
                                  context_.time_law(moment.torque, Quantity::torque)};
    }
    const PointForceSpec& point = *spec_.point_force;
    const Vec3 p_B = point.at ? pose_b_.inverse() * *point.at : point.at_b.value_or(Vec3::Zero());
    if (!point.force) return lift(point.carries, p_B);
    return model::AppliedForce{p_B, load_direction(point), frame(point.follows),
                               context_.time_law(*point.force, Quantity::force)};
  }

 private:
  /// −m g.
  model::AppliedForce lift(Real mass, const Vec3& p_B) const {
    const Vec3& g = context_.model.gravity;
    const Vec3 up = g.isZero(0) ? Vec3(Vec3::UnitZ()) : Vec3(-g.normalized());
    return {p_B, pose_a_.q.conjugate() * up, frame(false), model::ConstantLaw{mass * g.norm()}};
  }

  static model::LoadFrame frame(bool follows) {
    return follows ? model::LoadFrame::following : model::LoadFrame::of_a;
  }
  /// In the frame that the direction is fixed in.
  template <class T>
  Vec3 load_direction(const T& load) {
    const Vec3 world = unit_direction(load.direction, load.place.at("direction"), problems_);
    return (load.follows ? pose_b_ : pose_a_).q.conjugate() * world;
  }

  /// @return the distance of the points at the start.
  Real set_points(const TwoPointsSpec& spec, model::LineElement& line) {
    line.p_A = spec.from ? pose_a_.inverse() * *spec.from : spec.at_a.value_or(Vec3::Zero());
    line.p_B = spec.to ? pose_b_.inverse() * *spec.to : spec.at_b.value_or(Vec3::Zero());
    return (pose_b_ * line.p_B - pose_a_ * line.p_A).norm();
  }
  void check_apart(Real distance, const Place& place) {
    if (distance == 0)
      problems_.add(place,
                    "at the start the two points are one: a force between them has no direction",
                    "move one of them, or take point_force");
  }

  model::LineElement spring(const SpringSpec& spec) {
    model::LineElement line;
    const Real start = set_points(spec, line);
    line.stiffness = spec.stiffness;
    line.rest_length = spec.rest_length.value_or(start);
    if (line.rest_length > 0) check_apart(start, spec.place);
    line.damping = spec.damping;
    return line;
  }

  model::TorsionElement torsion(const TorsionSpringSpec& spec) {
    model::TorsionElement torsion;
    const Quat axes = frame_about(unit_direction(spec.axis, spec.place.at("axis"), problems_));
    torsion.X_AJ = pose_a_.inverse() * Pose{pose_b_.p, axes};
    torsion.X_BJ = pose_b_.inverse() * Pose{pose_b_.p, axes};
    torsion.stiffness = spec.stiffness;
    torsion.rest_angle = spec.rest_angle.value_or(0);
    torsion.damping = spec.damping;
    return torsion;
  }

  model::Bushing bushing(const BushingSpec& spec) {
    model::Bushing bushing;
    const Quat axes = rotation_of(spec.orientation, problems_).value_or(Quat::Identity());
    const Vec3 at = spec.at ? *spec.at : pose_a_ * *spec.at_a;
    const Vec3 at_of_b = spec.at ? *spec.at : pose_b_ * *spec.at_b;
    bushing.X_AJ = pose_a_.inverse() * Pose{at, axes};
    bushing.X_BJ = pose_b_.inverse() * Pose{at_of_b, axes};
    bushing.stiffness = matrix(spec.stiffness_matrix, spec.stiffness, spec.angular_stiffness,
                               spec.place.at("stiffness_matrix"));
    bushing.damping = matrix(spec.damping_matrix, spec.damping, spec.angular_damping,
                             spec.place.at("damping_matrix"));
    if (bushing.stiffness.isZero(0) && bushing.damping.isZero(0))
      problems_.add(spec.place, "the bushing has neither a stiffness nor a damping");
    return bushing;
  }

  /// 6×6 as it is given, or diagonal; notes that it is not symmetric or has negative eigenvalues.
  Mat6 matrix(const std::optional<std::vector<std::vector<Real>>>& given, const Vec3& linear,
              const Vec3& angular, const Place& place) {
    Mat6 full = Mat6::Zero();
    full.diagonal() << linear, angular;
    if (!given) return full;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        full(i, j) = (*given)[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    const Real size = full.cwiseAbs().maxCoeff();
    if (!((full - full.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size)) {
      problems_.add(place, "expected a symmetric matrix");
      return full;
    }
    const Real least = Eigen::SelfAdjointEigenSolver<Mat6>(full).eigenvalues()[0];
    if (least < -1e-9 * size)
      problems_.add(place, fmt::format("expected no negative eigenvalue, got {:g}", least));
    return full;
  }

  const ForceSpec& spec_;
  MachineContext& context_;
  Problems& problems_;
  const Pose pose_a_, pose_b_;
};

}  // namespace

model::SpatialForce force_in_space(const ForceSpec& spec, const BodyPair& bodies,
                                   MachineContext& context) {
  return {spec.name, bodies.a, bodies.b, ForceInSpace(spec, bodies, context).make()};
}

}  // namespace talus::scene::detail
