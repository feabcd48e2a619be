#include <talus/exchange/fclib_classes.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/exchange/detail/fclib_matrix.hpp>
#include <talus/exchange/detail/hdf5_file.hpp>
#include <talus/problem/validate.hpp>

namespace talus::exchange {
namespace {

using detail::Reader;
using detail::Writer;
using problem::BilateralContact;
using problem::GlobalBilateralContact;
using problem::GlobalRollingFrictionContact;
using problem::RollingFrictionContact;
using problem::SparseMatrix;

/// How far W_ec and W_ceᵀ may be apart over √(W_ii W_jj).
constexpr Real kSymmetric = 1e-9;

using Entries = std::vector<Eigen::Triplet<Real>>;

void append(const SparseMatrix& matrix, Index row, Index column, Entries& entries) {
  for (Index i = 0; i < matrix.outerSize(); ++i)
    for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry)
      entries.emplace_back(static_cast<int>(row + entry.row()),
                           static_cast<int>(column + entry.col()), entry.value());
}

void check_shape(const Reader& reader, const std::string& path, const SparseMatrix& matrix,
                 Index rows, Index columns, const char* meaning) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    reader.fail(path, fmt::format("expected a {}×{} matrix ({}), got {}×{}", rows, columns, meaning,
                                  matrix.rows(), matrix.cols()));
}

void check_five_rows(const Reader& reader, const std::string& root) {
  const auto found = reader.read_integer(root + "/spacedim");
  if (found != RollingFrictionContact::dimension)
    reader.fail(root + "/spacedim", fmt::format("expected 5 rows per contact, got {}", found));
}

void check_coupling(const std::string& file, const SparseMatrix& W_ec, const SparseMatrix& V,
                    const VecX& diagonal) {
  const SparseMatrix V_transposed = V.transpose();
  const SparseMatrix difference = W_ec - V_transposed;
  for (Index i = 0; i < difference.outerSize(); ++i)
    for (SparseMatrix::InnerIterator entry(difference, i); entry; ++entry) {
      const Real size = std::sqrt(std::abs(diagonal[i] * diagonal[W_ec.rows() + entry.col()]));
      if (std::abs(entry.value()) > kSymmetric * size)
        throw InputError(Diagnostic{
            {file, 0, 0},
            "W",
            fmt::format("FCLIB stores the coupling of constraints and contacts once; here row {} "
                        "and column {} differ by {}",
                        i, i, entry.value()),
            "",
            ""});
    }
}

}  // namespace

BilateralContact read_fclib_bilateral(const std::string& file) {
  const Reader reader(file);
  const std::string root = "fclib_local";
  BilateralContact problem;
  problem.dimension = static_cast<Index>(reader.read_integer(root + "/spacedim"));
  problem.friction = reader.read_reals(root + "/vectors/mu");
  const SparseMatrix W = detail::read_matrix(reader, root + "/W");
  const VecX q = reader.read_reals(root + "/vectors/q");
  if (!reader.has(root + "/V") && !reader.has(root + "/R")) {
    problem.W = W;
    problem.b = q;
  } else {
    const SparseMatrix V = detail::read_matrix(reader, root + "/V");
    const SparseMatrix R = detail::read_matrix(reader, root + "/R");
    const VecX s = reader.read_reals(root + "/vectors/s");
    const Index p = s.size(), n = q.size();
    check_shape(reader, root + "/R", R, p, p, "the size of s");
    check_shape(reader, root + "/V", V, n, p, "size of q × size of s");
    check_shape(reader, root + "/W", W, n, n, "the size of q");
    Entries entries;
    append(R, 0, 0, entries);
    append(SparseMatrix(V.transpose()), 0, p, entries);
    append(V, p, 0, entries);
    append(W, p, p, entries);
    problem.equality_count = p;
    problem.W.resize(p + n, p + n);
    problem.W.setFromTriplets(entries.begin(), entries.end());
    problem.b.resize(p + n);
    problem.b << s, q;
  }
  problem::validate(problem, file);
  return problem;
}

