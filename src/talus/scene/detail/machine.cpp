#include <talus/scene/detail/machine.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <talus/scene/detail/machine_context.hpp>
#include <talus/scene/detail/machine_in_space.hpp>
#include <talus/scene/detail/surfaces.hpp>

namespace talus::scene::detail {
namespace {

Vec2 planar(const Vec3& v) { return v.head<2>(); }

/// Where a body's frame is at the start.
struct Frame {
  Vec2 p;
  Real angle;
  [[nodiscard]] Vec2 turn(const Vec2& v, Real by) const {
    const Real c = std::cos(by), s = std::sin(by);
    return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
  }
  [[nodiscard]] Vec2 to_body(const Vec2& world) const { return turn(world - p, -angle); }
  [[nodiscard]] Vec2 to_world(const Vec2& in_body) const { return p + turn(in_body, angle); }
  [[nodiscard]] Vec2 direction_to_body(const Vec2& world) const { return turn(world, -angle); }
};

struct Ends {
  Index a = 0, b = 0;
  Frame A, B;
};

class MachineBuilder {
 public:
  MachineBuilder(Scene& scene, model::Machine& machine, Problems& problems)
      : context_(scene, problems),
        model_(scene.model),
        state_(scene.initial),
        machine_(machine),
        problems_(problems) {}

  void add(const JointSpec& spec) {
    const auto ends = check(spec, "joint", joint_names_);
    if (!ends) return;
    model::Joint joint{spec.name,    ends->a,      ends->b, joint_kind(spec, *ends),
                       std::nullopt, spec.collides};
    if (spec.friction) joint.friction = joint_friction(spec);
    machine_.joints.push_back(std::move(joint));
  }

  void add(const DriveSpec& spec) {
    const auto ends = check(spec, "drive", drive_names_);
    if (!ends) return;
    model::Drive drive;
    drive.name = spec.name;
    drive.body_a = ends->a;
    drive.body_b = ends->b;
    drive.law = context_.time_law(spec);
    drive.is_speed = spec.angular_speed || spec.speed;
    Real start = 0;
    if (spec.angle || spec.angular_speed) {
      drive.quantity = model::Drive::Quantity::angle;
      start = ends->B.angle - ends->A.angle;
    } else {
      drive.quantity = model::Drive::Quantity::displacement;
      set_points(spec, *ends, drive);
      drive.axis_A = ends->A.direction_to_body(direction(*spec.axis, spec.place.at("axis")));
      start = drive.axis_A.dot(ends->A.to_body(ends->B.to_world(drive.p_B)) - drive.p_A);
    }
    drive.start = start;
    if (!drive.is_speed && problems_.empty()) {
      Real apart = model::evaluate(drive.law, state_.time).value - start;
      if (spec.angle) apart = std::remainder(apart, 2 * std::numbers::pi);
      if (std::abs(apart) > kFits)
        problems_.add((spec.angle ? *spec.angle : *spec.displacement).place,
                      fmt::format("the law starts with {:g} {}, the bodies with {:g}",
                                  model::evaluate(drive.law, state_.time).value,
                                  spec.angle ? "rad" : "m", start),
                      "move or turn the bodies, change the law, or prescribe a speed");
    }
    machine_.drives.push_back(std::move(drive));
  }

  void add(const ForceSpec& spec) {
    const auto ends = check(spec, "force element", force_names_);
    if (!ends) return;
    machine_.forces.push_back({spec.name, ends->a, ends->b, force_kind(spec, *ends)});
  }

 private:
  /// The two bodies; nothing if something is wrong with them or the name.
  template <class T>
  std::optional<Ends> check(const T& spec, const char* what, NamePlaces& names) {
    if (!spec.is_sound) return std::nullopt;
    context_.add_name(spec.name, spec.place, what, names);
    const auto pair = context_.bodies_of(spec);
    if (!pair) return std::nullopt;
    return Ends{pair->a, pair->b, frame(pair->a), frame(pair->b)};
  }

