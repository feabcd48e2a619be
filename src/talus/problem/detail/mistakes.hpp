#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::problem::detail {

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
  /// 0·x sums to 0 exactly if every x is finite: one pass of vector instructions.
  static bool are_finite(const Real* values, Index count) {
    return (0 * Eigen::Map<const VecX>(values, count)).sum() == 0;
  }
  void check_finite(const std::string& name, const VecX& values) {
    if (are_finite(values.data(), values.size())) return;
    for (Index i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        return add(name, fmt::format("expected finite numbers, got {} at index {}", values[i], i));
  }
  void check_finite(const std::string& name, const SparseMatrix& matrix) {
    if (matrix.isCompressed() && are_finite(matrix.valuePtr(), matrix.nonZeros())) return;
    for (Index i = 0; i < matrix.outerSize(); ++i)
      for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry)
        if (!std::isfinite(entry.value()))
          return add(name, fmt::format("expected finite numbers, got {} at row {}, column {}",
                                       entry.value(), entry.row(), entry.col()));
  }
  void check_finite(const std::string& name, const MatX& matrix) {
    for (Index i = 0; i < matrix.size(); ++i)
      if (!std::isfinite(matrix.data()[i]))
        return add(name, fmt::format("expected finite numbers, got {} at row {}, column {}",
                                     matrix.data()[i], i % matrix.rows(), i / matrix.rows()));
  }
  /// Matrix and vector of u = W r + b, `size` rows: shapes, then numbers.
  /// @param meaning of the size. @param origin where it comes from, told of W.
  void check_velocity(const SparseMatrix& W, const std::string& b_name, const VecX& b, Index size,
                      const char* meaning, const char* origin = "") {
    check_shape("W", W.rows(), W.cols(), size, size, (std::string(meaning) + origin).c_str());
    check_size(b_name, b.size(), size, meaning);
    throw_if_any();
    check_finite("W", W);
    check_finite(b_name, b);
  }
  /// M v = H r + f and u = Hᵀ v + w of a global form, `size` rows of contacts: shapes, then
  /// numbers.
  template <class Global>
  void check_motion(const Global& problem, Index size) {
    const Index n = problem.M.rows();
    check_shape("M", n, problem.M.cols(), n, n, "square");
    check_shape("H", problem.H.rows(), problem.H.cols(), n, size, "rows of M × dimension·contacts");
    check_size("f", problem.f.size(), n, "rows of M");
    check_size("w", problem.w.size(), size, "dimension × contacts");
    throw_if_any();
    check_finite("M", problem.M);
    check_finite("H", problem.H);
    check_finite("f", problem.f);
    check_finite("w", problem.w);
  }
  /// μ_r of as many contacts as there are.
  void check_rolling(const VecX& rolling, Index contacts) {
    check_size("mu_r", rolling.size(), contacts, "contacts, as mu");
    check_finite("mu_r", rolling);
    check_not_negative("mu_r", "μ_r", rolling, "contact", "use 0 for a contact that rolls freely");
  }
  void check_dimension(Index dimension) {
    if (dimension != 2 && dimension != 3)
      add("spacedim", fmt::format("expected 2 or 3, got {}", dimension));
  }
  void check_directions(FrictionLaw law, Index directions) {
    if (law == FrictionLaw::polyhedral && !is_direction_count(directions))
      add("directions",
          fmt::format("expected an even number from 4 to {}, got {}", kMostDirections, directions));
  }
  void check_friction(const VecX& friction) {
    check_finite("mu", friction);
    check_not_negative("mu", "μ", friction, "contact", "use 0 for a frictionless contact");
  }
  void check_not_negative(const std::string& name, const char* symbol, const VecX& values,
                          const char* place, const std::string& hint) {
    for (Index i = 0; i < values.size(); ++i)
      if (values[i] < 0)
        return add(name,
                   fmt::format("expected {} ≥ 0, got {} at {} {}", symbol, values[i], place, i),
                   hint);
  }
  /// W_NN > 0 and ≥ 0 on the other rows, contacts of `size` rows, the first at row `first`.
  void check_contact_diagonal(const VecX& diagonal, Index first, Index size) {
    for (Index i = first; i < diagonal.size(); ++i) {
      const bool is_normal = (i - first) % size == 0;
      if (is_normal ? diagonal[i] > 0 : diagonal[i] >= 0) continue;
      return add("W",
                 fmt::format("expected a diagonal entry {} 0 in the {} row of contact {}, got {}",
                             is_normal ? ">" : "≥",
                             is_normal                ? "normal"
                             : (i - first) % size < 3 ? "tangential"
                                                      : "rolling",
                             (i - first) / size, diagonal[i]),
                 "a contact between two fixed bodies has no place in the problem");
    }
  }

 private:
  std::string file_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace talus::problem::detail
