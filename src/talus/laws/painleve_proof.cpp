#include <talus/laws/painleve_proof.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/laws/tolerances.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::laws {
namespace {

constexpr Index kMostStates = 1 << 14;

/// A number that follows from the forces: row·y + constant.
struct Affine {
  VecX row;
  Real constant = 0;
  [[nodiscard]] Real at(const VecX& y) const { return row.dot(y) + constant; }
};

/// One side of a guide's end, λ_e as a function of the forces.
struct Side {
  Index joint_normal;
  Affine lambda;
};

/// Forces and rates are taken over and times √G_ii, so that all of one problem have one unit.
class States {
 public:
  States(const ContactLcp& contacts, const std::vector<JointNormalForce>& joint_normals)
      : contacts_(contacts),
        joint_normals_(joint_normals),
        n_(contacts.b.size()),
        k_(contacts.normal_count()) {
    unit_ = contacts.G.diagonal().cwiseMax(0).cwiseSqrt();
    for (Real& unit : unit_)
      if (!(unit > 0)) unit = 1;
    const VecX inverse = unit_.cwiseInverse();
    G_ = inverse.asDiagonal() * contacts.G * inverse.asDiagonal();
    b_ = inverse.cwiseProduct(contacts.b);
    for (Real& rate : b_)
      if (std::abs(rate) <= contacts.noise) rate = 0;
    joint_normal_of_.assign(contacts.frictions.size(), -1);
    for (std::size_t j = 0; j < joint_normals.size(); ++j) {
      joint_normal_of_[static_cast<std::size_t>(joint_normals[j].friction)] = static_cast<Index>(j);
      add_sides(static_cast<Index>(j));
    }
    choices_.assign(static_cast<std::size_t>(n_), 2);
    for (Index f = 0; f < n_ - k_; ++f)
      choices_[static_cast<std::size_t>(k_ + f)] = is_candidate(f) ? 3 : 1;
    choices_.insert(choices_.end(), sides_.size(), 2);
  }

  ContactStates run() {
    if (n_ == 0) return {{{VecX(), VecX(), 1, true}}, 1, true};
    Index count = 1;
    for (const int choices : choices_) {
      count *= choices;
      if (count > kMostStates) return {};
    }
    found_.is_complete = !has_pin_;
    std::vector<int> state(choices_.size(), 0);
    // All complementary states, as the complementary cones of an LCP (`murty_1988` §1.4).
    for (;;) {
      if (is_sensible(state)) try_state(state);
      std::size_t i = 0;
      for (; i < state.size() && ++state[i] == choices_[i]; ++i) state[i] = 0;
      if (i == state.size()) break;
    }
    return std::move(found_);
  }

 private:
  enum : int { lower = 0, upper = 1, held = 2 };  // of candidates

  [[nodiscard]] const JointNormalForce* joint_normal_of(Index f) const {
    const Index joint_normal = joint_normal_of_[static_cast<std::size_t>(f)];
    return joint_normal < 0 ? nullptr : &joint_normals_[static_cast<std::size_t>(joint_normal)];
  }
  [[nodiscard]] bool is_candidate(Index f) const {
    const JointNormalForce* joint_normal = joint_normal_of(f);
    return contacts_.frictions[static_cast<std::size_t>(f)].is_candidate() ||
           (joint_normal != nullptr && joint_normal->lower_slope != joint_normal->upper_slope);
  }
  void add_sides(Index j) {
    const JointNormalForce& joint_normal = joint_normals_[static_cast<std::size_t>(j)];
    const FrictionElement& element = *joint_normal.element;
    const auto add = [&](const Vec2& along) {
      const VecX row = (joint_normal.X.transpose() * along).cwiseQuotient(unit_);
      sides_.push_back({j, {row, along.dot(joint_normal.free)}});
    };
    has_pin_ = has_pin_ || !element.is_guide;
    if (!element.is_guide) return;
    if (element.moment_arm == 0) return add(Vec2::UnitX());
    add(Vec2(0.5, 0.5 / element.moment_arm));
    add(Vec2(0.5, -0.5 / element.moment_arm));
  }

