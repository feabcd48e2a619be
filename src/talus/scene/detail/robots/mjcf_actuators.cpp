#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <actuator> and <keyframe> of MJCF.

namespace talus::scene::detail {
namespace {

/// force = gain · control + bias[0] + bias[1] · length + bias[2] · velocity.
struct Affine {
  Real gain = 1;
  Vec3 bias = Vec3::Zero();
  Real damping_ratio = 0;  ///< > 0: −bias[2] is what makes it of what the actuator moves
};

class ActuatorReader {
 public:
  ActuatorReader(const std::vector<Real>& controls, MjcfContext& context)
      : controls_(controls), context_(context) {}

  void read(const XmlElement& element, std::size_t number) {
    element.is_read = true;
    const MjcfView view = context_.view(element, element.tag);
    static_cast<void>(view.own("name"));
    for (const char* name : {"user", "actlimited", "actrange", "lengthrange"})
      static_cast<void>(view.find(name));
    int group = 0;
    read_value(view.find("group"), group, context_.problems());
    if (context_.disabled_groups.contains(group)) {
      mark_read(element);
      return context_.file.report.add(RobotNoteKind::read, element.place,
                                      fmt::format("actuators of group {}: disabled", group));
    }
    if (view.has_gains_of_another_kind())
      context_.file.refused(element.place,
                            "gains by default of another kind of actuator: write its own");
    auto law = law_of(view, number);
    if (!law) {
      mark_read(element);
      return context_.file.refused(element.place, fmt::format("actuator <{}>", element.tag));
    }
    const XmlAttribute* name = view.find("joint") ? view.find("joint") : view.find("jointinparent");
    const XmlAttribute* tendon = view.find("tendon");
    if (name == nullptr && tendon == nullptr && view.find("site") != nullptr)
      return give_thrust(view, *law, number);
    RobotJoint* joint = nullptr;
    if (name != nullptr) {
      joint = context_.find_joint(name->value);
    } else if (tendon != nullptr) {
      RobotTendon* found = context_.find_tendon(tendon->value);
      joint = found != nullptr ? &found->drum : nullptr;
    }
    if (name != nullptr && joint == nullptr && !context_.joint_of_name.contains(name->value))
      return context_.missing(*name, "joint");
    if (joint == nullptr) {
      mark_read(element);
      return context_.file.refused(
          element.place,
          "an actuator of a tendon around geoms, of a body, or of a joint that is held");
    }
    if (!joint->has_one_axis())
      return context_.file.refused(element.place, "an actuator of a ball or free joint");
    if (law->damping_ratio > 0) set_damping(view, *law, name);
    give(view, *law, number, *joint);
  }

 private:
  /// What a command at the start does; nothing for what commands do not act on at once.
  std::optional<Affine> law_of(const MjcfView& view, std::size_t number) {
    const std::string& tag = view.element().tag;
    const Real control = number < controls_.size() ? controls_[number] : 0;
    Affine law;
    Real kp = 1, kv = 0, ratio = 0;
    const auto strength = [&](const char* name, Real& value) {
      const XmlAttribute* given = view.find(name);
      if (read_value(given, value, context_.problems()) && value < 0)
        add_problem(context_.problems(), given->place,
                    fmt::format("{}: expected a number of at least 0, got {:g}", name, value),
                    "a negative one drives what it is to hold");
    };
    if (const XmlAttribute* delay = view.find("timeconst"))
      context_.file.refused(delay->place, "actuator timeconst: commands act at once");
    if (tag == "motor") return law;
    if (tag == "position" || tag == "intvelocity") {
      strength("kp", kp);
      strength("kv", kv);
      strength("dampratio", ratio);
      if (const XmlAttribute* both = view.own("dampratio"); both != nullptr && view.own("kv"))
        add_problem(context_.problems(), both->place, "kv and dampratio both say the damping",
                    "leave one of them out");
      if (tag == "intvelocity" && control != 0) return std::nullopt;  // its target moves
      return Affine{kp, Vec3(0, -kp, -kv), ratio};
    }
    if (tag == "velocity" || tag == "damper") {
      kv = 1;
      strength("kv", kv);
      if (tag == "damper") return Affine{0, Vec3(0, 0, -kv * std::max(control, Real(0)))};
      return Affine{kv, Vec3(0, 0, -kv)};
    }
    const XmlAttribute* dynamics = view.find("dyntype");
    const std::string kind = dynamics != nullptr ? dynamics->value : "none";
    const bool is_filter = kind == "filter" || kind == "filterexact";
    if (tag != "general" || (kind != "none" && !is_filter) ||
        view.word("gaintype", "fixed") != "fixed")
      return std::nullopt;
    static_cast<void>(view.find("dynprm"));
    if (is_filter)
      context_.file.refused(dynamics->place,
                            fmt::format("actuator dyntype {}: commands act at once", kind));
    if (const auto gain = numbers_of(view.find("gainprm"), 1, 10, context_.problems()))
      law.gain = gain->front();
    const std::string bias = view.word("biastype", "none");
    const auto b = numbers_of(view.find("biasprm"), 1, 10, context_.problems());
    if (bias == "affine" && b)
      for (std::size_t i = 0; i < std::min<std::size_t>(3, b->size()); ++i)
        law.bias[Index(i)] = (*b)[i];
    if (bias != "affine" && bias != "none") return std::nullopt;
    // MuJoCo takes the last number of a control of positions as a ratio where it is positive.
    if (law.bias[2] > 0 && law.gain == -law.bias[1])
      law.damping_ratio = std::exchange(law.bias[2], 0);
    if (law.bias[1] > 0 || law.bias[2] > 0) return std::nullopt;  // it would drive itself
    return law;
  }

