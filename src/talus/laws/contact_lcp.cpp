#include <talus/laws/contact_lcp.hpp>

#include <fmt/format.h>

#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/driver/solve.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::laws {
namespace {

constexpr Index kMostTogether = 8;  // normals whose minors are all looked at

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

/// Rates without what is round-off.
VecX rounded(const ContactLcp& contacts, VecX rate) {
  for (Index i = 0; i < rate.size(); ++i)
    if (std::abs(rate[i]) <= contacts.noise * std::sqrt(std::max(contacts.G(i, i), Real(0))))
      rate[i] = 0;
  return rate;
}

void check_contacts(const ContactLcp& contacts) {
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
  check_contacts(contacts);
  const Map map = make_map(contacts);
  const Index k = contacts.normal_count(), s = static_cast<Index>(map.candidates.size());
  const Index n = k + 2 * s;
  const MatX GP = linalg::product(contacts.G, map.P);
  const VecX rate = rounded(contacts, contacts.G * map.fixed + contacts.b);  // at N = 0, F⁻ = 0
  problem::Lcp lcp{MatX::Zero(n, n), VecX(n)};
  // w = M z + q row by row, z = [N; F⁻; g⁺], w = [rate_N; g⁻; F⁺] (`pfeiffer_1996` §5.3).
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

namespace {

/// The point of a friction's interval at N = 0 that is nearest to 0.
Real base_of(const FrictionRow& row) { return std::min(std::max(row.lower, Real(0)), row.upper); }

/// Forces at z of to_split_lcp are (N, F) = P N + fixed + a − c.
Map make_split_map(const ContactLcp& contacts) {
  Map map = make_map(contacts);
  for (const Index f : map.candidates) {
    const Index at = contacts.normal_count() + f;
    map.P.row(at).setZero();
    map.fixed[at] = base_of(contacts.frictions[f]);
  }
  return map;
}

/// The answer that z is, of to_lcp or, with its own map, of to_split_lcp.
ContactForces forces_of(const ContactLcp& contacts, const Map& map,
                        const driver::LcpSolution& solution) {
  ContactForces answer;
  const Index k = contacts.normal_count(), s = static_cast<Index>(map.candidates.size());
  const bool is_split = solution.z.size() == k + 4 * s;
  answer.force = map.P * solution.z.head(k) + map.fixed;
  for (Index c = 0; c < s; ++c)
    answer.force[k + map.candidates[c]] +=
        is_split ? solution.z[k + c] - solution.z[k + s + c] : -solution.z[k + c];
  answer.rate = contacts.G * answer.force + contacts.b;
  answer.status = solution.report.status;
  answer.certificate = solution.certificate;
  answer.detail = solution.report.detail;
  answer.pivots = solution.report.iterations;
  return answer;
}

}  // namespace

problem::Lcp to_split_lcp(const ContactLcp& contacts) {
  check_contacts(contacts);
  const Map map = make_split_map(contacts);
  const Index k = contacts.normal_count(), s = static_cast<Index>(map.candidates.size());
  const MatX GP = linalg::product(contacts.G, map.P);
  const VecX rate = rounded(contacts, contacts.G * map.fixed + contacts.b);
  problem::Lcp lcp{MatX::Zero(k + 4 * s, k + 4 * s), VecX(k + 4 * s)};
  // w = M z + q with one λ for each bound, as of `stewart_1996`.
  lcp.M.topLeftCorner(k, k) = GP.topRows(k);
  lcp.q.head(k) = rate.head(k);
  for (Index i = 0; i < s; ++i) {
    const FrictionRow& row = contacts.frictions[map.candidates[i]];
    const Index f = k + map.candidates[i];  // the friction's row
    const Real base = base_of(row);
    Index part = k + i, bound = k + 2 * s + i;  // of a; those of c are s behind
    for (const Real sign : {1.0, -1.0}) {
      lcp.M.col(part).head(k) = sign * contacts.G.col(f).head(k);
      lcp.M.row(part).head(k) = sign * GP.row(f);
      for (Index j = 0; j < s; ++j) {
        const Real g = contacts.G(f, k + map.candidates[j]);
        lcp.M(part, k + j) = sign * g;
        lcp.M(part, k + s + j) = -sign * g;
      }
      lcp.M(part, bound) = 1;
      lcp.M(bound, part) = -1;
      lcp.q[part] = sign * rate[f];
      lcp.q[bound] = sign > 0 ? row.upper - base : base - row.lower;
      if (row.normal >= 0) lcp.M(bound, row.normal) = sign > 0 ? row.upper_slope : -row.lower_slope;
      part += s;
      bound += s;
    }
  }
  return lcp;
}

VecX unknowns_of(const ContactLcp& contacts, const VecX& force) {
  const Map map = make_map(contacts);
  const Index k = contacts.normal_count(), s = static_cast<Index>(map.candidates.size());
  const VecX rate = contacts.G * force + contacts.b;
  VecX z(k + 2 * s);
  z.head(k) = force.head(k);
  for (Index c = 0; c < s; ++c) {
    const Index at = k + map.candidates[static_cast<std::size_t>(c)];
    z[k + c] = map.P.row(at).dot(z.head(k)) + map.fixed[at] - force[at];
    z[k + s + c] = rate[at];
  }
  return z.cwiseMax(0);
}

ContactForces solve(const ContactLcp& contacts, const VecX& guess) {
  if (contacts.b.size() == 0) {
    ContactForces answer;
    answer.status = problem::SolveStatus::converged;
    answer.certificate.is_finite = true;
    return answer;
  }
  driver::Options options;
  options.solver = "lemke";
  options.tolerance = tolerance::kLcpTolerance;
  const VecX start = guess.size() > 0 ? unknowns_of(contacts, guess) : VecX();
  problem::Lcp lcp = to_lcp(contacts);
  const driver::LcpSolution solution = driver::solve(lcp, options, start);
  const Map map = make_map(contacts);
  if (contacts.is_impact && solution.report.status != problem::SolveStatus::converged &&
      !map.candidates.empty()) {
    const driver::LcpSolution split = driver::solve(to_split_lcp(contacts), options);
    if (split.report.status == problem::SolveStatus::converged)
      return forces_of(contacts, make_split_map(contacts), split);
  }
  ContactForces answer = forces_of(contacts, map, solution);
  if (answer.status != problem::SolveStatus::converged)
    answer.unsolved = std::make_shared<problem::Lcp>(std::move(lcp));
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
  if (k > kMostTogether) return k > 0 && S.diagonal().minCoeff() < -tolerance::kMinor;
  for (unsigned subset = 1; subset < 1U << k; ++subset) {
    std::vector<Index> rows;
    for (Index i = 0; i < k; ++i)
      if ((subset >> i & 1U) != 0) rows.push_back(i);
    if (linalg::determinant(S(rows, rows)) < -tolerance::kMinor) return true;
  }
  return false;
}

}  // namespace talus::laws
