#include <talus/laws/joint_lcp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/driver/solve.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::laws {
namespace {

constexpr int kMostTurns = 100;        // of the directions of pins,
constexpr int kFreeTurns = 10;         // after which they turn half as far
constexpr std::size_t kMostFlips = 4;  // ends whose other sides are tried
constexpr Real kSmallest = 1e-300;

/// A side-to-side force of a guide at one of its ends, or a pin's along a direction:
/// λ_e = free + x·(N, F), of which |λ_e| presses.
struct End {
  Index joint_normal;
  Real free;
  VecX x;
  Real sign = 1;  // the side that is expected to press
};

Vec2 direction_of(const Vec2& lambda) {
  const Real size = lambda.norm();
  return size > 0 ? Vec2(lambda / size) : Vec2(Vec2::UnitX());
}

std::vector<End> ends_of(const std::vector<JointNormalForce>& joint_normals,
                         const std::vector<Vec2>& expected, unsigned flips) {
  std::vector<End> ends;
  for (std::size_t j = 0; j < joint_normals.size(); ++j) {
    const JointNormalForce& joint_normal = joint_normals[j];
    const auto add = [&](const Vec2& along) {
      End end{static_cast<Index>(j), along.dot(joint_normal.free),
              joint_normal.X.transpose() * along, 1};
      const bool is_flipped = ends.size() < kMostFlips && (flips >> ends.size() & 1U) != 0;
      if ((along.dot(expected[j]) < 0) != is_flipped) end.sign = -1;
      ends.push_back(std::move(end));
    };
    const FrictionElement& element = *joint_normal.element;
    if (!element.is_guide) {
      add(direction_of(expected[j]));
    } else if (element.moment_arm == 0) {
      add(Vec2::UnitX());
    } else {
      add(Vec2(0.5, 0.5 / element.moment_arm));
      add(Vec2(0.5, -0.5 / element.moment_arm));
    }
  }
  return ends;
}

/// Reactions as a guess has them, or else as they are without the friction in question.
std::vector<Vec2> expected_of(const ContactLcp& contacts,
                              const std::vector<JointNormalForce>& joint_normals,
                              const VecX& guess) {
  VecX force = guess;
  if (force.size() == 0) {
    const ContactForces smooth = solve(contacts);
    if (smooth.status == problem::SolveStatus::converged) force = smooth.force;
  }
  std::vector<Vec2> lambda;
  for (const JointNormalForce& joint_normal : joint_normals) {
    lambda.push_back(joint_normal.free);
    if (force.size() > 0) lambda.back() += joint_normal.X * force;
  }
  return lambda;
}

/// z of a joint LCP for forces that satisfy the laws, all ends pressed as expected.
VecX unknowns_of(const JointLcp& joint, Index normals, Index ends, const VecX& force) {
  const Index n = joint.lcp.size(), s = (n - normals - ends) / 2;
  VecX z = VecX::Zero(n);
  linalg::ColPivQr qr;
  qr.compute(joint.P.leftCols(normals + s));
  z.head(normals + s) = qr.solve(force - joint.fixed);
  const VecX w = joint.lcp.M * z + joint.lcp.q;
  z.segment(normals + s, s) = -w.segment(normals, s);  // g⁻ − g⁺, g⁺ = 0 so far
  return z.cwiseMax(0);
}

/// What the unknowns z = (N, F⁻, g⁺, N⁻ of the ends) are.
struct JointUnknowns {
  std::vector<End> ends;
  std::vector<Index> candidates;       // frictions with room between their bounds
  std::vector<Index> joint_normal_of;  // per friction, −1: not pressed by a joint
  Index normals = 0, size = 0;
  [[nodiscard]] Index candidate_count() const { return static_cast<Index>(candidates.size()); }
  [[nodiscard]] Index friction_row(Index candidate) const {
    return normals + candidates[static_cast<std::size_t>(candidate)];
  }
  [[nodiscard]] Index minus(Index candidate) const { return normals + candidate; }
  [[nodiscard]] Index plus(Index candidate) const {
    return normals + candidate_count() + candidate;
  }
  [[nodiscard]] Index end(std::size_t e) const {
    return normals + 2 * candidate_count() + static_cast<Index>(e);
  }
};

JointUnknowns unknowns_of(const ContactLcp& contacts,
                          const std::vector<JointNormalForce>& joint_normals,
                          std::vector<End> ends) {
  JointUnknowns at;
  at.ends = std::move(ends);
  at.normals = contacts.normal_count();
  at.joint_normal_of.assign(contacts.frictions.size(), -1);
  for (std::size_t p = 0; p < joint_normals.size(); ++p)
    at.joint_normal_of[static_cast<std::size_t>(joint_normals[p].friction)] = static_cast<Index>(p);
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const JointNormalForce* joint_normal =
        at.joint_normal_of[f] < 0 ? nullptr
                                  : &joint_normals[static_cast<std::size_t>(at.joint_normal_of[f])];
    if (contacts.frictions[f].is_candidate() ||
        (joint_normal != nullptr && joint_normal->lower_slope != joint_normal->upper_slope))
      at.candidates.push_back(static_cast<Index>(f));
  }
  at.size = at.end(at.ends.size());
  return at;
}

