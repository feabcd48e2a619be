#include <talus/cli/problem_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <talus/exchange/fclib.hpp>

namespace talus::cli {
namespace {

using Json = nlohmann::ordered_json;

Json matrix_info(const char* name, const problem::SparseMatrix& matrix) {
  Json info = {{"name", name},
               {"rows", matrix.rows()},
               {"columns", matrix.cols()},
               {"nonzeros", matrix.nonZeros()}};
  Real largest = 0;
  for (Index k = 0; k < matrix.outerSize(); ++k)
    for (problem::SparseMatrix::InnerIterator entry(matrix, k); entry; ++entry)
      largest = std::max(largest, std::abs(entry.value()));
  info["largest"] = largest;
  if (matrix.rows() == matrix.cols() && matrix.rows() > 0) {
    const VecX diagonal = matrix.diagonal();
    const problem::SparseMatrix transposed = matrix.transpose();
    const Real norm = matrix.norm();
    info["diagonal"] = {diagonal.minCoeff(), diagonal.maxCoeff()};
    info["asymmetry"] = norm > 0 ? (matrix - transposed).norm() / norm : 0;
  }
  return info;
}

Json friction_range(const VecX& friction) {
  if (friction.size() == 0) return nullptr;
  return {friction.minCoeff(), friction.maxCoeff()};
}

Json describe(const problem::FrictionContact& problem) {
  return {{"form", "local"},
          {"dimension", problem.dimension},
          {"contacts", problem.contact_count()},
          {"friction", friction_range(problem.friction)},
          {"free_velocity_norm", problem.b.norm()},
          {"matrices", {matrix_info("W", problem.W)}}};
}

Json describe(const problem::GlobalFrictionContact& problem) {
  return {{"form", "global"},
          {"dimension", problem.dimension},
          {"contacts", problem.contact_count()},
          {"friction", friction_range(problem.friction)},
          {"momentum_norm", problem.f.norm()},
          {"matrices", {matrix_info("M", problem.M), matrix_info("H", problem.H)}}};
}

}  // namespace

bool print_problem_info(const std::string& path, bool json) {
  if (!exchange::is_fclib(path)) return false;
  const auto problem = exchange::read_fclib(path);
  const Json info = std::visit([](const auto& p) { return describe(p); }, problem);
  if (json) {
    fmt::print("{}\n", info.dump());
    return true;
  }
  fmt::print("{}: frictional contact problem, {} form, {}-D, {} contacts\n", path,
             info["form"].get<std::string>(), info["dimension"].get<int>(),
             info["contacts"].get<Index>());
  if (info["friction"].is_array())
    fmt::print("  friction    {:g} … {:g}\n", info["friction"][0].get<Real>(),
               info["friction"][1].get<Real>());
  for (const Json& matrix : info["matrices"]) {
    fmt::print("  {:<2}          {} × {}, {} non-zeros, largest {:.4g}",
               matrix["name"].get<std::string>(), matrix["rows"].get<Index>(),
               matrix["columns"].get<Index>(), matrix["nonzeros"].get<Index>(),
               matrix["largest"].get<Real>());
    if (matrix.contains("diagonal"))
      fmt::print(", diagonal {:.4g} … {:.4g}, asymmetry {:.2g}", matrix["diagonal"][0].get<Real>(),
                 matrix["diagonal"][1].get<Real>(), matrix["asymmetry"].get<Real>());
    fmt::print("\n");
  }
  return true;
}

}  // namespace talus::cli
