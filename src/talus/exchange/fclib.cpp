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

void refuse_bilateral(const Reader& reader, const std::string& root,
                      std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (reader.has(root + '/' + name))
      reader.fail(root + '/' + name, "bilateral constraints in a problem file are not supported",
                  "eliminate them first, or give each a contact law");
}

problem::FrictionContact read_local(const Reader& reader) {
  const std::string root = "fclib_local";
  refuse_bilateral(reader, root, {"V", "R"});
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
  refuse_bilateral(reader, root, {"G"});
  problem::GlobalFrictionContact problem;
  problem.dimension = static_cast<Index>(reader.read_integer(root + "/spacedim"));
  problem.M = read_matrix(reader, root + "/M");
  problem.H = read_matrix(reader, root + "/H");
  problem.f = reader.read_reals(root + "/vectors/f");
  problem.w = reader.read_reals(root + "/vectors/w");
  problem.friction = reader.read_reals(root + "/vectors/mu");
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
  write_matrix(writer, root + "/M", problem.M, storage);
  write_matrix(writer, root + "/H", problem.H, storage);
  writer.write(root + "/vectors/f", problem.f);
  writer.write(root + "/vectors/w", problem.w);
  writer.write(root + "/vectors/mu", problem.friction);
  writer.close();
}

void write_fclib_solution(const std::string& file, const FclibSolution& solution) {
  Writer writer(file);
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
