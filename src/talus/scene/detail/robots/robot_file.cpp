#include <talus/scene/detail/robots/robot_file.hpp>

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

#include <talus/base/error.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/scene/detail/robots/geom_mass.hpp>

namespace talus::scene::detail {
namespace {

/// Attributes of elements, and elements, that no reader looks at and that have no effect on the
/// motion of hard bodies: settings of solvers, softness, looks, what only controllers or Gazebo
/// read.
constexpr std::string_view kWithoutEffect[] = {
    // MJCF
    "option apirate", "option impratio", "option integrator", "option cone", "option jacobian",
    "option solver", "option iterations", "option tolerance", "option ls_iterations",
    "option ls_tolerance", "option noslip_iterations", "option noslip_tolerance",
    "option mpr_iterations", "option mpr_tolerance", "option ccd_iterations",
    "option ccd_tolerance", "option sdf_iterations", "option sdf_initpoints", "option o_margin",
    "option o_solref", "option o_solimp", "option magnetic", "option sleep_tolerance",
    "option collision", "flag sleep", "flag refsafe", "flag eulerdamp", "flag sensor",
    "flag midphase", "flag nativeccd", "flag autoreset", "flag warmstart", "flag fwdinv",
    "flag invdiscrete", "flag multiccd", "flag island", "flag sensornoise", "compiler saveinertial",
    "compiler fitaabb", "compiler alignfree", "geom solmix", "geom gap", "joint margin",
    "pair solref", "pair solimp", "pair solreffriction", "pair margin", "pair gap", "body sleep",
    "mesh smoothnormal", "mesh maxhullvert",
    // URDF
    "limit drake:acceleration", "limit acceleration", "limit jerk", "joint calibration",
    "<stiffness>", "<damping>", "<contact_cfm>", "<contact_erp>", "<calibration>",
    "<safety_controller>", "<gazebo>", "<sensor>", "<frame>", "<drake:collision_filter_group>"};

bool is_without_effect(const std::string& what) {
  return std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), what) !=
         std::end(kWithoutEffect);
}

}  // namespace

void RobotFile::note_unread(const XmlElement& element) const {
  const auto note = [&](const XmlPlace& place, const std::string& text, bool has_no_effect) {
    if (has_no_effect)
      ignored(place, text);
    else
      refused(place, text + ": not known, and it may change the motion");
  };
  for (const XmlAttribute& attribute : element.attributes) {
    if (attribute.is_read || attribute.name.starts_with("xmlns")) continue;
    const std::string text = fmt::format("{} {}", element.tag, attribute.name);
    note(attribute.place, text, attribute.name == "user" || is_without_effect(text));
  }
  for (const XmlElement* child : element.children) {
    if (!child->is_read && element.tag == "default")
      ignored(child->place, fmt::format("default <{}>: nothing uses it", child->tag));
    else if (!child->is_read)
      note(child->place, fmt::format("element <{}>", child->tag),
           is_without_effect(fmt::format("<{}>", child->tag)));
    else
      note_unread(*child);
  }
}

std::string RobotFile::mistake_in_hull(const RobotGeom& geom) {
  try {
    std::vector<Vec3> points =
        geom.file.empty() ? geom.points : meshes.read(folder() / geom.file).vertices;
    for (Vec3& x : points) x = x.cwiseProduct(geom.scale);
    static_cast<void>(geometry::convex_hull(points));
    return "";
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return first.message;
  }
}

void RobotFile::simplify(RobotGeom& geom) {
  if (geom.kind == RobotGeom::Kind::ellipsoid) {
    if (geom.size == Vec3::Constant(geom.size.x()))
      geom.kind = RobotGeom::Kind::sphere;
    else
      report.add(RobotNoteKind::read, geom.place,
                 fmt::format("an ellipsoid: the hull of {} points on it touches others",
                             ellipsoid_points(geom.size).size()));
  }
  if (geom.kind != RobotGeom::Kind::hull) return;
  const std::string mistake = mistake_in_hull(geom);
  if (mistake.find("corners") == std::string::npos) return;  // said where the hull is made
  const std::vector<Vec3> points =
      geom.file.empty() ? geom.points : meshes.read(folder() / geom.file).vertices;
  for (const int count : {256, 128, 64, 32}) {
    RobotGeom simple = geom;
    simple.file.clear();
    simple.points.clear();
    for (const Vec3& direction : spread_directions(count)) {
      const Vec3 seen = direction.cwiseProduct(geom.scale);
      simple.points.push_back(*std::max_element(
          points.begin(), points.end(),
          [&](const Vec3& a, const Vec3& b) { return a.dot(seen) < b.dot(seen); }));
    }
    const auto less = [](const Vec3& a, const Vec3& b) {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    };
    std::sort(simple.points.begin(), simple.points.end(), less);
    simple.points.erase(std::unique(simple.points.begin(), simple.points.end()),
                        simple.points.end());
    if (!mistake_in_hull(simple).empty()) continue;
    report.add(RobotNoteKind::merged, geom.place,
               fmt::format("the hull of {} points: its farthest ones in {} directions",
                           points.size(), count));
    geom = simple;
    return;
  }
}

SceneCoordinates read_robot_file(Document& document, std::deque<Document>& documents,
                                 const RobotOptions& options, RobotReport& report,
                                 Problems& problems) {
  const std::size_t before = problems.count();
  XmlElements elements;
  const XmlElement* root = parse_xml(document, elements, problems);
  if (root == nullptr) return {};
  RobotFile file{document, documents, elements, options, report, problems, {}, 0};
  const auto macro = std::find_if(elements.begin(), elements.end(), [](const XmlElement& one) {
    return one.tag.starts_with("xacro:");
  });
  if (macro != elements.end() || document.path.extension() == ".xacro") {
    file.problem(macro != elements.end() ? macro->place : root->place, "xacro is not read",
                 "expand it first: xacro FILE > robot.urdf");
    return {};
  }
  root->is_read = true;
  Robot robot;
  if (root->tag == "robot") {
    if (!options.keyframe.empty())
      file.problem(root->place, fmt::format("there is no keyframe \"{}\"", options.keyframe),
                   "URDF files have none");
    else
      robot = read_urdf(*root, file);
  } else if (root->tag == "mujoco" || root->tag == "mujocoinclude") {
    robot = read_mjcf(*root, file);
  } else {
    file.problem(root->place,
                 fmt::format("a robot's file begins with <robot> (URDF) or <mujoco> (MJCF), got "
                             "<{}>",
                             root->tag.substr(0, 60)),
                 root->tag == "sdf" ? "SDF is not read" : "");
  }
  if (problems.count() > before) return {};
  if (robot.links.empty()) {
    file.problem(root->place, "there is nothing in it");
    return {};
  }
  return write_scene(robot, options.placement, document, report, problems);
}

Quat rotation_of_rpy(const Vec3& rpy) {
  if (rpy.isZero(0)) return Quat::Identity();
  using Turn = Eigen::AngleAxis<Real>;
  return Quat(Turn(rpy.z(), Vec3::UnitZ()) * Turn(rpy.y(), Vec3::UnitY()) *
              Turn(rpy.x(), Vec3::UnitX()));
}

std::string colour_text(const Vec3& rgb) {
  const auto byte = [](Real x) {
    return static_cast<int>(std::lround(std::clamp(x, Real(0), Real(1)) * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(rgb.x()), byte(rgb.y()), byte(rgb.z()));
}

}  // namespace talus::scene::detail
