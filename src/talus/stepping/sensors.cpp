#include <talus/stepping/sensors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/dynamics/joint_frames.hpp>
#include <talus/geometry/ray.hpp>

namespace talus::stepping {
namespace {

constexpr Real kNoReading = std::numeric_limits<Real>::quiet_NaN();

using model::BodyFrame;
using model::FrameSensor;

/// A frame in motion: its pose, the velocity of its origin, its angular velocity, world frame.
struct MovingFrame {
  Pose X_WF;
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};

MovingFrame motion_of(const BodyFrame& frame, const model::State& state) {
  if (frame.body == model::kWorld) return {frame.X_BF};
  const Pose X_WF = state.pose(frame.body) * frame.X_BF;
  const Vec3& w = state.angular_velocity[frame.body];
  return {X_WF, state.velocity[frame.body] + w.cross(X_WF.p - state.position[frame.body]), w};
}

/// Where a frame is after a share of a step, by the shortest way.
Pose pose_within(const BodyFrame& frame, const SensedStep& step, Real share) {
  if (frame.body == model::kWorld) return frame.X_BF;
  const Pose first = step.before.pose(frame.body), last = step.after.pose(frame.body);
  return Pose{first.p + share * (last.p - first.p), first.q.slerp(share, last.q)} * frame.X_BF;
}

bool is_there(const BodyFrame& frame, const model::State& state) {
  return frame.body == model::kWorld || state.is_present(frame.body);
}

/// Writes the reading of a sensor.
class Reading {
 public:
  Reading(const model::Model& model, std::span<const Real> radius,
          std::span<const dynamics::JointCoordinate> coordinates, const SensedStep& step,
          std::span<Real> values)
      : model_(model), radius_(radius), coordinates_(coordinates), step_(step), values_(values) {}

  void operator()(const FrameSensor& sensor) {
    if (!is_there(sensor.frame, step_.after) || !is_there(sensor.against, step_.after)) return;
    const MovingFrame frame = motion_of(sensor.frame, step_.after);
    const MovingFrame other = motion_of(sensor.against, step_.after);
    const Quat back = other.X_WF.q.conjugate();
    switch (sensor.quantity) {
      case FrameSensor::Quantity::proper_acceleration:
        return put(proper_acceleration(sensor.frame, frame));
      case FrameSensor::Quantity::own_rate:
        return put(frame.X_WF.q.conjugate() * frame.w);
      case FrameSensor::Quantity::orientation: {
        const Quat q = back * frame.X_WF.q;
        values_[0] = q.w();
        std::copy_n(q.vec().data(), 3, values_.begin() + 1);
        return;
      }
      case FrameSensor::Quantity::position:
        return put(back * (frame.X_WF.p - other.X_WF.p));
      case FrameSensor::Quantity::velocity:
        return put(back * (frame.v - other.v - other.w.cross(frame.X_WF.p - other.X_WF.p)));
      case FrameSensor::Quantity::angular_velocity:
        return put(back * (frame.w - other.w));
    }
  }

  /// The reactions of the joint and its drives, and what acts along its axes, where they act. What
  /// turns a rotor does not act on the body.
  void operator()(const model::JointLoadSensor& sensor) {
    const model::SpatialMachine& machine = *model_.spatial_machine;
    const auto at = static_cast<std::size_t>(sensor.joint);
    if (step_.reactions.size() < machine.joints.size() + machine.drives.size()) return;
    const model::SpatialJoint& joint = machine.joints[at];
    const Quat q_WA = within({joint.body_a, joint.X_AJ}).q;
    const Vec3 point = within({joint.body_b, joint.X_BJ}).p;
    Vec3 force = step_.reactions[at].force, moment = step_.reactions[at].moment;
    for (std::size_t d = 0; d < machine.drives.size(); ++d) {
      if (machine.drives[d].joint != sensor.joint) continue;
      force += step_.reactions[machine.joints.size() + d].force;
      moment += step_.reactions[machine.joints.size() + d].moment;
    }
    force = q_WA * force;
    moment = q_WA * moment;
    add_axes(sensor.joint, joint, point, force, moment);
    const Pose X_WF = within(sensor.frame);
    if (sensor.is_moment) moment += (point - X_WF.p).cross(force);
    put(X_WF.q.conjugate() * (sensor.is_moment ? moment : force));
  }

