#include <talus/stepping/detail/machine_step.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/driver/solve.hpp>
#include <talus/math/rotation.hpp>

// Displacements that take back what a step has left open of constraints, and velocities on them.

namespace talus::stepping::detail {
namespace {

using dynamics::JacobianRow;
using problem::BoundedRows;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Real kOnConstraint = 1e-12;  // |Φ|, lengths over those of the bodies
constexpr Real kLeftOpen = 1e-9;       // what may be left of it where it falls no more, or slowly
constexpr int kMostProjections = 10, kMostOfPlay = 50;  // its normals turn
constexpr Real kNeighbours = 100;  // of the largest excess: how near other limits are kept
constexpr Index kFewLimits = 24;   // more are left to the driver, which solves island by island

}  // namespace

/// Bodies at rest at a state, with their constraints, which are taken there.
void MachineStep::load(const model::State& at, const dynamics::MachineMotion& here,
                       problem::RigidContact& problem) {
  take_constraints(at.time, here);
  problem.clear();
  problem.bodies.resize(at.position.size());
  problem.inverse_inertia.resize(at.position.size());
  problem.length.resize(at.position.size());
  for (Index i = 0; i < model_.body_count(); ++i) {
    problem.bodies[i] = bodies_.free_velocity(i, at, 0, theta_);
    problem.bodies[i].v = problem.bodies[i].s = Vec3::Zero();
    problem.inverse_inertia[i] = bodies_.inverse_inertia(i, at, {});
    problem.length[i] = bodies_.length(i);
    if (!sleeps(i)) continue;
    problem.bodies[i] = {};
    problem.inverse_inertia[i].setZero();
  }
  rows_.clear();
  add_constraints(constraints_, {}, false, problem.rows);
}

void MachineStep::add_rows_at_rest(const model::State& at, problem::RigidContact& problem) {
  take_constraints(at.time, {motions(at), angles_});
  rows_.clear();
  problem.rows.clear();
  add_constraints(constraints_, {}, false, problem.rows);
  if (!asleep_.empty()) add_constraints(constraints_, {}, true, problem.rows);
  for (Index i = 0; i < terms_.axis_count() && is_midpoint(); ++i)
    if (const Real inertia = terms_.axis_law(i).armature; inertia > 0)
      add_row(Row::Kind::axis, i, terms_.axis(i, {motions_, angles_}).row, 1, 0, 1 / inertia,
              -BoundedRows::kFree, BoundedRows::kFree, problem.rows, -1);
}

/// Whether a constraint is no farther open than the coordinates of the body that it moves are
/// rounded. @param value, constraints of where bodies are.
bool MachineStep::is_rounding(const VecX& value, const dynamics::MachineConstraints& constraints,
                              std::span<const dynamics::BodyMotion> bodies,
                              Index constraint) const {
  constexpr Real kRounding = std::numeric_limits<Real>::epsilon();  // one or two last places
  const auto j = static_cast<std::size_t>(constraint);
  const Index body = body_of_constraint_[j];
  return body >= 0 && j < constraints.rows.size() && constraints.rows[j].is_linear() &&
         std::abs(value[constraint]) <=
             kRounding * bodies[static_cast<std::size_t>(body)].p.cwiseAbs().maxCoeff();
}

/// How far the constraints are open: all of them, those too that depend on others.
MachineStep::Open MachineStep::open_by(const VecX& value) const {
  Open open;
  for (Index j = 0; j < terms_.constraint_count(); ++j) {
    if (sleeps_constraint(j)) continue;
    const Real share = scaled_violation(value, j);
    const bool is_small = kOnConstraint < share && share <= kLeftOpen;
    if (is_small && is_rounding(value, constraints_, motions_, j)) continue;
    if (share > open.share || std::isnan(share)) open = {share, j};
  }
  return open;
}

void MachineStep::find_open(std::span<unsigned char> restless) const {
  const auto mark = [&](Index body) {
    if (body >= 0) restless[static_cast<std::size_t>(body)] = 1;
  };
  for (Index j = 0; j < terms_.constraint_count(); ++j)
    if (!sleeps_constraint(j) && scaled_violation(step_constraints_.value, j) > kOnConstraint &&
        !is_rounding(step_constraints_.value, step_constraints_, step_motions_, j))
      mark(body_of_constraint_[static_cast<std::size_t>(j)]);
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const model::AxisLaw& law = terms_.axis_law(i);
    if (sleeps_axis(i)) continue;
    const Real beyond = std::max(law.lower - start_[at].value, start_[at].value - law.upper);
    const Real length = start_[at].row.is_linear() ? length_of(start_[at].row) : Real(1);
    if (beyond / length > kOnConstraint) mark(body_of_axis_[at]);
  }
}

