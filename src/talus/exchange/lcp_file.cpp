#include <talus/exchange/lcp_file.hpp>

#include <fmt/format.h>

#include <talus/exchange/detail/fclib_matrix.hpp>
#include <talus/exchange/detail/hdf5_file.hpp>
#include <talus/problem/validate.hpp>

namespace talus::exchange {
namespace {

/// Most unknowns of an LCP: its matrix is dense in memory, 3.2 GB.
constexpr Index kLargestLcp = 20000;

}  // namespace

problem::Lcp read_lcp(const std::string& file) {
  const detail::Reader reader(file);
  const problem::SparseMatrix M = detail::read_matrix(reader, "talus_lcp/M");
  problem::Lcp problem;
  problem.q = reader.read_reals("talus_lcp/vectors/q");
  const Index n = problem.size();
  if (M.rows() != n || M.cols() != n)
    reader.fail("talus_lcp/M", fmt::format("expected a {}×{} matrix (the size of q), got {}×{}", n,
                                           n, M.rows(), M.cols()));
  if (n > kLargestLcp)
    reader.fail("talus_lcp/vectors/q",
                fmt::format("expected at most {} unknowns, got {}", kLargestLcp, n));
  problem.M = M;
  problem::validate(problem, file);
  return problem;
}

void write_lcp(const std::string& file, const problem::Lcp& problem, const std::string& title,
               MatrixStorage storage) {
  detail::Writer writer(file);
  detail::write_head(writer, "talus_lcp", 0, title);
  detail::write_matrix(writer, "talus_lcp/M", problem.M.sparseView(), storage);
  writer.write("talus_lcp/vectors/q", problem.q);
  writer.close();
}

}  // namespace talus::exchange
