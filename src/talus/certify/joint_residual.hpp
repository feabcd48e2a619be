#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/problem/bounded_rows.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// How well the constraints of a machine hold in a step: all of them, those too that a solver
/// leaves out because they depend on others.
struct JointResidual {
  Index constraint_count = 0;  ///< 0: nothing was judged, and all else is 0
  Real rate = 0;               ///< largest |J v' + b| [m/s, of a turn rad/s]
  Index worst_rate = -1;       ///< constraint that has it; −1 where all are 0
  Real drift = 0;              ///< largest |Φ| after the step: turns, and lengths over a body's
  Index worst_drift = -1;      ///< constraint that has it; −1 where all are 0
  Index rank = 0;              ///< independent constraints after the step
};

/// The worse of two steps of one machine, number by number; what was not judged is not worse.
[[nodiscard]] JointResidual worse_of(const JointResidual& one, const JointResidual& other);

/// Judges the constraints of a machine from their rows, in m/s and rad/s, and from who moves;
/// nothing of a solver enters. Keeps its memory between calls.
class JointCertifier {
 public:
  /// The largest rate of the rows. @param velocity (v, s) of every body. O(rows).
  void judge_rates(const problem::BoundedRows& rows,
                   std::span<const problem::BodyVelocity> velocity, JointResidual& result) const;
  /// The largest violation and the rank at a place where the constraints hold.
  /// @param violation Φ of every row, scaled [-].
  /// @param bodies those with an inverse mass of 0 do not move.
  void judge_place(const problem::BoundedRows& rows, std::span<const Real> violation,
                   std::span<const problem::BodyVelocity> bodies, JointResidual& result);

  /// The number of independent rows over the bodies that move.
  ///
  /// A body that one block of rows alone touches, and on which these rows are independent, is taken
  /// away with its block, which adds its rows to the rank: the block is triangular against all
  /// others. Trees vanish so, O(rows). What is left, loops, has its rank from the Gram matrix of
  /// the rows by Cholesky with pivoting, O(rows³) of what is left.
  [[nodiscard]] Index rank(const problem::BoundedRows& rows,
                           std::span<const problem::BodyVelocity> bodies);

 private:
  /// The bodies that a row moves, ascending, then −1.
  using Key = std::array<std::int32_t, 8>;
  /// Rows over the same bodies: order_[first] … order_[last − 1].
  struct Block {
    Index first = 0, last = 0;
  };
  [[nodiscard]] bool are_known(const problem::BoundedRows& rows,
                               std::span<const problem::BodyVelocity> bodies) const;
  void arrange(const problem::BoundedRows& rows, std::span<const problem::BodyVelocity> bodies);
  [[nodiscard]] bool is_regular(const problem::BoundedRows& rows, const Block& block,
                                std::int32_t body) const;
  [[nodiscard]] Index rank_of_rest(const problem::BoundedRows& rows,
                                   std::span<const problem::BodyVelocity> bodies);

  std::vector<std::uint32_t> first_part_;  // of the rows that the blocks are made of
  std::vector<std::int32_t> moved_;        // by each part of them; −1: nothing
  std::vector<Key> keys_;                  // of these rows
  std::vector<Index> order_;               // rows, block by block
  std::vector<Block> blocks_;
  std::vector<Index> first_touch_, touching_;  // blocks of body i: touching_[first_touch_[i]] …
  std::vector<Index> degree_, leaves_, rest_;  // open blocks of a body; bodies with one; rows left
  std::vector<unsigned char> is_open_;         // per block
};

}  // namespace talus::certify
