#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::problem {

/// What a body contributes to the rate of a row: part · (v, s).
struct RowPart {
  Vec6 part = Vec6::Zero();  ///< on the velocity v and on the spin s of BodyVelocity [-]
  std::uint32_t body = 0;
};

/// Scalar rows of joints and of the laws of their axes in a problem of rigid bodies:
///   w = Σ part · (v, s) + bias,   λ = P_[lower, upper](λ − ρ (w + C λ)) for every ρ > 0:
/// w + C λ = 0 inside the bounds, ≥ 0 at the lower one, ≤ 0 at the upper one; λ acts on (v, s) as
/// M⁻¹ partᵀ λ. A joint has no bounds and C = 0, a stop one bound, dry friction two, a spring or
/// damper taken implicitly C > 0 (docs/theory/machines_in_space.md).
///
/// All rows are in metres: a row of an angle is multiplied by a length by the caller, so
/// that w is in m/s and λ in N s everywhere.
struct BoundedRows {
  static constexpr Real kFree = std::numeric_limits<Real>::infinity();

  std::vector<std::uint32_t> first{0};  ///< parts of row j: first[j] … first[j + 1] − 1
  std::vector<RowPart> parts;
  std::vector<Real> bias;          ///< added to the rate [m/s]
  std::vector<Real> compliance;    ///< C ≥ 0 [1/kg]
  std::vector<Real> lower, upper;  ///< lower ≤ 0 ≤ upper [N s]

  [[nodiscard]] Index size() const { return static_cast<Index>(bias.size()); }
  [[nodiscard]] bool empty() const { return bias.empty(); }
  /// Whether it is a constraint: w = 0, whatever λ.
  [[nodiscard]] bool is_constraint(Index row) const {
    return lower[row] == -kFree && upper[row] == kFree && compliance[row] == 0;
  }
  /// Whether an impulse is at a bound of its row, to what rounding leaves of it.
  [[nodiscard]] bool is_at_bound(Index row, Real impulse) const {
    constexpr Real kRounding = 1e-12;
    const auto is_at = [&](Real bound) {
      return std::abs(bound) < kFree && std::abs(impulse - bound) <= kRounding * std::abs(bound);
    };
    return is_at(lower[row]) || is_at(upper[row]);
  }
  void clear() {
    first.assign(1, 0);
    parts.clear();
    for (std::vector<Real>* numbers : {&bias, &compliance, &lower, &upper}) numbers->clear();
  }
  /// Ends a row whose parts have been added to `parts`.
  void close(Real row_bias, Real row_compliance = 0, Real least = -kFree, Real most = kFree) {
    first.push_back(static_cast<std::uint32_t>(parts.size()));
    bias.push_back(row_bias);
    compliance.push_back(row_compliance);
    lower.push_back(least);
    upper.push_back(most);
  }
  /// Adds the rows of others behind the own ones.
  void append(const BoundedRows& others) {
    for (Index j = 0; j < others.size(); ++j) {
      others.for_each_part(j, [&](const RowPart& part) { parts.push_back(part); });
      close(others.bias[j], others.compliance[j], others.lower[j], others.upper[j]);
    }
  }
  /// P_[lower, upper] of a row.
  [[nodiscard]] Real clamped(Index row, Real impulse) const {
    return std::clamp(impulse, lower[row], upper[row]);
  }
  /// Calls f(body, Σ λ part) until all rows have acted on all of their bodies. Rows that follow
  /// each other and touch the same two bodies, as those of a joint do, act together.
  template <class F>
  void for_each_push(std::span<const Real> impulse, F&& f) const {
    struct Push {
      Vec6 sum = Vec6::Zero();
      std::int64_t body = -1;
    };
    std::array<Push, 2> pushes;
    const auto act = [&](const Push& push) {
      if (push.body >= 0) f(static_cast<std::uint32_t>(push.body), push.sum);
    };
    for (std::size_t j = 0; j < bias.size(); ++j)
      for (std::uint32_t k = first[j]; k < first[j + 1]; ++k) {
        Push& push = pushes[(k - first[j]) % pushes.size()];
        if (push.body != parts[k].body) {
          act(push);
          push = {Vec6::Zero(), parts[k].body};
        }
        push.sum += impulse[j] * parts[k].part;
      }
    for (const Push& push : pushes) act(push);
  }
  /// Calls f(RowPart) for every body of a row.
  template <class F>
  void for_each_part(Index row, F&& f) const {
    for (std::uint32_t k = first[row]; k < first[row + 1]; ++k) f(parts[k]);
  }
};

}  // namespace talus::problem