  void operator()(const model::ContactSensor& sensor) {
    if (step_.was_cut || !is_there(sensor.frame, step_.after)) return;
    const Index body = sensor.frame.body;
    const Pose X_WF = motion_of(sensor.frame, step_.after).X_WF;
    // Contact points are those of the start of the step.
    const Pose X_FW = motion_of(sensor.frame, step_.before).X_WF.inverse();
    Vec3 impulse = Vec3::Zero();
    Real normal = 0;
    for (const StepContact& contact : step_.contacts) {
      if (contact.body_a != body && contact.body_b != body) continue;
      const Index other = contact.body_a == body ? contact.body_b : contact.body_a;
      if (sensor.against && *sensor.against != other) continue;
      const Vec3 p = X_FW * contact.position;
      if (!(p.cwiseAbs().array() <= sensor.half_size.array()).all()) continue;
      impulse += contact.body_b == body ? contact.impulse : Vec3(-contact.impulse);
      normal += contact.impulse.dot(contact.normal);
    }
    if (sensor.is_touch)
      values_[0] = normal / step_.step_size;
    else
      put(X_WF.q.conjugate() * impulse / step_.step_size);
  }

  void operator()(const model::RangeSensor& sensor) {
    if (!is_there(sensor.frame, step_.after)) return;
    const Pose X_WF = motion_of(sensor.frame, step_.after).X_WF;
    const Vec3 direction = X_WF.q * Vec3::UnitZ();
    Real distance = sensor.reach;
    for (Index i = 0; i < model_.body_count(); ++i) {
      if (i == sensor.frame.body || !step_.after.is_present(i)) continue;
      const Real radius = radius_[static_cast<std::size_t>(i)];
      const Vec3 way = step_.after.position[i] - X_WF.p;
      const Real along = way.dot(direction);
      if (along + radius < 0 || along - radius > distance ||
          way.squaredNorm() - along * along > radius * radius * (1 + 1e-12))
        continue;
      const model::Body& body = model_.bodies[static_cast<std::size_t>(i)];
      const Pose X_SW = (step_.after.pose(i) * body.X_BS).inverse();
      distance = std::min(distance, geometry::distance_along(X_SW * X_WF.p, X_SW.q * direction,
                                                             distance, body.shape));
    }
    values_[0] = distance;
  }

 private:
  void put(const Vec3& reading) { std::copy_n(reading.data(), 3, values_.begin()); }

  [[nodiscard]] Vec3 proper_acceleration(const BodyFrame& frame, const MovingFrame& after) const {
    if (!is_there(frame, step_.before)) return Vec3::Constant(kNoReading);
    const MovingFrame before = motion_of(frame, step_.before);
    const Vec3 mean = (after.v - before.v) / step_.step_size - model_.gravity;
    return before.X_WF.q.slerp(0.5, after.X_WF.q).conjugate() * mean;
  }

  [[nodiscard]] Pose within(const BodyFrame& frame) const {
    return pose_within(frame, step_, step_.place_of_reactions);
  }
  /// Where the reactions of the step act.
  [[nodiscard]] dynamics::BodyMotion placed(Index body) const {
    dynamics::BodyMotion motion = dynamics::motion_of(step_.after, body);
    if (body == model::kWorld) return motion;
    const Pose X_WB = within({body, {}});
    motion.p = X_WB.p;
    motion.R = X_WB.q.toRotationMatrix();
    return motion;
  }
  [[nodiscard]] Real rate(const model::SpatialJoint& joint, model::Freedom axis,
                          const model::State& state) const {
    return dynamics::axis_terms(joint, axis, dynamics::motion_of(state, joint.body_a),
                                dynamics::motion_of(state, joint.body_b))
        .rate;
  }

