#include <talus/problem/constraint_elimination.hpp>

#include <algorithm>
#include <cmath>

namespace talus::problem {
namespace {

constexpr Real kFewDigits = 1e-7;  // of a pivot over its diagonal: refinement may not converge
constexpr Real kNoDigits = 1e-14;  // reciprocal condition of what cannot be solved
constexpr Index kMostDense = 600;  // unknowns

}  // namespace

bool ConstraintElimination::factorise(const RigidContact& problem) {
  is_new_ = forest_.build(problem);
  const Index bodies = forest_.body_count();
  if (is_new_) {
    std::vector<linalg::SaddleTree::Node> nodes;
    for (Index node = 0; node < bodies; ++node)
      nodes.push_back({forest_.parent_of(node), forest_.own_rows(node)});
    factors_.analyse(nodes, std::span(forest_.order()).first(nodes.size()), forest_.loop_rows());
  }
  factors_.clear();
  for (Index node = 0; node < bodies; ++node) factors_.set_mass(node, forest_.mass(node));
  for (const BodyForest::Row& row : forest_.rows()) {
    Vec6 own = Vec6::Zero(), parent = Vec6::Zero();
    problem.rows.for_each_part(row.index, [&](const RowPart& of) {
      const Index body = forest_.node_of(of.body);
      if (body < 0) return;
      if (row.node == bodies)
        factors_.add_across(row.place, body, of.part);
      else
        (row.node == body ? own : parent) += of.part;
    });
    if (row.node < bodies) factors_.set_row(row.node, row.place - 6, own, parent);
  }
  const bool is_definite = factors_.factorise();
  is_dense_ = false;
  if (is_definite && factors_.least_pivot() >= kFewDigits) return true;
  return factorise_dense(problem) || is_definite;
}

void ConstraintElimination::solve(VecX& x) const {
  if (!is_dense_) return factors_.solve(x);
  x.array() *= scale_.array();
  x = scale_.asDiagonal() * dense_.solve(x);
}

/// Calls add_mass(node, M), and of every constraint and body that it moves
/// add_part(row, node of the body, part).
template <class AddMass, class AddPart>
void ConstraintElimination::assemble(const RigidContact& problem, const AddMass& add_mass,
                                     const AddPart& add_part) const {
  for (Index node = 0; node < forest_.body_count(); ++node) add_mass(node, forest_.mass(node));
  for (const BodyForest::Row& row : forest_.rows())
    problem.rows.for_each_part(row.index, [&](const RowPart& of) {
      if (const Index body = forest_.node_of(of.body); body >= 0) add_part(row, body, of.part);
    });
}

/// With unknowns over the roots of what their own mass, or the masses of their row, make of them.
bool ConstraintElimination::factorise_dense(const RigidContact& problem) {
  if (size() > kMostDense) return false;
  MatX K = MatX::Zero(size(), size());
  scale_.setZero(size());
  assemble(
      problem,
      [&](Index node, const Mat6& mass) {
        K.block<6, 6>(first(node), first(node)) = mass;
        scale_.segment<6>(first(node)) = mass.diagonal();
      },
      [&](const BodyForest::Row& row, Index body, const Vec6& part) {
        const Index multiplier = first(row.node) + row.place;
        K.row(multiplier).segment<6>(first(body)) += part.transpose();
        K.col(multiplier).segment<6>(first(body)) -= part;
        scale_[multiplier] += part.cwiseAbs2().cwiseQuotient(forest_.mass(body).diagonal()).sum();
      });
  if (!(scale_.array() > 0).all()) return false;
  scale_ = scale_.cwiseSqrt().cwiseInverse();
  dense_.compute(scale_.asDiagonal() * K * scale_.asDiagonal());
  is_dense_ = dense_.has_pivots() && dense_.reciprocal_condition() > kNoDigits;
  return is_dense_;
}

void ConstraintElimination::fill(const RigidContact& problem, linalg::NodeLu& lu) const {
  lu.clear();
  assemble(
      problem,
      [&](Index node, const Mat6& mass) { lu.diagonal(node).topLeftCorner<6, 6>() = mass; },
      [&](const BodyForest::Row& row, Index body, const Vec6& part) {
        if (body == row.node) {
          auto block = lu.diagonal(body);
          block.row(row.place).head<6>() += part.transpose();
          block.col(row.place).head<6>() -= part;
        } else {
          lu.block(row.node, body).row(row.place).head<6>() += part.transpose();
          lu.block(body, row.node).col(row.place).head<6>() -= part;
        }
      });
}

/// Writes what the constraints' rates are to change by for solve(). @return the largest; NaN if one
/// is.
Real ConstraintElimination::write_rates(const RigidContact& problem,
                                        std::span<const BodyVelocity> velocity) {
  x_.setZero(size());
  Real largest = 0;
  for (const BodyForest::Row& of : forest_.rows()) {
    const Real rate = row_rate(problem, of.index, velocity);
    x_[first(of.node) + of.place] = -rate;
    if (!(std::abs(rate) <= largest)) largest = std::abs(rate);
  }
  return largest;
}

void ConstraintElimination::add_multipliers(std::span<Real> row) const {
  for (const BodyForest::Row& of : forest_.rows()) row[of.index] += x_[first(of.node) + of.place];
}

/// v += what solve() has found.
void ConstraintElimination::add_velocities(std::span<BodyVelocity> velocity) const {
  for (std::size_t i = 0; i < velocity.size(); ++i)
    if (const Index node = forest_.node_of(static_cast<Index>(i)); node >= 0) {
      velocity[i].v += x_.segment<3>(first(node));
      velocity[i].s += x_.segment<3>(first(node) + 3);
    }
}

void ConstraintElimination::displace(const RigidContact& problem, std::vector<BodyVelocity>& way) {
  way = problem.bodies;
  x_.setZero(size());
  for (const BodyForest::Row& of : forest_.rows())
    x_[first(of.node) + of.place] = -problem.rows.bias[of.index];
  solve(x_);
  add_velocities(way);
}

void ConstraintElimination::correct(const RigidContact& problem, std::span<BodyVelocity> velocity,
                                    std::span<Real> row) {
  constexpr Real kRefined = 1e-12;  // of the rates at first
  Real largest = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second refines
    const Real left = write_rates(problem, velocity);
    if (pass == 0) largest = left;
    if (pass > 0 && left <= kRefined * largest) return;
    solve(x_);
    add_multipliers(row);
    add_velocities(velocity);
  }
}

