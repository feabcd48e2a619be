#include <talus/scene/detail/joints_in_space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <talus/scene/detail/joint_coordinates.hpp>
#include <talus/scene/detail/surfaces.hpp>

namespace talus::scene::detail {
namespace {

using model::AxisLaw;
using model::Freedom;
using model::SpatialJoint;

/// The two frames of a joint, world axes.
struct JointFramesInWorld {
  Pose A, B;
};

class JointInSpace {
 public:
  JointInSpace(const JointSpec& spec, const BodyPair& bodies, MachineContext& context)
      : spec_(spec),
        context_(context),
        problems_(context.problems),
        body_a_(holder(bodies)),
        pose_a_(pose_of(context, body_a_)),
        pose_b_(pose_of(context, bodies.b)) {
    joint_.name = spec.name;
    joint_.body_a = body_a_;
    joint_.body_b = bodies.b;
    joint_.collides = spec.collides;
  }

  SpatialJoint make() {
    set_kind();
    joint_.X_AJ = pose_a_.inverse() * frames_.A;
    joint_.X_BJ = pose_b_.inverse() * frames_.B;
    for (const CoordinateName& name : coordinate_names())
      if (const auto& law = spec_.*name.law) add_law(*law, name.name);
    if (spec_.friction) add_friction();
    return std::move(joint_);
  }

 private:
  /// The body A. In place of the world a joint with play, which is a contact of two bodies, has a
  /// body that is fixed in it.
  [[nodiscard]] Index holder(const BodyPair& bodies) {
    if (bodies.a >= 0 || !(spec_.revolute_clearance || spec_.ball_clearance)) return bodies.a;
    const std::vector<model::Body>& all = context_.model.bodies;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].kind == model::BodyKind::fixed) return static_cast<Index>(i);
    problems_.add(spec_.place, "a joint with play to the world needs a body that is fixed",
                  "add one, with collides: false if it is for the eye only");
    return bodies.b;
  }

  /// How the points of the two bodies may lie to each other at the start.
  enum class PointsMayBe : unsigned char { same, on_line, on_plane };

  void set_kind() {
    if (spec_.revolute) {
      set_axis(*spec_.revolute);
      set_points(*spec_.revolute, PointsMayBe::same);
      joint_.kind = model::revolute_joint();
    } else if (spec_.prismatic) {
      set_axis(*spec_.prismatic);
      set_points(*spec_.prismatic, PointsMayBe::on_line);
      joint_.kind = model::prismatic_joint();
    } else if (spec_.cylindrical) {
      set_axis(*spec_.cylindrical);
      set_points(*spec_.cylindrical, PointsMayBe::on_line);
      joint_.kind = model::cylindrical_joint();
    } else if (spec_.universal) {
      set_cross(*spec_.universal);
      set_points(*spec_.universal, PointsMayBe::same);
      joint_.kind = model::universal_joint();
    } else if (spec_.ball) {
      set_points(*spec_.ball, PointsMayBe::same);
      joint_.kind = model::ball_joint();
    } else if (spec_.planar) {
      set_plane(*spec_.planar);
      set_points(*spec_.planar, PointsMayBe::on_plane);
      joint_.kind = model::planar_joint();
    } else if (spec_.screw) {
      set_axis(*spec_.screw);
      set_points(*spec_.screw, PointsMayBe::same);
      if (spec_.screw->pitch == 0)
        problems_.add(spec_.screw->place.at("pitch"), "expected a pitch other than 0, got 0",
                      "take revolute");
      joint_.kind = model::Screw{spec_.screw->pitch};
    } else if (spec_.weld) {
      set_points(*spec_.weld, PointsMayBe::same);
      joint_.kind = model::weld_joint();
    } else if (spec_.slot) {
      set_axis(*spec_.slot);
      set_points(*spec_.slot, PointsMayBe::on_line);
      joint_.kind = model::point_on_line_joint();
    } else if (spec_.distance) {
      set_rod(*spec_.distance);
    } else if (spec_.rope) {
      set_rope(*spec_.rope);
    } else if (spec_.line) {
      if (set_points(*spec_.line) == 0)
        problems_.add(spec_.line->place,
                      "at the start the two points are one: a line has a length");
      joint_.kind = model::Line{};
    } else if (spec_.rotation) {
      frames_.A.p = frames_.B.p = pose_b_.p;  // where it is drawn
      joint_.kind = model::Rotation{};
    } else if (spec_.revolute_clearance) {
      const RevoluteClearanceSpec& pin = *spec_.revolute_clearance;
      set_axis(pin);
      set_points(pin, PointsMayBe::same, pin.clearance);
      joint_.kind = model::BearingClearance{pin.clearance, pin.pin_radius, pin.length,
                                            surface_law(pin.surface, nullptr, problems_)};
    } else {
      const BallClearanceSpec& ball = *spec_.ball_clearance;
      set_points(ball, PointsMayBe::same, ball.clearance);
      joint_.kind = model::BallClearance{ball.clearance, ball.radius,
                                         surface_law(ball.surface, nullptr, problems_)};
    }
  }

