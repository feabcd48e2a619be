#include <algorithm>
#include <utility>

#include <talus/dynamics/planar_delassus.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/planar_look_ahead.hpp>
#include <talus/stepping/detail/planar_moreau_scheme.hpp>
#include <talus/stepping/detail/row_length.hpp>

// The contacts of a step of the plane, and the rows that it has of them and of joints.

namespace talus::stepping::detail {

void PlanarMoreauScheme::collect(Real h) {
  active_.clear();
  considered_.clear();
  unturned_.clear();
  unmet_.start();
  for (const Index i : contacts_in_reach(*machine_, q_, v_, place_, free_, h)) add_contact(i, h);
}

/// A gap that the constraints hold takes no impulse.
void PlanarMoreauScheme::add_contact(Index contact, Real h) {
  considered_.insert(contact);
  Active a{contact, {}, {}, {}, 0};
  a.turn = step_contact(*machine_, contact, place(h), a.terms);
  solver_.constrained_response(a.terms.normal, response_);
  if (!response_.is_zero()) active_.push_back(std::move(a));
}

/// Adds what was far and has been reached all the same; whether there was any.
bool PlanarMoreauScheme::add_missed(Real h) {
  const std::size_t before = active_.size();
  std::vector<Index> near;
  machine_->near_contacts(next_q_, VecX::Zero(machine_->body_count()), near);
  for (const Index i : near) {
    if (considered_.contains(i) || machine_->gap_bound(i, next_q_) >= 0) continue;
    if (machine_->gap(i, next_q_) < 0) add_contact(i, h);
  }
  return active_.size() > before;
}

/// Adds what shapes meet within the step, in place of the same corners, but not of those that bear
/// at the middle, where their law holds. @return whether there was any that an impulse can help.
bool PlanarMoreauScheme::add_late(const laws::StepImpulses& answer, Real h) {
  std::unordered_set<Index> stays;
  for (std::size_t i = 0; i < active_.size() && rule_ == MoreauRule::midpoint; ++i)
    if (!late_.has(active_[i].contact) && answer.impulse[static_cast<Index>(i)] > 0)
      stays.insert(active_[i].contact);
  if (!late_.add(*machine_, q_, next_q_, stays)) return false;
  const std::unordered_set<Index> added(late_.added().begin(), late_.added().end());
  std::erase_if(active_, [&](const Active& a) { return added.contains(a.contact); });
  const std::size_t before = active_.size();
  for (const Index contact : late_.added()) add_contact(contact, h);
  return active_.size() > before;
}

/// What the contacts of the step do, for PlanarUnmetContacts.
std::vector<PlanarUnmetContacts::Acting> PlanarMoreauScheme::acting(
    const laws::StepImpulses& answer) const {
  std::vector<PlanarUnmetContacts::Acting> all;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    const auto [body_a, body_b] = machine_->bodies_of(a.contact);
    const Real size = std::min(machine_->size(body_a), machine_->size(body_b));
    const bool is_closed = machine_->gap(a.contact, q_) <= tolerance::kSlightOverlap * size;
    all.push_back({a.contact, is_closed || late_.has(a.contact), {}});
    if (answer.impulse[static_cast<Index>(i)] <= 0) continue;
    std::vector<std::size_t>& rows = all.back().rows;
    rows = a.tangents;
    rows.push_back(i);
    if (a.rolling > 0) rows.push_back(a.rolling);
  }
  return all;
}

/// Takes contacts out of the step that nothing would have met. If others then bring the two
/// together, they are contacts again. @return whether there are any.
bool PlanarMoreauScheme::leave_out_unmet(const laws::StepImpulses& answer, Real h) {
  const std::unordered_set<Index> unmet =
      unmet_.find(*machine_, q_, next_q_, acting(answer), responses_, theta_ * h * answer.impulse);
  std::erase_if(active_, [&](const Active& a) { return unmet.contains(a.contact); });
  for (const Index contact : unmet) considered_.erase(contact);
  return !unmet.empty();
}

