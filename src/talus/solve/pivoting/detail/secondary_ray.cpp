#include <talus/solve/pivoting/detail/secondary_ray.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::solve::detail {
namespace {

/// How much larger than the data a solution would have to be for the proof to miss it.
constexpr Real kProof = 1e9;

/// How far a, b are from 0 ≤ a ⟂ b ≥ 0.
Real complementarity(const VecX& a, const VecX& b) {
  return a.cwiseAbs().cwiseMin(b.cwiseAbs()).maxCoeff();
}

Real negative_part(const VecX& a) { return std::max(Real(0), -a.minCoeff()); }

}  // namespace

problem::LcpRay secondary_ray(const LemkeTableau& tableau, Index entering, const MatX& M,
                              const VecX& q, const VecX& covering) {
  const Index n = tableau.size();
  problem::LcpRay ray;
  ray.covering = covering;
  ray.z.resize(n);
  ray.direction.resize(n);
  for (Index i = 0; i < n; ++i) {
    ray.z[i] = tableau.value(n + i);
    ray.direction[i] = tableau.slope(n + i, entering);
  }
  ray.z0 = tableau.value(tableau.artificial());
  ray.direction0 = tableau.slope(tableau.artificial(), entering);
  const Real length = std::max(ray.direction.cwiseAbs().maxCoeff(), std::abs(ray.direction0));
  if (length > 0) {
    ray.direction /= length;
    ray.direction0 /= length;
  }

  const VecX w = M * ray.z + q + covering * ray.z0;
  const VecX slope = M * ray.direction + covering * ray.direction0;
  const Real size = std::max({Real(1), ray.z.cwiseAbs().maxCoeff(), std::abs(ray.z0)});
  ray.violation =
      length > 0
          ? std::max({negative_part(ray.z) / size, negative_part(w) / size, -ray.z0 / size,
                      complementarity(ray.z, w) / size, negative_part(ray.direction),
                      negative_part(slope), -ray.direction0, complementarity(ray.direction, slope),
                      complementarity(ray.z / size, slope),
                      complementarity(ray.direction, w / size)})
          : std::numeric_limits<Real>::infinity();
  // y = direction ≥ 0 with Mᵀy ≤ 0 and q·y < 0: then y·(M z + q) < 0 for every z ≥ 0.
  const VecX y = ray.direction.cwiseMax(0);
  const Real shortage = -q.dot(y), rise = std::max(Real(0), (M.transpose() * y).maxCoeff());
  ray.proves_infeasible = shortage > 1 / kProof && rise <= shortage / kProof;
  return ray;
}

}  // namespace talus::solve::detail
