#include <talus/stepping/detail/middle_contacts.hpp>

namespace talus::stepping::detail {
namespace {

constexpr Real kSameFace = 0.9;  // cosine of the angle that a normal turns in half a step, at most
// How far the point runs at most, in ways of the points of its bodies past each other: that of
// Euler's disc at an angle α in 1/sin α. On a line or a face it jumps from one end to the other.
constexpr Real kRuns = 20;

}  // namespace

void MiddleContacts::start(const model::State& state, Real h) {
  // What is not finite there is not at the end of the step, which is looked at.
  (void)contacts_.bodies().coast(state, h / 2, middle_);
}

void MiddleContacts::carry(const model::State& start, Real h, std::span<const unsigned char> still,
                           std::vector<collision::Contact>& contacts) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  contacts_.detect_transient(middle_, h / 2, still, found_);
  collision::match_contacts(contacts, found_, match_);
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
    // One that stays where it was turns with its bodies all the same.
    turns_[i].before = bodies.relative_velocity(contact, start.position, middle_.velocity,
                                                middle_.angular_velocity);
    // The gap of one that was taken back belongs to its own normal.
    if (match_[i] < 0 || contact.is_taken_back) continue;
    const collision::Contact& there = found_[match_[i]];
    const Vec3 a = h / 2 * start.velocity[contact.a], b = h / 2 * start.velocity[contact.b];
    const Vec3 run = bodies.model().cell.nearest(there.position - contact.position) - (a + b) / 2;
    const Real way = way_[contact.a] - a.norm() + way_[contact.b] - b.norm() + (b - a).norm();
    if (there.normal.dot(contact.normal) < kSameFace || run.norm() > kRuns * way) continue;
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