/// What presses on joint friction, P = at + by z.
struct JointNormalForceForm {
  MatX by;
  VecX at;
};

/// Forces y = (N, F) = A z + c + B P with the press P = p + R z + Q y, solved for y = P z + fixed
/// and for the press.
JointNormalForceForm eliminate_joint_normals(const ContactLcp& contacts,
                                             const std::vector<JointNormalForce>& joint_normals,
                                             const JointUnknowns& at, JointLcp& joint) {
  const Index rows = contacts.b.size(), k = at.normals,
              j = static_cast<Index>(joint_normals.size());
  MatX A = MatX::Zero(rows, at.size), B = MatX::Zero(rows, j), R = MatX::Zero(j, at.size),
       Q = MatX::Zero(j, rows);
  VecX c = VecX::Zero(rows), p(j);
  A.topLeftCorner(k, k).setIdentity();
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const FrictionRow& row = contacts.frictions[f];
    const Index to = k + static_cast<Index>(f);
    if (row.normal >= 0) A(to, row.normal) = row.upper_slope;
    c[to] = row.upper;
    if (at.joint_normal_of[f] >= 0)
      B(to, at.joint_normal_of[f]) =
          joint_normals[static_cast<std::size_t>(at.joint_normal_of[f])].upper_slope;
  }
  for (Index i = 0; i < at.candidate_count(); ++i) A(at.friction_row(i), at.minus(i)) = -1;
  for (Index i = 0; i < j; ++i) p[i] = joint_normals[static_cast<std::size_t>(i)].preload;
  for (std::size_t e = 0; e < at.ends.size(); ++e) {  // |λ_e| = 2 z_e + sign λ_e
    const End& end = at.ends[e];
    p[end.joint_normal] += end.sign * end.free;
    R(end.joint_normal, at.end(e)) = 2;
    Q.row(end.joint_normal) += end.sign * end.x.transpose();
  }
  MatX loop = MatX::Identity(rows, rows);
  linalg::subtract_product(B, Q, loop);
  const linalg::FullPivLu lu(loop);
  const MatX by_press = linalg::product(B, R);
  const VecX by_preload = B * p;
  joint.P = lu.solve(MatX(A + by_press));
  joint.fixed = lu.solve(VecX(c + by_preload));
  if (lu.least_pivot() < tolerance::kJammed)
    joint.fixed.setConstant(std::numeric_limits<Real>::quiet_NaN());
  JointNormalForceForm joint_normal{R, p + Q * joint.fixed};
  linalg::add_product(Q, joint.P, joint_normal.by);
  return joint_normal;
}

/// g⁻ = g⁺ − rate and F⁺ = (bounds' distance) − F⁻ of a candidate; the distance follows the normal
/// force and the press. @param GP G P. @param rate at z = 0.
void add_candidate(const ContactLcp& contacts, const std::vector<JointNormalForce>& joint_normals,
                   const JointUnknowns& at, const JointNormalForceForm& joint_normal,
                   const MatX& GP, const VecX& rate, Index i, problem::Lcp& lcp) {
  const Index row = at.friction_row(i), minus = at.minus(i), plus = at.plus(i);
  const auto f = static_cast<std::size_t>(row - at.normals);
  const FrictionRow& friction = contacts.frictions[f];
  lcp.M.row(minus) = -GP.row(row);
  lcp.M(minus, plus) += 1;
  lcp.q[minus] = -rate[row];
  if (friction.normal >= 0)
    lcp.M(plus, friction.normal) = friction.upper_slope - friction.lower_slope;
  lcp.M(plus, minus) = -1;
  lcp.q[plus] = friction.upper - friction.lower;
  if (at.joint_normal_of[f] < 0) return;
  const JointNormalForce& by = joint_normals[static_cast<std::size_t>(at.joint_normal_of[f])];
  const Real distance = by.upper_slope - by.lower_slope;
  lcp.M.row(plus) += distance * joint_normal.by.row(at.joint_normal_of[f]);
  lcp.q[plus] += distance * joint_normal.at[at.joint_normal_of[f]];
}

}  // namespace

