#include <talus/stepping/detail/lagrangian_source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {
namespace {

using model::demand_shape;
using problem::SolveStatus;

/// The x with the smallest ‖x‖₂ that has G x = force, for every column of `force`.
MatX smallest_impulses(const MatX& G, const MatX& force) {
  linalg::CompleteOrthogonal factors(linalg::kGradientRank);
  factors.compute(G);
  return factors.solve(force);
}

constexpr const char *kFamily = "the one-LCP family",
                     *kInstead = "event_driven, moreau_midpoint or moreau_jean";

/// n · v.
template <class Velocity>
Real along(const model::LagrangianContact& contact, const Velocity& v) {
  if (contact.coordinates.empty()) return contact.normal.dot(v);
  Real sum = 0;
  for (std::size_t k = 0; k < contact.coordinates.size(); ++k)
    sum += contact.normal[static_cast<Index>(k)] * v[contact.coordinates[k]];
  return sum;
}

/// The directions that hold where the system gives none.
MatX directions_of(const MatX& given, Index tangents, Index k, const char* what) {
  if (given.size() > 0) {
    demand_shape(what, tangents, given.cols(), given);
    return given;
  }
  if (tangents > 2)
    throw InputError(Diagnostic{{"Lagrangian system"},
                                what,
                                fmt::format("{} tangents need friction directions", tangents),
                                "",
                                "one column per direction, in terms of the tangents"});
  return problem::friction_directions(tangents, k);
}

}  // namespace

LagrangianSource::LagrangianSource(const model::LagrangianSystem& system,
                                   const ImplicitOptions& options, const LagrangianState& state,
                                   Real h, const std::vector<LagrangianImpulse>& previous)
    : system_(system),
      options_(options),
      state_(state),
      h_(h),
      previous_(previous),
      q_end_(state.q),
      v_end_(state.v) {}

void LagrangianSource::linearise(Point point) {
  is_at_start_ = point == Point::start;
  switch (point) {
    case Point::start:
      point_velocity_ = VecX::Zero(state_.v.size());
      break;
    case Point::predictor:
      point_velocity_ = state_.v;
      break;
    case Point::end:
      point_velocity_ = v_end_;
      met_.clear();
      break;
  }
  point_ = state_.q + h_ * point_velocity_;
}

void LagrangianSource::activate_previous() {
  for (const LagrangianImpulse& impulse : previous_)
    if (impulse.normal > 0) active_.insert(impulse.contact);
}

const VecX& LagrangianSource::place_of(Index contact) {
  if (!is_at_start_) return point_;
  if (const auto met = met_.find(contact); met != met_.end()) return met->second;
  const auto [ahead, is_new] = ahead_.try_emplace(contact);
  if (is_new) ahead->second = system_.contact_time(contact, state_.q, state_.v, h_);
  if (ahead->second == 0) return state_.q;
  place_ = state_.q + ahead->second * state_.v;
  return place_;
}

Real LagrangianSource::approach(Index active, const model::LagrangianContact& contact) {
  const VecX& place = place_of(active);
  if (!is_at_start_) return along(contact, point_velocity_);
  return along(contact, (place - state_.q) / h_);
}

bool LagrangianSource::activate(const VecX& q, bool with_closed) {
  bool has_new = false;
  system_.near_contacts(q, near_);
  for (const Index i : near_) {
    const Real gap = system_.gap(i, q);
    has_lost_gap_ = has_lost_gap_ || std::isnan(gap);
    if (gap < 0 || (with_closed && gap == 0)) has_new |= active_.insert(i).second;
  }
  return has_new;
}

/// A system that still meets something after some rounds is jammed.
bool LagrangianSource::meets_on_the_way() {
  constexpr int kMostRounds = 10;
  if (rounds_++ == kMostRounds) return false;
  const std::vector<model::LagrangianMeeting> meetings =
      system_.meetings(state_.q, q_end_, tolerance::kMostOverlap);
  for (const model::LagrangianMeeting& meeting : meetings) {
    met_[meeting.contact] = meeting.q;
    active_.insert(meeting.contact);
  }
  return !meetings.empty();
}

