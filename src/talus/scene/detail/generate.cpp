#include <talus/scene/detail/generate.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <talus/base/random.hpp>
#include <talus/geometry/ball_grid.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/sizes.hpp>

namespace talus::scene::detail {
namespace {

constexpr int kTries = 2000;  ///< places tried for one member

/// A ball and its images that another ball in the region may be too close to.
/// @param reach largest distance of two centres that are too close [m].
void add_images(const PeriodicCell& cell, const RegionSpec& region, Real reach, const Vec3& centre,
                Real radius, geometry::BallGrid& grid) {
  for_each_image(cell, centre, [&](const Vec3& image) {
    const Vec3 nearest = image.cwiseMax(region.min).cwiseMin(region.max);
    if ((image - nearest).squaredNorm() <= reach * reach) grid.add(image, radius);
  });
}

}  // namespace

/// Uniform on the rotations: a point of the 4-ball by rejection, normalised (Marsaglia 1972, key
/// `marsaglia_1972`); only exact operations, the same on every machine.
Quat random_rotation(Random& random) {
  while (true) {
    Eigen::Matrix<Real, 4, 1> point;
    for (Real& component : point) component = random.uniform(-1, 1);
    const Real squared = point.squaredNorm();
    if (squared > 1 || squared < 1e-4) continue;
    point /= std::sqrt(squared);
    return {point[0], point[1], point[2], point[3]};
  }
}

namespace {

/// The same draw as in space; about z, uniform too, its part in the plane of w and z.
Quat random_turn(Random& random, int dimension) {
  const Quat turned = random_rotation(random);
  if (dimension == 3) return turned;
  const Quat about_z(turned.w(), 0, 0, turned.z());
  return about_z.squaredNorm() > 0 ? about_z.normalized() : Quat::Identity();
}

}  // namespace

std::vector<Member> generate_lattice(const LatticeSpec& lattice, int dimension) {
  Random random(static_cast<std::uint64_t>(lattice.seed));
  const SizeSampler size(lattice.sizes, lattice.size_spread);
  std::vector<Member> members;
  members.reserve(static_cast<std::size_t>(lattice.count.prod()));
  for (Real z = 0; z < lattice.count.z(); ++z)
    for (Real y = 0; y < lattice.count.y(); ++y)
      for (Real x = 0; x < lattice.count.x(); ++x) {
        Member member;
        member.scale = size.draw(random);
        Vec3 jitter;
        for (Real& component : jitter) component = lattice.jitter * random.uniform(-1, 1);
        if (dimension == 2) jitter.z() = 0;
        member.pose.p = lattice.origin + lattice.spacing.cwiseProduct(Vec3(x, y, z)) + jitter;
        const Quat turned = random_turn(random, dimension);
        if (lattice.random_orientation) member.pose.q = turned;
        members.push_back(member);
      }
  return members;
}

std::vector<Member> generate_source(const SourceSpec& source, int dimension) {
  Random random(static_cast<std::uint64_t>(source.seed));
  const SizeSampler size(source.sizes, source.size_spread);
  std::vector<Member> members(static_cast<std::size_t>(source.count));
  for (Member& member : members) {
    member.scale = size.draw(random);
    member.pose.p = 0.5 * (source.region.min + source.region.max);
    const Quat turned = random_turn(random, dimension);
    if (source.random_orientation) member.pose.q = turned;
  }
  return members;
}

std::vector<Member> generate_random(const RandomSpec& spec, Real radius, const PeriodicCell& cell,
                                    int dimension) {
  Random random(static_cast<std::uint64_t>(spec.seed));
  const SizeSampler size(spec.sizes, spec.size_spread);
  std::vector<Member> members(static_cast<std::size_t>(spec.count));
  for (Member& member : members) {
    member.scale = size.draw(random);
    const Quat turned = random_turn(random, dimension);
    if (spec.random_orientation) member.pose.q = turned;
  }
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return members[a].scale > members[b].scale;
  });

  const Vec3 extent = spec.region.max - spec.region.min;
  const Real reach = 2 * radius * size.largest() + spec.gap;
  geometry::BallGrid grid(std::max(reach, extent.maxCoeff() * 1e-9), spec.gap);
  std::size_t placed = 0;
  for (; placed < order.size(); ++placed) {
    Member& member = members[order[placed]];
    const Real own_radius = radius * member.scale;
    Vec3 low = spec.region.min + Vec3::Constant(own_radius);
    Vec3 high = spec.region.max - Vec3::Constant(own_radius);
    for (int k = 0; k < 3; ++k)
      if (k >= dimension || fills(spec.region, cell, k)) {
        low[k] = spec.region.min[k];
        high[k] = spec.region.max[k];
      }
    if ((low.array() > high.array()).any()) break;
    int tries = 0;
    for (; tries < kTries; ++tries) {
      for (int i = 0; i < 3; ++i) member.pose.p[i] = random.uniform(low[i], high[i]);
      if (grid.has_room(member.pose.p, own_radius)) break;
    }
    if (tries == kTries) break;
    add_images(cell, spec.region, reach, member.pose.p, own_radius, grid);
  }
  if (placed < members.size()) members.resize(placed);
  return members;
}

}  // namespace talus::scene::detail
