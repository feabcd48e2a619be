// Written once and compiled for each instruction set by ball_lanes_<set>.cpp. Includes nothing with
// functions that other files could share.

#include <talus/dynamics/detail/ball_lanes.hpp>
#include <talus/math/lanes.hpp>

namespace talus::dynamics::detail {
namespace {

using problem::CentralBatch;
using problem::kLanes;

/// Numbers that are aligned as numbers are.
using LooseLanes = double __attribute__((vector_size(sizeof(Lanes)), aligned(8), may_alias));

/// Chunk k of the row of two balls, four numbers each.
inline Lanes chunk_of_pair(const double* a, const double* b, [[maybe_unused]] int k) {
#if defined(__AVX512F__)
  using Ball = double __attribute__((vector_size(32), may_alias));
  return __builtin_shufflevector(*reinterpret_cast<const Ball*>(a),
                                 *reinterpret_cast<const Ball*>(b), 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return load(kWidth * k < 4 ? a + kWidth * k : b + kWidth * k - 4);
#endif
}

/// The balls of W lanes as columns: x, y, z and r of A, then of B.
inline void gather(const BallContacts& data, const CentralBatch& batch, int first, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l)
      column[kWidth * k + l] =
          chunk_of_pair(data.balls + 4 * std::uint64_t{batch.body_a[first + l]},
                        data.balls + 4 * std::uint64_t{batch.body_b[first + l]}, k);
    transpose(column + kWidth * k);
  }
}

/// The nearest image along an axis of a periodic cell.
inline Lanes nearest(Lanes x, double length, double inverse_length) {
  const Lanes no_fraction = all(6755399441055744.0);  // nearest_whole
  return x - all(length) * ((x * all(inverse_length) + no_fraction) - no_fraction);
}

/// 1/δ = 1/(a + α² turning), in single precision as the batch has it.
inline void write_tangential(const float* turning, const double* alpha2, CentralBatch& batch) {
  for (int l = 0; l < kLanes; ++l)
    batch.inverse_tangential[l] =
        1 / (1 / batch.inverse_normal[l] + static_cast<float>(alpha2[l]) * turning[l]);
}

void write(const BallContacts& data, std::uint32_t k, LeastGaps& least) {
  CentralBatch& batch = data.batches[k];
  const Lanes zero{}, one = all(1);
  alignas(64) double alpha2[kLanes];
  for (int first = 0; first < kLanes; first += kWidth) {
    Lanes c[kRow];
    gather(data, batch, first, c);
    const Lanes reach = c[3] + c[7], smaller = c[7] < c[3] ? c[7] : c[3];
    Vec3Lanes x = {c[4] - c[0], c[5] - c[1], c[6] - c[2]};
    if (data.is_periodic)
      x = {nearest(x.x, data.length[0], data.inverse_length[0]),
           nearest(x.y, data.length[1], data.inverse_length[1]),
           nearest(x.z, data.length[2], data.inverse_length[2])};
    const Lanes distance = root(dot(x, x));
    const Bits has_arm = distance > all(kLeastArm) * reach, has_normal = distance > zero;
    const Lanes divisor = has_arm ? reach : distance;
    const Lanes scale = (has_arm | has_normal) ? one / divisor : zero;
    store3(batch.arm[0] + first,
           {x.x * scale, x.y * scale, has_normal ? x.z * scale : one});
    const Lanes alpha = has_arm ? distance * scale : one, inverse = one / alpha;
    store(alpha2 + first, alpha * alpha);
    store(batch.inverse_arm2 + first, inverse * inverse);
    const Lanes gap = distance - reach;
    *reinterpret_cast<LooseLanes*>(data.gaps + kLanes * std::uint64_t{k} + first) = gap;
    store(batch.bias + first, larger(gap, zero) / all(data.step_size) * inverse);
    const auto keep_least = [&](double* lane, Lanes own) {
      const Lanes other = load(lane + first);
      store(lane + first, own < other ? own : other);
    };
    keep_least(least.gap, gap);
    keep_least(least.with_slop, gap + all(data.slop) * smaller);
  }
  write_tangential(data.turning + kLanes * std::uint64_t{k}, alpha2, batch);
}

void refresh_balls(const BallContacts& data, std::uint32_t first, std::uint32_t end,
                   LeastGaps& least) {
  for (std::uint32_t k = first; k < end; ++k) write(data, k, least);
}

}  // namespace
}  // namespace talus::dynamics::detail
