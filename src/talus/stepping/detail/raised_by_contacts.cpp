#include <talus/stepping/detail/raised_by_contacts.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>

namespace talus::stepping::detail {

std::string raised_by_contacts(const StepContacts& step_contacts, const model::State& start,
                               const FreeVelocities& free, const model::State& end,
                               std::span<const StepContact> contacts, Real step_size) {
  const dynamics::RigidBodies& bodies = step_contacts.bodies();
  const model::Model& model = bodies.model();
  const Index count = model.body_count();
  DisjointSets sets(count);
  std::vector<unsigned char> is_pushed(static_cast<std::size_t>(count), 0), is_driven = is_pushed;
  for (const StepContact& contact : contacts) {
    if (contact.impulse.isZero(0)) continue;
    const Index a = contact.body_a, b = contact.body_b;
    if (bodies.is_dynamic(a) && bodies.is_dynamic(b)) sets.join(a, b);
    for (const auto& [body, other] : {std::pair(a, b), std::pair(b, a)}) {
      is_pushed[body] = 1;
      if (step_contacts.is_held(body) || model.bodies[other].kind == model::BodyKind::kinematic)
        is_driven[body] = 1;
    }
  }
  const Real fall = bodies.force_speed(step_size);
  const dynamics::StepDrag drag(model, step_size, 1);
  const Real linear = 1 / std::sqrt(drag.linear.yield), angular = 1 / std::sqrt(drag.angular.yield);
  std::vector<Real> rise(static_cast<std::size_t>(count), 0), allowed = rise, had = rise;
  for (Index i = 0; i < count; ++i) {
    if (is_pushed[i] == 0 || !bodies.is_dynamic(i)) continue;
    const model::Body& body = model.bodies[i];
    const Index root = sets.root(i);
    const Real before = dynamics::kinetic_energy(
        body, start.orientation[i], linear * free.linear[i], angular * free.angular[i]);
    had[root] += before;
    rise[root] += dynamics::kinetic_energy(body, end.orientation[i], linear * end.velocity[i],
                                           angular * end.angular_velocity[i]) -
                  before;
    allowed[root] += kRaisedShare * before + body.mass * fall * fall;
    if (is_driven[i] != 0) allowed[root] = std::numeric_limits<Real>::infinity();
  }
  for (Index i = 0; i < count; ++i)
    if (rise[i] > allowed[i])
      return fmt::format(
          "contacts raise the kinetic energy of {} by {:.3g} J to {:.3g} J: h is too long, "
          "max_halvings cuts such steps",
          model.body_name(i), rise[i], had[i] + rise[i]);
  return "";
}

}  // namespace talus::stepping::detail