  /// The control of an actuator, within its range.
  [[nodiscard]] Real control_of(std::size_t number, const std::optional<Vec2>& range) const {
    const Real control = number < controls_.size() ? controls_[number] : 0;
    return range ? std::clamp(control, range->x(), range->y()) : control;
  }

  /// The damping that a ratio stands for: 2 ζ √(kp m), m of the diagonal of the mass matrix.
  void set_damping(const MjcfView& view, Affine& law, const XmlAttribute* joint) {
    if (joint == nullptr)
      return context_.file.refused(view.place(), "dampratio of an actuator of a tendon: give kv");
    Real gear = 1;
    if (const auto given = numbers_of(view.find("gear"), 1, 6, context_.problems()))
      gear = given->front();
    if (gear == 0) return;  // said where it is used
    const std::pair<int, std::size_t> at = context_.joint_of_name.at(joint->value);
    const auto [known, is_new] = inertias_.emplace(at, 0);
    if (is_new) known->second = inertia_along(context_.robot, at.first, at.second);
    const Real mass = known->second / (gear * gear);
    law.bias[2] = -2 * law.damping_ratio * std::sqrt(law.gain * mass);
  }

  /// The range of controls that is made of the joint's own: its middle, and a share of its width.
  std::optional<Vec2> inherited_range(const MjcfView& view, const RobotJoint& joint) {
    Real share = 0;
    const XmlAttribute* given = view.find("inheritrange");
    if (!read_value(given, share, context_.problems()) || !(share > 0)) return std::nullopt;
    if (!joint.limits) {
      add_problem(context_.problems(), given->place,
                  "inheritrange: what the actuator moves has no range");
      return std::nullopt;
    }
    const Real middle = joint.limits->mean(), half = (joint.limits->y() - joint.limits->x()) / 2;
    return Vec2(middle - share * half, middle + share * half);
  }

  /// A force and a torque at a site, without a way along which they act.
  void give_thrust(const MjcfView& view, const Affine& law, std::size_t number) {
    const XmlAttribute* name = view.find("site");
    const auto site = context_.sites.find(name->value);
    if (site == context_.sites.end()) return context_.missing(*name, "site");
    const bool has_way = law.bias[1] != 0 || law.bias[2] != 0 || view.find("refsite") != nullptr;
    if (has_way || site->second.link == kNoParent)
      return context_.file.refused(view.place(),
                                   "an actuator of a site: it is read as a force on a body");
    const Real control = control_of(number, mjcf_range(view, "ctrlrange", "ctrllimited", context_));
    std::vector<Real> gear = {1, 0, 0, 0, 0, 0};
    if (const auto given = numbers_of(view.find("gear"), 1, 6, context_.problems()))
      std::copy(given->begin(), given->end(), gear.begin());
    RobotThrust thrust;
    thrust.name = view.word("name", name->value);
    thrust.place = view.place();
    thrust.link = site->second.link;
    thrust.X_LF = site->second.X_LF;
    thrust.force = Vec3(gear.data());
    thrust.torque = Vec3(gear.data() + 3);
    thrust.command = law.gain * control + law.bias[0];
    if (const auto range = mjcf_range(view, "forcerange", "forcelimited", context_);
        range && range->x() <= range->y())
      thrust.command = std::clamp(thrust.command, range->x(), range->y());
    context_.robot.thrusts.push_back(thrust);
  }