  /// Efforts along the coordinates of a joint as a force and a moment about its point in B.
  void add_axes(Index index, const model::SpatialJoint& joint, const Vec3& point, Vec3& force,
                Vec3& moment) const {
    if (joint.axes.empty()) return;
    const dynamics::BodyMotion A = placed(joint.body_a), B = placed(joint.body_b);
    for (std::size_t i = 0; i < std::min(coordinates_.size(), step_.axes.size()); ++i) {
      const dynamics::JointCoordinate& one = coordinates_[i];
      if (one.joint != index || one.law < 0) continue;
      const dynamics::AxisReaction& axis = step_.axes[i];
      Real effort = axis.effort + axis.limit + axis.spring + axis.friction;
      const Real inertia = joint.axes[static_cast<std::size_t>(one.law)].armature;
      if (inertia > 0)
        effort += std::isnan(axis.armature) ? -inertia *
                                                  (rate(joint, one.freedom, step_.after) -
                                                   rate(joint, one.freedom, step_.before)) /
                                                  step_.step_size
                                            : axis.armature;
      const Vec6 push = dynamics::axis_terms(joint, one.freedom, A, B).row.b * effort;
      force += push.head<3>();
      moment += push.tail<3>() - (point - B.p).cross(push.head<3>());
    }
  }

  const model::Model& model_;
  std::span<const Real> radius_;
  std::span<const dynamics::JointCoordinate> coordinates_;
  const SensedStep& step_;
  std::span<Real> values_;
};

}  // namespace

SensorColumn column_of(const model::SensorKind& kind) {
  if (const auto* frame = std::get_if<FrameSensor>(&kind)) switch (frame->quantity) {
      case FrameSensor::Quantity::proper_acceleration:
        return {3, "x y z", "m/s^2",
                "acceleration without gravity along the frame's axes: mean over the step"};
      case FrameSensor::Quantity::own_rate:
        return {3, "x y z", "rad/s", "angular velocity along the frame's axes, after the step"};
      case FrameSensor::Quantity::orientation:
        return {4, "w x y z", "1", "unit quaternion: frame to the world or the other frame"};
      case FrameSensor::Quantity::position:
        return {3, "x y z", "m", "of the frame's origin, in the world or the other frame"};
      case FrameSensor::Quantity::velocity:
        return {3, "x y z", "m/s", "of the frame's origin, in the world or the other frame"};
      case FrameSensor::Quantity::angular_velocity:
        return {3, "x y z", "rad/s", "of the frame, in the world or the other frame"};
    }
  if (const auto* load = std::get_if<model::JointLoadSensor>(&kind)) {
    if (load->is_moment)
      return {3, "x y z", "N m",
              "what the joint does to its second body, about the frame's origin: mean over the "
              "step"};
    return {3, "x y z", "N", "what the joint does to its second body: mean over the step"};
  }
  if (const auto* contact = std::get_if<model::ContactSensor>(&kind)) {
    if (contact->is_touch) return {1, "", "N", "sum of the normal forces: mean over the step"};
    return {3, "x y z", "N",
            "sum of the contact forces, along the frame's axes: mean over the "
            "step"};
  }
  return {1, "", "m", "way along the ray to the first body, after the step"};
}

Sensors::Sensors(const model::Model& model) : model_(&model), first_{0} {
  bool looks_far = false;
  for (const model::Sensor& sensor : model.sensors) {
    first_.push_back(first_.back() + static_cast<std::size_t>(column_of(sensor.kind).components));
    needs_contacts_ = needs_contacts_ || std::holds_alternative<model::ContactSensor>(sensor.kind);
    looks_far = looks_far || std::holds_alternative<model::RangeSensor>(sensor.kind);
  }
  values_.assign(first_.back(), kNoReading);
  if (model.spatial_machine && !model.sensors.empty())
    coordinates_ = dynamics::joint_coordinates(*model.spatial_machine);
  if (!looks_far) return;
  for (const model::Body& body : model.bodies)
    radius_.push_back(body.X_BS.p.norm() + geometry::bounding_radius(body.shape));
}

void Sensors::read(const SensedStep& step) {
  TALUS_DEMAND(step.step_size > 0);
  read_nothing();
  for (std::size_t i = 0; i < model_->sensors.size(); ++i)
    std::visit(Reading(*model_, radius_, coordinates_, step,
                       std::span(values_).subspan(first_[i], first_[i + 1] - first_[i])),
               model_->sensors[i].kind);
}

void Sensors::read_nothing() { std::fill(values_.begin(), values_.end(), kNoReading); }

}  // namespace talus::stepping
