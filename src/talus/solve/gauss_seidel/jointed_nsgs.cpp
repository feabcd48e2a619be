#include <talus/solve/gauss_seidel/jointed_nsgs.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>

namespace talus::solve {
namespace {

using problem::BoundedRows;
using problem::FrictionLaw;
using problem::RigidContact;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Real kMomentumCap = 0.85;  // largest β
constexpr Real kOvershoot = 1.05;    // growth of a step that restarts the momentum
/// Of a contact's block without joints: less freedom than that is none. It is added to the block,
/// which changes the way to the answer alone: the law holds at u + A (r − r) = u.
constexpr Real kLeastFreedom = 1e-9;
constexpr Index kPollEvery = 16;  // sweeps

/// Whether a row has no bounds: it is linear in the velocities.
bool is_linear(const BoundedRows& rows, Index row) {
  return rows.lower[static_cast<std::size_t>(row)] == -BoundedRows::kFree &&
         rows.upper[static_cast<std::size_t>(row)] == BoundedRows::kFree;
}

Vec6 six(const problem::BodyVelocity& velocity) {
  Vec6 both;
  both << velocity.v, velocity.s;
  return both;
}

}  // namespace

bool JointedNsgs::takes(const RigidContact& problem) {
  return problem.central.size() == 0 && problem.resistance.empty() &&
         (problem.law == FrictionLaw::coulomb || problem.law == FrictionLaw::frictionless ||
          problem.law == FrictionLaw::cone_complementarity);
}

bool JointedNsgs::start(const RigidContact& problem, const problem::ContactImpulses& guess) {
  TALUS_DEMAND(takes(problem));
  problem_ = &problem;
  law_.law = problem.law;
  if (!joints_.factorise(problem)) return false;
  sweeps_ = 0;
  momentum_.drop();
  last_step_ = 0;
  velocity_ = problem.bodies;
  scratch_.assign(static_cast<std::size_t>(problem.rows.size()), 0);
  joints_.correct(problem, velocity_, scratch_);  // the constraints are kept from here on
  find_machines();
  elements_.clear();
  sides_.clear();
  responses_.clear();
  response_.clear();
  for (Index c = 0; c < problem.contact_count(); ++c) add_contact(c);
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (!is_linear(problem.rows, j)) add_row(j);
  r_ = VecX::Zero(elements_.empty() ? 0 : elements_.back().first + elements_.back().count);
  Index c = 0, j = -1;
  for (const Element& element : elements_) {
    Vec3 r = Vec3::Zero();
    if (element.count == 3) {
      if (!guess.general.empty()) r = element.basis.transpose() * guess.general[c];
      ++c;
      const Real size = r.tail<2>().norm(), most = element.friction * std::max(Real(0), r[0]);
      if (size > most) r.tail<2>() *= most / size;
      if (r[0] <= 0) r.setZero();
    } else {
      do ++j;
      while (is_linear(problem.rows, j));
      if (!guess.row.empty()) r[0] = problem.rows.clamped(j, guess.row[j]);
    }
    if (r.isZero(0)) continue;
    r_.segment(element.first, element.count) = r.head(element.count);
    apply(element, r);
  }
  return true;
}

/// Movable bodies that linear rows connect, with their velocities and responses.
void JointedNsgs::find_machines() {
  const RigidContact& problem = *problem_;
  const auto count = static_cast<Index>(problem.bodies.size());
  DisjointSets joined(count);
  std::vector<bool> is_jointed(static_cast<std::size_t>(count), false);
  for (Index j = 0; j < problem.rows.size(); ++j) {
    if (!is_linear(problem.rows, j)) continue;
    Index first = -1;
    problem.rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (!is_movable(of.body)) return;
      is_jointed[of.body] = true;
      if (first < 0)
        first = of.body;
      else
        joined.join(first, of.body);
    });
  }
  std::vector<Index> of_root(static_cast<std::size_t>(count), -1);
  machines_.clear();
  place_.assign(static_cast<std::size_t>(count), -1);
  machine_of_.assign(static_cast<std::size_t>(count), 0);
  for (Index body = 0; body < count; ++body) {
    if (!is_movable(body)) continue;
    Index& machine = of_root[static_cast<std::size_t>(joined.root(body))];
    if (machine < 0) {
      machine = static_cast<Index>(machines_.size());
      machines_.emplace_back();
    }
    machine_of_[static_cast<std::size_t>(body)] = static_cast<std::size_t>(machine);
    machines_[static_cast<std::size_t>(machine)].bodies.push_back(body);
  }
  Index place = 0;
  for (Machine& machine : machines_) {
    machine.place = place;
    for (const Index body : machine.bodies) {
      place_[static_cast<std::size_t>(body)] = place;
      place += 6;
    }
  }
  v_.resize(place);
  inverse_mass_.resize(static_cast<std::size_t>(place / 6));
  for (Index body = 0; body < count; ++body)
    if (is_movable(body))
      inverse_mass_[static_cast<std::size_t>(place_[static_cast<std::size_t>(body)] / 6)] =
          joints_.forest().inverse_mass(joints_.forest().node_of(body));
  for (Machine& machine : machines_) {
    for (const Index body : machine.bodies)
      v_.segment<6>(place_[static_cast<std::size_t>(body)]) =
          six(velocity_[static_cast<std::size_t>(body)]);
    if (is_jointed[static_cast<std::size_t>(machine.bodies.front())])
      find_response(machine);
    else
      machine.K = inverse_mass_[static_cast<std::size_t>(machine.place / 6)];
  }
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (is_linear(problem.rows, j) && !problem.rows.is_constraint(j))
      problem.rows.for_each_part(j, [&, is_done = false](const problem::RowPart& of) mutable {
        if (is_done || !is_movable(of.body)) return;
        eliminate(machines_[machine_of_[of.body]], j);
        is_done = true;
      });
}