  /// The directions of an axis in the world, of A and of B.
  void set_axis(const CommonAxisSpec& spec) {
    if (spec.axis) {
      const Vec3 axis = unit_direction(*spec.axis, spec.place.at("axis"), problems_);
      frames_.A.q = frames_.B.q = frame_about(axis);
      return;
    }
    const Vec3 a = pose_a_.q * unit_direction(*spec.axis_a, spec.place.at("axis_a"), problems_);
    const Vec3 b = pose_b_.q * unit_direction(*spec.axis_b, spec.place.at("axis_b"), problems_);
    const Real apart = std::atan2(a.cross(b).norm(), a.dot(b));
    if (apart > kFits)
      problems_.add(spec.place.at("axis_b"),
                    fmt::format("at the start the two axes are {:g} rad apart", apart),
                    "turn the bodies, or the axes; or give one direction as `axis`");
    frames_.A.q = frame_about(a);
    frames_.B.q = rotation_between(a, b) * frames_.A.q;
  }

  void set_cross(const UniversalSpec& spec) {
    const bool is_in_bodies = spec.axis_a.has_value();
    const char* second = is_in_bodies ? "axis_b" : "second_axis";
    Vec3 z = unit_direction(is_in_bodies ? *spec.axis_a : *spec.axis,
                            spec.place.at(is_in_bodies ? "axis_a" : "axis"), problems_);
    Vec3 x = unit_direction(is_in_bodies ? *spec.axis_b : *spec.second_axis, spec.place.at(second),
                            problems_);
    if (is_in_bodies) {
      z = pose_a_.q * z;
      x = pose_b_.q * x;
    }
    if (std::abs(z.dot(x)) > kFits) {
      problems_.add(spec.place.at(second),
                    fmt::format("at the start the two axes are {:g} rad off a right angle",
                                std::abs(std::asin(std::clamp(z.dot(x), Real(-1), Real(1))))),
                    "the axes of a cross are perpendicular");
      return;
    }
    frames_.A.q = frame_of(z, x);
    Mat3 of_b;
    of_b.col(0) = x;
    of_b.col(1) = z.cross(x).normalized();
    of_b.col(2) = x.cross(of_b.col(1));
    frames_.B.q = Quat(of_b).normalized();
  }

