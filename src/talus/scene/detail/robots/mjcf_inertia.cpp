#include <fmt/format.h>

#include <Eigen/Cholesky>

#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>

// The mass matrix of a robot as its file gives it, all coordinates at their reference: what damping
// ratios of MJCF are meant with.

namespace talus::scene::detail {
namespace {

/// A coordinate, and the velocity that it gives a link behind it: v = v₀ + ω × (x − p).
struct Coordinate {
  int link = 0;
  std::size_t joint = 0;
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();  ///< v₀ and ω
  Vec3 p = Vec3::Zero();
};

/// Those of a link's joints, in the world.
void add_coordinates(const RobotLink& link, int index, std::vector<Coordinate>& all) {
  for (std::size_t n = 0; n < link.joints.size(); ++n) {
    const RobotJoint& joint = link.joints[n];
    const Vec3 p = link.X_WL * joint.anchor;
    const auto add = [&](const Vec3& v, const Vec3& w) { all.push_back({index, n, v, w, p}); };
    if (joint.has_one_axis()) {
      const Vec3 axis = link.X_WL.q * joint.axis;
      add(joint.is_slide() ? axis : Vec3::Zero(), joint.is_slide() ? Vec3::Zero() : axis);
      continue;
    }
    for (int k = 0; k < 3; ++k) add(Vec3::Zero(), Vec3::Unit(k));
    for (int k = 0; k < 3 && joint.kind == RobotJoint::Kind::free; ++k)
      add(Vec3::Unit(k), Vec3::Zero());
  }
}

/// What a link and all that hangs on it weigh in two coordinates before it, or of its own.
Real weight_of(const Robot& robot, const Coordinate& a, const Coordinate& b, int link) {
  Real sum = 0;
  const int end = end_of_tree(robot, link);
  for (int i = link; i < end; ++i) {
    const RobotLink& one = robot.links[std::size_t(i)];
    if (!one.inertia) continue;
    const Mat3 R = one.X_WL.q.toRotationMatrix();
    const Vec3 c = one.X_WL * one.inertia->centre;
    const Vec3 v_a = a.v + a.w.cross(c - a.p), v_b = b.v + b.w.cross(c - b.p);
    sum += one.inertia->mass * v_a.dot(v_b) +
           (R.transpose() * a.w).dot(one.inertia->inertia * (R.transpose() * b.w));
  }
  return sum;
}

const RobotJoint& joint_of(const Robot& robot, const Coordinate& one) {
  return robot.links[std::size_t(one.link)].joints[one.joint];
}

/// The mass matrix of all that hangs on a link of the world.
class TreeMass {
 public:
  TreeMass(const Robot& robot, int root) {
    const int end = end_of_tree(robot, root);
    for (int i = root; i < end && all_.size() <= kMostCoordinates; ++i)
      add_coordinates(robot.links[std::size_t(i)], i, all_);
    if (all_.size() > kMostCoordinates || std::size_t(end - root) > kMostCoordinates) return;
    const auto n = static_cast<Index>(all_.size());
    MatX M = MatX::Zero(n, n);
    for (Index i = 0; i < n; ++i) {
      const Coordinate& a = all_[std::size_t(i)];
      for (Index j = 0; j <= i; ++j) {
        const Coordinate& b = all_[std::size_t(j)];
        if (a.link < end_of_tree(robot, b.link)) M(i, j) = M(j, i) = weight_of(robot, a, b, a.link);
      }
      M(i, i) += joint_of(robot, a).armature;
    }
    factor_.emplace(M);
  }
  /// 1 over the diagonal of the inverse; nothing where there is none.
  [[nodiscard]] std::optional<Real> free_inertia(int link, std::size_t joint) const {
    if (!factor_) return std::nullopt;
    VecX unit = VecX::Zero(static_cast<Index>(all_.size()));
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].link == link && all_[i].joint == joint) unit[Index(i)] = 1;
    const Real answer = unit.dot(factor_->solve(unit));
    return answer > 0 && std::isfinite(answer) ? std::optional(1 / answer) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostCoordinates = 300;

  std::vector<Coordinate> all_;
  std::optional<Eigen::LDLT<MatX>> factor_;
};

}  // namespace

int end_of_tree(const Robot& robot, int link) {
  int end = link + 1;
  while (end < static_cast<int>(robot.links.size()) && robot.links[std::size_t(end)].parent >= link)
    ++end;
  return end;
}

Real inertia_along(const Robot& robot, int link, std::size_t joint) {
  std::vector<Coordinate> own;
  add_coordinates(robot.links[std::size_t(link)], link, own);
  for (const Coordinate& one : own)
    if (one.joint == joint) return weight_of(robot, one, one, link) + joint_of(robot, one).armature;
  return 0;
}

void set_oscillators(MjcfContext& context) {
  const Robot& robot = context.robot;
  std::map<int, TreeMass> masses;  // by the link of the world
  for (const MjcfOscillator& one : context.oscillators) {
    int root = one.link;
    while (robot.links[std::size_t(root)].parent != kNoParent)
      root = robot.links[std::size_t(root)].parent;
    const TreeMass& mass = masses.try_emplace(root, robot, root).first->second;
    RobotJoint& joint = context.robot.links[std::size_t(one.link)].joints[one.joint];
    const auto inertia = mass.free_inertia(one.link, one.joint);
    if (!inertia) {
      context.file.refused(
          joint.place, "joint springdamper of a robot without inertia, or with too many joints");
      continue;
    }
    const Real time = one.time_constant * one.damping_ratio;
    joint.stiffness = *inertia / (time * time);
    joint.damping = 2 * *inertia / one.time_constant;
  }
}

}  // namespace talus::scene::detail
