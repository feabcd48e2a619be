#include <talus/problem/validate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/error.hpp>

namespace talus::problem {
namespace {

/// Collects the mistakes of one problem and throws them together.
class Mistakes {
 public:
  explicit Mistakes(std::string file) : file_(std::move(file)) {}

  void add(std::string path, std::string message, std::string hint = "") {
    diagnostics_.push_back(
        {{file_, 0, 0}, std::move(path), std::move(message), "", std::move(hint)});
  }
  void throw_if_any() {
    if (!diagnostics_.empty()) throw InputError(std::move(diagnostics_));
  }

  void check_size(const std::string& name, Index found, Index expected, const char* meaning) {
    if (found != expected)
      add(name, fmt::format("expected {} numbers ({}), got {}", expected, meaning, found));
  }
  void check_shape(const std::string& name, Index rows, Index columns, Index expected_rows,
                   Index expected_columns, const char* meaning) {
    if (rows != expected_rows || columns != expected_columns)
      add(name, fmt::format("expected a {}×{} matrix ({}), got {}×{}", expected_rows,
                            expected_columns, meaning, rows, columns));
  }
  void check_finite(const std::string& name, const VecX& values) {
    for (Index i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        return add(name, fmt::format("expected finite numbers, got {} at index {}", values[i], i));
  }
  void check_finite(const std::string& name, const SparseMatrix& matrix) {
    for (Index i = 0; i < matrix.outerSize(); ++i)
      for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry)
        if (!std::isfinite(entry.value()))
          return add(name, fmt::format("expected finite numbers, got {} at row {}, column {}",
                                       entry.value(), entry.row(), entry.col()));
  }
  void check_dimension(Index dimension) {
    if (dimension != 2 && dimension != 3)
      add("spacedim", fmt::format("expected 2 or 3, got {}", dimension));
  }
  void check_friction(const VecX& friction) {
    check_finite("mu", friction);
    for (Index i = 0; i < friction.size(); ++i)
      if (friction[i] < 0)
        return add("mu", fmt::format("expected μ ≥ 0, got {} at contact {}", friction[i], i),
                   "use 0 for a frictionless contact");
  }

 private:
  std::string file_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

void validate(const Lcp& lcp, const std::string& file) {
  Mistakes mistakes(file);
  mistakes.check_shape("M", lcp.M.rows(), lcp.M.cols(), lcp.size(), lcp.size(), "the size of q");
  mistakes.check_finite("q", lcp.q);
  for (Index i = 0; i < lcp.M.size(); ++i)
    if (!std::isfinite(lcp.M.data()[i])) {
      mistakes.add("M", fmt::format("expected finite numbers, got {} at row {}, column {}",
                                    lcp.M.data()[i], i % lcp.M.rows(), i / lcp.M.rows()));
      break;
    }
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
  const VecX diagonal = problem.W.diagonal();
  for (Index i = 0; i < size; ++i) {
    const bool is_normal = i % d == 0;
    if (is_normal ? !(diagonal[i] > 0) : !(diagonal[i] >= 0)) {
      mistakes.add("W",
                   fmt::format("expected a diagonal entry {} 0 in the {} row of contact {}, got {}",
                               is_normal ? ">" : "≥", is_normal ? "normal" : "tangential", i / d,
                               diagonal[i]),
                   "a contact between two fixed bodies has no place in the problem");
      break;
    }
  }
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
