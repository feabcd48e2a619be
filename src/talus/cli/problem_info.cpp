#include <talus/cli/problem_info.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/exchange/problem_file.hpp>
#include <talus/json/json.hpp>

namespace talus::cli {
namespace {

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

Json range(const VecX& values) {
  if (values.size() == 0) return nullptr;
  return {values.minCoeff(), values.maxCoeff()};
}

/// What all forms of contacts have; `form` and `law` for people.
template <class Problem>
Json describe_contacts(const Problem& problem, const char* form, const char* law) {
  return {{"form", form},
          {"law", law},
          {"dimension", static_cast<Index>(problem.dimension)},
          {"contacts", problem.contact_count()},
          {"friction", range(problem.friction)}};
}

Json describe(const problem::FrictionContact& problem) {
  Json info = describe_contacts(problem, "local", "frictional contact");
  info["free_velocity_norm"] = problem.b.norm();
  info["matrices"] = Json::array({matrix_info("W", problem.W)});
  return info;
}

Json describe(const problem::GlobalFrictionContact& problem) {
  Json info = describe_contacts(problem, "global", "frictional contact");
  info["momentum_norm"] = problem.f.norm();
  info["matrices"] = {matrix_info("M", problem.M), matrix_info("H", problem.H)};
  return info;
}

Json describe(const problem::BilateralContact& problem) {
  Json info = describe_contacts(problem, "local", "frictional contact with bilateral constraints");
  info["constraints"] = problem.equality_count;
  info["free_velocity_norm"] = problem.b.norm();
  info["matrices"] = Json::array({matrix_info("W", problem.W)});
  return info;
}

Json describe(const problem::GlobalBilateralContact& problem) {
  Json info = describe_contacts(problem, "global", "frictional contact with bilateral constraints");
  info["constraints"] = problem.equality_count();
  info["momentum_norm"] = problem.f.norm();
  info["matrices"] = {matrix_info("M", problem.M), matrix_info("H", problem.H),
                      matrix_info("G", problem.G)};
  return info;
}

Json describe(const problem::RollingFrictionContact& problem) {
  Json info = describe_contacts(problem, "local", "rolling friction");
  info["rolling"] = range(problem.rolling);
  info["free_velocity_norm"] = problem.b.norm();
  info["matrices"] = Json::array({matrix_info("W", problem.W)});
  return info;
}

Json describe(const problem::GlobalRollingFrictionContact& problem) {
  Json info = describe_contacts(problem, "global", "rolling friction");
  info["rolling"] = range(problem.rolling);
  info["momentum_norm"] = problem.f.norm();
  info["matrices"] = {matrix_info("M", problem.M), matrix_info("H", problem.H)};
  return info;
}

Json describe(const problem::Lcp& problem) {
  return {{"form", "dense"},
          {"law", "linear complementarity"},
          {"unknowns", problem.size()},
          {"matrices", Json::array({matrix_info("M", problem.M.sparseView())})}};
}

}  // namespace

bool print_problem_info(const std::string& path, bool json) {
  if (!exchange::is_problem_file(path)) return false;
  const auto problem = exchange::read_problem(path);
  const Json info = std::visit([](const auto& p) { return describe(p); }, problem);
  if (json) {
    fmt::print("{}\n", json_text(info));
    return true;
  }
  fmt::print("{}: {}, {} form", path, info["law"].text(), info["form"].text());
  const auto print_count = [&](const char* name) {
    if (info.find(name) != nullptr) fmt::print(", {} {}", info[name].integer(), name);
  };
  if (info.find("dimension") != nullptr) fmt::print(", {}-D", info["dimension"].integer());
  for (const char* name : {"contacts", "constraints", "unknowns"}) print_count(name);
  fmt::print("\n");
  for (const char* name : {"friction", "rolling"})
    if (info.find(name) != nullptr && info[name].is_array())
      fmt::print("  {:<10}  {:g} … {:g}\n", name, info[name].items()[0].number(),
                 info[name].items()[1].number());
  for (const Json& matrix : info["matrices"].items()) {
    fmt::print("  {:<2}          {} × {}, {} non-zeros, largest {:.4g}", matrix["name"].text(),
               matrix["rows"].integer(), matrix["columns"].integer(), matrix["nonzeros"].integer(),
               matrix["largest"].number());
    if (matrix.find("diagonal") != nullptr)
      fmt::print(", diagonal {:.4g} … {:.4g}, asymmetry {:.2g}",
                 matrix["diagonal"].items()[0].number(), matrix["diagonal"].items()[1].number(),
                 matrix["asymmetry"].number());
    fmt::print("\n");
  }
  return true;
}

}  // namespace talus::cli