  /// A friction that an open contact presses is where its bounds are, both the same: one state.
  [[nodiscard]] bool is_sensible(const std::vector<int>& state) const {
    for (Index f = 0; f < n_ - k_; ++f) {
      const FrictionRow& row = contacts_.frictions[static_cast<std::size_t>(f)];
      if (row.normal >= 0 && state[static_cast<std::size_t>(row.normal)] == 0 &&
          row.lower == row.upper && state[static_cast<std::size_t>(k_ + f)] != lower)
        return false;
    }
    return true;
  }

  /// A friction's bound in a state.
  [[nodiscard]] Affine bound(Index f, bool is_upper, const std::vector<int>& state) const {
    const FrictionRow& row = contacts_.frictions[static_cast<std::size_t>(f)];
    Affine bound{VecX::Zero(n_), is_upper ? row.upper : row.lower};
    if (row.normal >= 0)
      bound.row[row.normal] = (is_upper ? row.upper_slope : row.lower_slope) / unit_[row.normal];
    if (const JointNormalForce* joint_normal = joint_normal_of(f)) {
      const Real slope = is_upper ? joint_normal->upper_slope : joint_normal->lower_slope;
      bound.constant += slope * joint_normal->preload;
      for (std::size_t s = 0; s < sides_.size(); ++s) {
        if (sides_[s].joint_normal != joint_normal_of_[static_cast<std::size_t>(f)]) continue;
        const Real sign = state[static_cast<std::size_t>(n_) + s] == 0 ? 1 : -1;
        bound.row += slope * sign * sides_[s].lambda.row;
        bound.constant += slope * sign * sides_[s].lambda.constant;
      }
    }
    bound.row *= unit_[k_ + f];
    bound.constant *= unit_[k_ + f];
    return bound;
  }

  void try_state(const std::vector<int>& state) {
    ++found_.tried;
    MatX E = MatX::Zero(n_, n_);
    VecX right = VecX::Zero(n_);
    for (Index i = 0; i < n_; ++i) {
      const int is = state[static_cast<std::size_t>(i)];
      if (i < k_ ? is == 1 : is == held) {
        E.row(i) = G_.row(i);
        right[i] = -b_[i];
        continue;
      }
      E(i, i) = 1;
      if (i < k_) continue;
      const Affine at = bound(i - k_, is == upper, state);
      E.row(i) -= at.row.transpose();
      right[i] = at.constant;
    }
    linalg::FullPivLu factors(E);
    if (factors.is_regular(linalg::kScaledRank)) {
      const VecX y = factors.solve_refined(E, right);
      if (holds(y, state)) keep(y, factors.determinant() > 0);
      return;
    }
    factors.set_tolerance(linalg::kScaledRank);
    const VecX y = factors.solve(right);
    const Real off = (E * y - right).lpNorm<Eigen::Infinity>();
    if (!(off <= noise(y))) return;  // no answer
    const MatX kernel = factors.kernel();
    const MatX rates = linalg::product(G_, kernel);
    if (rates.cwiseAbs().maxCoeff() > tolerance::kRateNoise * kernel.cwiseAbs().maxCoeff())
      found_.is_complete = false;
  }

  [[nodiscard]] Real noise(const VecX& y) const {
    return tolerance::kRateNoise * b_.lpNorm<Eigen::Infinity>() +
           tolerance::kStateForceNoise * y.lpNorm<Eigen::Infinity>();
  }

