#include <talus/solve/gauss_seidel/detail/single_sweeps.hpp>

#include <algorithm>
#include <cmath>

#include <talus/parallel/executor.hpp>

namespace talus::solve::detail {
namespace {

using problem::BodyVelocity;
using problem::CentralBatch;
using problem::ImpulseBatch;
using problem::kLanes;
using problem::Tile;

constexpr std::uint32_t kMostBetween = 16;  // batches, between two that become one
constexpr Index kRowsPerPiece = 1024;

/// The power of two below a number; 1 of 0.
Real power_below(Real x) { return x > 0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1; }

/// Which movable bodies a batch has. Marks of other batches stand for nothing.
class Marks {
 public:
  void begin(std::size_t bodies) {
    if (mark_.size() < bodies) mark_.resize(bodies, 0);
  }
  void set(const CentralBatch& batch) {
    ++now_;
    for (int l = 0; l < kLanes; ++l) mark_[batch.body_a[l]] = mark_[batch.body_b[l]] = now_;
  }
  /// @param bodies those that are immovable, and the row for empty lanes, are shared by all.
  [[nodiscard]] bool share_one(const CentralBatch& batch,
                               std::span<const BodyVelocity> bodies) const {
    const auto is_shared = [&](std::uint32_t body) {
      return mark_[body] == now_ && body < bodies.size() && bodies[body].inverse_mass > 0;
    };
    for (int l = 0; l < kLanes; ++l)
      if (is_shared(batch.body_a[l]) || is_shared(batch.body_b[l])) return true;
    return false;
  }

 private:
  std::vector<std::uint64_t> mark_;
  std::uint64_t now_ = 0;
};

/// Those of the second half between those of the first: a batch that has bodies of the one before
/// it has to wait for them.
template <class T>
void part_neighbours(std::span<T> list) {
  static thread_local std::vector<T> before;
  before.assign(list.begin(), list.end());
  const std::size_t second = (list.size() + 1) / 2;
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = before[i / 2 + (i % 2) * second];
}

}  // namespace

void SingleSweeps::load(const problem::RigidContact& problem, std::span<const Tile> tiles,
                        std::span<const BodyVelocity> velocity, std::span<const BodyVelocity> old,
                        const distribute::Deal* parts) {
  problem_ = &problem;
  eights_ = tiles;
  std::array<Real, 2> largest{};  // speed, inverse mass
  const auto measure = [&](distribute::Range range) {
    for (Index i = range.begin; i < range.end; ++i) {
      const BodyVelocity& body = problem.bodies[i];
      largest[0] =
          std::max({largest[0], body.v.cwiseAbs().maxCoeff(), body.s.cwiseAbs().maxCoeff()});
      largest[1] = std::max(largest[1], body.inverse_mass);
    }
  };
  if (parts == nullptr) {
    measure({0, std::ssize(problem.bodies)});
  } else {
    for (const distribute::Range range : parts->here()) measure(range);
    parts->ranks().take_largest(largest);
  }
  units_ = {power_below(largest[0]), 1 / power_below(largest[1])};
  write_rows(velocity, rows_);
  write_rows(old.empty() ? velocity : old, old_rows_);
  const std::size_t batches = tiles.empty() ? 0 : tiles.back().end;
  if (batches > halves_.size()) {
    resize_unwritten(halves_, batches);
    layout_.clear();
  }
  if (batches > batches_.size()) {
    resize_unwritten(batches_, batches);
    resize_unwritten(impulse_, batches);
    resize_unwritten(old_impulse_, batches);
  }
  layout_.resize(std::max(layout_.size(), tiles.size()), 0);
  tiles_.resize(layout_.size());
  idle_.start();
  is_loaded_ = true;
}

void SingleSweeps::write_rows(std::span<const BodyVelocity> from, std::vector<Body>& to) const {
  to.resize(from.size());
  const Real per_speed = 1 / units_.speed;
  parallel::for_ranges(std::ssize(from), kRowsPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const BodyVelocity& body = from[i];
      float* row = to[i].row;
      for (int k = 0; k < 3; ++k) {
        row[k] = static_cast<float>(body.v[k] * per_speed);
        row[4 + k] = static_cast<float>(body.s[k] * per_speed);
      }
      row[3] = static_cast<float>(body.inverse_mass * units_.mass);
      row[7] = static_cast<float>(body.inverse_inertia * units_.mass);
    }
  });
}