/// Factorises M at the first point and forms the free velocity.
bool LagrangianSource::factorise_mass() {
  if (has_mass_) return true;
  const Index n = system_.coordinate_count();
  const MatX mass = model::mass_of(system_, point_, h_);
  const VecX force = system_.step_force(state_.q, state_.v, state_.time, h_);
  demand_shape("k(q, v, t)", n, 1, force);
  has_mass_ = mass_.compute(mass) && mass.allFinite();
  if (has_mass_) free_velocity_ = state_.v + h_ * mass_.solve(force);
  return has_mass_;
}

/// Rows of the constraints, the active contacts and the joints at the point.
/// Bilateral constraints at the point, of which the problem has the independent ones.
void LagrangianSource::load_bilateral() {
  bilateral_ = system_.bilateral_at(point_, state_.time + h_);
  demand_shape("gradient of the bilateral constraints", system_.coordinate_count(),
               bilateral_.value.size(), bilateral_.gradient);
  if (bilateral_.rate.size() > 0)
    demand_shape("rate of the bilateral constraints", bilateral_.value.size(), 1, bilateral_.rate);
  independent_.clear();
  if (bilateral_.value.size() > 0)
    independent_ =
        linalg::independent_columns(mass_.solve_lower(bilateral_.gradient), linalg::kGradientRank);
}

/// The active contacts where they are formed, their shapes checked.
std::vector<model::LagrangianContact> LagrangianSource::load_contacts() {
  std::vector<model::LagrangianContact> contacts;
  tangent_count_.clear();
  for (const Index i : active_) {
    contacts.push_back(system_.contact(i, place_of(i)));
    model::LagrangianContact& contact = contacts.back();
    const Index n = contact.coordinates.empty() ? system_.coordinate_count()
                                                : static_cast<Index>(contact.coordinates.size());
    demand_shape("normal of a contact", n, 1, contact.normal);
    if (contact.friction == 0 || contact.tangents.size() == 0) contact.tangents.resize(n, 0);
    demand_shape("tangents of a contact", n, contact.tangents.cols(), contact.tangents);
    if (system_.law(i)) model::refuse_feature("law of a contact", kFamily, kInstead);
    if (contact.restitution != 0)
      model::refuse_feature("restitution of a contact", kFamily, kInstead);
    tangent_count_.push_back(contact.tangents.cols());
  }
  return contacts;
}

/// The next row of J. @param coordinates rising; empty: all.
void LagrangianSource::add_row(const std::vector<Index>& coordinates,
                               const Eigen::Ref<const VecX>& entries) {
  jacobian_.startVec(row_);
  for (Index k = 0; k < entries.size(); ++k)
    if (entries[k] != 0)
      jacobian_.insertBack(
          row_, coordinates.empty() ? k : coordinates[static_cast<std::size_t>(k)]) = entries[k];
  ++row_;
}

/// Rows G with Φ(q̄)/h − G·v̄ (position level), or with the constraints' rate.
void LagrangianSource::form_bilateral(bool is_level, VecX& bias) {
  problem_.bilateral_count = static_cast<Index>(independent_.size());
  for (const Index constraint : independent_) {
    const auto gradient = bilateral_.gradient.col(constraint);
    if (is_level)
      bias[row_] = bilateral_.value[constraint] / h_ - gradient.dot(point_velocity_);
    else if (bilateral_.rate.size() > 0)
      bias[row_] = bilateral_.rate[constraint];
    add_row({}, gradient);
  }
}

