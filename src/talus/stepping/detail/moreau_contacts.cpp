#include <algorithm>
#include <memory>
#include <variant>

#include <talus/laws/tolerances.hpp>
#include <talus/problem/resists_more.hpp>
#include <talus/stepping/detail/moreau_scheme.hpp>
#include <talus/stepping/detail/overlap.hpp>

// The contacts of a step of Moreau's schemes in space: found, put into its problem, and told of.

namespace talus::stepping::detail {
namespace {

/// Whether a body of a contact is a surface of triangles, in which the other one has no middle to
/// be pushed away from.
bool is_with_mesh(const model::Model& model, const collision::Contact& contact) {
  if (dynamics::JointPlay::has(contact.feature)) return false;
  const auto is_mesh = [&](std::uint32_t body) {
    return std::holds_alternative<std::shared_ptr<const geometry::TriangleMesh>>(
        model.bodies[body].shape);
  };
  return is_mesh(contact.a) || is_mesh(contact.b);
}

}  // namespace

/// The bodies of all contacts of the problem.
const std::vector<collision::Pair>& MoreauScheme::contact_pairs() {
  contact_pairs_.assign(persistent_.pairs().begin(), persistent_.pairs().end());
  for (const collision::Contact& contact : others_)
    contact_pairs_.push_back({contact.a, contact.b});
  return contact_pairs_;
}

/// Brings the contacts up to date: candidates, who sleeps, the problem.
void MoreauScheme::find_contacts(const model::State& state, const dynamics::BiasLaw& law) {
  bool is_new = step_contacts_.update(state, travel_) || is_layout_old_;
  const bool has_others = step_contacts_.bodies().has_transient();
  if (has_others) step_contacts_.detect_transient(state, law.step_size, still_, others_);
  while (wake_touched()) {
    load(state, law.step_size);
    step_contacts_.update(state, travel_);
    if (has_others) step_contacts_.detect_transient(state, law.step_size, still_, others_);
    is_new = true;
  }
  if (is_new) {
    lay_out(woken_, last_step_size_ > 0 ? law.step_size / last_step_size_ : 1);
    if (!woken_.empty()) step_contacts_.add(woken_);
    woken_.clear();
  }
  persistent_.refresh(state, law, problem_);
  start_penetration_ = persistent_.deepest().penetration;
  too_deep_.reset();
  for (const collision::Contact& contact : others_) {
    if (step_contacts_.bodies().is_compliant(contact)) continue;
    start_penetration_ = std::max(start_penetration_, -contact.gap);
    if (-contact.gap > kMostPushed * step_contacts_.bodies().size(contact) &&
        is_with_mesh(model_, contact) && (!too_deep_ || contact.gap < too_deep_->gap))
      too_deep_ = contact;
  }
  unmet_.remove_from(others_);
  late_.merge_into(others_);
  if (middle_) middle_->carry(state, law.step_size, still_, others_);
  if (has_others) add_others(state, law);
}

/// Where the bodies of a contact that is not persistent have their centres for its arms.
std::span<const Vec3> MoreauScheme::centres(Index other, const model::State& state) const {
  return middle_ && middle_->is_carried(other) ? middle_->state().position : state.position;
}

/// What rounding makes of a contact's velocity before the step [m/s].
Real MoreauScheme::speed_rounding(const collision::Contact& contact,
                                  const model::State& state) const {
  Real sum = 0;
  for (const std::uint32_t body : {contact.a, contact.b})
    sum += state.velocity[body].norm() +
           state.angular_velocity[body].norm() * (contact.position - state.position[body]).norm();
  return tolerance::kRateRounding * sum;
}

/// The contacts that are not persistent, with the impulses that they had by their names.
void MoreauScheme::add_others(const model::State& state, const dynamics::BiasLaw& law) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  bool resists_more = model_.resists_more() || model_.has_functions();
  problem_.general.clear();
  problem_.resistance.clear();
  order_.clear();
  functions_.start(law.step_size);
  approach_.assign(others_.size(), 0);
  others_excess_ = 0;
  for (const collision::Contact& contact : others_) {
    const auto i = static_cast<Index>(order_.size());
    const model::InterfaceLaw& pair = bodies.law(contact);
    Vec3 before = Vec3::Zero();
    Real free_approach = 0, gap = contact.gap;
    ContactTurn turn;
    if (middle_) {
      before = middle_->before(i);
      approach_[i] = middle_->approach(i);
      turn = turns()[i];
      gap = std::max(gap, Real(0));  // what is closed may part by as much as it has parted, no more
    } else if (law.theta < 1 || pair.impact.restitution > 0 ||
               pair.impact.tangential_restitution > 0 || pair.is_function()) {
      before =
          bodies.relative_velocity(contact, state.position, state.velocity, state.angular_velocity);
      approach_[i] = contact.normal.dot(before);
    }
    const Real approach = approach_[i];
    if (law.theta < 1 || pair.impact.restitution > 0 || pair.impact.tangential_restitution > 0)
      free_approach = turn.normal + contact.normal.dot(bodies.relative_velocity(
                                        contact, centres(i, state), problem_.bodies));
    if (!bodies.is_compliant(contact))
      others_excess_ =
          std::max(others_excess_, -(contact.gap + options_.slop * bodies.size(contact)));
    const Real bias =
        turn.normal + contact_bias(law, gap, pair.impact.restitution, approach, free_approach);
    problem_.general.push_back(
        bodies.general_contact(contact, {bias, pair.friction.coefficient}, centres(i, state)));
    if (resists_more || is_midpoint()) {
      bodies.add_resistance(contact, state.orientation, law.step_size, before,
                            dynamics::closes(law, gap, approach, free_approach), problem_);
      problem_.resistance.back().slip_bias += turn.slip;
    }
    if (pair.is_function())
      functions_.add(contact, before, speed_rounding(contact, state),
                     problem_.resistance.back().slip_bias, i);
    order_.push_back(i);
  }
  const std::vector<problem::Resistance>& resistance = problem_.resistance;
  resists_more = !functions_.is_empty() ||
                 std::any_of(resistance.begin(), resistance.end(), problem::resists_more);
  if (!resists_more) problem_.resistance.clear();
  problem::ContactImpulses& impulse = solution_.impulse;
  if (!resists_more) impulse.moment.clear();
  step_contacts_.warm_start(others_, order_, law.step_size, impulse.general,
                            resists_more ? &impulse.moment : nullptr);
}

