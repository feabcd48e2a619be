// Written once and compiled for each instruction set by ball_lanes_<set>.cpp. Includes nothing with
// functions that other files could share.

#include <talus/dynamics/detail/ball_lanes.hpp>
#include <talus/math/lanes.hpp>

namespace talus::dynamics::detail {
namespace {

using problem::CentralBatch;
using problem::kLanes;

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

/// Two bodies per lane; where lanes may be empty, any that are there, and who is there.
template <bool checked>
struct Pairs {
  const std::uint32_t *a, *b;

  Pairs(const BallContacts& /*data*/, const CentralBatch& batch, int first)
      : a(batch.body_a + first), b(batch.body_b + first) {}
  /// The new numbers, in empty lanes the old ones.
  [[nodiscard]] static Lanes choose(Lanes fresh, Lanes /*old*/) { return fresh; }
};

template <>
struct Pairs<true> {
  std::uint32_t a[kWidth], b[kWidth];
  Bits is_there;

  Pairs(const BallContacts& data, const CentralBatch& batch, int first) {
    for (int l = 0; l < kWidth; ++l) {
      const bool is_own = batch.body_a[first + l] != data.body_count;
      is_there[l] = is_own ? -1 : 0;
      a[l] = is_own ? batch.body_a[first + l] : 0;
      b[l] = is_own ? batch.body_b[first + l] : 0;
    }
  }
  [[nodiscard]] Lanes choose(Lanes fresh, Lanes old) const { return is_there ? fresh : old; }
};

/// The balls of W lanes as columns: x, y, z and r of A, then of B.
template <bool checked>
inline void gather(const BallContacts& data, const Pairs<checked>& pairs, Lanes* column) {
  for (int k = 0; k < kChunks; ++k) {
    for (int l = 0; l < kWidth; ++l)
      column[kWidth * k + l] = chunk_of_pair(data.balls + 4 * std::uint64_t{pairs.a[l]},
                                             data.balls + 4 * std::uint64_t{pairs.b[l]}, k);
    transpose(column + kWidth * k);
  }
}

/// From A to B, where one of them is a plane.
inline Vec3Lanes normals_of(const BallContacts& data, const Pairs<true>& pairs, Bits is_plane_b) {
  Lanes n[3];
  for (int i = 0; i < 3; ++i)
    for (int l = 0; l < kWidth; ++l) {
      const std::uint64_t body = is_plane_b[l] != 0 ? pairs.b[l] : pairs.a[l];
      const double component = data.normals[3 * body + i];
      n[i][l] = is_plane_b[l] != 0 ? -component : component;
    }
  return {n[0], n[1], n[2]};
}

/// The nearest image along an axis of a periodic cell.
inline Lanes nearest(Lanes x, double length, double inverse_length) {
  const Lanes no_fraction = all(6755399441055744.0);  // nearest_whole
  return x - all(length) * ((x * all(inverse_length) + no_fraction) - no_fraction);
}

/// 1/δ = 1/(a + α² turning), in single precision as the batch has it.
template <bool checked>
inline void write_tangential(const float* turning, const double* alpha2, CentralBatch& batch) {
  for (int l = 0; l < kLanes; ++l) {
    if (checked && batch.inverse_normal[l] == 0) continue;  // empty
    batch.inverse_tangential[l] =
        1 / (1 / batch.inverse_normal[l] + static_cast<float>(alpha2[l]) * turning[l]);
  }
}

/// @tparam checked lanes may be empty, or bodies planes.
template <bool checked>
void write(const BallContacts& data, std::uint32_t k, LeastGaps& least) {
  CentralBatch& batch = data.batches[k];
  const Lanes zero{}, one = all(1);
  alignas(64) double alpha2[kLanes];
  for (int first = 0; first < kLanes; first += kWidth) {
    const Pairs<checked> pairs(data, batch, first);
    Lanes c[kRow];
    gather(data, pairs, c);
    const Lanes reach = c[3] + c[7];
    Lanes smaller = c[7] < c[3] ? c[7] : c[3];
    Vec3Lanes x = {c[4] - c[0], c[5] - c[1], c[6] - c[2]};
    if (data.is_periodic)
      x = {nearest(x.x, data.length[0], data.inverse_length[0]),
           nearest(x.y, data.length[1], data.inverse_length[1]),
           nearest(x.z, data.length[2], data.inverse_length[2])};
    const Lanes distance = root(dot(x, x));
    const Bits has_arm = distance > all(kLeastArm) * reach, has_normal = distance > zero;
    const Lanes divisor = has_arm ? reach : distance;
    const Lanes scale = (has_arm | has_normal) ? one / divisor : zero;
    Vec3Lanes arm = {x.x * scale, x.y * scale, has_normal ? x.z * scale : one};
    Lanes alpha = has_arm ? distance * scale : one, gap = distance - reach;
    if constexpr (checked) {
      const Bits is_plane_b = c[7] == zero, is_plane = is_plane_b | (c[3] == zero);
      if (any(is_plane)) {
        const Vec3Lanes n = normals_of(data, pairs, is_plane_b);
        const Lanes height = n.x * x.x + (n.y * x.y + n.z * x.z);
        arm = {is_plane ? n.x : arm.x, is_plane ? n.y : arm.y, is_plane ? n.z : arm.z};
        alpha = is_plane ? one : alpha;
        gap = is_plane ? height - reach : gap;
        smaller = is_plane ? reach : smaller;
      }
    }
    const Lanes inverse = one / alpha;
    const auto write_lanes = [&](double* to, Lanes fresh) {
      store(to + first, pairs.choose(fresh, load(to + first)));
    };
    write_lanes(batch.arm[0], arm.x);
    write_lanes(batch.arm[1], arm.y);
    write_lanes(batch.arm[2], arm.z);
    write_lanes(batch.inverse_arm2, inverse * inverse);
    write_lanes(batch.bias, larger(gap, zero) / all(data.step_size) * inverse);
    store(alpha2 + first, alpha * alpha);
    double* gaps = data.gaps + kLanes * std::uint64_t{k} + first;
    store_anywhere(gaps, pairs.choose(gap, load_anywhere(gaps)));
    const auto keep_least = [&](double* lane, Lanes own) {
      const Lanes other = load(lane + first), there = pairs.choose(own, zero);
      store(lane + first, there < other ? there : other);
    };
    keep_least(least.gap, gap);
    keep_least(least.with_slop, gap + all(data.slop) * smaller);
  }
  write_tangential<checked>(data.turning + kLanes * std::uint64_t{k}, alpha2, batch);
}

void refresh_balls(const BallContacts& data, problem::Tile tile, LeastGaps& least) {
  for (std::uint32_t k = tile.first; k < tile.checked; ++k) write<false>(data, k, least);
  for (std::uint32_t k = tile.checked; k < tile.end; ++k) write<true>(data, k, least);
}

}  // namespace
}  // namespace talus::dynamics::detail
