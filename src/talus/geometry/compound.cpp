#include <talus/geometry/compound.hpp>

#include <cmath>

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
  return compound;
}

Compound Compound::moved(const Vec3& shift) const {
  Compound result = *this;
  for (Member& member : result.members_) member.pose.p += shift;
  return result;
}

}  // namespace talus::geometry