  /// The inequalities of a state.
  [[nodiscard]] bool holds(const VecX& y, const std::vector<int>& state) const {
    if (!y.allFinite()) return false;
    const Real zero = noise(y);
    const VecX rate = G_ * y + b_;
    for (Index i = 0; i < k_; ++i)
      if (y[i] < -zero || rate[i] < -zero) return false;
    for (Index f = 0; f < n_ - k_; ++f) {
      if (!is_candidate(f)) continue;
      const Index i = k_ + f;
      const Real low = bound(f, false, state).at(y), high = bound(f, true, state).at(y);
      if (y[i] < low - zero || y[i] > high + zero) return false;
      // At both bounds, where there is no room between them, every rate is right.
      if (y[i] > low + zero && rate[i] > zero) return false;
      if (y[i] < high - zero && rate[i] < -zero) return false;
    }
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const Real sign = state[static_cast<std::size_t>(n_) + s] == 0 ? 1 : -1;
      const Affine& lambda = sides_[s].lambda;
      const Real size = std::abs(lambda.constant) + lambda.row.cwiseAbs().dot(y.cwiseAbs());
      if (sign * lambda.at(y) < -tolerance::kRateNoise * size) return false;
    }
    return true;
  }

  /// One answer per set of rates. Those with the same rates are convex, where no press bends them.
  void keep(const VecX& y, bool is_stable) {
    const VecX rate = G_ * y + b_;
    const Real size = tolerance::kSameRates * b_.lpNorm<Eigen::Infinity>() + noise(y);
    for (std::size_t a = 0; a < rates_.size(); ++a) {
      if ((rates_[a] - rate).lpNorm<Eigen::Infinity>() > size) continue;
      ContactAnswer& answer = found_.answers[a];
      ++answer.states;
      answer.is_stable = answer.is_stable || is_stable;
      if (joint_normals_.empty())
        answer.force += (y.cwiseQuotient(unit_) - answer.force) / static_cast<Real>(answer.states);
      return;
    }
    rates_.push_back(rate);
    found_.answers.push_back({y.cwiseQuotient(unit_), unit_.cwiseProduct(rate), 1, is_stable});
  }

  const ContactLcp& contacts_;
  const std::vector<JointNormalForce>& joint_normals_;
  Index n_, k_;
  VecX unit_;
  MatX G_;
  VecX b_;
  std::vector<Index> joint_normal_of_;  // per friction, −1: none
  std::vector<Side> sides_;
  std::vector<int> choices_;  // of normals, frictions, sides
  bool has_pin_ = false;
  std::vector<VecX> rates_;
  ContactStates found_;
};

}  // namespace

ContactStates find_all(const ContactLcp& contacts,
                       const std::vector<JointNormalForce>& joint_normals) {
  return States(contacts, joint_normals).run();
}

ContactForces solve_or_prove(const ContactLcp& contacts,
                             const std::vector<JointNormalForce>& joint_normals) {
  ContactForces forces = solve(contacts, joint_normals);
  const bool is_solved = forces.status == problem::SolveStatus::converged;
  forces.is_ambiguous = is_ambiguous(contacts);
  if (is_solved && !forces.is_ambiguous) return forces;
  const ContactStates states = find_all(contacts, joint_normals);
  forces.answers = static_cast<Index>(states.answers.size());
  if (states.answers.empty()) {
    if (is_solved || !states.is_complete) return forces;
    forces.status = problem::SolveStatus::infeasible;
    forces.detail =
        fmt::format("{}none of the {} states of {} contacts and {} frictions has one",
                    joint_normals.empty() ? "" : "friction jams a joint: ", states.tried,
                    contacts.normal_count(), contacts.frictions.size());
    return forces;
  }
  const auto is_stable = [](const ContactAnswer& answer) { return answer.is_stable; };
  const auto first = states.answers.begin(), last = states.answers.end();
  const auto stable = std::find_if(first, last, is_stable);
  const bool is_one = forces.answers == 1 || std::count_if(first, last, is_stable) == 1;
  const ContactAnswer& answer = stable == last ? *first : *stable;
  ContactForces certified = solve(contacts, joint_normals, answer.force);
  if (certified.status != problem::SolveStatus::converged && is_solved) return forces;
  certified.pivots = forces.pivots;
  certified.answers = forces.answers;
  certified.is_ambiguous = !is_one;
  if (!is_one) certified.detail = fmt::format("{} accelerations satisfy the laws", forces.answers);
  return certified;
}

}  // namespace talus::laws
