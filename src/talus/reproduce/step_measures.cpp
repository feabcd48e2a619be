#include <talus/reproduce/step_measures.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <talus/base/contract.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/reproduce/measured.hpp>

namespace talus::reproduce {
namespace {

constexpr Real kTolerance = 1e-12;      // of the certificate that solves are asked for
constexpr Real kConeTolerance = 1e-10;  // the same of cone problems

/// ‖a − b‖ over a scale; 0 where both are the same.
Real apart(const VecX& a, const VecX& b, Real scale) {
  const Real difference = (a - b).norm();
  return difference == 0 ? 0 : difference / scale;
}

driver::Options options(const char* solver, Real tolerance) {
  driver::Options result;
  result.solver = solver;
  result.tolerance = tolerance;
  result.max_iterations = 100000;
  return result;
}

template <class Solution>
bool is_solved(const Solution& solution) {
  return solution.report.status == problem::SolveStatus::converged;
}

/// The normal rows of a local problem.
problem::Lcp normal_rows(const problem::FrictionContact& local) {
  const Index count = local.contact_count();
  const MatX W = local.W;
  problem::Lcp lcp{MatX(count, count), VecX(count)};
  for (Index i = 0; i < count; ++i) {
    lcp.q[i] = local.b[3 * i];
    for (Index j = 0; j < count; ++j) lcp.M(i, j) = W(3 * i, 3 * j);
  }
  return lcp;
}

VecX normal_parts(const VecX& r) {
  VecX normal(r.size() / 3);
  for (Index i = 0; i < normal.size(); ++i) normal[i] = r[3 * i];
  return normal;
}

/// The frictionless problem of a step with its three answers.
struct Frictionless {
  problem::Lcp lcp;
  VecX by_lemke, by_mprgp, by_scheme;
  bool is_solved = false;
};

Frictionless solve_frictionless(const problem::FrictionContact& local, const VecX& r) {
  Frictionless step{normal_rows(local), {}, {}, normal_parts(r), false};
  const driver::LcpSolution lemke = driver::solve(step.lcp, options("lemke", kTolerance));
  const Index count = step.lcp.size();
  const problem::BoxQp qp{step.lcp.M.sparseView(), step.lcp.q, VecX::Zero(count),
                          VecX::Constant(count, std::numeric_limits<Real>::infinity())};
  const driver::BoxQpSolution mprgp = driver::solve(qp, options("mprgp", kTolerance));
  step.by_lemke = lemke.z;
  step.by_mprgp = mprgp.x;
  step.is_solved = is_solved(lemke) && is_solved(mprgp);
  return step;
}

using Local = problem::FrictionContact;

/// The largest of a measure of a step (local problem, scheme's impulses) over the run.
template <class Get>
Real over_steps(const History& run, const Get& get) {
  TALUS_DEMAND_EQ(run.problems.size(), run.contacts.size());
  Real worst = 0;
  bool has_any = false;
  for (std::size_t k = 0; k < run.problems.size(); ++k) {
    if (run.contacts[k].empty()) continue;
    const problem::LocalForm<problem::GlobalFrictionContact> form(run.problems[k]);
    const VecX r = impulses(run.contacts[k]);
    if (form.problem().b.size() != r.size()) return kNone;  // the scheme keeps no problem
    worst = worse(worst, get(form.problem(), r));
    has_any = true;
  }
  return has_any ? worst : kNone;
}

template <class Get>
Real over_frictionless(const History& run, const Get& get) {
  return over_steps(run, [&](const Local& local, const VecX& r) {
    const Frictionless step = solve_frictionless(local, r);
    return step.is_solved ? get(step) : kNone;
  });
}

Real certificate(const problem::Lcp& lcp, const VecX& z) {
  const certify::Certificate certificate = certify::certify(lcp, z);
  return certificate.is_finite ? certificate.natural_map : kNone;
}
Real lcp_certificate(const History& run) {
  return over_frictionless(run, [](const auto& s) { return certificate(s.lcp, s.by_lemke); });
}
Real qp_certificate(const History& run) {
  return over_frictionless(run, [](const auto& s) { return certificate(s.lcp, s.by_mprgp); });
}
Real scheme_certificate(const History& run) {
  return over_frictionless(run, [](const auto& s) { return certificate(s.lcp, s.by_scheme); });
}
Real qp_impulse(const History& run) {
  return over_frictionless(
      run, [](const auto& s) { return apart(s.by_mprgp, s.by_lemke, s.by_lemke.norm()); });
}
Real scheme_impulse(const History& run) {
  return over_frictionless(
      run, [](const auto& s) { return apart(s.by_scheme, s.by_lemke, s.by_lemke.norm()); });
}
Real qp_velocity(const History& run) {
  return over_frictionless(run, [](const auto& s) {
    return apart(s.lcp.M * s.by_mprgp, s.lcp.M * s.by_lemke, s.lcp.q.norm());
  });
}
Real scheme_velocity(const History& run) {
  return over_frictionless(run, [](const auto& s) {
    return apart(s.lcp.M * s.by_scheme, s.lcp.M * s.by_lemke, s.lcp.q.norm());
  });
}

/// Keeps the number farthest from the expected one; one that is none is the farthest.
void keep_farthest(Real expected, Real value, std::optional<Real>& farthest) {
  if (!farthest || std::isnan(value) || std::abs(value - expected) > std::abs(*farthest - expected))
    farthest = value;
}

/// The ratio u_N/(μ‖u_T‖) farthest from `expected` of contacts that bear and slide, if there are.
std::optional<Real> lift(const Local& local, const VecX& r, Real expected) {
  constexpr Real kBears = 1e-6, kSlides = 1e-4;  // shares of the largest impulse and velocity
  const VecX u = local.W * r + local.b;
  const Real least_impulse = kBears * r.lpNorm<Eigen::Infinity>();
  const Real least_slip = kSlides * local.b.lpNorm<Eigen::Infinity>();
  std::optional<Real> farthest;
  for (Index i = 0; i < local.contact_count(); ++i) {
    const Real slip = u.segment<2>(3 * i + 1).norm(), mu = local.friction[i];
    if (r[3 * i] <= least_impulse || slip <= least_slip || mu == 0) continue;
    keep_farthest(expected, u[3 * i] / (mu * slip), farthest);
  }
  return farthest;
}

/// The ratio farthest from `expected` over all steps that have one; none if there is no such step.
template <class Get>
Real farthest_from(Real expected, const History& run, const Get& get) {
  std::optional<Real> farthest;
  const Real all = over_steps(run, [&](const Local& local, const VecX& r) {
    const std::optional<Real> ratio = get(local, r);
    if (ratio) keep_farthest(expected, *ratio, farthest);
    return Real(0);
  });
  return all == 0 ? farthest.value_or(kNone) : kNone;
}

driver::ConeSolution solve_cone(const Local& local, const char* solver) {
  return driver::solve(problem::to_cone_problem(local).problem, options(solver, kConeTolerance));
}

Real cone_certificate(const History& run) {
  return over_steps(run, [](const Local& local, const VecX&) {
    const driver::ConeSolution a = solve_cone(local, "spg"), b = solve_cone(local, "pgs");
    if (!a.certificate.is_finite || !b.certificate.is_finite) return kNone;
    return worse(a.certificate.natural_map, b.certificate.natural_map);
  });
}
Real cone_velocity(const History& run) {
  return over_steps(run, [](const Local& local, const VecX&) {
    const driver::ConeSolution a = solve_cone(local, "spg"), b = solve_cone(local, "pgs");
    return is_solved(a) && is_solved(b) ? apart(a.u, b.u, local.b.norm()) : kNone;
  });
}
Real cone_lift(const History& run) {
  return farthest_from(1, run, [](const Local& local, const VecX&) {
    const driver::ConeSolution cone = solve_cone(local, "spg");
    return is_solved(cone) ? lift(local, cone.r, 1) : std::optional<Real>(kNone);
  });
}
Real coulomb_lift(const History& run) {
  return farthest_from(0, run, [](const Local& local, const VecX& r) { return lift(local, r, 0); });
}

}  // namespace

const std::vector<std::pair<std::string, StepMeasure>>& step_measures() {
  static const std::vector<std::pair<std::string, StepMeasure>> table = {
      {"lcp_certificate", lcp_certificate},
      {"qp_certificate", qp_certificate},
      {"scheme_certificate", scheme_certificate},
      {"qp_impulse", qp_impulse},
      {"scheme_impulse", scheme_impulse},
      {"qp_velocity", qp_velocity},
      {"scheme_velocity", scheme_velocity},
      {"cone_certificate", cone_certificate},
      {"cone_velocity", cone_velocity},
      {"cone_lift", cone_lift},
      {"coulomb_lift", coulomb_lift}};
  return table;
}

}  // namespace talus::reproduce