/// Springs and dampers at the end of the step, s' = s(q̄) + h S (v' − v̄): their impulse is
/// r = −h k s' − h d S v', a row that yields, S v' + r/g + (h k/g) (s(q̄) − h S v̄) = 0 with
/// g = h² k + h d. Rows are scaled so that they are as large as those of constraints: weak ones are
/// no more redundant than stiff ones.
void LagrangianSource::form_springs(const model::LagrangianSprings& springs, VecX& bias) {
  const Index count = springs.stretch.size();
  demand_shape("gradient of the springs", system_.coordinate_count(), count, springs.gradient);
  demand_shape("stiffness of the springs", count, 1, springs.stiffness);
  demand_shape("damping of the springs", count, 1, springs.damping);
  compliance_.resize(count);
  for (Index i = 0; i < count; ++i) {
    const auto gradient = springs.gradient.col(i);
    const Real k = springs.stiffness[i], stretch = springs.stretch[i];
    const Real g =
        std::max(h_ * h_ * k + h_ * springs.damping[i], std::numeric_limits<Real>::min());
    const Real own = gradient.dot(mass_.solve(VecX(gradient)));  // S M⁻¹ Sᵀ
    const Real scale = std::sqrt(g * own / (1 + g * own));
    compliance_[i] = own > 0 ? own / (1 + g * own) : 1;
    bias[row_] = scale * h_ * k / g * (stretch - h_ * gradient.dot(point_velocity_));
    add_row({}, scale * gradient);
  }
  problem_.bilateral_count += count;
}

/// Rows n with f(q̄)/h − n·v̄ and rows of the tangents.
void LagrangianSource::form_contacts(const std::vector<model::LagrangianContact>& contacts,
                                     bool is_level, VecX& bias) {
  problem_.friction.resize(static_cast<Index>(contacts.size()));
  auto active = active_.begin();
  for (std::size_t c = 0; c < contacts.size(); ++c, ++active) {
    const model::LagrangianContact& contact = contacts[c];
    const Index tangents = contact.tangents.cols();
    if (is_level) bias[row_] = contact.gap / h_ - approach(*active, contact);
    if (!options_.gives_velocity) bias[row_] = std::max(bias[row_], Real(0));
    add_row(contact.coordinates, contact.normal);
    for (Index t = 0; t < tangents; ++t) add_row(contact.coordinates, contact.tangents.col(t));
    problem_.contact_directions.push_back(
        tangents == 0 ? MatX(0, 0)
                      : directions_of(contact.directions, tangents, options_.directions,
                                      "friction directions of a contact"));
    problem_.friction[static_cast<Index>(c)] = contact.friction;
  }
}

/// Rows of joints with friction of bounded size.
void LagrangianSource::form_joints(const std::vector<model::LagrangianJoint>& joints) {
  problem_.bound.resize(static_cast<Index>(joints.size()));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].law) model::refuse_feature("friction law of a joint", kFamily, kInstead);
    const Index tangents = joints[j].tangents.cols();
    for (Index t = 0; t < tangents; ++t) add_row({}, joints[j].tangents.col(t));
    problem_.joint_directions.push_back(directions_of(
        joints[j].directions, tangents, options_.directions, "friction directions of a joint"));
    problem_.bound[static_cast<Index>(j)] = h_ * joints[j].bound;
  }
}

void LagrangianSource::assemble(bool is_level) {
  const Index n = system_.coordinate_count();
  const std::vector<model::LagrangianJoint> joints = system_.joints(point_);
  load_bilateral();
  const std::vector<model::LagrangianContact> contacts = load_contacts();
  const model::LagrangianSprings springs = system_.springs(point_);
  auto rows = static_cast<Index>(independent_.size()) + springs.stretch.size();
  for (const Index tangents : tangent_count_) rows += 1 + tangents;
  for (const model::LagrangianJoint& joint : joints) {
    demand_shape("tangents of a joint", n, joint.tangents.cols(), joint.tangents);
    rows += joint.tangents.cols();
  }
  problem_ = {};
  jacobian_ = linalg::SparseRows(rows, n);
  row_ = 0;
  VecX bias = VecX::Zero(rows);
  form_bilateral(is_level, bias);
  form_springs(springs, bias);
  form_contacts(contacts, is_level, bias);
  form_joints(joints);
  jacobian_.finalize();
  problem_.W = mass_.inverse_congruence(jacobian_);
  for (Index i = 0; i < compliance_.size(); ++i)
    problem_.W.coeffRef(std::ssize(independent_) + i, std::ssize(independent_) + i) +=
        compliance_[i];
  problem_.b = jacobian_ * free_velocity_ + bias;
  laws::drop_noise(
      jacobian_.cwiseAbs() * VecX(free_velocity_.cwiseAbs() + point_velocity_.cwiseAbs()),
      problem_.b);
}