/// The largest excess of an axis over a limit, of a rope over its length, and of a joint with play
/// over that, lengths over those of bodies.
/// @param rows if not null: adds rows that push axes back, and that keep others, which are no
/// farther from their limits than a reach, from passing these.
Real MachineStep::beyond_limits(const dynamics::MachineMotion& here, bool has_play, Real reach,
                                BoundedRows* rows) {
  Real worst = 0;
  /// @return whether it is to have a row.
  const auto is_near = [&](Row::Kind kind, Index index, const JacobianRow& row, Real gap) {
    const Real share = -gap / (row.is_linear() ? length_of(row) : Real(1));
    if (share > std::max(worst, kOnConstraint)) {
      worst = share;
      farthest_ = {kind, index, 1, 0, -1};
    }
    return rows != nullptr && share > -reach;
  };
  const auto add = [&](Index i, const JacobianRow& row, Real sign, Real gap) {
    add_row(Row::Kind::limit, i, row, sign, gap, 0, 0, BoundedRows::kFree, *rows, -1);
  };
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const model::AxisLaw& law = terms_.axis_law(i);
    if (sleeps_axis(i) || (!std::isfinite(law.lower) && !std::isfinite(law.upper))) continue;
    const Real value = terms_.axis_value(i, here);
    const Real below = value - law.lower, above = law.upper - value;
    const Real sign = below < above ? 1 : -1, gap = std::min(below, above);
    if (is_near(Row::Kind::limit, i, start_[static_cast<std::size_t>(i)].row, gap))
      add(i, terms_.axis(i, here).row, sign, gap);
  }
  dynamics::JointContactTerms terms;
  for (Index i = 0; i < terms_.contact_count(); ++i) {
    if (sleeps_contact(i) || !(has_play || terms_.is_rope(i))) continue;
    terms_.contact(i, here, terms);
    if (is_near(Row::Kind::rope, i, terms.normal.row, terms.normal.value))
      add(i, terms.normal.row, 1, terms.normal.value);
  }
  return worst;
}

MachineStep::Beyond MachineStep::beyond(const model::State& end) {
  const Real share = beyond_limits(motion(end), false, 0, nullptr);
  return {share, share > 0 ? name_of(farthest_) : ""};
}

/// Moves bodies by the velocities of a problem of displacements.
void MachineStep::displace(std::span<const problem::BodyVelocity> way, model::State& state) const {
  for (Index i = 0; i < model_.body_count(); ++i) {
    if (way[i].inverse_mass == 0) continue;
    state.position[i] += way[i].v;
    state.orientation[i] =
        (rotation_exp(way[i].s / bodies_.length(i)) * state.orientation[i]).normalized();
  }
}

/// Corrections way_ that leave all of a few limits kept, to first order, by the factors of the
/// constraints: d0 takes off Φ, and
///   d = d0 + Σ K⁻¹ aⱼ λⱼ,   0 ≤ λ ⟂ A K⁻¹ Aᵀ λ + A d0 + gap ≥ 0.
/// @return false if no solution of this is certified.
bool MachineStep::correct_within(const BoundedRows& limits) {
  const problem::BodyForest& forest = elimination_.forest();
  const auto n = static_cast<std::size_t>(limits.size());
  limit_lcp_.M.resize(limits.size(), limits.size());
  limit_lcp_.q.resize(limits.size());
  if (limit_way_.size() < n) limit_way_.resize(n);
  for (Index j = 0; j < limits.size(); ++j) {
    VecX& way = limit_way_[static_cast<std::size_t>(j)];
    way.setZero(elimination_.size());
    limits.for_each_part(j, [&](const problem::RowPart& of) {
      if (const Index node = forest.node_of(of.body); node >= 0)
        way.segment<6>(elimination_.first(node)) += of.part;
    });
    elimination_.solve(way);
    limit_lcp_.q[j] = limits.bias[static_cast<std::size_t>(j)];
    limits.for_each_part(j, [&](const problem::RowPart& of) {
      const problem::BodyVelocity& body = way_[of.body];
      limit_lcp_.q[j] += of.part.head<3>().dot(body.v) + of.part.tail<3>().dot(body.s);
    });
  }
  for (Index i = 0; i < limits.size(); ++i)
    for (Index j = 0; j < limits.size(); ++j) {
      Real& entry = limit_lcp_.M(i, j) = 0;
      limits.for_each_part(i, [&](const problem::RowPart& of) {
        if (const Index node = forest.node_of(of.body); node >= 0)
          entry += of.part.dot(
              limit_way_[static_cast<std::size_t>(j)].segment<6>(elimination_.first(node)));
      });
    }
  const driver::LcpSolution pushed = driver::solve(limit_lcp_, {});
  if (pushed.report.status != SolveStatus::converged) return false;
  for (Index body = 0; body < static_cast<Index>(way_.size()); ++body) {
    const Index node = forest.node_of(body);
    if (node < 0) continue;
    for (std::size_t j = 0; j < n; ++j) {
      const auto own =
          pushed.z[static_cast<Index>(j)] * limit_way_[j].segment<6>(elimination_.first(node));
      way_[static_cast<std::size_t>(body)].v += own.head<3>();
      way_[static_cast<std::size_t>(body)].s += own.tail<3>();
    }
  }
  return true;
}

