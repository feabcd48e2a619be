#include <talus/scene/detail/build.hpp>
#include <talus/scene/detail/colour.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <talus/model/bounding_radius.hpp>
#include <talus/scene/detail/data_file.hpp>
#include <talus/scene/detail/generate.hpp>
#include <talus/scene/detail/machine.hpp>
#include <talus/scene/detail/materials.hpp>
#include <talus/scene/detail/motion.hpp>
#include <talus/scene/detail/packed_set.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/planar.hpp>
#include <talus/scene/detail/population.hpp>
#include <talus/scene/detail/sensors.hpp>
#include <talus/scene/detail/shape_maker.hpp>
#include <talus/scene/detail/shapes.hpp>
#include <talus/scene/detail/sizes.hpp>
#include <talus/scene/detail/sphere_table.hpp>

namespace talus::scene::detail {
namespace {

using model::BodyKind;

/// Why a matrix cannot be an inertia, or "". A body of non-negative density has a symmetric
/// positive definite inertia whose principal moments obey the triangle inequality.
std::string mistake_in_inertia(const Mat3& inertia) {
  constexpr Real kRoundOff = 1e-9;
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() >
      kRoundOff * inertia.cwiseAbs().maxCoeff())
    return "expected a symmetric matrix";
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia).eigenvalues();
  const std::string shown =
      fmt::format("[{:.6g}, {:.6g}, {:.6g}]", moments[0], moments[1], moments[2]);
  if (!(moments[0] > 0))
    return fmt::format("expected positive principal moments [kg m^2], got {}", shown);
  if (moments[2] > (moments[0] + moments[1]) * (1 + kRoundOff))
    return fmt::format(
        "no body has the principal moments {}: the largest exceeds the sum of the others", shown);
  return "";
}

/// Direction out of a plane or half-plane.
Vec3 normal_of(const ShapeSpec& shape) {
  if (shape.plane) return shape.plane->normal;
  return {shape.half_plane->normal.x(), shape.half_plane->normal.y(), 0};
}

class ModelBuilder {
 public:
  ModelBuilder(const std::vector<const FragmentSpec*>& fragments, Scene& scene, Problems& problems)
      : scene_(scene),
        model_(scene.model),
        problems_(problems),
        materials_(fragments, scene.model, problems),
        shapes_(scene, problems) {}

