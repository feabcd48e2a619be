#include <talus/stepping/machine/contact_lcp.hpp>

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/driver/solve.hpp>

namespace talus::stepping::machine {
namespace {

constexpr Real kTolerance = 1e-9;       // of the LCP's certificate
constexpr Index kMostTogether = 8;      // normals whose minors are all looked at
constexpr Real kMinorTolerance = 1e-9;  // of a principal minor of the matrix with unit diagonal

/// Forces as functions of the LCP's unknowns: (N, F) = P N + fixed − E F⁻, E the candidates' rows.
struct Map {
  MatX P;
  VecX fixed;
  std::vector<Index> candidates;  // positions among the frictions
};

Map make_map(const ContactLcp& contacts) {
  const Index k = contacts.normal_count();
  Map map{MatX::Zero(contacts.b.size(), k), VecX::Zero(contacts.b.size()), {}};
  map.P.topRows(k).setIdentity();
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const FrictionRow& row = contacts.frictions[f];
    const Index at = k + static_cast<Index>(f);
    if (row.normal >= 0) map.P(at, row.normal) = row.upper_slope;
    map.fixed[at] = row.upper;
    if (row.is_candidate()) map.candidates.push_back(static_cast<Index>(f));
  }
  return map;
}

void check(const ContactLcp& contacts) {
  TALUS_DEMAND(contacts.G.rows() == contacts.b.size() && contacts.G.cols() == contacts.b.size());
  TALUS_DEMAND(contacts.normal_count() >= 0);
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const FrictionRow& row = contacts.frictions[f];
    TALUS_DEMAND(row.normal < contacts.normal_count());
    const bool is_adhesive =
        !(row.upper >= row.lower) || (row.normal >= 0 && !(row.upper_slope >= row.lower_slope));
    if (!is_adhesive) continue;
    throw InputError({{},
                      fmt::format("friction {}", f),
                      fmt::format("expected bounds of friction with room between them, got "
                                  "[{}, {}] + [{}, {}] N",
                                  row.lower, row.upper, row.lower_slope, row.upper_slope),
                      "",
                      "the normal force μ₀ F_N of a contact must not pull"});
  }
}

}  // namespace

problem::Lcp to_lcp(const ContactLcp& contacts) {
  check(contacts);
  const Map map = make_map(contacts);
  const Index k = contacts.normal_count(), s = static_cast<Index>(map.candidates.size());
  const Index n = k + 2 * s;
  const MatX GP = contacts.G * map.P;
  VecX rate = contacts.G * map.fixed + contacts.b;  // at N = 0, F⁻ = 0
  for (Index i = 0; i < rate.size(); ++i)
    if (std::abs(rate[i]) <= contacts.noise * std::sqrt(std::max(contacts.G(i, i), Real(0))))
      rate[i] = 0;
  problem::Lcp lcp{MatX::Zero(n, n), VecX(n)};
  lcp.M.topLeftCorner(k, k) = GP.topRows(k);
  lcp.q.head(k) = rate.head(k);
  for (Index c = 0; c < s; ++c) {
    const FrictionRow& row = contacts.frictions[map.candidates[c]];
    const Index f = k + map.candidates[c];  // the friction's row
    const Index minus = k + c, plus = k + s + c;
    lcp.M.col(minus).head(k) = -contacts.G.col(f).head(k);
    lcp.M.row(minus).head(k) = -GP.row(f);  // g⁻ = g⁺ − rate
    for (Index d = 0; d < s; ++d) lcp.M(minus, k + d) = contacts.G(f, k + map.candidates[d]);
    lcp.M(minus, plus) = 1;
    lcp.q[minus] = -rate[f];
    if (row.normal >= 0) lcp.M(plus, row.normal) = row.upper_slope - row.lower_slope;
    lcp.M(plus, minus) = -1;  // F⁺ = (bounds' distance) − F⁻
    lcp.q[plus] = row.upper - row.lower;
  }
  return lcp;
}

ContactForces solve(const ContactLcp& contacts) {
  ContactForces answer;
  if (contacts.b.size() == 0) {
    answer.status = problem::SolveStatus::converged;
    answer.certificate.is_finite = true;
    return answer;
  }
  driver::Options options;
  options.solver = "lemke";
  options.tolerance = kTolerance;
  const driver::LcpSolution solution = driver::solve(to_lcp(contacts), options);
  const Map map = make_map(contacts);
  const Index k = contacts.normal_count();
  answer.force = map.P * solution.z.head(k) + map.fixed;
  for (std::size_t c = 0; c < map.candidates.size(); ++c)
    answer.force[k + map.candidates[c]] -= solution.z[k + static_cast<Index>(c)];
  answer.rate = contacts.G * answer.force + contacts.b;
  answer.status = solution.report.status;
  answer.certificate = solution.certificate;
  answer.detail = solution.report.detail;
  answer.pivots = solution.report.iterations;
  return answer;
}

bool is_ambiguous(const ContactLcp& contacts) {
  const Index k = contacts.normal_count();
  MatX S = contacts.G.topLeftCorner(k, k);
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const FrictionRow& row = contacts.frictions[f];
    if (row.normal < 0 || row.is_candidate()) continue;
    S.col(row.normal) += row.upper_slope * contacts.G.col(k + static_cast<Index>(f)).head(k);
  }
  const VecX size = contacts.G.diagonal().head(k).cwiseMax(1e-300).cwiseSqrt();
  S = (size.cwiseInverse().asDiagonal() * S * size.cwiseInverse().asDiagonal()).eval();
  if (k > kMostTogether) return k > 0 && S.diagonal().minCoeff() < -kMinorTolerance;
  for (unsigned subset = 1; subset < 1U << k; ++subset) {
    std::vector<Index> rows;
    for (Index i = 0; i < k; ++i)
      if ((subset >> i & 1U) != 0) rows.push_back(i);
    if (MatX(S(rows, rows)).determinant() < -kMinorTolerance) return true;
  }
  return false;
}

}  // namespace talus::stepping::machine
