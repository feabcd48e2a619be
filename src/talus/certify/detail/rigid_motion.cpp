#include <talus/certify/detail/rigid_motion.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {

using problem::BodyVelocity;

namespace {

/// Squares of momentum errors and momenta over the mass [J], of one body or the sums of several.
struct Momenta {
  Real difference = 0, end = 0, start = 0;

  void add(const Momenta& other) {
    difference += other.difference;
    end += other.end;
    start += other.start;
  }
  /// The larger of ‖v‖ and ‖v_free‖ is what the error is divided by.
  [[nodiscard]] Real ratio() const {
    if (difference == 0) return 0;
    return difference == INFINITY ? INFINITY : std::sqrt(difference / std::max(end, start));
  }
};

}  // namespace

Real larger_of(Real one, Real other) { return one <= other || std::isnan(other) ? other : one; }

void judge_motion(const problem::RigidContact& problem, const RigidIslands& islands,
                  const CentralResidualKernels& kernels, std::span<const BodyVelocity> velocity,
                  const BodyShare& share, std::vector<BodyVelocity>& bodies,
                  std::vector<Real>& ratios) {
  const auto rows = [](std::span<const BodyVelocity> list) {
    return reinterpret_cast<const double*>(list.data());
  };
  struct Sum : Momenta {
    Real largest = 0;  // ratio of a body alone
    void add(const Sum& other) {
      Momenta::add(other);
      largest = larger_of(other.largest, largest);
    }
  };
  /// Calls take(body, momenta) for consecutive bodies.
  const auto for_momenta = [&](Index begin, Index end, const auto& take) {
    BodyMotions motions{rows(problem.bodies),
                        velocity.empty() ? nullptr : rows(velocity),
                        reinterpret_cast<double*>(bodies.data()),
                        {},
                        {},
                        {}};
    for (Index first = begin; first < end; first += BodyMotions::kMost) {
      const auto count = static_cast<int>(std::min<Index>(end - first, BodyMotions::kMost));
      kernels.motions(motions, static_cast<std::size_t>(first), count);
      for (int i = 0; i < count; ++i)
        take(first + i, Momenta{motions.difference[i], motions.end[i], motions.start[i]});
    }
  };
  static thread_local std::vector<Momenta> kept;
  std::vector<Momenta>& of_body = kept;  // of this thread, in others too; where tiles are dealt out
  distribute::Deal* const deal = share.deal();
  if (deal != nullptr) {
    of_body.resize(problem.bodies.size());
    const std::span<const distribute::Range> here = deal->here();
    parallel::for_each(std::ssize(here), [&](Index k) {
      for_momenta(here[k].begin, here[k].end,
                  [&](Index i, const Momenta& own) { of_body[i] = own; });
    });
    deal->to_pieces().exchange(
        3, [&](std::uint32_t body, Real* to) { std::memcpy(to, &of_body[body], sizeof(Momenta)); },
        [&](std::uint32_t body, const Real* from) {
          std::memcpy(static_cast<void*>(&of_body[body]), from, sizeof(Momenta));
        });
  }
  const Index alone = islands.count();  // its number
  std::vector<Sum> sums(static_cast<std::size_t>(alone + 1));
  add_by_islands(
      islands.shape()->body_runs(),
      [&](Index begin, Index end) {
        Sum sum;
        const bool are_alone = islands.island_of_body(begin) < 0;
        const auto take = [&](Index, const Momenta& own) {
          if (are_alone)
            sum.largest = larger_of(own.ratio(), sum.largest);
          else
            sum.Momenta::add(own);
        };
        if (deal == nullptr)
          for_momenta(begin, end, take);
        else
          for (Index i = begin; i < end; ++i) take(i, of_body[i]);
        return sum;
      },
      sums, share.pieces(), alone);
  ratios.clear();
  for (const Sum& sum : sums) ratios.push_back(larger_of(sum.ratio(), sum.largest));
}

}  // namespace talus::certify::detail
