#include <talus/solve/gauss_seidel/nsgs.hpp>

#include <cmath>
#include <variant>

#include <talus/base/contract.hpp>
#include <talus/linalg/block_csr.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/gauss_seidel/detail/law_sweep.hpp>

namespace talus::solve {
namespace {

using detail::SweepResult;
using linalg::BlockCsr;
using problem::SolveReport;
using problem::SolveStatus;

}  // namespace

struct Nsgs::Work {
  std::variant<BlockCsr<2>, BlockCsr<3>> W;
  VecX b, friction;
  LocalLaw law;
  Index sweeps = 0;
  Real free_size = 0;  // ‖P_K(−ρb)‖, the scale where r = 0
  detail::History history;

  /// Cuts A into blocks and moves the impulses r into their cones.
  template <int d>
  void take_blocks(const problem::SparseMatrix& A, VecX& r) {
    auto& blocks = W.emplace<BlockCsr<d>>();
    blocks.assign(A);
    free_size = 0;
    for (Index i = 0; i < friction.size(); ++i) {
      using Vec = Eigen::Matrix<Real, d, 1>;
      const Real rho = d / blocks.diagonal[static_cast<std::size_t>(i)].trace();
      r.segment<d>(d * i) = detail::into_cone(law, Vec(r.segment<d>(d * i)), friction[i]);
      free_size += detail::project_cone(Vec(-rho * b.segment<d>(d * i)), friction[i]).squaredNorm();
    }
    free_size = std::sqrt(free_size);
  }

  SweepResult sweep(Real relaxation, VecX& r) const {
    return std::visit(
        [&](const auto& blocks) {
          return law.law == problem::FrictionLaw::coulomb
                     ? detail::sweep(blocks, b, friction, relaxation, r)
                     : detail::law_sweep(blocks, b, friction, law, relaxation, true, r);
        },
        W);
  }
  /// What a sweep would measure if it moved nothing.
  SweepResult measure(VecX& r) const {
    return std::visit(
        [&](const auto& blocks) {
          return law.law == problem::FrictionLaw::coulomb
                     ? detail::natural_map(blocks, b, friction, r)
                     : detail::law_sweep(blocks, b, friction, law, 1, false, r);
        },
        W);
  }

  /// The residual of a sweep over the size of the impulses.
  [[nodiscard]] Real relative(const SweepResult& result) const {
    const Real size = result.size > 0 ? std::sqrt(result.size) : free_size;
    return result.residual == 0 ? 0 : std::sqrt(result.residual) / size;
  }
};

Nsgs::Nsgs() : work_(std::make_unique<Work>()) {}
Nsgs::~Nsgs() = default;
Nsgs::Nsgs(Nsgs&&) noexcept = default;
Nsgs& Nsgs::operator=(Nsgs&&) noexcept = default;

void Nsgs::start(const problem::FrictionContact& problem, const VecX& guess, Index history_room) {
  const Index d = problem.dimension, m = problem.contact_count();
  TALUS_DEMAND(d == 2 || d == 3);
  TALUS_DEMAND(guess.size() == 0 || guess.size() == d * m);
  work_->b = problem.b;
  work_->friction = problem.friction;
  work_->law.law = problem.law;
  if (problem.law == problem::FrictionLaw::frictionless) {  // the same as Coulomb's with μ = 0
    work_->law.law = problem::FrictionLaw::coulomb;
    work_->friction.setZero();
  }
  if (problem.law == problem::FrictionLaw::polyhedral && d == 3)
    work_->law.polygon = FrictionPolygon(problem.directions);
  work_->sweeps = 0;
  impulse_ = guess.size() > 0 ? guess : VecX::Zero(d * m);
  if (d == 2)
    work_->take_blocks<2>(problem.W, impulse_);
  else
    work_->take_blocks<3>(problem.W, impulse_);
  work_->history = detail::History(history_room > 0, history_room);
  if (history_room > 0) work_->history.add(work_->relative(work_->measure(impulse_)));
}

SolveReport Nsgs::run(Real gate, Index max_sweeps, Real relaxation,
                      const std::function<bool()>& should_stop) {
  TALUS_DEMAND(relaxation > 0 && relaxation < 2);
  Work& work = *work_;
  SolveReport report{SolveStatus::max_iterations, 0, 0, {}};
  while (work.sweeps < max_sweeps) {
    if (should_stop && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
    const SweepResult result = work.sweep(relaxation, impulse_);  // the iteration of `jourdan_1998`
    ++work.sweeps;
    report.residual = work.relative(result);
    work.history.add(report.residual);
    if (!std::isfinite(result.residual + result.size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    if (report.residual <= gate) {
      report.status = SolveStatus::converged;
      break;
    }
    if (!result.has_changed) {
      report.status = SolveStatus::stalled;
      break;
    }
  }
  report.iterations = work.sweeps;
  report.counts = {work.sweeps, work.sweeps, 0};
  report.history = work.history.get();
  return report;
}

}  // namespace talus::solve