  [[nodiscard]] Frame frame(Index body) const {
    const Quat upright = model::upright_orientation(model_, state_, body);
    return {state_.position[body].head<2>(),
            model::planar_angle(state_.orientation[body], upright)};
  }

  Vec2 direction(const Vec2& axis, const Place& place) {
    if (axis.stableNorm() > 1e-150) return axis.stableNormalized();
    problems_.add(place, "expected a direction, got a zero vector");
    return Vec2::UnitX();
  }

  /// The point in both bodies. In the bodies' frames they may be apart at the start by `play`.
  template <class T>
  void set_point(const CommonPointSpec& spec, const Ends& ends, Real play, T& kind) {
    if (spec.at) {
      kind.p_A = ends.A.to_body(planar(*spec.at));
      kind.p_B = ends.B.to_body(planar(*spec.at));
      return;
    }
    kind.p_A = planar(*spec.at_a);
    kind.p_B = planar(*spec.at_b);
    const Real apart = (ends.A.to_world(kind.p_A) - ends.B.to_world(kind.p_B)).norm();
    if (apart > play + kFits)
      problems_.add(spec.place.at("at_b"),
                    fmt::format("at the start the two points are {:g} m apart", apart),
                    "move the bodies, or the points; or give one point as `at`");
  }

  template <class T>
  void set_points(const TwoPointsSpec& spec, const Ends& ends, T& kind) {
    const Vec3 a = spec.at_a.value_or(Vec3::Zero()), b = spec.at_b.value_or(Vec3::Zero());
    kind.p_A = spec.from ? ends.A.to_body(planar(*spec.from)) : planar(a);
    kind.p_B = spec.to ? ends.B.to_body(planar(*spec.to)) : planar(b);
  }
  template <class T>
  static Real distance(const T& kind, const Ends& ends) {
    return (ends.B.to_world(kind.p_B) - ends.A.to_world(kind.p_A)).norm();
  }

  model::JointKind joint_kind(const JointSpec& spec, const Ends& ends) {
    constexpr Real kAnywhere = std::numeric_limits<Real>::infinity();
    const Real turn = ends.B.angle - ends.A.angle;
    if (spec.revolute) {
      model::RevoluteJoint kind;
      set_point(*spec.revolute, ends, 0, kind);
      kind.pin_radius = spec.revolute->pin_radius;
      return kind;
    }
    if (spec.prismatic) {
      model::PrismaticJoint kind;
      set_point(*spec.prismatic, ends, kAnywhere, kind);
      set_axis(*spec.prismatic, ends, kind);
      kind.angle = turn;
      kind.length = spec.prismatic->length;
      return kind;
    }
    if (spec.weld) {
      model::WeldJoint kind;
      set_point(*spec.weld, ends, 0, kind);
      kind.angle = turn;
      return kind;
    }
    if (spec.slot) {
      model::SlotJoint kind;
      set_point(*spec.slot, ends, kAnywhere, kind);
      set_axis(*spec.slot, ends, kind);
      return kind;
    }
    if (spec.distance) return rod(*spec.distance, ends);
    if (spec.rope) return rope(*spec.rope, ends);
    if (spec.gear) return gear(*spec.gear, ends);
    if (spec.revolute_clearance) return pin_with_play(*spec.revolute_clearance, ends);
    return block(*spec.translational_clearance, ends);
  }

  /// The guide's direction, and that the point of B is on its line.
  template <class S, class T>
  void set_axis(const S& spec, const Ends& ends, T& kind) {
    kind.axis_A = ends.A.direction_to_body(direction(planar(*spec.axis), spec.place.at("axis")));
    const Vec2 between = ends.A.to_body(ends.B.to_world(kind.p_B)) - kind.p_A;
    const Real off = kind.axis_A.x() * between.y() - kind.axis_A.y() * between.x();
    if (std::abs(off) > kFits)
      problems_.add(
          spec.place.at("at_b"),
          fmt::format("at the start the point of B is {:g} m off the line", std::abs(off)),
          "move the bodies, or the points; or give one point as `at`");
  }

