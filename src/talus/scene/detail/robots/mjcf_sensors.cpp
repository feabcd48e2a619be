#include <fmt/format.h>

#include <array>

#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <sensor> of MJCF.

namespace talus::scene::detail {
namespace {

struct SensorWord {
  const char* tag;
  const char* kind;  ///< as scenes call it
};
constexpr std::array<SensorWord, 6> kAtSite = {{
    {"accelerometer", "accelerometer"},
    {"gyro", "gyro"},
    {"force", "force"},
    {"torque", "torque"},
    {"touch", "touch"},
    {"rangefinder", "rangefinder"},
}};
constexpr std::array<SensorWord, 4> kOfFrame = {{
    {"framepos", "position"},
    {"framequat", "orientation"},
    {"framelinvel", "velocity"},
    {"frameangvel", "angular_velocity"},
}};

template <class Table>
const char* kind_of_tag(const Table& table, std::string_view tag) {
  for (const SensorWord& word : table)
    if (tag == word.tag) return word.kind;
  return nullptr;
}

class SensorReader {
 public:
  explicit SensorReader(MjcfContext& context) : context_(context) {}

  void read(const XmlElement& element, std::size_t number) {
    mark_read(element);
    RobotSensor sensor;
    sensor.place = element.place;
    const XmlAttribute* name = element.find("name");
    sensor.name = name != nullptr ? name->value : fmt::format("{} {}", element.tag, number + 1);
    for (const char* key : {"noise", "delay"})
      if (const XmlAttribute* extra = element.find(key))
        context_.file.ignored(extra->place, fmt::format("sensor {}: readings are exact", key));
    if (const XmlAttribute* joint = element.find("joint");
        joint != nullptr && !context_.joint_of_name.contains(joint->value))
      return context_.missing(*joint, "joint");
    if (const XmlAttribute* actuator = element.find("actuator");
        actuator != nullptr && !context_.actuators.contains(actuator->value))
      return context_.missing(*actuator, "actuator");
    if (const char* kind = kind_of_tag(kAtSite, element.tag)) {
      sensor.kind = kind;
      read_at_site(element, sensor);
    } else if (const char* of_frame = kind_of_tag(kOfFrame, element.tag)) {
      sensor.kind = of_frame;
      read_of_frame(element, sensor);
    } else if (!note_joint(element)) {
      context_.file.ignored(element.place, fmt::format("sensor <{}>", element.tag));
    }
  }

 private:
  void read_at_site(const XmlElement& element, RobotSensor& sensor) {
    const MjcfSite* site = find_site(element, "site");
    if (site == nullptr) return;
    sensor.link = site->link;
    sensor.X_LF = site->X_LF;
    const bool is_range = sensor.kind == "rangefinder", is_touch = sensor.kind == "touch";
    const bool is_load = sensor.kind == "force" || sensor.kind == "torque";
    Real cutoff = 0;
    if (read_value(element.find("cutoff"), cutoff, context_.problems()) && cutoff > 0) {
      if (is_range)
        sensor.reach = cutoff;
      else
        context_.file.ignored(element.find("cutoff")->place, "sensor cutoff");
    }
    if (is_touch) {
      sensor.box = 2 * site->half_size;
      if (!site->is_box)
        context_.file.ignored(element.place,
                              "touch: round sites; contacts in the box about one count");
      if (site->link == kNoParent)
        return context_.file.ignored(element.place, "touch of a site of the world");
    }
    if (is_load &&
        (site->link == kNoParent || context_.robot.links[std::size_t(site->link)].joints.empty() ||
         context_.robot.links[std::size_t(site->link)].joints.front().kind ==
             RobotJoint::Kind::free))
      return context_.file.ignored(
          element.place, fmt::format("sensor <{}> of a body without a joint", element.tag));
    context_.robot.sensors.push_back(sensor);
  }

  void read_of_frame(const XmlElement& element, RobotSensor& sensor) {
    const XmlAttribute* type = element.find("objtype");
    const XmlAttribute* name = element.find("objname");
    if (type == nullptr || name == nullptr)
      return context_.file.problem(element.place,
                                   fmt::format("<{}> needs objtype and objname", element.tag));
    if (element.find("refname") != nullptr)
      return context_.file.ignored(element.place,
                                   fmt::format("sensor <{}> against another frame", element.tag));
    if (type->value == "site") {
      const MjcfSite* site = find_site(element, "objname");
      if (site == nullptr) return;
      sensor.link = site->link;
      sensor.X_LF = site->X_LF;
    } else if (type->value == "body" || type->value == "xbody") {
      const auto link = context_.link_of_body.find(name->value);
      if (link == context_.link_of_body.end()) return context_.missing(*name, "body");
      const bool is_centre = type->value == "body";
      if (is_centre && sensor.kind == "orientation")
        return context_.file.ignored(element.place,
                                     "sensor <framequat> of principal axes: take xbody");
      sensor.link = link->second;
      const auto& inertia = context_.robot.links[std::size_t(link->second)].inertia;
      if (is_centre && inertia) sensor.X_LF.p = inertia->centre;
    } else {
      return context_.file.ignored(element.place,
                                   fmt::format("sensor <{}> of a {}", element.tag, type->value));
    }
    context_.robot.sensors.push_back(sensor);
  }

  /// What joints record without a sensor.
  bool note_joint(const XmlElement& element) {
    const bool is_known = element.tag == "jointpos" || element.tag == "jointvel" ||
                          element.tag == "actuatorfrc" || element.tag == "jointactuatorfrc" ||
                          element.tag == "actuatorpos" || element.tag == "actuatorvel";
    if (is_known)
      context_.file.report.add(
          RobotNoteKind::read, element.place,
          fmt::format("sensor <{}>: recorded with the joint, as joint.NAME", element.tag));
    if (const XmlAttribute* tendon = element.find("tendon")) {
      if (context_.find_tendon(tendon->value) == nullptr) return false;
      context_.file.report.add(
          RobotNoteKind::read, element.place,
          fmt::format("sensor <{}>: recorded as joint.tendon NAME", element.tag));
      return true;
    }
    return is_known;
  }

  const MjcfSite* find_site(const XmlElement& element, const char* key) {
    const XmlAttribute* name = element.find(key);
    if (name == nullptr) {
      context_.file.problem(element.place, fmt::format("<{}> needs {}", element.tag, key));
      return nullptr;
    }
    const auto site = context_.sites.find(name->value);
    if (site != context_.sites.end()) return &site->second;
    context_.missing(*name, "site");
    return nullptr;
  }

  MjcfContext& context_;
};

}  // namespace

void read_mjcf_sensors(const XmlElement& element, MjcfContext& context) {
  element.is_read = true;
  SensorReader reader(context);
  std::size_t number = 0;
  for (const XmlElement* child : element.children) reader.read(*child, number++);
}

}  // namespace talus::scene::detail