  void give(const MjcfView& view, const Affine& law, std::size_t number, RobotJoint& joint) {
    RobotMotor motor;
    motor.name = view.word("name");
    motor.place = view.place();
    if (const auto gear = numbers_of(view.find("gear"), 1, 6, context_.problems()))
      motor.gear = gear->front();
    if (motor.gear == 0)
      return add_problem(context_.problems(), view.find("gear")->place,
                         "gear: expected a ratio other than 0");
    auto controls = inherited_range(view, joint);
    if (!controls) controls = mjcf_range(view, "ctrlrange", "ctrllimited", context_);
    const auto control = control_of(number, controls);
    auto limits = mjcf_range(view, "forcerange", "forcelimited", context_);
    motor.command = law.gain * control + law.bias[0];
    motor.stiffness = -law.bias[1];
    motor.damping = -law.bias[2];
    motor.has_own_limits = limits.has_value();
    // Of its control an effort has bounds, too, within which the given one is.
    if (!limits && controls && law.bias.isZero(0))
      limits = Vec2(law.gain * controls->x(), law.gain * controls->y());
    if (joint.effort) {
      const Vec2 own = in_front_of(motor.gear, *joint.effort);
      limits = limits ? Vec2(std::max(limits->x(), own.x()), std::min(limits->y(), own.y())) : own;
    }
    if (limits && limits->x() > limits->y()) std::swap(limits->x(), limits->y());
    if (limits && (limits->x() > 0 || limits->y() < 0)) {
      context_.file.refused(view.place(), "a range of forces without 0");
      limits.reset();
    }
    if (limits && limits->x() == 0 && limits->y() == 0) limits.reset();
    motor.limits = limits;
    if (joint.motor && !add_to(motor, *joint.motor, joint.effort)) return;
    joint.motor = motor;
  }

  /// Bounds of a joint's effort as those of a motor behind a gear.
  static Vec2 in_front_of(Real gear, const Vec2& bounds) {
    const Vec2 own = bounds / gear;
    return gear > 0 ? own : Vec2(own.y(), own.x());
  }

  /// Adds what another actuator of the joint does to a motor: a joint has one. Efforts without
  /// bounds of their own add up. @return false, with a note, where the other one is kept.
  bool add_to(RobotMotor& motor, const RobotMotor& other, const std::optional<Vec2>& effort) {
    const auto has_effect = [](const RobotMotor& one) {
      return one.stiffness > 0 || one.damping > 0 || one.command != 0;
    };
    if (!has_effect(motor)) return false;
    if (!has_effect(other)) return true;
    if (motor.has_own_limits || other.has_own_limits) {
      context_.file.refused(motor.place,
                            "a second actuator of a joint, one of them with forcerange");
      return false;
    }
    const Real ratio = other.gear / motor.gear;
    motor.command += ratio * other.command;
    motor.stiffness += ratio * ratio * other.stiffness;
    motor.damping += ratio * ratio * other.damping;
    motor.limits.reset();
    if (effort) motor.limits = in_front_of(motor.gear, *effort);
    return true;
  }

