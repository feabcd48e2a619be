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
  const Index d = problem.dimension, size = d * problem.contact_count();
  mistakes.check_shape("W", problem.W.rows(), problem.W.cols(), size, size,
                       "dimension × contacts, the number of entries of mu");
  mistakes.check_size("q", problem.b.size(), size, "dimension × contacts");
  mistakes.throw_if_any();
  mistakes.check_finite("W", problem.W);
  mistakes.check_finite("q", problem.b);
  mistakes.check_friction(problem.friction);
  mistakes.check_contact_diagonal(problem.W.diagonal(), 0, d);
  mistakes.throw_if_any();
}

void validate(const GlobalFrictionContact& problem, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_dimension(problem.dimension);
  mistakes.throw_if_any();
  const Index n = problem.M.rows(), size = problem.dimension * problem.contact_count();
  mistakes.check_shape("M", n, problem.M.cols(), n, n, "square");
  mistakes.check_shape("H", problem.H.rows(), problem.H.cols(), n, size,
                       "rows of M × dimension·contacts");
  mistakes.check_size("f", problem.f.size(), n, "rows of M");
  mistakes.check_size("w", problem.w.size(), size, "dimension × contacts");
  mistakes.throw_if_any();
  mistakes.check_finite("M", problem.M);
  mistakes.check_finite("H", problem.H);
  mistakes.check_finite("f", problem.f);
  mistakes.check_finite("w", problem.w);
  mistakes.check_friction(problem.friction);
  mistakes.throw_if_any();
}

}  // namespace talus::problem