/// Full batches first, each with the next one that shares no movable body; what is left over joins
/// those that are looked at lane by lane.
void SingleSweeps::pair(Index tile) {
  static thread_local Marks marks;
  static thread_local std::vector<std::uint32_t> now, left;
  const std::vector<CentralBatch>& batches = problem_->central.batches;
  marks.begin(problem_->bodies.size() + 1);
  const Tile eights = eights_[tile];
  std::uint32_t next = eights.first;
  const auto pair_all = [&](bool is_alone_left) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == kNone) continue;
      marks.set(batches[now[i]]);
      const std::size_t end = std::min(now.size(), i + 1 + kMostBetween);
      std::size_t other = i + 1;
      while (other < end &&
             (now[other] == kNone || marks.share_one(batches[now[other]], problem_->bodies)))
        ++other;
      if (other >= end && is_alone_left) {
        left.push_back(now[i]);
        continue;
      }
      halves_[next++] = {now[i], other < end ? now[other] : kNone};
      if (other < end) now[other] = kNone;
    }
  };
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t k = begin; k < end; ++k) now.push_back(k);
  };
  left.clear();
  now.clear();
  add(eights.first, eights.checked);
  pair_all(true);
  const std::uint32_t checked = next;
  part_neighbours(std::span(halves_).subspan(eights.first, checked - eights.first));
  now.assign(left.begin(), left.end());
  add(eights.checked, eights.end);
  pair_all(false);
  tiles_[tile] = {eights.first, checked, next};
}

/// Calls visit(batch, first lane, batch of eight or kNone) for all halves of a tile's batches.
template <class Visit>
void SingleSweeps::for_halves(Index tile, const Visit& visit) const {
  for (std::uint32_t k = tiles_[tile].first; k < tiles_[tile].end; ++k)
    for (int h = 0; h < 2; ++h) visit(k, kLanes * h, halves_[k][h]);
}

void SingleSweeps::load_tile(Index tile, std::span<const ImpulseBatch> impulse,
                             std::span<const ImpulseBatch> old) {
  const std::uint64_t layout = problem_->central.layout;
  if (layout == 0 || layout_[tile] != layout) {
    pair(tile);
    layout_[tile] = layout;
  }
  const auto pad = static_cast<std::uint32_t>(problem_->bodies.size());
  const Real per_speed = 1 / units_.speed, per_impulse = 1 / units_.impulse();
  const auto per_mass = static_cast<float>(1 / units_.mass);
  for_halves(tile, [&](std::uint32_t k, int first, std::uint32_t half) {
    Batch& to = batches_[k];
    if (half == kNone) {
      for (int l = first; l < first + kLanes; ++l) {
        for (int c = 0; c < 3; ++c)
          to.arm[c][l] = impulse_[k].r[c][l] = old_impulse_[k].r[c][l] = 0;
        to.arm[2][l] = to.inverse_arm2[l] = 1;
        to.bias[l] = to.friction[l] = to.inverse_normal[l] = to.inverse_tangential[l] = 0;
        to.body_a[l] = to.body_b[l] = pad;
      }
      return;
    }
    const CentralBatch& from = problem_->central.batches[half];
    const auto write = [&](const Real* numbers, float* list, Real factor) {
      for (int l = 0; l < kLanes; ++l) list[first + l] = static_cast<float>(numbers[l] * factor);
    };
    for (int c = 0; c < 3; ++c) {
      write(from.arm[c], to.arm[c], 1);
      write(impulse[half].r[c], impulse_[k].r[c], per_impulse);
      write((old.empty() ? impulse : old)[half].r[c], old_impulse_[k].r[c], per_impulse);
    }
    write(from.inverse_arm2, to.inverse_arm2, 1);
    write(from.bias, to.bias, per_speed);
    write(from.friction, to.friction, 1);
    for (int l = 0; l < kLanes; ++l) {
      to.inverse_normal[first + l] = from.inverse_normal[l] * per_mass;
      to.inverse_tangential[first + l] = from.inverse_tangential[l] * per_mass;
    }
    std::copy_n(from.body_a, kLanes, to.body_a + first);
    std::copy_n(from.body_b, kLanes, to.body_b + first);
  });
}

void SingleSweeps::store_tile(Index tile, std::span<ImpulseBatch> impulse) const {
  const Real unit = units_.impulse();
  for_halves(tile, [&](std::uint32_t k, int first, std::uint32_t half) {
    if (half == kNone) return;
    for (int c = 0; c < 3; ++c)
      for (int l = 0; l < kLanes; ++l)
        impulse[half].r[c][l] = unit * static_cast<Real>(impulse_[k].r[c][first + l]);
  });
}

CentralSweepOf<float> SingleSweeps::sweep(Real beta, bool is_whole) {
  return {batches_.data(),
          impulse_.data(),
          old_impulse_.data(),
          rows(),
          is_whole ? nullptr : idle_.data(),
          beta,
          1,
          are_far(std::span(rows_))};
}

}  // namespace talus::solve::detail