  model::DistanceJoint rod(const DistanceSpec& spec, const Ends& ends) {
    model::DistanceJoint kind;
    set_points(spec, ends, kind);
    const Real start = distance(kind, ends);
    kind.length = spec.length.value_or(start);
    if (start == 0)
      problems_.add(spec.place, "at the start the two points are one: a rod has a length",
                    "take revolute");
    else if (std::abs(kind.length - start) > kFits)
      problems_.add(spec.place.at("length"),
                    fmt::format("at the start the points are {:g} m apart, the rod is {:g} m long",
                                start, kind.length),
                    "leave the length out, or move the bodies");
    return kind;
  }

  model::RopeJoint rope(const RopeSpec& spec, const Ends& ends) {
    model::RopeJoint kind;
    set_points(spec, ends, kind);
    const Real start = distance(kind, ends);
    kind.length = spec.length.value_or(start);
    kind.restitution = spec.restitution;
    if (kind.length == 0)
      problems_.add(spec.place, "at the start the two points are one: give the rope a length");
    else if (kind.length < start - kFits)
      problems_.add(spec.place.at("length"),
                    fmt::format("at the start the points are {:g} m apart, the rope is {:g} m long",
                                start, kind.length),
                    "make it longer, or move the bodies");
    return kind;
  }

  model::GearJoint gear(const GearSpec& spec, const Ends& ends) {
    if (spec.ratio == 0)
      problems_.add(spec.place.at("ratio"), "expected a ratio other than 0, got 0");
    return {spec.ratio, ends.B.angle + spec.ratio * ends.A.angle};
  }

  model::RevoluteClearance pin_with_play(const RevoluteClearanceSpec& spec, const Ends& ends) {
    model::RevoluteClearance kind;
    const Real half = spec.slot ? spec.slot->length / 2 : 0;
    set_point(spec, ends, half + spec.clearance, kind);
    kind.clearance = spec.clearance;
    kind.pin_radius = spec.pin_radius;
    kind.law = surface_law(spec.surface, nullptr, problems_);
    if (!spec.slot) return kind;
    kind.slot_A =
        half * ends.A.direction_to_body(direction(spec.slot->axis, spec.slot->place.at("axis")));
    const Vec2 between = ends.A.to_body(ends.B.to_world(kind.p_B)) - kind.p_A;
    const Real share = std::clamp(between.dot(kind.slot_A) / (half * half), Real(-1), Real(1));
    const Real off = (between - share * kind.slot_A).norm();
    if (off > spec.clearance + kFits)
      problems_.add(spec.place.at("at_b"),
                    fmt::format("at the start the pin is {:g} m off the slot's middle line, its "
                                "play is {:g} m",
                                off, spec.clearance));
    return kind;
  }

  model::TranslationalClearance block(const TranslationalClearanceSpec& spec, const Ends& ends) {
    model::TranslationalClearance kind;
    set_point(spec, ends, std::numeric_limits<Real>::infinity(), kind);
    const Vec2 axis = direction(spec.axis, spec.place.at("axis"));
    kind.axis_A = ends.A.direction_to_body(axis);
    kind.axis_B = ends.B.direction_to_body(axis);
    kind.length = spec.length;
    kind.width = spec.width;
    kind.clearance = spec.clearance;
    kind.law = surface_law(spec.surface, nullptr, problems_);
    const Vec2 between = ends.A.to_body(ends.B.to_world(kind.p_B)) - kind.p_A;
    const Real off = std::abs(kind.axis_A.x() * between.y() - kind.axis_A.y() * between.x());
    if (off > spec.clearance / 2 + kFits)
      problems_.add(spec.place.at("at_b"),
                    fmt::format("at the start the block is {:g} m off the guide's middle line, its "
                                "play is {:g} m to each side",
                                off, spec.clearance / 2));
    return kind;
  }