JointLcp to_lcp(const ContactLcp& contacts, const std::vector<JointNormalForce>& joint_normals,
                const std::vector<Vec2>& expected, unsigned flips) {
  const JointUnknowns at =
      unknowns_of(contacts, joint_normals, ends_of(joint_normals, expected, flips));
  JointLcp joint;
  const JointNormalForceForm joint_normal =
      eliminate_joint_normals(contacts, joint_normals, at, joint);
  problem::Lcp& lcp = joint.lcp;
  lcp = {MatX::Zero(at.size, at.size), VecX(at.size)};
  const MatX GP = linalg::product(contacts.G, joint.P);
  VecX rate = contacts.G * joint.fixed + contacts.b;
  for (Index i = 0; i < rate.size(); ++i)
    if (std::abs(rate[i]) <= contacts.noise * std::sqrt(std::max(contacts.G(i, i), Real(0))))
      rate[i] = 0;
  lcp.M.topRows(at.normals) = GP.topRows(at.normals);
  lcp.q.head(at.normals) = rate.head(at.normals);
  for (Index i = 0; i < at.candidate_count(); ++i)
    add_candidate(contacts, joint_normals, at, joint_normal, GP, rate, i, lcp);
  for (std::size_t e = 0; e < at.ends.size(); ++e) {  // the other side: z_e + sign λ_e
    const End& end = at.ends[e];
    lcp.M.row(at.end(e)) = end.sign * end.x.transpose() * joint.P;
    lcp.M(at.end(e), at.end(e)) += 1;
    lcp.q[at.end(e)] = end.sign * (end.free + end.x.dot(joint.fixed));
  }
  return joint;
}

ContactForces solve(const ContactLcp& contacts, const std::vector<JointNormalForce>& joints,
                    const VecX& guess) {
  if (joints.empty()) return solve(contacts, guess);
  TALUS_DEMAND(contacts.G.rows() == contacts.b.size() && contacts.G.cols() == contacts.b.size());
  ContactForces answer;
  driver::Options options;
  options.solver = "lemke";
  options.tolerance = tolerance::kLcpTolerance;
  // A reaction that is round-off beside the forces that could take the rates away is none: a press
  // that is negative by noise has no answer.
  Real largest = 0;
  for (Index i = 0; i < contacts.b.size(); ++i)
    if (contacts.G(i, i) > 0)
      largest = std::max(largest, std::abs(contacts.b[i]) / contacts.G(i, i));
  std::vector<JointNormalForce> joint_normals = joints;
  for (JointNormalForce& joint_normal : joint_normals)
    for (Real& free : joint_normal.free)
      if (std::abs(free) <= tolerance::kReactionRounding * largest) free = 0;
  std::vector<Vec2> lambda = expected_of(contacts, joint_normals, guess);
  for (int turn = 0;; ++turn) {
    answer.status = problem::SolveStatus::infeasible;
    answer.detail = "friction jams a joint: no force fits its laws";
    const std::size_t ends = ends_of(joint_normals, lambda, 0).size();
    const unsigned choices = 1U << std::min(ends, kMostFlips);
    // The horizontal LCP of guides (`wang_2013`), one side of every end eliminated; all choices.
    for (unsigned flips = 0; flips < choices && answer.status != problem::SolveStatus::converged;
         ++flips) {
      JointLcp joint = to_lcp(contacts, joint_normals, lambda, flips);
      if (!joint.fixed.allFinite()) continue;
      VecX start;
      if (turn == 0 && flips == 0 && guess.size() > 0)
        start = unknowns_of(joint, contacts.normal_count(), static_cast<Index>(ends), guess);
      const driver::LcpSolution solution = driver::solve(joint.lcp, options, start);
      answer.pivots += solution.report.iterations;
      answer.force = joint.P * solution.z + joint.fixed;
      answer.rate = contacts.G * answer.force + contacts.b;
      answer.status = solution.report.status;
      answer.certificate = solution.certificate;
      answer.unsolved = answer.status == problem::SolveStatus::converged
                            ? nullptr
                            : std::make_shared<problem::Lcp>(std::move(joint.lcp));
    }
    if (answer.status != problem::SolveStatus::converged) return answer;
    answer.detail.clear();
    // A pin: ‖λ‖ along the direction of the last answer, until that stands still.
    Real turned = 0;
    for (std::size_t i = 0; i < joint_normals.size(); ++i) {
      if (joint_normals[i].element->is_guide) continue;
      const Vec2 last = direction_of(lambda[i]);
      lambda[i] = joint_normals[i].free + joint_normals[i].X * answer.force;
      const Real size = joint_normals[i].free.norm() +
                        (joint_normals[i].X.cwiseAbs() * answer.force.cwiseAbs()).norm();
      const Real off = std::abs(lambda[i].x() * last.y() - lambda[i].y() * last.x());
      turned = std::max(turned, off / std::max(size, kSmallest));
      if (turn >= kFreeTurns) lambda[i] = (last + direction_of(lambda[i])) / 2;
    }
    if (turned <= tolerance::kTurned) return answer;
    if (turn == kMostTurns) {
      answer.status = problem::SolveStatus::stalled;
      answer.detail = "friction jams a joint: its normal force does not settle";
      return answer;
    }
  }
}

}  // namespace talus::laws