/// K with the constraints, column by column.
void JointedNsgs::find_response(Machine& machine) {
  const auto n = static_cast<Index>(machine.bodies.size());
  const auto first = [&](Index i) {
    return joints_.first(joints_.forest().node_of(machine.bodies[static_cast<std::size_t>(i)]));
  };
  machine.K.resize(6 * n, 6 * n);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < 6; ++k) {
      y_.setZero(joints_.size());
      y_[first(i) + k] = 1;
      joints_.solve(y_);
      for (Index other = 0; other < n; ++other)
        machine.K.block<6, 1>(6 * other, 6 * i + k) = y_.segment<6>(first(other));
    }
}

/// Takes a row with a compliance into K and the velocities.
void JointedNsgs::eliminate(Machine& machine, Index row) {
  const BoundedRows& rows = problem_->rows;
  const auto size = static_cast<Index>(machine.K.rows());
  VecX g = VecX::Zero(size);
  Real w = rows.bias[static_cast<std::size_t>(row)];
  rows.for_each_part(row, [&](const problem::RowPart& of) {
    if (is_movable(of.body))
      g.segment<6>(place_[of.body] - machine.place) += of.part;
    else
      w += of.part.dot(six(problem_->bodies[of.body]));
  });
  auto v = v_.segment(machine.place, size);
  w += g.dot(v);
  const VecX Kg = machine.K * g;
  const Real own = g.dot(Kg) + rows.compliance[static_cast<std::size_t>(row)];
  v -= w / own * Kg;
  machine.K.noalias() -= Kg * Kg.transpose() / own;
}

void JointedNsgs::add_side(Element& element, Index body, const Row36& rows) {
  if (is_movable(body))
    sides_.push_back({place_[static_cast<std::size_t>(body)], rows});
  else
    element.bias += rows * six(problem_->bodies[static_cast<std::size_t>(body)]);
}