  model::JointFriction joint_friction(const JointSpec& spec) {
    const JointFrictionSpec& friction = *spec.friction;
    if (spec.revolute && spec.revolute->pin_radius == 0)
      problems_.add(friction.place, "friction in a pin without a radius does nothing",
                    "give the joint a pin_radius");
    if (friction.friction_law && friction.friction_law->rolling > 0)
      problems_.add(friction.friction_law->place.at("rolling"),
                    "nothing rolls in a joint: rolling resistance is of contacts");
    return {friction_law(friction.friction, friction.static_friction, friction.friction_law,
                         friction.place, problems_),
            friction.preload};
  }

  /// A force along the line of two points has no direction where they are one.
  void check_apart(const model::LineForce& line, const Ends& ends, const Place& place) {
    if (distance(line, ends) == 0)
      problems_.add(place,
                    "at the start the two points are one: a force between them has no direction",
                    "move one of them, or take point_force");
  }

  model::ForceKind force_kind(const ForceSpec& spec, const Ends& ends) {
    if (spec.torque)
      return model::Torque{0, 0, 0, context_.time_law(*spec.torque, Quantity::torque)};
    if (spec.torsion_spring) {
      const TorsionSpringSpec& spring = *spec.torsion_spring;
      return model::Torque{spring.stiffness,
                           spring.rest_angle.value_or(ends.B.angle - ends.A.angle), spring.damping,
                           model::ConstantLaw{}};
    }
    if (spec.point_force) {
      const PointForceSpec& point = *spec.point_force;
      const Vec2 p_B =
          point.at ? ends.B.to_body(planar(*point.at)) : planar(point.at_b.value_or(Vec3::Zero()));
      const Vec2 along = direction(planar(point.direction), point.place.at("direction"));
      return model::PointForce{p_B, ends.A.direction_to_body(along),
                               context_.time_law(*point.force, Quantity::force)};
    }
    model::LineForce line;
    if (spec.spring) {
      set_points(*spec.spring, ends, line);
      line.stiffness = spec.spring->stiffness;
      line.rest_length = spec.spring->rest_length.value_or(distance(line, ends));
      if (line.rest_length > 0) check_apart(line, ends, spec.spring->place);
      line.damping = spec.spring->damping;
    } else if (spec.damper) {
      set_points(*spec.damper, ends, line);
      line.damping = spec.damper->damping;
    } else {
      set_points(*spec.pull, ends, line);
      check_apart(line, ends, spec.pull->place);
      line.force = context_.time_law(spec.pull->force, Quantity::force);
    }
    return line;
  }

  MachineContext context_;
  const model::Model& model_;
  const model::State& state_;
  model::Machine& machine_;
  Problems& problems_;
  NamePlaces joint_names_, drive_names_, force_names_;
};

}  // namespace

void build_machine(const std::vector<const FragmentSpec*>& fragments, const MachineParts& parts,
                   Scene& scene, Problems& problems) {
  const bool is_empty = std::all_of(fragments.begin(), fragments.end(), [](const auto* fragment) {
    return fragment->joints.empty() && fragment->drives.empty() && fragment->forces.empty() &&
           fragment->couplings.empty() && fragment->joint_positions.empty();
  });
  if (is_empty && parts.visual_only.empty() && parts.apart.empty()) return;
  if (!problems.empty()) return;  // bodies may be missing that the files do name
  if (scene.model.dimension == 3) return build_machine_in_space(fragments, parts, scene, problems);
  auto machine = std::make_shared<model::Machine>();
  machine->visual_only = parts.visual_only;
  MachineBuilder builder(scene, *machine, problems);
  for (const FragmentSpec* fragment : fragments) {
    for (const JointSpec& joint : fragment->joints) builder.add(joint);
    for (const DriveSpec& drive : fragment->drives) builder.add(drive);
    for (const ForceSpec& force : fragment->forces) builder.add(force);
  }
  scene.model.machine = std::move(machine);
}

}  // namespace talus::scene::detail
