#include <talus/solve/gauss_seidel/local/rolling.hpp>

#include <talus/solve/gauss_seidel/local/resisting.hpp>

namespace talus::solve {

RollingLocal solve_rolling(const Mat5& A, const Vec5& b, Real friction, Real rolling,
                           const Vec5& previous) noexcept {
  Mat6 block = Mat6::Zero();
  block.topLeftCorner<5, 5>() = A;
  Vec6 free, last;
  free << b, 0;
  last << previous, 0;
  const ResistingLocal local = solve_resisting(block, free, {friction, rolling, 0}, last);
  return {local.impulse.head<5>(), local.residual};
}

}  // namespace talus::solve
