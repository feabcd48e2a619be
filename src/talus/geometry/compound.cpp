#include <talus/geometry/compound.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/geometry/contacts_of_pair.hpp>

namespace talus::geometry {

Compound Compound::build(std::vector<Member> members) {
  const auto fail = [](std::string message) {
    Diagnostic diagnostic;
    diagnostic.message = "compound: " + std::move(message);
    throw InputError(std::move(diagnostic));
  };
  if (members.empty()) fail("expected at least one member");
  for (std::size_t i = 0; i < members.size(); ++i) {
    Member& member = members[i];
    const std::string mistake = validate(member.shape);
    if (!mistake.empty()) fail(fmt::format("member {}: {}", i, mistake));
    if (!is_convex(member.shape) || std::holds_alternative<Plane>(member.shape))
      fail(fmt::format("member {} must be convex and bounded", i));
    member.radius = bounding_radius(member.shape);
  }
  Compound compound;
  compound.members_ = std::move(members);
  compound.sort_along_x();
  return compound;
}

void Compound::sort_along_x() {
  along_x_.resize(members_.size());
  std::iota(along_x_.begin(), along_x_.end(), 0);
  std::stable_sort(along_x_.begin(), along_x_.end(),
                   [&](int a, int b) { return members_[a].pose.p.x() < members_[b].pose.p.x(); });
  for (const Member& member : members_) largest_radius_ = std::max(largest_radius_, member.radius);
}

void Compound::near(const Vec3& centre, Real radius, std::vector<int>& found) const {
  const Real slack = 1e-9 * (radius + largest_radius_ + centre.norm());  // of rounding
  const Real reach = radius + largest_radius_ + slack;
  const std::size_t before = found.size();
  auto at = std::lower_bound(along_x_.begin(), along_x_.end(), centre.x() - reach,
                             [&](int member, Real x) { return members_[member].pose.p.x() < x; });
  for (; at != along_x_.end() && !(members_[*at].pose.p.x() > centre.x() + reach); ++at) {
    const Real distance = radius + members_[*at].radius + slack;
    if (!((members_[*at].pose.p - centre).squaredNorm() > distance * distance))
      found.push_back(*at);
  }
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
}

Compound Compound::moved(const Vec3& shift) const {
  Compound result = *this;
  for (Member& member : result.members_) member.pose.p += shift;
  return result;
}

}  // namespace talus::geometry
