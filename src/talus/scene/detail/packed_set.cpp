#include <talus/scene/detail/packed_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <talus/base/random.hpp>
#include <talus/scene/detail/packing.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/sizes.hpp>

namespace talus::scene::detail {
namespace {

constexpr const char* kHint =
    "ask for less, or make the region larger or the bodies smaller; equal balls reach 0.6 and a "
    "little more in a periodic cell, 0.55 and a little more between walls, less with a gap";

Real volume_of_ball(Real radius) { return 4 * std::numbers::pi / 3 * radius * radius * radius; }

Place place_of_amount(const PackingSpec& spec) {
  return spec.place.at(spec.count ? "count" : "fraction");
}

Real volume_of(const RegionSpec& region) { return (region.max - region.min).prod(); }

/// Share of the region that the bounding balls fill.
Real fraction_of(const PackingSpec& spec, Real radius, const std::vector<Member>& members) {
  Real sum = 0;
  for (const Member& member : members) sum += volume_of_ball(radius * member.scale);
  return sum / volume_of(spec.region);
}

bool holds_each(const PackingSpec& spec, Real radius, Real largest, const PeriodicCell& cell,
                Problems& problems) {
  for (int k = 0; k < 3; ++k) {
    const Real edge = spec.region.max[k] - spec.region.min[k];
    const Real needed = 2 * radius * largest + (fills(spec.region, cell, k) ? spec.gap : 0);
    if (needed <= edge) continue;
    problems.add(spec.place.at("region"),
                 fmt::format("the largest body's bounding ball needs {:.4g} m along {}, the region "
                             "has {:.4g} m",
                             needed, "xyz"[k], edge),
                 "make the region larger or the bodies smaller");
    return false;
  }
  return true;
}

/// Whether balls that are larger by half the gap could fill the region, and half the gap beyond its
/// walls, so densely.
bool could_hold_all(const PackingSpec& spec, Real radius, const SizeSampler& size,
                    const PeriodicCell& cell, Real count, Problems& problems) {
  const bool are_equal = size.smallest() == size.largest();
  const Real bound = are_equal ? std::numbers::pi / std::sqrt(18.0) : 1;
  Real room = 1;
  for (int k = 0; k < 3; ++k)
    room *= spec.region.max[k] - spec.region.min[k] + (fills(spec.region, cell, k) ? 0 : spec.gap);
  const Real filled = count * volume_of_ball(radius * size.smallest() + spec.gap / 2) / room;
  if (filled <= bound) return true;
  problems.add(
      place_of_amount(spec),
      fmt::format("{:.0f} bodies{} would fill {:.4g} of the region, {} fill {:.4g} at most", count,
                  spec.gap > 0 ? " and the gaps between them" : "", filled,
                  are_equal ? "equal balls" : "balls", bound),
      kHint);
  return false;
}

}  // namespace

std::vector<Member> draw_packing(const PackingSpec& spec, Real radius, const PeriodicCell& cell,
                                 Problems& problems) {
  const SizeSampler size(spec.sizes, spec.size_spread);
  if (!holds_each(spec, radius, size.largest(), cell, problems)) return {};
  const Real room = volume_of(spec.region);
  const Real least_count =
      spec.count ? static_cast<Real>(*spec.count)
                 : std::floor(*spec.fraction * room / volume_of_ball(radius * size.largest()));
  if (!could_hold_all(spec, radius, size, cell, least_count, problems)) return {};

  Random random(static_cast<std::uint64_t>(spec.seed));
  std::vector<Member> members;
  Real filled = 0;
  while (static_cast<Index>(members.size()) <= kMostBodies) {
    Member member;
    member.scale = size.draw(random);
    const Quat turned = random_rotation(random);
    if (spec.random_orientation) member.pose.q = turned;
    const Real share = volume_of_ball(radius * member.scale) / room;
    if (spec.count ? static_cast<Index>(members.size()) == *spec.count
                   : filled + share / 2 > *spec.fraction)
      break;
    filled += share;
    members.push_back(member);
  }
  if (members.empty())
    problems.add(place_of_amount(spec), "less than half a body fills this much of the region",
                 "ask for more, or make the region larger");
  return members;
}

bool place_packing(const PackingSpec& spec, Real radius, const PeriodicCell& cell,
                   std::vector<Member>& members, Problems& problems) {
  std::vector<Real> radii;
  radii.reserve(members.size());
  for (const Member& member : members) radii.push_back(radius * member.scale);
  // Places of their own, whatever sizes and orientations drew.
  Random random(static_cast<std::uint64_t>(spec.seed));
  const Packing packing = pack(radii, spec.region, spec.gap, cell, random.bits());
  for (std::size_t i = 0; i < members.size(); ++i) members[i].pose.p = packing.centre[i];
  if (packing.shrink == 1) return true;
  const Real asked = fraction_of(spec, radius, members);
  problems.add(
      place_of_amount(spec),
      fmt::format("{} bodies would fill {:.4g} of the region, {:.3g} was reached without overlap",
                  members.size(), asked, asked * std::pow(packing.shrink, 3)),
      kHint);
  return false;
}

}  // namespace talus::scene::detail
