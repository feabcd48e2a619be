#include <talus/geometry/contacts_of_pair.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/geometry/compound.hpp>
#include <talus/geometry/detail/mesh_convex.hpp>
#include <talus/geometry/detail/mesh_features.hpp>
#include <talus/geometry/detail/mesh_sphere.hpp>
#include <talus/geometry/detail/pipe_contacts.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry {
namespace {

using MeshPointer = std::shared_ptr<const TriangleMesh>;
using CompoundPointer = std::shared_ptr<const Compound>;

void add_pair(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin,
              PairContacts& contacts);

void add_manifold(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin,
                  PairContacts& contacts) {
  const Manifold found = manifold(a, b, b_in_a, margin);
  for (int i = 0; i < found.point_count; ++i) {
    const ManifoldPoint& point = found.points[i];
    contacts.points.push_back({found.normal, point.position, point.gap, point.feature});
  }
}

/// Turns the contacts from `first` on, of (b, a) in b's frame, into those of (a, b) in a's.
void swap_sides(const Pose& b_in_a, std::size_t first, PairContacts& contacts) {
  for (std::size_t i = first; i < contacts.points.size(); ++i) {
    PairContact& contact = contacts.points[i];
    contact.normal = -(b_in_a.q * contact.normal);
    contact.position = b_in_a * contact.position;
  }
}

/// Every member against the other shape; its number goes into the names.
void add_members(const Compound& a, const Shape& b, const Pose& b_in_a, Real margin,
                 PairContacts& contacts) {
  std::vector<int> near;
  a.near(b_in_a.p, bounding_radius(b) + margin, near);
  for (const int i : near) {
    const Compound::Member& member = a.members()[static_cast<std::size_t>(i)];
    const Pose b_in_member = member.pose.inverse() * b_in_a;
    const std::size_t first = contacts.points.size();
    add_pair(member.shape, b, b_in_member, margin, contacts);
    for (std::size_t k = first; k < contacts.points.size(); ++k) {
      PairContact& contact = contacts.points[k];
      contact.normal = member.pose.q * contact.normal;
      contact.position = member.pose * contact.position;
      contact.feature = detail::mix(static_cast<std::uint64_t>(i), contact.feature);
      contact.member = static_cast<std::uint32_t>(
          detail::mix(static_cast<std::uint64_t>(i), FeatureId{contact.member}));
    }
  }
}

void add_pair(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin,
              PairContacts& contacts) {
  const std::size_t first = contacts.points.size();
  if (const auto* compound = std::get_if<CompoundPointer>(&a)) {
    add_members(**compound, b, b_in_a, margin, contacts);
  } else if (std::holds_alternative<CompoundPointer>(b) || (is_convex(a) && !is_convex(b))) {
    add_pair(b, a, b_in_a.inverse(), margin, contacts);
    swap_sides(b_in_a, first, contacts);
  } else if (const auto* mesh = std::get_if<MeshPointer>(&a)) {
    if (const auto* sphere = std::get_if<Sphere>(&b))
      detail::mesh_sphere(**mesh, sphere->radius, b_in_a.p, margin, contacts);
    else if (is_convex(b) && !std::holds_alternative<Plane>(b))
      detail::mesh_convex(**mesh, b, b_in_a, margin, contacts);
  } else if (const auto* pipe = std::get_if<Pipe>(&a)) {
    if (is_convex(b) && !std::holds_alternative<Plane>(b))
      detail::pipe_contacts(*pipe, b, b_in_a, margin, contacts);
  } else {
    add_manifold(a, b, b_in_a, margin, contacts);
  }
}

}  // namespace

bool is_convex(const Shape& shape) {
  return !std::holds_alternative<MeshPointer>(shape) &&
         !std::holds_alternative<CompoundPointer>(shape) && !std::holds_alternative<Pipe>(shape);
}

void contacts_of_pair(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin,
                      PairContacts& contacts) {
  TALUS_ASSERT(validate(a).empty() && validate(b).empty() && margin >= 0);
  contacts.points.clear();
  add_pair(a, b, b_in_a, margin, contacts);
  if (is_convex(a) && is_convex(b)) return;  // in order already
  for (PairContact& contact : contacts.points) contact.feature &= ~kNotOfShapes;
  std::sort(contacts.points.begin(), contacts.points.end(),
            [](const PairContact& x, const PairContact& y) { return x.feature < y.feature; });
}

}  // namespace talus::geometry
