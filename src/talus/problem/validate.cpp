#include <talus/problem/validate.hpp>

#include <talus/problem/detail/mistakes.hpp>

namespace talus::problem {

using detail::Mistakes;

void validate(const Lcp& lcp, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_shape("M", lcp.M.rows(), lcp.M.cols(), lcp.size(), lcp.size(), "the size of q");
  mistakes.check_finite("q", lcp.q);
  mistakes.check_finite("M", lcp.M);
  mistakes.throw_if_any();
}

void validate(const FrictionContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_dimension(problem.dimension);
  mistakes.throw_if_any();
  const Index d = problem.dimension;
  mistakes.check_directions(problem.law, problem.directions);
  mistakes.check_velocity(problem.W, "q", problem.b, d * problem.contact_count(),
                          "dimension × contacts", ", the number of entries of mu");
  mistakes.check_friction(problem.friction);
  mistakes.check_contact_diagonal(problem.W.diagonal(), 0, d);
  mistakes.throw_if_any();
}

void validate(const GlobalFrictionContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_dimension(problem.dimension);
  mistakes.throw_if_any();
  mistakes.check_motion(problem, problem.dimension * problem.contact_count());
  mistakes.check_directions(problem.law, problem.directions);
  mistakes.check_friction(problem.friction);
  mistakes.throw_if_any();
}

}  // namespace talus::problem
