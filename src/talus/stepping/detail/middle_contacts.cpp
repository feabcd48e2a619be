#include <talus/stepping/detail/middle_contacts.hpp>

#include <algorithm>
#include <tuple>

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/separation.hpp>

namespace talus::stepping::detail {
namespace {

constexpr Real kSameFace = 0.9;  // cosine of the angle that a normal turns in half a step, at most
// How far the point runs at most, in ways of the points of its bodies: that of Euler's disc at an
// angle α in 1/sin α. On a line or a face it jumps from one end to the other.
constexpr Real kRuns = 20;
constexpr Real kNearer = 1e-9;      // of the smaller body's size
constexpr Real kSameNormal = 1e-9;  // [rad]

/// Whether a contact is of where the bodies will be (ContactDetector::detect_untracked): its plane
/// separates them at the start, and along any normal but that of their distance they are nearer to
/// each other than they are.
bool is_of_later(const dynamics::RigidBodies& bodies, const model::State& start,
                 const collision::Contact& contact) {
  const model::Model& model = bodies.model();
  const geometry::Shape &a = model.bodies[contact.a].shape, &b = model.bodies[contact.b].shape;
  if (contact.gap < 0 || dynamics::JointPlay::has(contact.feature) || !geometry::is_convex(a) ||
      !geometry::is_convex(b))
    return false;
  const Pose X_WA = bodies.shape_pose(contact.a, start);
  Pose X_WB = bodies.shape_pose(contact.b, start);
  X_WB.p = X_WA.p + model.cell.nearest(X_WB.p - X_WA.p);
  return geometry::separation(a, b, X_WA.inverse() * X_WB).gap >
         contact.gap + kNearer * bodies.size(contact);
}

}  // namespace

void MiddleContacts::start(const model::State& state, Real h) {
  // What is not finite there is not at the end of the step, which is looked at.
  (void)contacts_.bodies().coast(state, h / 2, middle_);
}

void MiddleContacts::carry(const model::State& start, Real h, std::span<const unsigned char> still,
                           std::span<const collision::Contact> late,
                           std::vector<collision::Contact>& contacts) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  contacts_.detect_untracked(middle_, h / 2, still, found_);
  collision::match_contacts(contacts, found_, match_);
  const auto is_before = [](const collision::Contact& one, const collision::Contact& other) {
    return std::tuple(one.a, one.b, one.feature) < std::tuple(other.a, other.b, other.feature);
  };
  contacts_.travel(start.velocity, start.angular_velocity, h / 2, way_);
  is_carried_.assign(contacts.size(), 0);
  before_.resize(contacts.size());
  approach_.resize(contacts.size());
  turns_.assign(contacts.size(), {});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    collision::Contact& contact = contacts[i];
    before_[i] =
        bodies.relative_velocity(contact, start.position, start.velocity, start.angular_velocity);
    approach_[i] = contact.normal.dot(before_[i]);
    turns_[i].before = before_[i];
    if (match_[i] < 0 || std::binary_search(late.begin(), late.end(), contact, is_before)) continue;
    const collision::Contact& there = found_[match_[i]];
    const Vec3 run = bodies.model().cell.nearest(there.position - contact.position);
    if (there.normal.dot(contact.normal) < kSameFace ||
        run.norm() > kRuns * (way_[contact.a] + way_[contact.b]) ||
        ((there.normal - contact.normal).norm() > kSameNormal &&
         is_of_later(bodies, start, contact)))
      continue;
    const Vec3 velocity = bodies.relative_velocity(there, middle_.position, middle_.velocity,
                                                   middle_.angular_velocity);
    const Vec3 change = velocity - before_[i];
    turns_[i] = {velocity, there.normal.dot(velocity) - approach_[i],
                 change - there.normal.dot(change) * there.normal};
    contact.position = there.position;
    contact.normal = there.normal;
    is_carried_[i] = 1;
  }
}

}  // namespace talus::stepping::detail