  void set_plane(const PlanarSpec& spec) {
    const Vec3 z = unit_direction(spec.normal, spec.place.at("normal"), problems_);
    Vec3 x = std::abs(z.x()) < 0.9 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY());
    if (spec.along) x = unit_direction(*spec.along, spec.place.at("along"), problems_);
    if (z.cross(x).norm() < kFits)
      problems_.add(spec.place.at("along"), "the direction is along the normal of the plane");
    else
      frames_.A.q = frames_.B.q = frame_of(z, x);
  }

  /// The axis z, and x as near to a direction as can be.
  static Quat frame_of(const Vec3& z, const Vec3& near_x) {
    Mat3 axes;
    axes.col(2) = z;
    axes.col(1) = z.cross(near_x).normalized();
    axes.col(0) = axes.col(1).cross(z);
    return Quat(axes).normalized();
  }

  /// The points; those in the frames of the bodies may be apart as the joint allows.
  void set_points(const CommonPointSpec& spec, PointsMayBe where, Real play = 0) {
    if (spec.at) {
      frames_.A.p = frames_.B.p = *spec.at;
      return;
    }
    frames_.A.p = pose_a_ * *spec.at_a;
    frames_.B.p = pose_b_ * *spec.at_b;
    const Vec3 d = frames_.B.p - frames_.A.p, z = frames_.A.q * Vec3::UnitZ();
    const Real off = where == PointsMayBe::same      ? d.norm()
                     : where == PointsMayBe::on_line ? d.cross(z).norm()
                                                     : std::abs(d.dot(z));
    if (off <= play + kFits) return;
    problems_.add(spec.place.at("at_b"),
                  where == PointsMayBe::same
                      ? fmt::format("at the start the two points are {:g} m apart", off)
                      : fmt::format("at the start the point of B is {:g} m off the {}", off,
                                    where == PointsMayBe::on_line ? "line" : "plane"),
                  "move the bodies, or the points; or give one point as `at`");
  }

  /// @return their distance.
  Real set_points(const TwoPointsSpec& spec) {
    frames_.A.p = spec.from ? *spec.from : pose_a_ * spec.at_a.value_or(Vec3::Zero());
    frames_.B.p = spec.to ? *spec.to : pose_b_ * spec.at_b.value_or(Vec3::Zero());
    return (frames_.B.p - frames_.A.p).norm();
  }

  void set_rod(const DistanceSpec& spec) {
    const Real start = set_points(spec), length = spec.length.value_or(start);
    if (start == 0)
      problems_.add(spec.place, "at the start the two points are one: a rod has a length",
                    "take ball");
    else if (std::abs(length - start) > kFits)
      problems_.add(spec.place.at("length"),
                    fmt::format("at the start the points are {:g} m apart, the rod is {:g} m long",
                                start, length),
                    "leave the length out, or move the bodies");
    joint_.kind = model::Distance{length};
  }

  void set_rope(const RopeSpec& spec) {
    const Real start = set_points(spec), length = spec.length.value_or(start);
    if (length == 0)
      problems_.add(spec.place, "at the start the two points are one: give the rope a length");
    else if (length < start - kFits)
      problems_.add(spec.place.at("length"),
                    fmt::format("at the start the points are {:g} m apart, the rope is {:g} m long",
                                start, length),
                    "make it longer, or move the bodies");
    joint_.kind = model::Rope{length, spec.restitution};
  }

  void add_law(const AxisLawSpec& spec, std::string_view name) {
    const auto axis = find_coordinate(spec_, name);
    if (!axis)
      return problems_.add(spec.place,
                           fmt::format("joint \"{}\" has no coordinate {}", spec_.name, name),
                           coordinates_text(spec_));
    AxisLaw law;
    law.axis = *axis;
    if (spec.limits) {
      law.lower = spec.limits->x();
      law.upper = spec.limits->y();
      if (!(law.lower < law.upper))
        problems_.add(spec.place.at("limits"),
                      fmt::format("expected the smaller limit first, got {:g} and {:g}", law.lower,
                                  law.upper),
                      "for a coordinate that is held take a joint that holds it");
      if (!(law.lower < law.upper)) {  // nothing is judged by them
        law.lower = -std::numeric_limits<Real>::infinity();
        law.upper = std::numeric_limits<Real>::infinity();
      }
    }
    if (spec.limits)
      for (const Real limit : *spec.limits) check_angle(limit, *axis, spec.place.at("limits"));
    // A length and the angle of a rotation are never below 0: there is nothing to hold.
    if ((spec_.line || spec_.rotation) && law.lower <= 0)
      law.lower = -std::numeric_limits<Real>::infinity();
    law.restitution = spec.restitution;
    if (spec.spring) {
      law.stiffness = spec.spring->stiffness;
      law.rest = spec.spring->rest;
      check_angle(law.rest, *axis, spec.spring->place.at("rest"));
    }
    law.damping = spec.damping;
    law.armature = spec.armature;
    law.friction = spec.dry_friction;
    if (spec.motor) law.motor = motor(*spec.motor, model::is_turn(*axis));
    if (spec.motor && spec.motor->position)
      for (Real t = 0; std::isfinite(t); t = model::next_kink(law.motor->target, t))
        check_angle(model::evaluate(law.motor->target, t).value, *axis,
                    spec.motor->place.at("position"));
    joint_.axes.push_back(std::move(law));
  }

  /// That an angle of a law is one that its coordinate can have.
  void check_angle(Real angle, Freedom axis, const Place& place) {
    constexpr Real kDigits = 1e-3;  // [rad]: 3.142 is half a turn
    const bool is_second = spec_.ball && axis == Freedom::turn_y;
    if (!is_second && !spec_.rotation) return;
    const Real most = is_second ? std::numbers::pi / 2 : std::numbers::pi;
    if (std::abs(angle) <= most + kDigits) return;
    problems_.add(place,
                  fmt::format("{:g} rad: {} is at most {:g} rad", angle,
                              is_second ? "the turn_y of a ball" : "a rotation", most),
                  is_second ? "take universal or revolute joints for what turns farther"
                            : "leave a limit out that is never met");
  }

  model::Motor motor(const MotorSpec& spec, bool is_turn) {
    model::Motor motor;
    const auto aim = [&](model::Motor::Mode mode, const TimeLawSpec& target, Quantity turning,
                         Quantity sliding) {
      motor.mode = mode;
      motor.target = context_.time_law(target, is_turn ? turning : sliding);
    };
    if (spec.velocity)
      aim(model::Motor::Mode::velocity, *spec.velocity, Quantity::angular_velocity,
          Quantity::velocity);
    else if (spec.position)
      aim(model::Motor::Mode::position, *spec.position, Quantity::angle, Quantity::length);
    else
      aim(model::Motor::Mode::effort, *spec.effort, Quantity::torque, Quantity::force);
    motor.stiffness = spec.stiffness;
    motor.damping = spec.damping;
    if (spec.position && spec.stiffness == 0)
      problems_.add(spec.place.at("position"),
                    "a motor with a position needs the stiffness of its control");
    if (spec.max_effort) {
      motor.lower_effort = -*spec.max_effort;
      motor.upper_effort = *spec.max_effort;
    } else if (spec.effort_limits) {
      motor.lower_effort = spec.effort_limits->x();
      motor.upper_effort = spec.effort_limits->y();
      if (!(motor.lower_effort <= 0 && motor.upper_effort >= 0))
        problems_.add(spec.place.at("effort_limits"),
                      fmt::format("expected a least effort of at most 0 and a largest of at least "
                                  "0, got {:g} and {:g}",
                                  motor.lower_effort, motor.upper_effort));
    }
    motor.gear = spec.gear;
    if (spec.gear == 0)
      problems_.add(spec.place.at("gear"), "expected a ratio other than 0, got 0");
    return motor;
  }

  /// Friction under the reaction of a revolute or prismatic joint.
  void add_friction() {
    const Freedom axis = spec_.revolute ? Freedom::turn_z : Freedom::z;
    if (spec_.revolute && spec_.revolute->pin_radius == 0)
      problems_.add(spec_.friction->place, "friction in a pin without a radius does nothing",
                    "give the joint a pin_radius");
    const auto is_own = [&](const AxisLaw& law) { return law.axis == axis; };
    auto law = std::find_if(joint_.axes.begin(), joint_.axes.end(), is_own);
    if (law == joint_.axes.end()) {
      joint_.axes.emplace_back().axis = axis;
      law = joint_.axes.end() - 1;
    }
    law->friction_coefficient = spec_.friction->friction;
    law->pin_radius = spec_.revolute ? spec_.revolute->pin_radius : 0;
  }

  const JointSpec& spec_;
  MachineContext& context_;
  Problems& problems_;
  const Index body_a_;
  const Pose pose_a_, pose_b_;
  JointFramesInWorld frames_;
  SpatialJoint joint_;
};

}  // namespace

