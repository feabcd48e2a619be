#include <talus/exchange/fclib.hpp>

#include <fmt/format.h>

#include <vector>

#include <talus/base/error.hpp>
#include <talus/exchange/detail/fclib_matrix.hpp>
#include <talus/exchange/detail/hdf5_file.hpp>
#include <talus/problem/validate.hpp>

namespace talus::exchange {
namespace {

using detail::read_matrix;
using detail::Reader;
using detail::write_head;
using detail::write_matrix;
using detail::Writer;

problem::FrictionContact read_local(const Reader& reader) {
  const std::string root = "fclib_local";
  detail::refuse_bilateral(reader, root, {"V", "R"});
  problem::FrictionContact problem;
  problem.dimension = static_cast<Index>(reader.read_integer(root + "/spacedim"));
  problem.W = read_matrix(reader, root + "/W");
  problem.b = reader.read_reals(root + "/vectors/q");
  problem.friction = reader.read_reals(root + "/vectors/mu");
  problem::validate(problem, reader.file());
  return problem;
}

problem::GlobalFrictionContact read_global(const Reader& reader) {
  const std::string root = "fclib_global";
  detail::refuse_bilateral(reader, root, {"G"});
  problem::GlobalFrictionContact problem;
  problem.dimension = static_cast<Index>(reader.read_integer(root + "/spacedim"));
  detail::read_motion(reader, root, problem);
  problem::validate(problem, reader.file());
  return problem;
}

}  // namespace

bool is_fclib(const std::string& file) {
  try {
    const Reader reader(file);
    return reader.has("fclib_local") || reader.has("fclib_global");
  } catch (const InputError&) {
    return false;
  }
}

FclibProblem read_fclib(const std::string& file) {
  const Reader reader(file);
  const bool has_local = reader.has("fclib_local"), has_global = reader.has("fclib_global");
  if (has_local && has_global)
    throw file_error(file, "holds both fclib_local and fclib_global, expected one of them");
  if (has_local) return read_local(reader);
  if (has_global) return read_global(reader);
  std::string found;
  for (const std::string& name : reader.root_names()) found += (found.empty() ? "" : ", ") + name;
  throw file_error(file, fmt::format("expected a group fclib_local or fclib_global, found {}",
                                     found.empty() ? "an empty file" : found));
}

void write_fclib(const std::string& file, const problem::FrictionContact& problem,
                 const std::string& title, MatrixStorage storage) {
  Writer writer(file);
  const std::string root = "fclib_local";
  write_head(writer, root, problem.dimension, title);
  write_matrix(writer, root + "/W", problem.W, storage);
  writer.write(root + "/vectors/q", problem.b);
  writer.write(root + "/vectors/mu", problem.friction);
  writer.close();
}

void write_fclib(const std::string& file, const problem::GlobalFrictionContact& problem,
                 const std::string& title, MatrixStorage storage) {
  Writer writer(file);
  const std::string root = "fclib_global";
  write_head(writer, root, problem.dimension, title);
  detail::write_motion(writer, root, problem, storage);
  writer.close();
}

const files::OwnKind& solution_kind() {
  static const files::OwnKind kind = detail::own_kind("solution");
  return kind;
}

void write_fclib_solution(const std::string& file, const FclibSolution& solution) {
  Writer writer(file, "solution");
  writer.make_group("solution");
  writer.write("solution/r", solution.r);
  writer.write("solution/u", solution.u);
  if (solution.v.size() > 0) writer.write("solution/v", solution.v);
  if (solution.l.size() > 0) writer.write("solution/l", solution.l);
  writer.close();
}

FclibSolution read_fclib_solution(const std::string& file) {
  const Reader reader(file);
  FclibSolution solution;
  solution.r = reader.read_reals("solution/r");
  solution.u = reader.read_reals("solution/u");
  if (reader.has("solution/v")) solution.v = reader.read_reals("solution/v");
  if (reader.has("solution/l")) solution.l = reader.read_reals("solution/l");
  return solution;
}

}  // namespace talus::exchange