AloneMotion MachineStep::move_alone(const problem::RigidContact& problem,
                                    std::span<const problem::BodyVelocity> velocity,
                                    std::span<const Real> impulse) {
  const BoundedRows& rows = problem.rows;
  displacement_.clear();
  displacement_.bodies.assign(velocity.begin(), velocity.end());
  displacement_.inverse_inertia = problem.inverse_inertia;
  displacement_.length = problem.length;
  alone_impulse_.assign(step_rows_.size(), 0);
  alone_before_.assign(step_rows_.size(), 0);
  alone_resists_.assign(step_rows_.size(), 0);
  std::vector<std::size_t> held;
  for (std::size_t j = 0; j < step_rows_.size(); ++j) {
    const auto row = static_cast<Index>(j);
    if (resists(step_rows_[j])) {
      alone_resists_[j] = 1;
      alone_before_[j] = step_rows_[j].before;
      continue;
    }
    if (step_rows_[j].kind == Row::Kind::constraint)
      alone_before_[j] = step_rows_[j].length * bias_[step_rows_[j].index];
    if (rows.is_at_bound(row, impulse[j])) {
      alone_impulse_[j] = impulse[j];
      rows.for_each_part(row, [&](const problem::RowPart& of) {
        problem::BodyVelocity& body = displacement_.bodies[of.body];
        body.v += body.inverse_mass * impulse[j] * of.part.head<3>();
        body.s += problem.inverse_inertia[of.body] * (impulse[j] * of.part.tail<3>());
      });
    } else {
      rows.for_each_part(
          row, [&](const problem::RowPart& part) { displacement_.rows.parts.push_back(part); });
      displacement_.rows.close(rows.bias[j], rows.compliance[j]);
      held.push_back(j);
    }
  }
  driver::Options exactly;
  exactly.tolerance = 1e-10;
  driver::solve(displacement_, exactly, {}, moved_);
  for (std::size_t k = 0; k < held.size(); ++k) alone_impulse_[held[k]] = moved_.impulse.row[k];
  return {moved_.velocity, alone_impulse_, alone_resists_, alone_before_,
          is_midpoint() ? std::span<const Real>(reflected_) : std::span<const Real>()};
}

bool MachineStep::may_raise(const problem::RigidContact& problem,
                            const driver::RigidContactSolution& solution, Real tolerance) const {
  for (std::size_t j = 0; j < step_rows_.size(); ++j) {
    const auto row = static_cast<Index>(j);
    const Real impulse = solution.impulse.row[j], bias = problem.rows.bias[j];
    if (!resists(step_rows_[j])) continue;
    if (bias < 0) return true;
    if (!is_midpoint() || impulse == 0) continue;
    const Real before = step_rows_[j].before;
    const Real after = problem::row_rate(problem, row, solution.velocity) - bias;
    const Real noise = tolerance * (std::abs(before) + std::abs(after) + problem.force_speed);
    if (impulse * (before + after) > std::abs(impulse) * noise) return true;
  }
  return false;
}

std::span<const WoundSpring> MachineStep::wound_springs(const model::State& end) {
  wound_.clear();
  const dynamics::MachineMotion there = motion(end);
  for (Index i = 0; i < terms_.axis_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const model::AxisLaw& law = terms_.axis_law(i);
    if (sleeps_axis(i) || law.stiffness == 0 || stretch_[at] == 0) continue;
    const Real start = start_[at].value - law.rest, last = terms_.axis_value(i, there) - law.rest;
    const JacobianRow& row = axis_row_[at];
    wound_.push_back({row.body_b >= 0 ? row.body_b : row.body_a,
                      law.stiffness * stretch_[at] * (start + last) / 2,
                      law.stiffness * last * last / 2});
  }
  return wound_;
}