  void add(const BodySpec& spec) {
    if (spec.name.empty() || spec.material.empty()) return;  // noted by the reader
    if (const auto [first, is_new] = names_.emplace(spec.name, spec.place); !is_new)
      problems_.add(spec.place.at("name"),
                    fmt::format("there is already a body \"{}\", at {}:{}", spec.name,
                                first->second.document->path.string(), first->second.node->line));
    const auto material = materials_.find(spec.material, spec.place.at("material"));
    if (!material || !spec.is_sound) return;
    prototype_ = {};
    prototype_.kind = spec.kind();
    prototype_.material = *material;
    check_motion(spec);
    if (!check_dimension(spec, model_.dimension, problems_)) return;
    if (spec.shape) prototype_.X_BS = shape_pose(*spec.shape);
    if (spec.mass_centre && !(spec.shape && spec.shape->clump))
      prototype_.X_BS.p = -*spec.mass_centre;
    const Index first = model_.body_count();
    if (spec.shape)
      add_single(spec);
    else if (spec.spheres)
      add_spheres(spec);
    else if (spec.lattice)
      add_lattice(spec);
    else if (spec.random)
      add_random(spec);
    else if (spec.packing)
      add_packing(spec);
    else if (spec.source)
      add_source(spec);
    const Index count = model_.body_count() - first;
    add_motion(first, count, spec);
    const model::Colour colour = colour_of(spec.colour, spec.place.at("colour"), problems_);
    if (count > 0) model_.groups.push_back({spec.name, first, count, !spec.shape, colour});
    if (!spec.collides)
      for (Index body = first; body < first + count; ++body) untouchable_.push_back(body);
  }
  /// Bodies that are kept apart, of every list in the order of the model.
  void keep_apart(const ContactsSpec& spec) {
    for (const std::vector<std::string>& names : spec.apart) {
      std::vector<Index>& list = apart_.emplace_back();
      for (const std::string& name : names) {
        const auto group = std::find_if(model_.groups.begin(), model_.groups.end(),
                                        [&](const auto& one) { return one.name == name; });
        if (group == model_.groups.end())
          return problems_.add(spec.place.at("apart"),
                               fmt::format("there is no body \"{}\"", name));
        for (Index i = 0; i < group->count; ++i) list.push_back(group->first + i);
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
  [[nodiscard]] MachineParts machine_parts() const { return {untouchable_, apart_}; }

 private:
  /// Bodies with a prescribed motion start where it says.
  void add_motion(Index first, Index count, const BodySpec& spec) {
    if (prototype_.kind != BodyKind::kinematic) return;
    std::vector<model::MotionTerm> terms;
    if (spec.motion) terms = motion_terms(*spec.motion, scene_.step_size, problems_);
    model::State& initial = scene_.initial;
    for (Index body = first; body < first + count; ++body) {
      model::Motion motion{body, initial.pose(body), terms};
      if (terms.empty())
        motion.terms = {
            model::ConstantTwist{initial.velocity[body], initial.angular_velocity[body]}};
      if (!problems_.empty()) return;
      const Pose start = model::pose_at(motion, initial.time);
      initial.position[body] = start.p;
      initial.orientation[body] = start.q;
      model_.motions.push_back(std::move(motion));
    }
  }

  void check_motion(const BodySpec& spec) {
    if (spec.motion && !spec.motion->kind)
      for (const char* key : {"velocity", "angular_velocity"})
        if (spec.has(key))
          problems_.add(spec.place.at(key),
                        fmt::format("{} contradicts the laws that prescribe the motion", key));
    if (prototype_.kind != BodyKind::fixed) return;
    for (const char* key : {"velocity", "angular_velocity"}) {
      const Vec3& value =
          key == std::string_view("velocity") ? spec.velocity : spec.angular_velocity;
      if (!value.isZero(0))
        problems_.add(spec.place.at(key), fmt::format("a fixed body has no {}", key),
                      "write motion: kinematic for a body that moves in a prescribed way");
    }
  }

  /// Whether a shape can be used as it is meant; notes what is wrong.
  bool check_shape(const ShapeSpec& shape, bool in_set) {
    const bool is_boundary = shape.mesh || shape.pipe;
    if (is_boundary && (in_set || prototype_.kind == BodyKind::dynamic)) {
      problems_.add(shape.place.at(shape.mesh ? "mesh" : "pipe"),
                    "a mesh or a pipe is for single bodies that forces do not move",
                    "write motion: fixed or kinematic; of a file, hull makes a convex body");
      return false;
    }
    if (!shape.plane && !shape.half_plane) return true;
    const Place place = shape.place.at(shape.plane ? "plane" : "half_plane");
    if (in_set) {
      problems_.add(place, "a set cannot be made of planes: they have no end");
      return false;
    }
    if (prototype_.kind == BodyKind::dynamic) {
      problems_.add(place, "a plane has no end and no mass: it cannot be dynamic",
                    "write motion: fixed or motion: kinematic");
      return false;
    }
    if (has_direction(normal_of(shape))) return true;
    problems_.add(place.at("normal"), "expected a direction, got a zero vector");
    return false;
  }

  /// Gives the prototype the mass and inertia of its shape; false if that is impossible.
  bool set_mass(const BodySpec& spec) {
    if (prototype_.kind != BodyKind::dynamic) return true;
    const Real density = spec.density.value_or(model_.materials[prototype_.material].density);
    if (!spec.mass && density == 0) {
      problems_.add(spec.place,
                    fmt::format("no mass: neither mass nor density is given, and the material "
                                "\"{}\" has no density",
                                spec.material),
                    "give mass, density, or the material's density; or write motion: fixed");
      return false;
    }
    const geometry::MassProperties unit = model_.dimension == 2
                                              ? planar_mass_properties(prototype_)
                                              : geometry::mass_properties(prototype_.shape, 1);
    prototype_.mass = spec.mass.value_or(density * unit.mass);
    prototype_.inertia =
        spec.inertia ? *spec.inertia : Mat3(unit.inertia * (prototype_.mass / unit.mass));
    constexpr Real kLeast = 1e-60;  // far from where products of masses and lengths underflow
    constexpr Real kMost = 1e60;
    const Vec3 moments = prototype_.inertia.diagonal();
    const bool is_usable = prototype_.mass > kLeast && prototype_.mass < kMost &&
                           moments.minCoeff() > kLeast && moments.maxCoeff() < kMost;
    if (!is_usable)
      problems_.add(spec.place,
                    fmt::format("a mass of {:g} kg with the moments of inertia [{:g}, {:g}, {:g}] "
                                "kg m^2 cannot be computed with",
                                prototype_.mass, moments[0], moments[1], moments[2]),
                    "check the units of size, mass and density");
    return is_usable;
  }

  void push(const Pose& pose, const Vec3& velocity, const Vec3& angular_velocity) {
    model_.bodies.push_back(prototype_);
    scene_.initial.position.push_back(pose.p);
    scene_.initial.orientation.push_back(pose.q);
    scene_.initial.velocity.push_back(velocity);
    scene_.initial.angular_velocity.push_back(angular_velocity);
  }

  bool has_room(const Place& place, Real count) {
    if (static_cast<Real>(model_.body_count()) + count <= static_cast<Real>(kMostBodies))
      return true;
    problems_.add(place, fmt::format("a scene has at most {} bodies; with these it would have {:g}",
                                     kMostBodies, static_cast<Real>(model_.body_count()) + count));
    return false;
  }

  void add_single(const BodySpec& spec) {
    const std::optional<Quat> orientation = rotation_of(spec.orientation, problems_);
    if (spec.inertia) {
      const std::string mistake = mistake_in_inertia(*spec.inertia);
      if (!mistake.empty()) return problems_.add(spec.place.at("inertia"), mistake);
    }
    if (!check_shape(*spec.shape, false) || !orientation || !has_room(spec.place, 1)) return;
    if (prototype_.kind == BodyKind::dynamic && spec.shape->hull && !spec.shape->hull->centred &&
        !spec.mass_centre)
      return problems_.add(spec.shape->hull->place.at("centred"),
                           "the origin of a body is its centre of mass",
                           "give mass_centre, mass and inertia, or leave centred out");
    const auto shape = spec.shape->clump && spec.mass_centre
                           ? shapes_.clump_about(*spec.shape, *spec.mass_centre)
                           : shapes_.make(*spec.shape);
    if (!shape) return;
    prototype_.shape = *shape;
    if (!set_mass(spec)) return;
    const Quat turned = spec.shape->plane || spec.shape->half_plane
                            ? *orientation * plane_rotation(normal_of(*spec.shape))
                            : *orientation;
    push({spec.position, turned.normalized()}, spec.velocity, spec.angular_velocity);
  }

  void add_spheres(const BodySpec& spec) {
    const Place place = spec.spheres->place.at("file");
    const SourceFile* file = read_data_file(spec.spheres->file, place, scene_, problems_);
    if (file == nullptr) return;
    const std::filesystem::path path = file->path;
    const SphereTable table = parse_sphere_table(path, file->text, problems_);
    if (table.has_velocity)
      for (const char* key : {"velocity", "angular_velocity"})
        if (spec.has(key))
          problems_.add(spec.place.at(key),
                        fmt::format("{} contradicts the velocities in {}", key, path.string()));
    if (table.has_velocity && prototype_.kind == BodyKind::fixed)
      problems_.add(place,
                    fmt::format("a fixed body has no velocity, but {} gives some", path.string()),
                    "remove the columns vx … wz");
    if (!problems_.empty() || !has_room(place, static_cast<Real>(table.rows.size()))) return;
    reserve(table.rows.size());
    for (const SphereRow& row : table.rows) {
      prototype_.shape = geometry::Sphere{row.radius};
      if (!set_mass(spec)) return;
      push({row.position, Quat::Identity()}, table.has_velocity ? row.velocity : spec.velocity,
           table.has_velocity ? row.angular_velocity : spec.angular_velocity);
    }
  }

  void add_lattice(const BodySpec& spec) {
    const LatticeSpec& lattice = *spec.lattice;
    if (lattice.sizes) check_sizes(*lattice.sizes, problems_);
    if (!check_shape(lattice.shape, true) || !problems_.empty() ||
        !has_room(lattice.place.at("count"), lattice.count.prod()))
      return;
    add_members(spec, lattice.shape, generate_lattice(lattice, model_.dimension));
  }

  void add_random(const BodySpec& spec) {
    const RandomSpec& random = *spec.random;
    if (random.sizes) check_sizes(*random.sizes, problems_);
    check_region(random.region, model_.cell, problems_, model_.dimension);
    if (!check_shape(random.shape, true) || !problems_.empty() ||
        !has_room(random.place.at("count"), static_cast<Real>(random.count)))
      return;
    const auto shape = shapes_.make(random.shape);
    if (!shape) return;
    const std::vector<Member> members =
        generate_random(random, radius_of(*shape, random.shape), model_.cell, model_.dimension);
    if (static_cast<Index>(members.size()) < random.count)
      return problems_.add(
          random.place.at("count"),
          fmt::format("only {} of {} bodies fit into the region without overlap", members.size(),
                      random.count),
          "make the region larger or the bodies fewer or smaller; at random, balls fill a third of "
          "a space at most");
    add_members(spec, random.shape, members);
  }

  [[nodiscard]] Real radius_of(const geometry::Shape& shape, const ShapeSpec& spec) const {
    return model::bounding_radius(model_.dimension, shape, shape_pose(spec));
  }

  void add_packing(const BodySpec& spec) {
    const PackingSpec& packing = *spec.packing;
    if (packing.sizes) check_sizes(*packing.sizes, problems_);
    check_region(packing.region, model_.cell, problems_);
    if (!check_shape(packing.shape, true) || !problems_.empty()) return;
    const auto shape = shapes_.make(packing.shape);
    if (!shape) return;
    const Real radius = radius_of(*shape, packing.shape);
    std::vector<Member> members = draw_packing(packing, radius, model_.cell, problems_);
    if (members.empty() || !has_room(packing.place, static_cast<Real>(members.size())) ||
        !place_packing(packing, radius, model_.cell, members, problems_))
      return;
    add_members(spec, packing.shape, members);
  }

  void add_source(const BodySpec& spec) {
    const SourceSpec& source = *spec.source;
    if (prototype_.kind != BodyKind::dynamic)
      return problems_.add(spec.place.at(spec.motion ? "motion" : "fixed"),
                           "the bodies of a source are dynamic");
    if (source.sizes) check_sizes(*source.sizes, problems_);
    check_region(source.region, model_.cell, problems_, model_.dimension);
    if (!check_shape(source.shape, true) || !problems_.empty() ||
        !has_room(source.place.at("count"), static_cast<Real>(source.count)))
      return;
    const Index first = model_.body_count();
    add_members(spec, source.shape, generate_source(source, model_.dimension));
    if (model_.body_count() - first < source.count) return;  // noted
    for (Index i = first; i < model_.body_count(); ++i)
      scene_.initial.velocity[i] = scene_.initial.angular_velocity[i] = Vec3::Zero();
    build_source(spec, first, scene_, problems_);
  }

  void add_members(const BodySpec& spec, const ShapeSpec& shape,
                   const std::vector<Member>& members) {
    reserve(members.size());
    prototype_.X_BS = shape_pose(shape);
    for (const Member& member : members) {
      const auto made = shapes_.make(shape, member.scale);
      if (!made) return;
      prototype_.shape = *made;
      if (!set_mass(spec)) return;
      push(member.pose, spec.velocity, spec.angular_velocity);
    }
  }

  void reserve(std::size_t more) {
    const std::size_t count = model_.bodies.size() + more;
    model_.bodies.reserve(count);
    scene_.initial.position.reserve(count);
    scene_.initial.orientation.reserve(count);
    scene_.initial.velocity.reserve(count);
    scene_.initial.angular_velocity.reserve(count);
  }

  Scene& scene_;
  model::Model& model_;
  Problems& problems_;
  MaterialTable materials_;
  ShapeMaker shapes_;
  std::unordered_map<std::string, Place> names_;
  std::vector<Index> untouchable_;
  std::vector<std::vector<Index>> apart_;
  model::Body prototype_;  ///< what the next members have in common
};

}  // namespace

void build_model(const SceneFiles& files, Scene& scene, Problems& problems) {
  std::vector<const FragmentSpec*> fragments;
  for (const FragmentSpec& fragment : files.included) fragments.push_back(&fragment);
  fragments.push_back(&files.scene);
  ModelBuilder builder(fragments, scene, problems);
  for (const FragmentSpec* fragment : fragments)
    for (const BodySpec& body : fragment->bodies)
      if (!problems.full()) builder.add(body);
  if (problems.empty())
    for (const FragmentSpec* fragment : fragments)
      if (fragment->contacts) builder.keep_apart(*fragment->contacts);
  if (files.scene.camera && scene.model.dimension == 2)
    problems.add(files.scene.camera->place, "a planar scene is seen from the front",
                 "leave the camera out");
  else if (files.scene.camera)
    scene.model.camera = {files.scene.camera->position, files.scene.camera->target};
  const model::State given = scene.initial;  // before positions of joints move the bodies
  build_machine(fragments, builder.machine_parts(), scene, problems);
  if (problems.empty()) build_sensors(fragments, given, scene, problems);
  build_sinks(files.scene.sinks, scene, problems);
  if (scene.model.has_changing_population()) {
    scene.initial.presence.assign(scene.model.bodies.size(), model::Presence::present);
    for (const model::Source& source : scene.model.sources)
      std::fill_n(scene.initial.presence.begin() + source.first, source.count(),
                  model::Presence::waiting);
  }
  if (scene.model.bodies.empty() && problems.empty())
    problems.add(files.scene.place, "a scene needs at least one body", "add one under bodies");
}

}  // namespace talus::scene::detail
