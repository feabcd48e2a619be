#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <talus/driver/contact_laws.hpp>

#include "problem_class.hpp"

namespace talus::python {

// What the classes of contacts share: arguments, methods and the words for their members.

/// Rows per contact: as given, else as many as there are for every μ, 3 or 2; 3 for a single μ.
/// @param name of the argument that has the rows, of contacts alone.
inline Index dimension_of(py::handle dimension, py::handle mu, const std::string& name,
                          Index rows) {
  if (!dimension.is_none()) return to_count("dimension", dimension);
  if (is_number(mu)) return 3;
  const Index contacts = to_vector("mu", mu).size();
  std::string lengths;
  for (const Index d : {3, 2}) {
    if (rows == d * contacts) return d;
    if (rows % d == 0)
      lengths += fmt::format("{}{} ({})", lengths.empty() ? "" : " or ", rows / d,
                             d == 3 ? "in space" : "in the plane");
  }
  if (lengths.empty()) lengths = "as many as contacts, with 3 (in space) or 2 (in the plane) each";
  refuse("mu", fmt::format("expected {}: {} has {} rows of contacts, the length of mu is {}",
                           lengths, name, rows, contacts));
}

/// A number for every contact: of an array, or the same for all of them.
/// @param rows of all contacts, `dimension` each.
inline VecX of_contacts(const char* argument, py::handle value, Index rows, Index dimension) {
  if (is_number(value) && (dimension < 1 || rows % dimension != 0))
    refuse("dimension",
           fmt::format("expected rows of contacts, {} each, got {} rows", dimension, rows),
           "give a number per contact or the dimension");
  return to_vector(argument, value, rows / std::max<Index>(dimension, 1));
}

using Names = std::vector<std::string_view>;

inline Names contact_solvers(py::object law, py::object dimension) {
  problem::FrictionLaw of = problem::FrictionLaw::coulomb;
  from_python("law", law, of);
  const Index d = to_count("dimension", dimension);
  if (d != 2 && d != 3) refuse("dimension", fmt::format("expected 2 or 3, got {}", d));
  return driver::solver_names(of, d);
}

/// The same contacts under another law.
template <class Problem>
std::shared_ptr<Problem> with_law(const std::shared_ptr<Problem>& problem, py::object law,
                                  py::object directions) {
  Problem other = *problem;
  from_python("law", law, other.law);
  if (!directions.is_none()) other.directions = to_count("directions", directions);
  return valid(std::move(other));
}

constexpr const char* kWithLaw = R"(
The same contacts under another law.

Parameters
----------
law : str
    As of the class.
directions : int, optional
    Corners of the polygon of the polyhedral law; otherwise as they were.
)";
constexpr const char* kSolverNames = "Names of the solvers that take such a problem, 'auto' first.";

constexpr const char* kDimension = "Rows per contact, normal first: 2 or 3.";
constexpr const char* kDelassus = "Delassus matrix, SparseMatrix [1/kg].";
constexpr const char* kFreeVelocity = "Free relative velocity, normal first [m/s].";
constexpr const char* kFriction = "Friction coefficient of every contact.";
constexpr const char* kRolling = "Rolling friction coefficient of every contact [m].";
constexpr const char* kLaw = "Name of the law between r and u.";
constexpr const char* kDirections = "Corners of the polygon of the polyhedral law.";
constexpr const char* kMass = "Mass matrix, SparseMatrix, n×n [kg].";
constexpr const char* kJacobian = "Transposed contact Jacobian, SparseMatrix.";
constexpr const char* kMomentum = "Momentum without contact, n [N s].";
constexpr const char* kPrescribed = "Prescribed relative velocity of the contacts [m/s].";

}  // namespace talus::python