SolveReport MachineStep::project(model::State& state, bool has_play) {
  SolveReport report;
  Real last_open = std::numeric_limits<Real>::infinity(), last_beyond = last_open;
  bool is_factorised = false;
  for (int k = 0;; ++k) {
    const dynamics::MachineMotion here = motion(state);
    if (k == 0) {  // the rows of a displacement, or of the verdict if there is none
      take_constraints(state.time, here);
      open_ = constraints_.value;
    } else {
      terms_.violations(state.time, here, open_);
    }
    const Open open = open_by(open_);
    const Real beyond = beyond_limits(here, has_play, 0, nullptr);
    const Real worst = std::max(open.share, beyond);
    if (k == 0 && beyond > taken_back_) {
      taken_back_ = beyond;
      taken_back_row_ = farthest_;
    }
    report.residual = worst;
    report.iterations = k;
    const bool is_last = k == (has_play ? kMostOfPlay : kMostProjections);
    const bool falls_no_more = open.share >= last_open / 2 && beyond >= last_beyond / 2;
    if (worst <= kOnConstraint || (worst <= kLeftOpen && (is_last || falls_no_more))) {
      report.status = SolveStatus::converged;
      return report;
    }
    if (std::isnan(worst) || is_last) {
      report.status = SolveStatus::stalled;
      report.detail =
          beyond > open.share
              ? fmt::format("{} stays beyond its limit by {:.3g}", name_of(farthest_), worst)
              : fmt::format("{} stays open by {:.3g}", constraint_name(open.constraint), worst);
      return report;
    }
    // The factors of the first iteration serve while they take off nine tenths.
    if (!is_factorised || worst > std::max(last_open, last_beyond) / 10) {
      load(state, here, displacement_);
      is_factorised = elimination_.factorise(displacement_);
    }
    const std::size_t count = rows_.size();
    for (std::size_t j = 0; j < count; ++j)
      displacement_.rows.bias[j] = rows_[j].length * open_[rows_[j].index];
    limits_.clear();
    if (beyond > 0) (void)beyond_limits(here, has_play, kNeighbours * beyond, &limits_);
    rows_.resize(count);
    if (is_factorised && limits_.size() <= kFewLimits) {
      elimination_.displace(displacement_, way_);
      is_factorised = limits_.empty() || correct_within(limits_);
    } else {
      is_factorised = false;
    }
    if (is_factorised) {
      displace(way_, state);
    } else {
      displacement_.rows.append(limits_);
      driver::solve(displacement_, {}, {}, moved_);
      displace(moved_.velocity, state);
    }
    last_open = open.share;
    last_beyond = beyond;
  }
}

SolveReport MachineStep::project_velocity(model::State& state) {
  constexpr Real kMet = 1e-12;  // relative to the fastest body, at least 1 m/s
  load(state, motion(state), displacement_);
  Real speed = 1, worst = 0;
  way_ = displacement_.bodies;
  for (Index i = 0; i < model_.body_count(); ++i) {
    way_[i].v = state.velocity[i];
    way_[i].s = displacement_.length[i] * state.angular_velocity[i];
    speed = std::max({speed, state.velocity[i].norm(), state.angular_velocity[i].norm()});
  }
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    const Real rate = constraints_.rate[rows_[j].index];
    const Real own = problem::row_rate(displacement_, static_cast<Index>(j), way_);
    displacement_.rows.bias[j] = rows_[j].length * rate - own;  // Φ_t
    worst = std::max(worst, std::abs(rate));
  }
  SolveReport report;
  report.status = SolveStatus::converged;
  if (worst <= kMet * speed) return report;
  if (!elimination_.factorise(displacement_)) {
    report.status = SolveStatus::numerical_error;
    report.detail = "constraints depend on each other";
    return report;
  }
  end_rows_ = rows_;
  end_impulse_.assign(rows_.size(), 0);
  elimination_.correct(displacement_, way_, end_impulse_);
  for (Index i = 0; i < model_.body_count(); ++i) {
    const problem::BodyVelocity& body = way_[i];
    if (body.inverse_mass == 0) continue;
    state.velocity[i] = body.v;
    state.angular_velocity[i] = body.s / displacement_.length[i];
  }
  return report;
}

}  // namespace talus::stepping::detail
