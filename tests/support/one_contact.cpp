#include "support/one_contact.hpp"

#include <talus/solve/gauss_seidel/local/resisting.hpp>

namespace talus::test {

using namespace solve;

LocalSolution solve_anisotropic(const LocalLaw& law, const Mat3& A, const Vec3& b,
                                const Vec2& friction, const Vec3& previous) noexcept {
  const Real mu = friction.maxCoeff();
  if (friction.minCoeff() > 0) {
    const Vec3 S(1, friction[0] / mu, friction[1] / mu);
    const Mat3 scaled = S.asDiagonal() * A * S.asDiagonal();
    LocalSolution solution =
        solve_contact(law, scaled, Vec3(S.cwiseProduct(b)), mu, Vec3(previous.cwiseQuotient(S)));
    solution.impulse = S.cwiseProduct(solution.impulse);
    return solution;
  }
  const Index axis = friction[0] > 0 ? 1 : 2;
  Mat2 plane;
  plane << A(0, 0), A(0, axis), A(axis, 0), A(axis, axis);
  const LocalSolution2 solution =
      solve_contact(law, plane, Vec2(b[0], b[axis]), mu, Vec2(previous[0], previous[axis]));
  Vec3 impulse(solution.impulse[0], 0, 0);
  impulse[axis] = solution.impulse[1];
  // Without friction across the axis u vanishes along it alone.
  const bool is_open = solution.state == ContactState::open;
  return {impulse, is_open ? ContactState::open : ContactState::slip};
}

LocalSolution solve_cohesive(const LocalLaw& law, const Mat3& A, const Vec3& b, Real friction,
                             Real cohesion, const Vec3& previous) noexcept {
  const Vec3 pull(cohesion, 0, 0);
  LocalSolution solution =
      solve_contact(law, A, Vec3(b - cohesion * A.col(0)), friction, Vec3(previous + pull));
  solution.impulse -= pull;
  return solution;
}

Vec6 solve_surface(const LocalLaw& law, const ContactSurface& surface, const Mat6& A, const Vec6& b,
                   const Vec6& previous) noexcept {
  const Vec6 pull = surface.cohesion * Vec6::Unit(0);
  const Vec6 free = b - A * pull;
  const bool is_isotropic = surface.friction[0] == surface.friction[1];
  if (surface.rolling == 0 && surface.torsion == 0) {
    const Mat3 block = A.topLeftCorner<3, 3>();
    const Vec3 own = free.head<3>(), last = (previous + pull).head<3>();
    Vec6 impulse = -pull;
    impulse.head<3>() += is_isotropic
                             ? solve_contact(law, block, own, surface.friction[0], last).impulse
                             : solve_anisotropic(law, block, own, surface.friction, last).impulse;
    return impulse;
  }
  const ContactResistance limit{surface.friction.maxCoeff(), surface.rolling, surface.torsion};
  if (is_isotropic) return solve_resisting(A, free, limit, previous + pull).impulse - pull;
  Vec6 S = Vec6::Ones();  // 0 in a row without friction, which solve_resisting leaves alone
  S.segment<2>(1) = surface.friction / limit.friction;
  Vec6 last = previous + pull;
  for (const Index k : {1, 2}) last[k] = S[k] > 0 ? last[k] / S[k] : 0;
  const Mat6 scaled = S.asDiagonal() * A * S.asDiagonal();
  return S.cwiseProduct(solve_resisting(scaled, S.cwiseProduct(free), limit, last).impulse) - pull;
}

}  // namespace talus::test
