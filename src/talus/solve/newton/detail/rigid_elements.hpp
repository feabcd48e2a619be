#pragma once

#include <cstdint>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/problem/body_forest.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/newton/detail/resisting_moment.hpp>

namespace talus::solve::detail {

/// 3×6 or 1×6 of one body in H of RigidNewton, in units of its scaled problem.
struct RigidSide {
  Index body = -1;  ///< of the forest; −1: immovable
  Eigen::Matrix<Real, 3, 6> rows = Eigen::Matrix<Real, 3, 6>::Zero();

  /// rows · v of its body. @param count of the element's unknowns: with one the rest is 0.
  template <class Velocity>
  [[nodiscard]] Vec3 rates(int count, const Velocity& v) const {
    if (count > 1) return rows * v;
    Real rate = 0;
    for (int k = 0; k < 6; ++k) rate += rows(0, k) * v[k];
    return {rate, 0, 0};
  }
};

/// The force of a contact, its moment, or a row in RigidNewton: its unknowns, sides, law.
struct RigidElement {
  Index first = 0;                   ///< unknown
  int count = 3;                     ///< 3 of a contact's force or moment, 1 of a row
  Index force = -1;                  ///< of a moment: the element of its contact's force
  std::uint32_t begin = 0, end = 0;  ///< sides
  Real scale = 1, friction = 0, lower = 0, upper = 0;
  Mat3 compliance = Mat3::Zero();  ///< of a row: its first entry
  Vec3 rate = Vec3::Zero();        ///< u without impulses
  Vec3 pull = Vec3::Zero();        ///< r = p − pull
  ResistingMoment moment;
};

/// The unknowns of RigidNewton: forces of contacts, their moments, then rows that are no
/// constraints, in units of the problem.
struct RigidElements {
  std::vector<RigidElement> list;
  std::vector<RigidSide> side;  ///< of all of them
  std::vector<Index> of_row;    ///< of every row: its unknown, −1 of constraints

  /// Takes those of a problem. O(contacts + rows), without allocation where the last one was as
  /// large.
  void build(const problem::RigidContact& problem, const problem::BodyForest& forest);
  [[nodiscard]] Index unknown_count() const {
    return list.empty() ? 0 : list.back().first + list.back().count;
  }
  /// Of a moment: the force of its contact.
  [[nodiscard]] const RigidElement& force_of(const RigidElement& moment) const {
    return list[static_cast<std::size_t>(moment.force)];
  }

 private:
  void add(RigidElement element, const problem::BodyForest& forest, Index body_a,
           const Eigen::Matrix<Real, 3, 6>& rows_a, Index body_b,
           const Eigen::Matrix<Real, 3, 6>& rows_b);
  void add_contact(const problem::RigidContact& problem, const problem::BodyForest& forest,
                   Index contact);
  void add_moment(const problem::RigidContact& problem, const problem::BodyForest& forest,
                  Index contact);
  void add_row(const problem::RigidContact& problem, const problem::BodyForest& forest, Index row);
};

}  // namespace talus::solve::detail
