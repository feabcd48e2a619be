#include <talus/certify/detail/rigid_motion.hpp>

#include <algorithm>
#include <cmath>

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
                  bool is_shared, std::vector<BodyVelocity>& bodies, std::vector<Real>& ratios) {
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
  const Index alone = islands.count();  // its number
  std::vector<Sum> sums(static_cast<std::size_t>(alone + 1));
  add_by_islands(
      islands.shape()->body_runs(),
      [&](Index begin, Index end) {
        Sum sum;
        const bool are_alone = islands.island_of_body(begin) < 0;
        BodyMotions motions{rows(problem.bodies),
                            velocity.empty() ? nullptr : rows(velocity),
                            reinterpret_cast<double*>(bodies.data()),
                            {},
                            {},
                            {}};
        for (Index first = begin; first < end; first += BodyMotions::kMost) {
          const auto count = static_cast<int>(std::min<Index>(end - first, BodyMotions::kMost));
          kernels.motions(motions, static_cast<std::size_t>(first), count);
          for (int i = 0; i < count; ++i) {
            const Momenta own = {motions.difference[i], motions.end[i], motions.start[i]};
            if (are_alone)
              sum.largest = larger_of(own.ratio(), sum.largest);
            else
              sum.Momenta::add(own);
          }
        }
        return sum;
      },
      sums, is_shared, alone);
  ratios.clear();
  for (const Sum& sum : sums) ratios.push_back(larger_of(sum.ratio(), sum.largest));
}

}  // namespace talus::certify::detail
