#include "support/beds.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include <talus/base/error.hpp>

#include "support/bed.hpp"

namespace talus::bench {
namespace {

constexpr Real kDensity = 2500;
constexpr Real kFriction = 0.5;
constexpr Real kSpacing = 0.0256;
constexpr const char* kImpulseColumns = "a,b,rx,ry,rz";

Bed empty_bed(Real width) {
  Bed bed{test::World(kFriction), width, {}};
  test::add_container(bed.world, width);
  return bed;
}

constexpr Index kPlanes = 5;  // of a container: the floor, then walls at −x, +x, −y, +y

/// Tile (a, b) of tiles²: how it is mirrored.
Vec3 flip_of(int a, int b) { return {a % 2 == 0 ? 1.0 : -1.0, b % 2 == 0 ? 1.0 : -1.0, 1}; }

/// The wall of the whole bed, or the next tile, that takes the place of a wall of tile (a, b).
struct Behind {
  Index wall = 0;    // where there is no tile
  int a = 0, b = 0;  // the tile
  bool is_tile = false;
};
Behind behind_wall(Index wall, int a, int b, int tiles) {
  const Vec3 flip = flip_of(a, b);
  const int axis = wall <= 2 ? 0 : 1;
  const int side = (wall % 2 == 1 ? -1 : 1) * static_cast<int>(flip[axis]);
  Behind behind{2 * axis + (side < 0 ? 1 : 2), a, b, false};
  int& place = axis == 0 ? behind.a : behind.b;
  place += side;
  behind.is_tile = place >= 0 && place < tiles;
  return behind;
}

void add_sphere(Bed& bed, Real radius, const Vec3& position) {
  bed.world.add(geometry::Sphere{radius}, model::BodyKind::dynamic, position, Quat::Identity(),
                kDensity);
}

}  // namespace

Bed lattice_bed(Index count, std::uint64_t seed) {
  const int side = std::max(1, static_cast<int>(std::lround(6 * std::sqrt(Real(count) / 1000))));
  Bed bed = empty_bed(side * kSpacing);
  Random random(seed);
  for (Index k = 0; k < count; ++k) {
    const Index i = k % side, j = k / side % side, layer = k / side / side;
    const Vec3 site(Real(i) - (side - 1) / 2.0, Real(j) - (side - 1) / 2.0, Real(layer) + 0.5);
    const Vec3 jitter = test::random_vector(random, 1e-3);
    add_sphere(bed, 0.01 * random.uniform(0.9, 1.1), kSpacing * site + jitter);
  }
  return bed;
}

Bed read_bed(const std::filesystem::path& path) {
  std::ifstream file(path);
  const auto fail = [&](int line, const std::string& what) {
    return InputError(Diagnostic{{path.string(), line, 0}, "", what, "", ""});
  };
  std::string line;
  if (!file || !std::getline(file, line)) throw fail(1, "cannot read a bed of spheres from it");
  const std::size_t at = line.find("L=");
  const Real width = at == std::string::npos ? 0 : std::strtod(line.c_str() + at + 2, nullptr);
  if (line.empty() || line[0] != '#' || !(width > 0))
    throw fail(1, "the first line must give the container's width, as in '# L=0.1536'");
  std::getline(file, line);
  const bool has_velocity = line == "id,x,y,z,r,vx,vy,vz,wx,wy,wz";
  if (!has_velocity && line != "id,x,y,z,r")
    throw fail(2, "columns are '" + line + "', allowed: id,x,y,z,r[,vx,vy,vz,wx,wy,wz]");

  Bed bed = empty_bed(width);
  bool has_spheres = true;
  for (int number = 3; std::getline(file, line); ++number) {
    if (line.starts_with("# h=")) {
      bed.memory.step_size = std::strtod(line.c_str() + 4, nullptr);
      has_spheres = false;
      std::getline(file, line);
      ++number;
      if (line != kImpulseColumns || !(bed.memory.step_size > 0))
        throw fail(number,
                   fmt::format("after a step size above 0 columns are {}", kImpulseColumns));
      continue;
    }
    std::array<Real, 11> value{};
    std::size_t count = 0;
    std::istringstream cells(line);
    for (std::string cell; count < value.size() && std::getline(cells, cell, ','); ++count) {
      char* end = nullptr;
      value[count] = std::strtod(cell.c_str(), &end);
      if (end == cell.c_str() || !std::isfinite(value[count]))
        throw fail(number, "'" + cell + "' is not a number");
    }
    if (!has_spheres) {
      const auto is_body = [&](Real x) { return x >= 0 && x < Real(bed.world.model.body_count()); };
      if (count != 5 || !is_body(value[0]) || !is_body(value[1]))
        throw fail(number, "one contact per line, as the columns say, of bodies that are there");
      stepping::StepContact& contact = bed.memory.contacts.emplace_back();
      contact.body_a = static_cast<Index>(value[0]);
      contact.body_b = static_cast<Index>(value[1]);
      contact.impulse = {value[2], value[3], value[4]};
      continue;
    }
    if (count != (has_velocity ? 11 : 5) || !(value[4] > 0))
      throw fail(number, "one sphere per line, as the columns say, with a radius above 0");
    const Vec3 p(value[1], value[2], value[3]);
    add_sphere(bed, value[4], p);
    bed.world.state.velocity.back() = {value[5], value[6], value[7]};
    bed.world.state.angular_velocity.back() = {value[8], value[9], value[10]};
  }
  return bed;
}

void write_bed(const std::filesystem::path& path, const Bed& bed, const model::State& state,
               const stepping::SchemeMemory& memory) {
  std::ofstream file(path);
  file << fmt::format("# L={:.17g} R0=0.01 rho=2500 mu=0.5 e=0 g=9.81\n", bed.width)
       << "id,x,y,z,r,vx,vy,vz,wx,wy,wz\n";
  Index id = 0;
  for (Index i = 0; i < state.body_count(); ++i) {
    const auto* sphere = std::get_if<geometry::Sphere>(&bed.world.model.bodies[i].shape);
    if (sphere == nullptr) continue;
    const Vec3 &x = state.position[i], &v = state.velocity[i], &w = state.angular_velocity[i];
    file << fmt::format(
        "{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n",
        id++, x.x(), x.y(), x.z(), sphere->radius, v.x(), v.y(), v.z(), w.x(), w.y(), w.z());
  }
  file << fmt::format("# h={:.17g}\n{}\n", memory.step_size, kImpulseColumns);
  for (const stepping::StepContact& contact : memory.contacts) {
    const Vec3& r = contact.impulse;
    file << fmt::format("{},{},{:.17g},{:.17g},{:.17g}\n", contact.body_a, contact.body_b, r.x(),
                        r.y(), r.z());
  }
  if (!file) throw file_error(path.string(), "cannot be written");
}

Bed mirror_tiles(const Bed& tile, const model::State& state, int tiles) {
  Bed bed = empty_bed(tile.width * tiles);
  for (int b = 0; b < tiles; ++b)
    for (int a = 0; a < tiles; ++a) {
      const Vec3 flip = flip_of(a, b);
      const Vec3 centre = tile.width * Vec3(a - (tiles - 1) / 2.0, b - (tiles - 1) / 2.0, 0);
      for (Index i = 0; i < state.body_count(); ++i) {
        const auto* sphere = std::get_if<geometry::Sphere>(&tile.world.model.bodies[i].shape);
        if (sphere == nullptr) continue;
        add_sphere(bed, sphere->radius, centre + flip.cwiseProduct(state.position[i]));
        bed.world.state.velocity.back() = flip.cwiseProduct(state.velocity[i]);
        // A mirrored spin is a pseudovector: ω ↦ det(F) F ω.
        bed.world.state.angular_velocity.back() =
            flip.prod() * flip.cwiseProduct(state.angular_velocity[i]);
      }
    }
  return bed;
}

void smooth_walls(Bed& bed) {
  model::Model& model = bed.world.model;
  model.materials.push_back({"smooth", 1000});
  model.laws = {model::coulomb_law(kFriction), {}, {}, {}};
  for (Index wall = 1; wall < kPlanes; ++wall) model.bodies[wall].material = 1;
}

Bed mirror_settled(const Bed& tile, const model::State& state, const stepping::SchemeMemory& memory,
                   int tiles) {
  Bed bed = mirror_tiles(tile, state, tiles);
  smooth_walls(bed);
  bed.memory.step_size = memory.step_size;
  const Index count = state.body_count() - kPlanes;
  const auto index_in = [&](Index body, int a, int b) {
    return body < kPlanes ? body : body + count * (tiles * b + a);
  };
  for (int b = 0; b < tiles; ++b)
    for (int a = 0; a < tiles; ++a)
      for (stepping::StepContact contact : memory.contacts) {
        const Vec3 flip = flip_of(a, b);
        contact.normal = flip.cwiseProduct(contact.normal);
        contact.impulse = flip.cwiseProduct(contact.impulse);
        const Index wall = contact.body_a;  // planes come first
        contact.body_a = index_in(contact.body_a, a, b);
        contact.body_b = index_in(contact.body_b, a, b);
        if (wall > 0 && wall < kPlanes) {
          const Behind behind = behind_wall(wall, a, b, tiles);
          if (behind.is_tile && behind.a + behind.b < a + b) continue;  // once per pair of images
          contact.body_a = behind.wall;
          if (behind.is_tile) {  // the image comes later in the order of bodies
            contact.body_a = contact.body_b;
            contact.body_b += count * (tiles * (behind.b - b) + (behind.a - a));
            contact.normal = -contact.normal;
            contact.impulse = -contact.impulse;
          }
        }
        bed.memory.contacts.push_back(contact);
      }
  return bed;
}

void shuffle(Bed& bed, std::uint64_t seed) {
  const Bed old = bed;
  const Index count = old.world.model.body_count();
  std::vector<Index> place(count);  // of an old body
  std::iota(place.begin(), place.end(), 0);
  Random random(seed);
  for (Index i = count - 1; i > kPlanes; --i)
    std::swap(place[i], place[kPlanes + static_cast<Index>(random.uniform(0, 1) *
                                                           static_cast<Real>(i + 1 - kPlanes))]);
  for (Index i = 0; i < count; ++i) {
    const Index to = place[i];
    bed.world.model.bodies[to] = old.world.model.bodies[i];
    bed.world.state.position[to] = old.world.state.position[i];
    bed.world.state.orientation[to] = old.world.state.orientation[i];
    bed.world.state.velocity[to] = old.world.state.velocity[i];
    bed.world.state.angular_velocity[to] = old.world.state.angular_velocity[i];
  }
  for (stepping::StepContact& contact : bed.memory.contacts) {
    contact.body_a = place[contact.body_a];
    contact.body_b = place[contact.body_b];
    if (contact.body_a < contact.body_b) continue;
    std::swap(contact.body_a, contact.body_b);
    contact.normal = -contact.normal;
    contact.impulse = -contact.impulse;
  }
}

test::World toothed_wall(int bricks, int courses) {
  const Vec3 half(0.1, 0.05, 0.03);
  test::World world(0.6);
  world.add_floor();
  for (int k = 0; k < courses; ++k)
    for (int i = 0; i < bricks - k % 2; ++i)
      world.add_box(half, {0.201 * (i + (k % 2) / 2.0), 0, (2 * k + 1) * half.z()});
  return world;
}

}  // namespace talus::bench
