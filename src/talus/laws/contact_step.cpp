#include <talus/laws/contact_step.hpp>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <talus/driver/solve.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/laws/planar_rigid_contact.hpp>

namespace talus::laws {
namespace {

using Kind = FrictionElement::Kind;

/// Where the rows of the step are in the contact problem: (N, T) of each contact. T of one without
/// friction is a row of its own, with μ = 0 and no velocity.
struct Rows {
  explicit Rows(const StepProblem& p) : place(p.b.size()), friction(p.normals.size(), -1) {
    const auto k = static_cast<Index>(p.normals.size());
    for (Index i = 0; i < k; ++i) place[i] = 2 * i;
    for (std::size_t f = 0; f < p.frictions.size(); ++f) {
      place[k + static_cast<Index>(f)] = 2 * p.frictions[f].normal + 1;
      friction[static_cast<std::size_t>(p.frictions[f].normal)] = static_cast<Index>(f);
    }
  }
  Eigen::Matrix<Index, Eigen::Dynamic, 1> place;  // per row of the step
  std::vector<Index> friction;                    // per contact: of the step, or −1
};

problem::FrictionContact to_contacts(const StepProblem& p, const Rows& rows) {
  const auto k = static_cast<Index>(p.normals.size());
  problem::FrictionContact contacts;
  contacts.dimension = 2;
  contacts.b = VecX::Zero(2 * k);
  contacts.friction = VecX::Zero(k);
  std::vector<Eigen::Triplet<Real>> entries;
  for (Index i = 0; i < p.b.size(); ++i)
    for (problem::SparseMatrix::InnerIterator entry(p.G, i); entry; ++entry)
      entries.emplace_back(rows.place[i], rows.place[entry.col()], entry.value());
  for (Index i = 0; i < k; ++i) {
    contacts.b[2 * i] = p.b[i] + p.normals[static_cast<std::size_t>(i)].shift;
    const Index f = rows.friction[static_cast<std::size_t>(i)];
    if (f < 0) {
      entries.emplace_back(2 * i + 1, 2 * i + 1, p.G.coeff(i, i));
      continue;
    }
    const StepFriction& friction = p.frictions[static_cast<std::size_t>(f)];
    contacts.b[2 * i + 1] = p.b[k + f] + friction.restitution * friction.before;
    contacts.friction[i] = friction.element->kinetic_friction;
  }
  contacts.W.resize(2 * k, 2 * k);
  contacts.W.setFromTriplets(entries.begin(), entries.end());
  return contacts;
}

/// What both classes of problems give.
StepImpulses answer_of(const StepProblem& problem, problem::SolveReport&& report,
                       const certify::Certificate& certificate, VecX&& impulse) {
  StepImpulses answer;
  answer.status = report.status;
  answer.detail = std::move(report.detail);
  answer.certificate = certificate;
  answer.pivots = report.iterations;
  answer.solves = 1;
  answer.is_iterated = true;
  answer.largest = 2 * std::ssize(problem.normals);
  answer.impulse = std::move(impulse);
  answer.rate = problem.G * answer.impulse + problem.b;
  answer.lambda = problem.lambda + problem.L * answer.impulse;
  answer.memory = VecX::Zero(std::ssize(problem.frictions));
  if (answer.status != problem::SolveStatus::converged)
    answer.unanswered = rising(problem.b.size());
  return answer;
}

StepImpulses solve_assembled(const StepProblem& problem, const Rows& rows,
                             const driver::Options& options, const VecX& guess) {
  const problem::FrictionContact contacts = to_contacts(problem, rows);
  VecX start = VecX::Zero(contacts.b.size());
  for (Index i = 0; i < guess.size(); ++i) start[rows.place[i]] = guess[i];
  driver::FrictionContactSolution solution = driver::solve(contacts, options, start);
  VecX impulse(problem.b.size());
  for (Index i = 0; i < impulse.size(); ++i) impulse[i] = solution.impulse[rows.place[i]];
  return answer_of(problem, std::move(solution.report), solution.certificate, std::move(impulse));
}

}  // namespace

bool is_contact_problem(const StepProblem& problem) {
  const bool is_rigid =
      std::all_of(problem.normals.begin(), problem.normals.end(),
                  [](const StepNormal& normal) { return model::is_rigid(*normal.law); });
  return is_rigid && std::all_of(problem.frictions.begin(), problem.frictions.end(),
                                 [](const StepFriction& friction) {
                                   const FrictionElement& element = *friction.element;
                                   return element.kind == Kind::tangent && friction.normal >= 0 &&
                                          element.has_stick && element.law->viscous == 0 &&
                                          element.static_friction == element.kinetic_friction;
                                 });
}

StepImpulses solve_contacts(const StepProblem& problem, const driver::Options& options,
                            const VecX& guess) {
  constexpr std::size_t kManyContacts = 300;  // from which sweeps over bodies come first
  const Rows rows(problem);
  if (!problem.bodies.rows.empty() && problem.normals.size() > kManyContacts) {
    const PlanarRigidContact rigid(problem, rows.friction);
    driver::RigidContactSolution solution;
    driver::solve(rigid.problem(), options, rigid.impulses(guess), solution);
    if (solution.report.status == problem::SolveStatus::converged)
      return answer_of(problem, std::move(solution.report), solution.certificate,
                       rigid.step_impulses(solution.impulse));
  }
  return solve_assembled(problem, rows, options, guess);
}

}  // namespace talus::laws
