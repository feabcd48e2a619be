#include <talus/certify/detail/kept_rows.hpp>

#include <cmath>

namespace talus::certify::detail {

KeptRows::KeptRows(const problem::RigidContact& problem) {
  const problem::BoundedRows& rows = problem.rows;
  const auto count = static_cast<std::size_t>(rows.size());
  free_rate.resize(count);
  rho.resize(count);
  parts.resize(rows.parts.size());
  for (std::size_t j = 0; j < count; ++j) {
    Real rate = rows.bias[j], inverse = rows.compliance[j];
    for (std::uint32_t k = rows.first[j]; k < rows.first[j + 1]; ++k) {
      const problem::RowPart& of = rows.parts[k];
      const problem::BodyVelocity& body = problem.bodies[of.body];
      const auto push = of.part.head<3>(), moment = of.part.tail<3>();
      const Vec3 turn = problem.inverse_inertia[of.body].lazyProduct(moment);
      const Real push2 = push.squaredNorm();
      rate += push.dot(body.v) + moment.dot(body.s);
      inverse += body.inverse_mass * push2 + moment.dot(turn);
      parts[k] = {body.inverse_mass * std::sqrt(push2), turn.norm(),
                  std::sqrt(push2 + moment.squaredNorm())};
    }
    free_rate[j] = rate;
    rho[j] = inverse > 0 ? 1 / inverse : Real(0);
  }
}

Real KeptRows::demand(const problem::BoundedRows& rows, Index row, Real rate) const {
  const Real own = rho[static_cast<std::size_t>(row)];
  if (own == 0) {
    const bool acts = rate < 0 ? rows.upper[row] > 0 : rows.lower[row] < 0;
    return acts ? std::abs(rate) : Real(0);
  }
  return std::abs(rows.clamped(row, -own * rate)) / own;
}

}  // namespace talus::certify::detail
