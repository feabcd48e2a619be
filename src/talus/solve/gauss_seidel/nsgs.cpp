#include <talus/solve/gauss_seidel/nsgs.hpp>

#include <cmath>
#include <variant>

#include <talus/base/contract.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/solve/gauss_seidel/detail/block_csr.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>

namespace talus::solve {
namespace {

using detail::BlockCsr;
using problem::SolveReport;
using problem::SolveStatus;

template <int d>
using Vec = Eigen::Matrix<Real, d, 1>;

Vec2 project(const Vec2& r, Real friction) {
  return project_friction_cone(Vec3(r[0], r[1], 0), friction).head<2>();
}
Vec3 project(const Vec3& r, Real friction) { return project_friction_cone(r, friction); }

Vec2 solve_contact(const Mat2& A, const Vec2& b, Real friction, const Vec2& previous) {
  return solve_coulomb_2d(A, b, friction, previous).impulse;
}
Vec3 solve_contact(const Mat3& A, const Vec3& b, Real friction, const Vec3& previous) {
  return solve_coulomb(A, b, friction, previous).impulse;
}

struct SweepResult {
  Real residual = 0, size = 0;  // sums of squares
  bool has_changed = false;
};

// Memory per visit: the contact's row of blocks once, the impulses of its neighbours.
template <int d>
SweepResult sweep(const BlockCsr<d>& W, const VecX& b, const VecX& friction, Real relaxation,
                  VecX& r) {
  SweepResult result;
  const std::size_t count = W.diagonal.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = static_cast<Index>(d * i);
    const Real mu = friction[static_cast<Index>(i)];
    Vec<d> free = b.segment<d>(place);
    for (std::size_t k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      free.noalias() += W.block[k] * r.segment<d>(d * static_cast<Index>(W.column[k]));

    const Vec<d> before = r.segment<d>(place);
    const auto& A = W.diagonal[i];
    const Real rho = d / A.trace();
    Vec<d> shifted = free + A * before;
    shifted[0] += mu * shifted.template tail<d - 1>().norm();
    result.residual += (before - project(Vec<d>(before - rho * shifted), mu)).squaredNorm();

    Vec<d> after = solve_contact(A, free, mu, before);
    if (relaxation != 1) after = project(Vec<d>(before + relaxation * (after - before)), mu);
    result.has_changed = result.has_changed || after != before;
    result.size += after.squaredNorm();
    r.segment<d>(place) = after;
  }
  return result;
}

}  // namespace

struct Nsgs::Work {
  std::variant<BlockCsr<2>, BlockCsr<3>> W;
  VecX b, friction;
  Index sweeps = 0;
  Real free_size = 0;  // ‖P_K(−ρb)‖, the scale where r = 0
};

Nsgs::Nsgs() : work_(std::make_unique<Work>()) {}
Nsgs::~Nsgs() = default;
Nsgs::Nsgs(Nsgs&&) noexcept = default;
Nsgs& Nsgs::operator=(Nsgs&&) noexcept = default;

void Nsgs::start(const problem::FrictionContact& problem, const VecX& guess) {
  const Index d = problem.dimension, m = problem.contact_count();
  TALUS_DEMAND(d == 2 || d == 3);
  TALUS_DEMAND(guess.size() == 0 || guess.size() == d * m);
  if (d == 2)
    work_->W.emplace<BlockCsr<2>>().assign(problem.W);
  else
    work_->W.emplace<BlockCsr<3>>().assign(problem.W);
  work_->b = problem.b;
  work_->friction = problem.friction;
  work_->sweeps = 0;
  impulse_ = guess.size() > 0 ? guess : VecX::Zero(d * m);
  const VecX diagonal = problem.W.diagonal();
  work_->free_size = 0;
  for (Index i = 0; i < m; ++i) {
    const Real mu = problem.friction[i];
    const Real rho = static_cast<Real>(d) / diagonal.segment(d * i, d).sum();
    if (d == 2) {
      impulse_.segment<2>(2 * i) = project(Vec2(impulse_.segment<2>(2 * i)), mu);
      work_->free_size += project(Vec2(-rho * problem.b.segment<2>(2 * i)), mu).squaredNorm();
    } else {
      impulse_.segment<3>(3 * i) = project(Vec3(impulse_.segment<3>(3 * i)), mu);
      work_->free_size += project(Vec3(-rho * problem.b.segment<3>(3 * i)), mu).squaredNorm();
    }
  }
  work_->free_size = std::sqrt(work_->free_size);
}

SolveReport Nsgs::run(Real gate, Index max_sweeps, Real relaxation,
                      const std::function<bool()>& should_stop) {
  TALUS_DEMAND(relaxation > 0 && relaxation < 2);
  Work& work = *work_;
  SolveReport report{SolveStatus::max_iterations, work.sweeps, 0, {}};
  while (work.sweeps < max_sweeps) {
    if (should_stop && should_stop()) {
      report.status = SolveStatus::interrupted;
      return report;
    }
    const SweepResult result = std::visit(
        [&](const auto& W) { return sweep(W, work.b, work.friction, relaxation, impulse_); },
        work.W);
    report.iterations = ++work.sweeps;
    const Real size = result.size > 0 ? std::sqrt(result.size) : work.free_size;
    report.residual = result.residual == 0 ? 0 : std::sqrt(result.residual) / size;
    if (!std::isfinite(result.residual + result.size)) {
      report.status = SolveStatus::numerical_error;
      return report;
    }
    if (report.residual <= gate) {
      report.status = SolveStatus::converged;
      return report;
    }
    if (!result.has_changed) {
      report.status = SolveStatus::stalled;
      return report;
    }
  }
  return report;
}

}  // namespace talus::solve
