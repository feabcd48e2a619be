// Written once and compiled for each instruction set by ball_lanes_<set>.cpp. Includes nothing with
// functions that other files could share.

#include <talus/dynamics/detail/ball_lanes.hpp>
#include <talus/math/lanes.hpp>

namespace talus::dynamics::detail {
namespace {

using problem::CentralBatch;
using problem::kLanes;

constexpr std::uint32_t kAtOnce = 16;  // batches: what is written lane by lane is not read at once

/// Numbers that are aligned as numbers are.
using LooseLanes = double __attribute__((vector_size(sizeof(Lanes)), aligned(8), may_alias));

/// Differences of centres in the place of arms, sums of radii in that of gaps, smaller radii.
void gather(const BallContacts& data, std::uint32_t k, double* smaller) {
  CentralBatch& batch = data.batches[k];
  for (int l = 0; l < kLanes; ++l) {
    const double* a = data.balls + 4 * std::uint64_t{batch.body_a[l]};
    const double* b = data.balls + 4 * std::uint64_t{batch.body_b[l]};
    for (int axis = 0; axis < 3; ++axis) batch.arm[axis][l] = b[axis] - a[axis];
    data.gaps[kLanes * std::uint64_t{k} + l] = a[3] + b[3];
    smaller[l] = b[3] < a[3] ? b[3] : a[3];
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

void write(const BallContacts& data, std::uint32_t k, const double* smaller, LeastGaps& least) {
  CentralBatch& batch = data.batches[k];
  const Lanes zero{}, one = all(1);
  alignas(64) double alpha2[kLanes];
  for (int first = 0; first < kLanes; first += kWidth) {
    Vec3Lanes x = load3(batch.arm[0] + first);
    if (data.is_periodic)
      x = {nearest(x.x, data.length[0], data.inverse_length[0]),
           nearest(x.y, data.length[1], data.inverse_length[1]),
           nearest(x.z, data.length[2], data.inverse_length[2])};
    auto& gaps = *reinterpret_cast<LooseLanes*>(data.gaps + kLanes * std::uint64_t{k} + first);
    const Lanes reach = gaps, distance = root(dot(x, x));
    const Bits has_arm = distance > all(kLeastArm) * reach, has_normal = distance > zero;
    const Lanes divisor = has_arm ? reach : distance;
    const Lanes scale = (has_arm | has_normal) ? one / divisor : zero;
    store3(batch.arm[0] + first,
           {x.x * scale, x.y * scale, has_normal ? x.z * scale : one});
    const Lanes alpha = has_arm ? distance * scale : one, inverse = one / alpha;
    store(alpha2 + first, alpha * alpha);
    store(batch.inverse_arm2 + first, inverse * inverse);
    const Lanes gap = distance - reach;
    gaps = gap;
    store(batch.bias + first, larger(gap, zero) / all(data.step_size) * inverse);
    const auto keep_least = [&](double* lane, Lanes own) {
      const Lanes other = load(lane + first);
      store(lane + first, own < other ? own : other);
    };
    keep_least(least.gap, gap);
    keep_least(least.with_slop, gap + all(data.slop) * load(smaller + first));
  }
  write_tangential(data.turning + kLanes * std::uint64_t{k}, alpha2, batch);
}

void refresh_balls(const BallContacts& data, std::uint32_t first, std::uint32_t end,
                   LeastGaps& least) {
  alignas(64) double smaller[kAtOnce][kLanes];
  for (std::uint32_t from = first; from < end; from += kAtOnce) {
    const std::uint32_t to = end - from < kAtOnce ? end : from + kAtOnce;
    for (std::uint32_t k = from; k < to; ++k) gather(data, k, smaller[k - from]);
    for (std::uint32_t k = from; k < to; ++k) write(data, k, smaller[k - from], least);
  }
}

}  // namespace
}  // namespace talus::dynamics::detail