void PlanarMoreauScheme::add_row(const dynamics::JacobianRow& row, Real turn) {
  rows_.push_back(row);
  turns_.push_back(turn);
  responses_.resize(std::max(responses_.size(), rows_.size()));
  solver_.constrained_response(row, responses_[rows_.size() - 1]);
}

void PlanarMoreauScheme::add_friction(Index element, Index normal, const dynamics::JacobianRow& row,
                                      Real slip, Real turn) {
  laws::StepFriction friction;
  friction.element = &frictions_.emplace_back((*elements_)[element]);
  friction.normal = normal;
  friction.before = slip;
  friction.dahl = friction.element->dahl >= 0 ? memory_[element] : 0;
  friction.is_held = (friction.element->dahl < 0 && memory_[element] != 0) ||
                     std::abs(slip) <= tolerance::kRateRounding * row.magnitude(v_);
  problem_.frictions.push_back(friction);
  row_element_.push_back(element);
  add_row(row, turn);
}

/// Normals, then the frictions of contacts, then those of joints.
void PlanarMoreauScheme::assemble(Real h) {
  problem_.h = h;
  problem_.theta = theta_;
  problem_.is_midpoint = rule_ == MoreauRule::midpoint;
  problem_.normals.clear();
  problem_.frictions.clear();
  rows_.clear();
  turns_.clear();
  row_element_.clear();
  frictions_.clear();
  for (const Active& a : active_) {
    problem_.normals.push_back(
        step_normal(machine_->law(a.contact), a.terms, gap_law(a, h), impact_rate_[a.contact]));
    add_row(a.terms.normal, a.turn.normal);
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Active& a = active_[i];
    a.tangents.clear();
    const Index tangent = elements_->tangent(a.contact), rolling = elements_->rolling(a.contact);
    if ((*elements_)[tangent].is_there()) {
      a.tangents.push_back(rows_.size());
      add_friction(tangent, static_cast<Index>(i), a.terms.tangent, a.terms.slip, a.turn.slip);
      if (gap_law(a, h).closes())
        problem_.frictions.back().restitution =
            machine_->law(a.contact).impact.tangential_restitution;
    }
    a.rolling = 0;
    if ((*elements_)[rolling].is_there()) {
      a.rolling = rows_.size();
      add_friction(rolling, static_cast<Index>(i), a.terms.rolling, a.terms.spin);
    }
  }
  for (Index j = 0; j < elements_->joint_count; ++j) {
    const Index element = elements_->joint(j);
    if (!(*elements_)[element].is_there()) continue;
    dynamics::JointSlip slip;
    machine_->joint_slip(j, 0, bearing_, v_, slip);  // at whatever time
    add_friction(element, -1, slip.row, slip.slip);
    if (frictions_.back().is_pressed)
      problem_.frictions.back().first_reaction = slip.first_constraint;
  }
  const auto n = static_cast<Index>(rows_.size());
  problem_.G = dynamics::planar_delassus(rows_, std::span(responses_).first(rows_.size()),
                                         machine_->body_count());
  problem_.bodies = {
      {}, &machine_->step_mass(h, theta_), &place_, &free_, h * model_.gravity.norm()};
  if (solver_.count() == 0 && machine_->mass().is_planar()) problem_.bodies.rows = rows_;
  problem_.b.resize(n);
  problem_.start.resize(n);
  problem_.turn = VecX::Map(turns_.data(), n);
  problem_.lambda = impulses_;
  problem_.L.resize(impulses_.size(), n);
  for (Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    problem_.L.col(j) = responses_[at].multipliers;
    // What is left of a velocity by cancellation is none: an LCP may have no answer for noise.
    problem_.start[j] = rows_[at].times(v_);
    const Real rate = rows_[at].times(free_) + turns_[at];
    problem_.b[j] =
        std::abs(rate) <= tolerance::kRateRounding * rows_[at].magnitude(free_) ? 0 : rate;
  }
}

}  // namespace talus::stepping::detail