SpatialJoint joint_in_space(const JointSpec& spec, const BodyPair& bodies,
                            MachineContext& context) {
  return JointInSpace(spec, bodies, context).make();
}

Pose pose_of(const MachineContext& context, Index body) {
  return body < 0 ? Pose{} : context.state.pose(body);
}

Vec3 unit_direction(const Vec3& direction, const Place& place, Problems& problems) {
  if (direction.stableNorm() > 1e-150) return direction.stableNormalized();
  problems.add(place, "expected a direction, got a zero vector");
  return Vec3::UnitZ();
}

Quat frame_about(const Vec3& axis) { return rotation_between(Vec3::UnitZ(), axis).normalized(); }

Real given_coordinate(const MachineContext& context, const SpatialJoint& joint, Freedom axis) {
  if (is_turn(axis)) return 0;
  if (std::holds_alternative<model::Line>(joint.kind))
    return (pose_of(context, joint.body_a) * joint.X_AJ.p -
            pose_of(context, joint.body_b) * joint.X_BJ.p)
        .norm();
  const Pose A = pose_of(context, joint.body_a) * joint.X_AJ;
  const Pose B = pose_of(context, joint.body_b) * joint.X_BJ;
  return (A.inverse() * B.p)[direction(axis)];
}

}  // namespace talus::scene::detail