void JointedNsgs::add_contact(Index contact) {
  const problem::LocalContact local = problem::local_contact(*problem_, contact);
  Element element;
  element.side_begin = static_cast<std::uint32_t>(sides_.size());
  element.basis = local.basis;
  element.bias = local.bias;
  element.friction = problem_->law == FrictionLaw::frictionless ? Real(0) : local.friction;
  add_side(element, local.body_a, local.rows_a);
  add_side(element, local.body_b, local.rows_b);
  close(element);
}

void JointedNsgs::add_row(Index row) {
  const BoundedRows& rows = problem_->rows;
  const auto at = static_cast<std::size_t>(row);
  Element element;
  element.count = 1;
  element.side_begin = static_cast<std::uint32_t>(sides_.size());
  element.bias[0] = rows.bias[at];
  element.compliance = rows.compliance[at];
  element.lower = rows.lower[at];
  element.upper = rows.upper[at];
  rows.for_each_part(row, [&](const problem::RowPart& of) {
    Row36 own = Row36::Zero();
    own.row(0) = of.part.transpose();
    add_side(element, of.body, own);
  });
  close(element);
}

/// Responses and block of an element whose sides are known.
void JointedNsgs::close(Element& element) {
  element.first = elements_.empty() ? 0 : elements_.back().first + elements_.back().count;
  element.side_end = static_cast<std::uint32_t>(sides_.size());
  element.response_begin = static_cast<std::uint32_t>(responses_.size());
  const auto machine_at = [&](Index place) -> const Machine& {
    return *std::prev(std::upper_bound(
        machines_.begin(), machines_.end(), place,
        [](Index value, const Machine& machine) { return value < machine.place; }));
  };
  for (std::uint32_t i = element.side_begin; i < element.side_end; ++i) {
    const Machine& machine = machine_at(sides_[i].place);
    const auto begin = responses_.begin() + element.response_begin;
    auto found = std::find_if(begin, responses_.end(), [&](const Response& response) {
      return response.place == machine.place;
    });
    if (found == responses_.end()) {
      responses_.push_back({machine.place, machine.K.rows(), response_.size()});
      response_.resize(
          response_.size() + static_cast<std::size_t>(machine.K.rows() * element.count), 0);
      found = std::prev(responses_.end());
    }
    Eigen::Map<MatX>(&response_[found->first], found->size, element.count).noalias() +=
        machine.K.middleCols<6>(sides_[i].place - machine.place) *
        sides_[i].rows.topRows(element.count).transpose();
  }
  element.response_end = static_cast<std::uint32_t>(responses_.size());
  for (std::uint32_t i = element.side_begin; i < element.side_end; ++i)
    for (std::uint32_t k = element.response_begin; k < element.response_end; ++k) {
      const Response& response = responses_[k];
      const Index at = sides_[i].place - response.place;
      if (at < 0 || at >= response.size) continue;
      element.block.topLeftCorner(element.count, element.count) +=
          sides_[i].rows.topRows(element.count) *
          Eigen::Map<const MatX>(&response_[response.first], response.size, element.count)
              .middleRows<6>(at);
    }
  if (element.count == 3) element.block.diagonal().array() += kLeastFreedom * free_block(element);
  elements_.push_back(element);
}

/// The mean of what an element's own bodies would give way by without joints.
Real JointedNsgs::free_block(const Element& element) const {
  Real sum = 0;
  for (std::uint32_t i = element.side_begin; i < element.side_end; ++i) {
    const Mat6& inverse_mass = inverse_mass_[static_cast<std::size_t>(sides_[i].place / 6)];
    sum += (sides_[i].rows * inverse_mass * sides_[i].rows.transpose()).trace();
  }
  return sum / element.count;
}

/// v += K Hᵀ Δr.
void JointedNsgs::apply(const Element& element, const Vec3& change) {
  for (std::uint32_t k = element.response_begin; k < element.response_end; ++k) {
    const Response& response = responses_[k];
    const Real* column = &response_[response.first];
    for (int i = 0; i < element.count; ++i, column += response.size)
      v_.segment(response.place, response.size) +=
          change[i] * Eigen::Map<const VecX>(column, response.size);
  }
}

