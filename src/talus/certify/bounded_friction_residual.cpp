#include <talus/certify/bounded_friction_residual.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/nearest.hpp>
#include <talus/certify/detail/ratio.hpp>

namespace talus::certify {

Certificate certify(const problem::BoundedFriction& problem, const VecX& r) {
  TALUS_DEMAND_EQ(r.size(), problem.b.size());
  const Index d = problem.dimension;
  const VecX u = problem.W * r + problem.b, diagonal = problem.W.diagonal();
  Real natural = 0, plain = 0, primal = 0, size = 0, free = 0, power = 0, worst = -1;
  Certificate c;
  for (Index i = 0; i < problem.joint_count(); ++i) {
    const Real root = std::sqrt(static_cast<Real>(d) / diagonal.segment(d * i, d).sum());
    const VecX r_i = r.segment(d * i, d), u_i = u.segment(d * i, d);
    const VecX r_scaled = r_i / root, u_scaled = u_i * root;
    const VecX b_scaled = problem.b.segment(d * i, d) * root;
    const Real bound = problem.bound[i] / root;
    const Real square =
        (r_scaled - detail::nearest_in_ball(r_scaled - u_scaled, bound)).squaredNorm();
    natural += square;
    plain += (r_i - detail::nearest_in_ball(r_i - u_i, problem.bound[i])).squaredNorm();
    primal += (r_scaled - detail::nearest_in_ball(r_scaled, bound)).squaredNorm();
    size += r_scaled.squaredNorm();
    free += detail::nearest_in_ball(-b_scaled, bound).squaredNorm();
    power += std::abs(bound * u_scaled.norm() + r_scaled.dot(u_scaled));
    c.worst_velocity = std::max(c.worst_velocity, std::sqrt(square) / root);
    if (square > worst) {
      worst = square;
      c.worst_contact = i;
    }
  }
  const Real length = std::sqrt(size > 0 ? size : free);
  c.natural_map = detail::ratio(std::sqrt(natural), length);
  c.plain = detail::ratio(std::sqrt(plain), std::max({problem.b.norm(), r.norm(), u.norm()}));
  c.primal = detail::ratio(std::sqrt(primal), length);
  c.complementarity = size > 0 ? power / size : Real(0);
  c.worst_share = worst > 0 ? worst / natural : Real(0);
  c.is_finite = r.allFinite() && u.allFinite();
  for (const Real value :
       {c.natural_map, c.plain, c.primal, c.complementarity, c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace talus::certify