void ConstraintElimination::complete(const RigidContact& problem, ContactImpulses& impulse,
                                     std::vector<BodyVelocity>& velocity) {
  for (const BodyForest::Row& of : forest_.rows()) impulse.row[of.index] = 0;
  take_off_rates(problem, 3, impulse, velocity);
}

/// λ ← λ − (J M⁻¹ Jᵀ)⁻¹ (J v + bias) until only rounding changes, but no more often than `most`;
/// with other factors where the tree's do not get there.
void ConstraintElimination::take_off_rates(const RigidContact& problem, int most,
                                           ContactImpulses& impulse,
                                           std::vector<BodyVelocity>& velocity) {
  constexpr Real kSlight = 1e-13,
                 kLarge = 1e-11;  // of the impulses: rounding; what is left of them
  Real change = 0, largest = 0;
  bool is_refined = forest_.rows().empty();
  for (int k = 0;; ++k) {
    velocity = problem.bodies;
    apply_impulses(problem, impulse, velocity);
    if (is_refined) return;
    if (k == most) {
      if (!(change > kLarge * largest) || is_dense_ || !factorise_dense(problem)) return;
      k = 0;
    }
    (void)write_rates(problem, velocity);
    solve(x_);
    change = largest = 0;
    for (const BodyForest::Row& of : forest_.rows()) {
      const Real own = x_[first(of.node) + of.place];
      Real& total = impulse.row[of.index];
      change = std::max(change, std::abs(own));
      total += own;
      largest = std::max(largest, std::abs(total));
    }
    is_refined = change <= kSlight * largest;
  }
}

}  // namespace talus::problem