Vec3 JointedNsgs::rate(const Element& element) const {
  Vec3 u = element.bias;
  for (std::uint32_t i = element.side_begin; i < element.side_end; ++i)
    u += sides_[i].rows * v_.segment<6>(sides_[i].place);
  return u;
}

Vec3 JointedNsgs::unknown(const Element& element) const {
  Vec3 r = Vec3::Zero();
  r.head(element.count) = r_.segment(element.first, element.count);
  return r;
}

/// The impulse that its law gives to an element with all others held.
Vec3 JointedNsgs::answer(const Element& element, const Vec3& u, const Vec3& r) const {
  if (element.count == 3)
    return solve_contact(law_, element.block, u - element.block * r, element.friction, r).impulse;
  const Real own = element.block(0, 0), all = own + element.compliance;
  if (!(all > 0)) return r;  // nothing moves along this row
  return {std::clamp((own * r[0] - u[0]) / all, element.lower, element.upper), 0, 0};
}

/// r and v by β, from the third sweep on.
void JointedNsgs::extrapolate() {
  const Real beta = momentum_.next(kMomentumCap);
  y_ = r_;
  if (beta > 0) r_ += beta * (r_ - r_old_);
  r_old_.swap(y_);
  y_ = v_;
  if (beta > 0) v_ += beta * (v_ - v_old_);
  v_old_.swap(y_);
}

SolveReport JointedNsgs::run(Real gate, Index max_sweeps,
                             const std::function<bool()>& should_stop) {
  TALUS_DEMAND(problem_ != nullptr);
  SolveReport report{SolveStatus::max_iterations, 0, last_step_, {}};
  while (sweeps_ < max_sweeps) {
    if (sweeps_ >= 1) extrapolate();
    Real size = 0, change = 0;
    for (const Element& element : elements_) {
      const Vec3 r = unknown(element), found = answer(element, rate(element), r), step = found - r;
      size += found.squaredNorm();
      if (step.isZero(0)) continue;
      change += step.squaredNorm();
      r_.segment(element.first, element.count) = found.head(element.count);
      apply(element, step);
    }
    ++sweeps_;
    const Real step = change == 0 ? 0 : std::sqrt(change / size);
    report.residual = step;
    if (!std::isfinite(change + size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    if (step > kOvershoot * last_step_) {  // restart (`odonoghue_2015`)
      momentum_.drop();
    }
    last_step_ = step;
    if (step <= gate) {
      report.status = SolveStatus::converged;
      break;
    }
    if (should_stop && sweeps_ % kPollEvery == 0 && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
  }
  report.iterations = sweeps_;
  report.counts = {sweeps_, sweeps_, 0};
  return report;
}

void JointedNsgs::impulses(problem::ContactImpulses& impulse) {
  const RigidContact& problem = *problem_;
  const BoundedRows& rows = problem.rows;
  impulse = problem::zero_impulses(problem);
  Index c = 0;
  for (; c < problem.contact_count(); ++c) {
    const Element& element = elements_[static_cast<std::size_t>(c)];
    impulse.general[c] = element.basis * r_.segment<3>(element.first);
  }
  for (Index j = 0; j < rows.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (!is_linear(rows, j)) {
      impulse.row[at] = r_[elements_[static_cast<std::size_t>(c++)].first];
    } else if (!rows.is_constraint(j)) {
      Real w = rows.bias[at];
      rows.for_each_part(j, [&](const problem::RowPart& of) {
        w += is_movable(of.body) ? of.part.dot(v_.segment<6>(place_[of.body]))
                                 : of.part.dot(six(problem.bodies[of.body]));
      });
      impulse.row[at] = -w / rows.compliance[at];
    }
  }
  velocity_ = problem.bodies;
  problem::apply_impulses(problem, impulse, velocity_);
  joints_.correct(problem, velocity_, impulse.row);
}

}  // namespace talus::solve