  const std::vector<Real>& controls_;
  MjcfContext& context_;
  std::map<std::pair<int, std::size_t>, Real> inertias_;  // along joints that were asked for
};

/// How many numbers a joint has in qpos.
std::size_t width_of(const RobotJoint& joint) {
  if (joint.kind == RobotJoint::Kind::free) return 7;
  return joint.kind == RobotJoint::Kind::ball ? 4 : 1;
}

std::optional<Quat> unit_quaternion(const Real* q) {
  const Quat quat(q[0], q[1], q[2], q[3]);
  if (!(quat.norm() > 1e-12)) return std::nullopt;
  return quat.normalized();
}

}  // namespace

void move_subtree(Robot& robot, int link, const Pose& X_WL) {
  const Pose moved = X_WL * robot.links[std::size_t(link)].X_WL.inverse();
  const int end = end_of_tree(robot, link);
  for (int i = link + 1; i < end; ++i)
    robot.links[std::size_t(i)].X_WL = moved * robot.links[std::size_t(i)].X_WL;
  robot.links[std::size_t(link)].X_WL = X_WL;
}

void find_actuators(const XmlElement& element, MjcfContext& context) {
  context.actuator_count += element.children.size();
  for (const XmlElement* child : element.children)
    if (const XmlAttribute* name = child->find("name")) context.actuators.insert(name->value);
}

void read_mjcf_actuators(const XmlElement& element, const std::vector<Real>& controls,
                         MjcfContext& context) {
  ActuatorReader reader(controls, context);
  std::size_t number = 0;
  for (const XmlElement* child : element.children) reader.read(*child, number++);
}

std::vector<Real> start_at_keyframe(const XmlElement& root, MjcfContext& context) {
  const std::string& wanted = context.file.options.keyframe;
  const XmlElement* key = nullptr;
  std::string known;
  const XmlElement* place = nullptr;
  for (const XmlElement* list : root.children) {
    if (list->tag != "keyframe") continue;
    list->is_read = true;
    for (const XmlElement* one : list->children) {
      if (one->tag != "key") continue;
      mark_read(*one);
      const XmlAttribute* name = one->find("name");
      if (place == nullptr) place = one;
      if (name != nullptr) known += (known.empty() ? "" : ", ") + name->value;
      if (name != nullptr && name->value == wanted && !wanted.empty()) key = one;
    }
  }
  if (wanted.empty()) {
    if (place != nullptr)
      context.file.report.add(
          RobotNoteKind::read, place->place,
          fmt::format("keyframes {}: the start is another one unless asked", known));
    return {};
  }
  if (key == nullptr) {
    // It can be one of a model that is attached to this one, or that this one is attached to.
    if (context.starts_at_keyframe || context.file.depth > 0) return {};
    context.file.problem(root.place, fmt::format("there is no keyframe \"{}\"", wanted),
                         known.empty() ? "the file has none" : "it has " + known);
    return {};
  }
  context.starts_at_keyframe = true;
  for (const char* name : {"qvel", "act", "mpos", "mquat", "time"})
    if (const auto x = numbers_of(key->find(name), 0, 1'000'000, context.problems());
        x && std::any_of(x->begin(), x->end(), [](Real number) { return number != 0; }))
      context.file.refused(key->find(name)->place,
                           fmt::format("keyframe {}: it starts at rest, at the time 0", name));
  std::size_t width = 0;
  for (const auto& [link, number] : context.joints)
    width += width_of(context.robot.links[std::size_t(link)].joints[number]);
  const auto q = numbers_of(key->find("qpos"), width, width, context.problems());
  std::size_t at = 0;
  if (q)
    for (const auto& [link, number] : context.joints) {
      RobotJoint& joint = context.robot.links[std::size_t(link)].joints[number];
      const Real* x = q->data() + at;
      at += width_of(joint);
      if (joint.has_one_axis()) {
        joint.start = *x;
        continue;
      }
      const bool is_free = joint.kind == RobotJoint::Kind::free;
      const auto turned = unit_quaternion(is_free ? x + 3 : x);
      if (!turned)
        context.file.problem(key->find("qpos")->place, "qpos: a quaternion is zero");
      else if (is_free)
        move_subtree(context.robot, link, {Vec3(x), *turned});
      else
        joint.turned = turned;
    }
  const bool is_whole = context.models.empty();  // those of attached models are not counted
  const auto controls = numbers_of(key->find("ctrl"), is_whole ? context.actuator_count : 0,
                                   is_whole ? context.actuator_count : 100'000, context.problems());
  return controls.value_or(std::vector<Real>{});
}

}  // namespace talus::scene::detail