void write_fclib(const std::string& file, const BilateralContact& problem, const std::string& title,
                 MatrixStorage storage) {
  const Index p = problem.equality_count, n = problem.b.size() - p;
  const SparseMatrix V = problem.W.block(p, 0, n, p);
  check_coupling(file, problem.W.block(0, p, p, n), V, problem.W.diagonal());
  Writer writer(file);
  const std::string root = "fclib_local";
  detail::write_head(writer, root, problem.dimension, title);
  detail::write_matrix(writer, root + "/W", problem.W.block(p, p, n, n), storage);
  writer.write(root + "/vectors/q", VecX(problem.b.tail(n)));
  writer.write(root + "/vectors/mu", problem.friction);
  if (p > 0) {
    detail::write_matrix(writer, root + "/V", V, storage);
    detail::write_matrix(writer, root + "/R", problem.W.block(0, 0, p, p), storage);
    writer.write(root + "/vectors/s", VecX(problem.b.head(p)));
  }
  writer.close();
}

GlobalBilateralContact read_fclib_global_bilateral(const std::string& file) {
  const Reader reader(file);
  const std::string root = "fclib_global";
  GlobalBilateralContact problem;
  problem.dimension = static_cast<Index>(reader.read_integer(root + "/spacedim"));
  detail::read_motion(reader, root, problem);
  problem.G = detail::read_matrix(reader, root + "/G");
  problem.b = reader.read_reals(root + "/vectors/b");
  problem::validate(problem, file);
  return problem;
}

void write_fclib(const std::string& file, const GlobalBilateralContact& problem,
                 const std::string& title, MatrixStorage storage) {
  Writer writer(file);
  const std::string root = "fclib_global";
  detail::write_head(writer, root, problem.dimension, title);
  detail::write_motion(writer, root, problem, storage);
  detail::write_matrix(writer, root + "/G", problem.G, storage);
  writer.write(root + "/vectors/b", problem.b);
  writer.close();
}

RollingFrictionContact read_fclib_rolling(const std::string& file) {
  const Reader reader(file);
  const std::string root = "fclib_local_rolling";
  check_five_rows(reader, root);
  detail::refuse_bilateral(reader, root, {"V", "R"});
  RollingFrictionContact problem;
  problem.W = detail::read_matrix(reader, root + "/W");
  problem.b = reader.read_reals(root + "/vectors/q");
  problem.friction = reader.read_reals(root + "/vectors/mu");
  problem.rolling = reader.read_reals(root + "/vectors/mu_r");
  problem::validate(problem, file);
  return problem;
}

void write_fclib(const std::string& file, const RollingFrictionContact& problem,
                 const std::string& title, MatrixStorage storage) {
  Writer writer(file);
  const std::string root = "fclib_local_rolling";
  detail::write_head(writer, root, RollingFrictionContact::dimension, title);
  detail::write_matrix(writer, root + "/W", problem.W, storage);
  writer.write(root + "/vectors/q", problem.b);
  writer.write(root + "/vectors/mu", problem.friction);
  writer.write(root + "/vectors/mu_r", problem.rolling);
  writer.close();
}

GlobalRollingFrictionContact read_fclib_global_rolling(const std::string& file) {
  const Reader reader(file);
  const std::string root = "fclib_global_rolling";
  check_five_rows(reader, root);
  detail::refuse_bilateral(reader, root, {"G"});
  GlobalRollingFrictionContact problem;
  detail::read_motion(reader, root, problem);
  problem.rolling = reader.read_reals(root + "/vectors/mu_r");
  problem::validate(problem, file);
  return problem;
}

void write_fclib(const std::string& file, const GlobalRollingFrictionContact& problem,
                 const std::string& title, MatrixStorage storage) {
  Writer writer(file);
  const std::string root = "fclib_global_rolling";
  detail::write_head(writer, root, GlobalRollingFrictionContact::dimension, title);
  detail::write_motion(writer, root, problem, storage);
  writer.write(root + "/vectors/mu_r", problem.rolling);
  writer.close();
}

}  // namespace talus::exchange
