#include <talus/dynamics/jacobian_row.hpp>

namespace talus::dynamics {

namespace {

/// Sum of f(body, part of p, part of r) over the bodies of both rows.
template <class F>
Real over_common_bodies(const JacobianRow& p, const JacobianRow& r, F&& f) {
  Real sum = 0;
  if (p.body_a >= 0 && p.body_a == r.body_a) sum += f(p.body_a, p.a, r.a);
  if (p.body_a >= 0 && p.body_a == r.body_b) sum += f(p.body_a, p.a, r.b);
  if (p.body_b >= 0 && p.body_b == r.body_a) sum += f(p.body_b, p.b, r.a);
  if (p.body_b >= 0 && p.body_b == r.body_b) sum += f(p.body_b, p.b, r.b);
  return sum;
}

}  // namespace

Real delassus_entry(const JacobianRow& p, const JacobianRow& r, const MassMatrix& M) {
  if (M.is_general())
    return p.is_general() && r.is_general() ? p.general->dot(M.solve(*r.general)) : 0;
  if (M.is_spatial())
    return over_common_bodies(p, r, [&](Index body, const Vec6& of_p, const Vec6& of_r) {
      return of_p.dot(M.solve_block(body, of_r));
    });
  const VecX& inverse = M.inverse_diagonal();
  return over_common_bodies(p, r, [&](Index body, const Vec6& of_p, const Vec6& of_r) {
    return of_p.head<3>().dot(inverse.segment<3>(3 * body).cwiseProduct(of_r.head<3>()));
  });
}

void apply_impulse(const JacobianRow& row, Real s, const MassMatrix& M, VecX& v) {
  if (M.is_general()) {
    if (row.is_general()) v += s * M.solve(*row.general);
    return;
  }
  if (M.is_spatial()) {
    if (row.body_a >= 0) v.segment<6>(6 * row.body_a) += s * M.solve_block(row.body_a, row.a);
    if (row.body_b >= 0) v.segment<6>(6 * row.body_b) += s * M.solve_block(row.body_b, row.b);
    return;
  }
  const VecX& inverse = M.inverse_diagonal();
  const auto add = [&](Index body, const Vec6& part) {
    if (body >= 0)
      v.segment<3>(3 * body) += s * inverse.segment<3>(3 * body).cwiseProduct(part.head<3>());
  };
  add(row.body_a, row.a);
  add(row.body_b, row.b);
}

}  // namespace talus::dynamics
