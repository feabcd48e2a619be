#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cctype>
#include <cmath>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// Defaults, and values that depend on what <compiler> says.

namespace talus::scene::detail {
namespace {

constexpr Real kRadiansPerDegree = 3.14159265358979323846 / 180;

using AxisTurn = Eigen::AngleAxis<Real>;

/// Of all kinds of actuators there is one default.
std::string_view default_tag(std::string_view tag) {
  constexpr std::string_view kActuators[] = {"general",  "motor",       "position",
                                             "velocity", "intvelocity", "damper"};
  const bool is_actuator =
      std::find(std::begin(kActuators), std::end(kActuators), tag) != std::end(kActuators);
  return is_actuator ? "actuator" : tag;
}

/// What every kind of actuator says of its gains in its own way.
constexpr std::string_view kGains[] = {"kp",       "kv",      "dampratio",   "timeconst",
                                       "gaintype", "gainprm", "biastype",    "biasprm",
                                       "dyntype",  "dynprm",  "inheritrange"};
bool is_gain(std::string_view name) {
  return std::find(std::begin(kGains), std::end(kGains), name) != std::end(kGains);
}

}  // namespace

template <class Visit>
void MjcfView::each_default(Visit visit) const {
  for (const MjcfClass* one = defaults_; one != nullptr; one = one->parent) {
    const auto found = one->elements.find(std::string(default_tag(tag_)));
    if (found == one->elements.end()) continue;
    for (auto element = found->second.rbegin(); element != found->second.rend(); ++element)
      visit(**element);
  }
}

const XmlAttribute* MjcfView::find_any(std::span<const std::string_view> names) const {
  const XmlAttribute* first = nullptr;
  // Those behind are looked at, too: what a nearer one replaces is understood.
  const auto look_at = [&](const XmlElement& element) {
    element.is_read = true;
    const bool is_of_kind = element.tag == tag_ || element.tag == "general";
    for (const std::string_view name : names) {
      if (!is_of_kind && is_gain(name)) continue;
      const XmlAttribute* attribute = element.find(name);
      if (first == nullptr) first = attribute;
    }
  };
  look_at(*element_);
  each_default(look_at);
  return first;
}

bool MjcfView::has_gains_of_another_kind() const {
  bool has = false;
  each_default([&](const XmlElement& element) {
    for (const std::string_view name : kGains) has |= element.tag != tag_ && element.find(name);
  });
  return has && tag_ != "motor";  // which has none
}

std::string MjcfView::word(std::string_view name, std::string_view otherwise) const {
  const XmlAttribute* attribute = find(name);
  return std::string(attribute != nullptr ? std::string_view(attribute->value) : otherwise);
}

Real MjcfContext::angle(Real value) const {
  return compiler.has_degrees ? value * kRadiansPerDegree : value;
}

Quat MjcfContext::orientation_of(const MjcfView& view) const {
  const auto direction = [&](const XmlAttribute& attribute, const Vec3& axis) {
    if (axis.norm() > 1e-12) return true;
    add_problem(problems(), attribute.place,
                fmt::format("{}: expected a direction, got a zero vector", attribute.name));
    return false;
  };
  const XmlAttribute* stated = view.find_any(kOrientations);
  if (stated == nullptr) return Quat::Identity();
  const std::string& form = stated->name;
  if (form == "quat") {
    const auto q = numbers_of(stated, 4, 4, problems());
    if (!q) return Quat::Identity();
    const Quat quat((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (quat.norm() > 1e-12) return quat.normalized();
    add_problem(problems(), stated->place, "quat: expected a quaternion that is not zero");
  } else if (form == "axisangle") {
    const auto x = numbers_of(stated, 4, 4, problems());
    if (x && direction(*stated, Vec3(x->data())))
      return Quat(AxisTurn(angle((*x)[3]), Vec3(x->data()).normalized()));
  } else if (form == "euler") {
    Vec3 angles = Vec3::Zero();
    if (!read_value(stated, angles, problems())) return Quat::Identity();
    Quat q = Quat::Identity();
    for (int i = 0; i < 3; ++i) {
      const char letter = compiler.euler_sequence[std::size_t(i)];
      const bool is_fixed = std::isupper(static_cast<unsigned char>(letter)) != 0;
      const int axis = std::tolower(static_cast<unsigned char>(letter)) - 'x';
      const Quat turn(AxisTurn(angle(angles[i]), Vec3::Unit(axis)));
      q = is_fixed ? turn * q : q * turn;
    }
    return q;
  } else if (form == "xyaxes") {
    const auto x = numbers_of(stated, 6, 6, problems());
    if (!x) return Quat::Identity();
    Mat3 axes;
    axes.col(0) = Vec3(x->data()).normalized();
    axes.col(2) = axes.col(0).cross(Vec3(x->data() + 3)).normalized();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    if (axes.allFinite() && axes.determinant() > 0.5) return Quat(axes).normalized();
    add_problem(problems(), stated->place, "xyaxes: expected two directions that span a plane");
  } else {
    Vec3 z = Vec3::UnitZ();
    if (read_value(stated, z, problems()) && direction(*stated, z))
      return rotation_between(Vec3::UnitZ(), z.normalized());
  }
  return Quat::Identity();
}

Pose MjcfContext::pose_of(const MjcfView& view) const {
  Pose pose;
  read_value(view.find("pos"), pose.p, problems());
  pose.q = orientation_of(view);
  return pose;
}

void MjcfContext::read_defaults(const XmlElement& element, const MjcfClass* parent) {
  element.is_read = true;
  const XmlAttribute* name = element.find("class");
  // The outermost class is that of all elements, whatever it is called.
  const std::string key = parent == nullptr ? "main" : name != nullptr ? name->value : "";
  if (parent == nullptr && name != nullptr) main_name_ = name->value;
  if (key.empty())
    return add_problem(problems(), element.place, "<default> needs class, a name of its own");
  auto& entry = classes_[key];
  if (entry != nullptr && parent != nullptr)
    return add_problem(problems(), element.place,
                       fmt::format("there is already a class \"{}\"", key));
  if (entry == nullptr) entry = std::make_unique<MjcfClass>();
  entry->name = key;
  entry->parent = parent;
  for (const XmlElement* child : element.children) {
    if (child->tag == "default")
      read_defaults(*child, entry.get());
    else  // it is read where something uses it
      entry->elements[std::string(default_tag(child->tag))].push_back(child);
    for (const char* unused : {"site", "material", "camera", "light", "texture"})
      if (child->tag == unused) mark_read(*child);
  }
}

const MjcfClass* MjcfContext::class_of(const XmlElement& element, const MjcfClass* of_body) const {
  const XmlAttribute* name = element.find("class");
  if (name == nullptr || name->value == main_name_) {
    if (name == nullptr && of_body != nullptr) return of_body;
    const auto main = classes_.find("main");
    return main == classes_.end() ? nullptr : main->second.get();
  }
  const auto found = classes_.find(name->value);
  if (found != classes_.end()) return found->second.get();
  if (name->value != "main")
    add_problem(problems(), name->place, fmt::format("there is no class \"{}\"", name->value));
  return nullptr;
}

Vec3 MjcfContext::in_world(int link, const Vec3& point) const {
  return link == kNoParent ? point : Vec3(robot.links[std::size_t(link)].X_WL * point);
}

void MjcfContext::note_looks(const XmlElement& element) const {
  mark_read(element);
  file.report.add(RobotNoteKind::read, element.place,
                  fmt::format("<{}>: of no effect on the motion", element.tag));
}

std::string MjcfContext::copied(const std::string& name, const std::string& suffix) {
  if (!suffix.empty()) copies.emplace(name, name + suffix);
  return name + suffix;
}

void MjcfContext::missing(const XmlAttribute& name, std::string_view what) const {
  const auto copy = copies.find(name.value);
  add_problem(problems(), name.place,
              fmt::format("there is no {} \"{}\"", what, name.value.substr(0, 200)),
              copy == copies.end()
                  ? ""
                  : fmt::format("it stands in a <replicate>: its first copy is \"{}\", and each "
                                "is named alone",
                                copy->second));
}

RobotTendon* MjcfContext::find_tendon(const std::string& name) {
  const auto found = tendon_of_name.find(name);
  if (found == tendon_of_name.end()) return nullptr;
  RobotTendon& tendon = robot.tendons[found->second];
  tendon.has_effect = true;
  return &tendon;
}

std::optional<Vec2> mjcf_range(const MjcfView& view, const char* range, const char* limited,
                               const MjcfContext& context) {
  const XmlAttribute* given = view.find(range);
  const XmlAttribute* asked = view.find(limited);
  const std::string word = asked != nullptr ? asked->value : "auto";
  if (word != "true" && word != "false" && word != "auto") {
    add_problem(
        context.problems(), asked->place,
        fmt::format("{}: expected true, false or auto, got \"{}\"", limited, word.substr(0, 60)));
    return std::nullopt;
  }
  if (word == "true" && given == nullptr)
    add_problem(context.problems(), asked->place,
                fmt::format("{} is true, and there is no {}", limited, range));
  if (given == nullptr || word == "false") return std::nullopt;
  const auto x = numbers_of(given, 2, 2, context.problems());
  if (!x) return std::nullopt;
  if (word == "auto" && !context.compiler.limits_itself) {
    if ((*x)[0] != 0 || (*x)[1] != 0)
      add_problem(context.problems(), given->place,
                  fmt::format("{}: autolimits is false, and there is no {}", range, limited),
                  fmt::format("write {}=\"true\" or \"false\"", limited));
    return std::nullopt;
  }
  const Vec2 limits((*x)[0], (*x)[1]);
  if (limits.x() < limits.y()) return limits;
  if (word == "true" ||
      limits.x() > limits.y())  // two equal ones are none, unless they are asked for
    add_problem(context.problems(), given->place,
                fmt::format("{}: expected the smaller number first", range));
  return std::nullopt;
}

RobotJoint* MjcfContext::find_joint(const std::string& name) {
  const auto found = joint_of_name.find(name);
  if (found == joint_of_name.end()) return nullptr;
  const auto& [link, number] = found->second;
  std::vector<RobotJoint>& own = robot.links[std::size_t(link)].joints;
  return number < own.size() ? &own[number] : nullptr;  // null: its base is held
}

}  // namespace talus::scene::detail