/// Keeps their impulses, as they are now, for the next problem to start from.
void MoreauScheme::remember_others(Real h) {
  if (step_contacts_.bodies().has_transient())
    step_contacts_.remember(others_, order_, solution_.impulse.general, solution_.impulse.moment,
                            h);
}

/// Whether its bodies go into each other by a law.
bool MoreauScheme::is_compliant(Index contact) const {
  const Index other = contact - problem_.central.size();
  return other >= 0 && step_contacts_.bodies().is_compliant(others_[other]);
}

/// Penetration that is left alone [m].
Real MoreauScheme::slop(Index contact) const {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const Index other = contact - problem_.central.size();
  if (other >= 0) return options_.slop * bodies.size(others_[other]);
  const problem::CentralContact central = problem_.central.at(contact);
  return options_.slop * std::min(bodies.size(central.body_a), bodies.size(central.body_b));
}

/// The gap that the velocities of the answer leave, to first order, in the midpoint rule to second
/// order [m].
Real MoreauScheme::gap_after(Index contact, const model::State& state, Real h) const {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const Index other = contact - problem_.central.size();
  Real gap = 0, before = 0, after = 0;
  if (other < 0) {
    const problem::CentralContact c = problem_.central.at(contact);
    gap = persistent_.gap(problem_.central, contact);
    before = c.normal.dot(state.velocity[c.body_b] - state.velocity[c.body_a]);
    after = c.normal.dot(solution_.velocity[c.body_b].v - solution_.velocity[c.body_a].v);
  } else {
    const collision::Contact& c = others_[other];
    gap = c.gap;
    before = approach_[other];
    after = c.normal.dot(bodies.relative_velocity(c, centres(other, state), solution_.velocity));
    if (middle_) after += turns()[other].normal;
  }
  return gap + h * ((1 - options_.theta) * before + options_.theta * after);
}

const std::vector<StepContact>& MoreauScheme::contacts() const {
  if (recalled_) return recalled_->contacts;
  if (is_current_) return contacts_;
  is_current_ = true;
  contacts_.clear();
  const Index count = own_contact_count();
  for (Index c = 0; c < count; ++c) contacts_.push_back(own_contact(c));
  contacts_.insert(contacts_.end(), resting_.begin(), resting_.end());
  return contacts_;
}

std::optional<StepContact> MoreauScheme::contact(Index i) const {
  if (recalled_) return Scheme::contact(i);
  const Index own = own_contact_count();
  if (i < 0 || i >= own + static_cast<Index>(resting_.size())) return std::nullopt;
  return i < own ? own_contact(i) : resting_[i - own];
}

Index MoreauScheme::own_contact_count() const {
  return problem_.central.size() + static_cast<Index>(others_.size());
}

StepContact MoreauScheme::own_contact(Index i) const {
  const Index central = problem_.central.size();
  if (i >= central) {
    const dynamics::RigidBodies& bodies = step_contacts_.bodies();
    const collision::Contact& other = others_[i - central];
    const std::vector<Vec3>& moments = solution_.impulse.moment;
    const Vec3 moment = moments.empty() ? Vec3(Vec3::Zero()) : moments[i - central];
    StepContact contact{static_cast<Index>(other.a),
                        static_cast<Index>(other.b),
                        other.position,
                        other.normal,
                        other.gap,
                        solution_.impulse.general[i - central],
                        other.feature,
                        moment,
                        bodies.law(other).friction.coefficient};
    functions_.write(contact);
    return contact;
  }
  const problem::CentralContact contact = problem_.central.at(i);
  return StepContact{static_cast<Index>(contact.body_a),
                     static_cast<Index>(contact.body_b),
                     persistent_.point(problem_.central, i),
                     contact.normal,
                     persistent_.gap(problem_.central, i),
                     problem::impulse_of(problem_, solution_.impulse, i),
                     0,
                     Vec3::Zero()};
}

}  // namespace talus::stepping::detail