void LagrangianSource::solve(bool is_level, ImplicitReport& report) {
  if (!factorise_mass()) {
    report.status = SolveStatus::numerical_error;
    report.detail = "the mass matrix is not positive definite";
    return;
  }
  assemble(is_level);
  const laws::PolyhedralAnswer answer =
      laws::solve_polyhedral(problem_, options_.solver, report.lcp);
  report.status = answer.report.status;
  report.detail = answer.report.detail;
  report.certificate = answer.certificate;
  v_end_ = free_velocity_ + mass_.solve(VecX(jacobian_.transpose() * answer.impulse));
  q_end_ = state_.q + h_ * v_end_;

  const Index independent = std::ssize(independent_);
  bilateral_impulse_ = answer.impulse.head(independent);
  if (independent < bilateral_.value.size()) take_redundant(report);
  impulses_.clear();
  Index row = problem_.bilateral_count, c = 0;
  for (const Index i : active_) {
    const Index tangents = tangent_count_[static_cast<std::size_t>(c++)];
    impulses_.push_back({i, answer.impulse[row], answer.impulse.segment(row + 1, tangents)});
    row += 1 + tangents;
  }
  joint_impulse_ = answer.impulse.tail(answer.impulse.size() - row);
}

/// Impulses of all constraints, those with the smallest Σ D_ii λ_i² that make the same forces, as
/// dynamics::ConstraintFactor has them; and that what depends on the others does not contradict
/// them: a gradient that is a sum of others changes in time as that
/// sum does.
void LagrangianSource::take_redundant(ImplicitReport& report) {
  const MatX chosen = MatX(jacobian_.topRows(std::ssize(independent_))).transpose();
  const VecX root = mass_.solve_lower(bilateral_.gradient).colwise().norm();  // √D_ii
  const VecX scale_of = (root.array() > 0).select(root.cwiseInverse(), VecX::Zero(root.size()));
  bilateral_impulse_ = scale_of.cwiseProduct(VecX(
      smallest_impulses(bilateral_.gradient * scale_of.asDiagonal(), chosen * bilateral_impulse_)));
  if (bilateral_.rate.size() == 0) return;
  const MatX share = smallest_impulses(chosen, bilateral_.gradient);
  const Real scale = bilateral_.rate.cwiseAbs().maxCoeff();
  for (Index i = 0; i < bilateral_.rate.size(); ++i) {
    Real rate = bilateral_.rate[i];
    for (Index k = 0; k < share.rows(); ++k)
      rate -= share(k, i) * bilateral_.rate[independent_[static_cast<std::size_t>(k)]];
    if (std::abs(rate) <= tolerance::kContradiction * scale) continue;
    report.status = SolveStatus::stalled;
    report.detail = fmt::format("bilateral constraint {} contradicts the others", i);
  }
}

bool LagrangianSource::is_finite() const {
  return q_end_.allFinite() && v_end_.allFinite() && !has_lost_gap_;
}

Real LagrangianSource::gap_residual() const {
  Real residual = penetration(), largest = 0;
  for (const LagrangianImpulse& impulse : impulses_) largest = std::max(largest, impulse.normal);
  for (const LagrangianImpulse& impulse : impulses_)
    if (bears(impulse.normal, largest))
      residual = std::max(residual, std::abs(system_.gap(impulse.contact, q_end_)));
  const VecX value = system_.bilateral_at(q_end_, state_.time + h_).value;
  return value.size() > 0 ? std::max(residual, value.cwiseAbs().maxCoeff()) : residual;
}

Real LagrangianSource::move() const { return (q_end_ - point_).cwiseAbs().maxCoeff(); }

Real LagrangianSource::penetration() const {
  Real deepest = 0;
  std::vector<Index> near;
  system_.near_contacts(q_end_, near);
  for (const Index i : near) deepest = std::max(deepest, -system_.gap(i, q_end_));
  return deepest;
}

}  // namespace talus::stepping::detail
