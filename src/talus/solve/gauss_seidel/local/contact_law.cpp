#include <talus/solve/gauss_seidel/local/contact_law.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/solve/gauss_seidel/local/cone_complementarity.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

namespace talus::solve {
namespace {

using problem::FrictionLaw;

/// r_N = max(0, −b_N/a), r_T = 0; NaN for what is not finite.
template <class Solution, class Mat, class Vec>
Solution solve_frictionless(const Mat& A, const Vec& b) {
  Solution solution;
  if (!std::isfinite(A.sum() + b.sum())) {
    solution.impulse.setConstant(std::numeric_limits<Real>::quiet_NaN());
  } else if (b[0] < 0) {
    solution.impulse[0] = -b[0] / A(0, 0);
    solution.state = ContactState::slip;
  }
  return solution;
}

}  // namespace

LocalSolution solve_contact(const LocalLaw& law, const Mat3& A, const Vec3& b, Real friction,
                            const Vec3& previous) noexcept {
  switch (law.law) {
    case FrictionLaw::coulomb:
      break;
    case FrictionLaw::maximum_dissipation:
      return solve_maximum_dissipation(A, b, friction, previous);
    case FrictionLaw::cone_complementarity:
      return solve_cone_complementarity(A, b, friction, previous);
    case FrictionLaw::polyhedral:
      return solve_polyhedral(A, b, friction, previous, law.polygon);
    case FrictionLaw::frictionless:
      return solve_frictionless<LocalSolution>(A, b);
  }
  return solve_coulomb(A, b, friction, previous);
}

LocalSolution2 solve_contact(const LocalLaw& law, const Mat2& A, const Vec2& b, Real friction,
                             const Vec2& previous) noexcept {
  if (law.law == FrictionLaw::cone_complementarity)
    return solve_cone_complementarity_2d(A, b, friction);
  if (law.law == FrictionLaw::frictionless) return solve_frictionless<LocalSolution2>(A, b);
  return solve_coulomb_2d(A, b, friction, previous);
}

Vec3 with_restitution(const Vec3& b, const Vec3& before, Real normal, Real tangential) noexcept {
  return b + Vec3(normal * std::min(Real(0), before[0]), tangential * before[1],
                  tangential * before[2]);
}

}  // namespace talus::solve
