#include <talus/certify/joint_residual.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/linalg/independent_rows.hpp>
#include <talus/math/least_moment_point.hpp>

namespace talus::certify {
namespace {

using problem::BodyVelocity;
using problem::BoundedRows;

/// Keeps the larger number; one that is not a number is larger than any.
void keep_larger(Real& value, Index& where, Real other, Index its) {
  if (other <= value || std::isnan(value)) return;
  value = other;
  where = its;
}

/// The body that a part moves; −1: none.
std::int32_t moved_by(const problem::RowPart& of, std::span<const BodyVelocity> bodies) {
  return bodies[of.body].inverse_mass == 0 ? -1 : static_cast<std::int32_t>(of.body);
}

}  // namespace

JointResidual worse_of(const JointResidual& one, const JointResidual& other) {
  if (one.constraint_count == 0) return other;
  if (other.constraint_count == 0) return one;
  JointResidual worse = one;
  keep_larger(worse.rate, worse.worst_rate, other.rate, other.worst_rate);
  keep_larger(worse.drift, worse.worst_drift, other.drift, other.worst_drift);
  worse.rank = std::min(one.rank, other.rank);
  return worse;
}

void JointCertifier::judge_rates(const BoundedRows& rows, std::span<const BodyVelocity> velocity,
                                 JointResidual& result) const {
  for (Index j = 0; j < rows.size(); ++j) {
    Real rate = rows.bias[j];
    rows.for_each_part(j, [&](const problem::RowPart& of) {
      rate +=
          of.part.head<3>().dot(velocity[of.body].v) + of.part.tail<3>().dot(velocity[of.body].s);
    });
    keep_larger(result.rate, result.worst_rate, std::abs(rate), j);
  }
}

void JointCertifier::judge_place(const BoundedRows& rows, std::span<const Real> violation,
                                 std::span<const BodyVelocity> bodies, JointResidual& result) {
  TALUS_DEMAND_EQ(static_cast<Index>(violation.size()), rows.size());
  result.constraint_count = rows.size();
  for (Index j = 0; j < rows.size(); ++j)
    keep_larger(result.drift, result.worst_drift, std::abs(violation[j]), j);
  result.rank = rank(rows, bodies);
}

/// Whether the rows move the bodies that the blocks are made for.
bool JointCertifier::are_known(const BoundedRows& rows,
                               std::span<const BodyVelocity> bodies) const {
  if (rows.first != first_part_ || first_touch_.size() != bodies.size() + 1) return false;
  for (std::size_t k = 0; k < moved_.size(); ++k)
    if (moved_by(rows.parts[k], bodies) != moved_[k]) return false;
  return true;
}

/// Makes the blocks of the rows, and who touches which body.
void JointCertifier::arrange(const BoundedRows& rows, std::span<const BodyVelocity> bodies) {
  const std::size_t body_count = bodies.size();
  first_part_ = rows.first;
  moved_.clear();
  for (const problem::RowPart& of : rows.parts) moved_.push_back(moved_by(of, bodies));
  keys_.resize(static_cast<std::size_t>(rows.size()));
  for (std::size_t j = 0; j < keys_.size(); ++j) {
    Key& key = keys_[j];
    key.fill(-1);
    std::size_t count = 0;
    for (std::uint32_t k = first_part_[j]; k < first_part_[j + 1]; ++k) {
      const std::int32_t body = moved_[k];
      if (body < 0) continue;
      if (std::find(key.begin(), key.begin() + count, body) != key.begin() + count) continue;
      TALUS_DEMAND(count < key.size());
      key[count++] = body;
    }
    std::sort(key.begin(), key.begin() + count);
  }
  order_.resize(keys_.size());
  std::iota(order_.begin(), order_.end(), Index(0));
  std::stable_sort(order_.begin(), order_.end(),
                   [&](Index i, Index j) { return keys_[i] < keys_[j]; });
  blocks_.clear();
  for (Index k = 0; k < static_cast<Index>(order_.size()); ++k) {
    const Key& key = keys_[order_[k]];
    if (key[0] < 0) continue;  // nothing moves it
    if (blocks_.empty() || blocks_.back().last != k || keys_[order_[k - 1]] != key)
      blocks_.push_back({k, k});
    blocks_.back().last = k + 1;
  }
  const auto for_each_touch = [&](auto&& f) {
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (const std::int32_t body : keys_[order_[blocks_[b].first]])
        if (body >= 0) f(static_cast<std::size_t>(body), static_cast<Index>(b));
  };
  first_touch_.assign(body_count + 1, 0);
  for_each_touch([&](std::size_t body, Index) { ++first_touch_[body + 1]; });
  std::partial_sum(first_touch_.begin(), first_touch_.end(), first_touch_.begin());
  touching_.resize(static_cast<std::size_t>(first_touch_.back()));
  std::vector<Index> next = first_touch_;
  for_each_touch([&](std::size_t body, Index block) { touching_[next[body]++] = block; });
}

/// Whether the rows of a block are independent on one body: Gram–Schmidt, with moments about the
/// point where they are least, or a joint far from the body would have rows nearly parallel.
bool JointCertifier::is_regular(const BoundedRows& rows, const Block& block,
                                std::int32_t body) const {
  constexpr Index kMost = 6;
  if (block.last - block.first > kMost) return false;
  std::array<Vec6, kMost> taken;
  LeastMomentPoint lines;
  for (Index k = block.first; k < block.last; ++k) {
    Vec6& own = taken[k - block.first];
    own.setZero();
    rows.for_each_part(order_[k], [&](const problem::RowPart& of) {
      if (static_cast<std::int32_t>(of.body) == body) own += of.part;
    });
    lines.add(own.head<3>(), own.tail<3>());
  }
  const Vec3 point = lines.point();
  for (Index k = block.first; k < block.last; ++k) {
    Vec6 own = taken[k - block.first];
    own.tail<3>() -= point.cross(own.head<3>());
    const Real size = own.squaredNorm();
    for (Index l = 0; l < k - block.first; ++l) own -= taken[l].dot(own) * taken[l];
    const Real left = own.squaredNorm();
    if (!(left > linalg::kGramRank.relative * size)) return false;
    taken[k - block.first] = own / std::sqrt(left);
  }
  return true;
}

Index JointCertifier::rank_of_rest(const BoundedRows& rows, std::span<const BodyVelocity> bodies) {
  rest_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (is_open_[b] != 0)
      rest_.insert(rest_.end(), order_.begin() + blocks_[b].first,
                   order_.begin() + blocks_[b].last);
  if (rest_.empty()) return 0;
  const auto n = static_cast<Index>(rest_.size());
  MatX gram(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      Real product = 0;
      rows.for_each_part(rest_[i], [&](const problem::RowPart& one) {
        if (bodies[one.body].inverse_mass == 0) return;
        rows.for_each_part(rest_[j], [&](const problem::RowPart& other) {
          if (one.body == other.body) product += one.part.dot(other.part);
        });
      });
      gram(i, j) = gram(j, i) = product;
    }
  const std::vector<bool> is_independent =
      linalg::independent_rows(gram, linalg::kGramRank, linalg::RowChoice::best_conditioned);
  return std::count(is_independent.begin(), is_independent.end(), true);
}

Index JointCertifier::rank(const BoundedRows& rows, std::span<const BodyVelocity> bodies) {
  if (!are_known(rows, bodies)) arrange(rows, bodies);

  is_open_.assign(blocks_.size(), 1);
  degree_.resize(bodies.size());
  leaves_.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    degree_[i] = first_touch_[i + 1] - first_touch_[i];
    if (degree_[i] == 1) leaves_.push_back(static_cast<Index>(i));
  }
  Index rank = 0;
  while (!leaves_.empty()) {
    const Index body = leaves_.back();
    leaves_.pop_back();
    if (degree_[body] != 1) continue;
    Index touch = first_touch_[body];
    while (is_open_[touching_[touch]] == 0) ++touch;
    const Block& block = blocks_[touching_[touch]];
    if (!is_regular(rows, block, static_cast<std::int32_t>(body))) continue;
    is_open_[touching_[touch]] = 0;
    rank += block.last - block.first;
    for (const std::int32_t other : keys_[order_[block.first]])
      if (other >= 0 && --degree_[other] == 1) leaves_.push_back(other);
  }
  return rank + rank_of_rest(rows, bodies);
}

}  // namespace talus::certify
