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

/// The motion of a body, spins weighted with the mass too; infinite if a body that no force moves
/// has changed. Writes what the central residuals need into number 7 of its row.
/// @param velocity of the answer; null: not judged.
Momenta judge_body(const BodyVelocity& free, const BodyVelocity* velocity, BodyVelocity& body) {
  const Real v2 = body.v.squaredNorm(), s2 = body.s.squaredNorm();
  const Real free_v2 = free.v.squaredNorm(), free_s2 = free.s.squaredNorm();
  body.inverse_inertia = std::sqrt(v2) + std::sqrt(s2) + std::sqrt(free_v2) + std::sqrt(free_s2);
  if (velocity == nullptr) return {};
  if (free.inverse_mass == 0) {  // no force moves it: any change at all is wrong
    const bool has_changed = velocity->v != free.v || velocity->s != free.s;
    return {has_changed ? INFINITY : Real(0), 0, 0};
  }
  const Real mass = 1 / free.inverse_mass;
  return {mass * ((body.v - velocity->v).squaredNorm() + (body.s - velocity->s).squaredNorm()),
          mass * (v2 + s2), mass * (free_v2 + free_s2)};
}

}  // namespace

Real larger_of(Real one, Real other) { return one <= other || std::isnan(other) ? other : one; }

void judge_motion(const problem::RigidContact& problem, const RigidIslands& islands,
                  std::span<const BodyVelocity> velocity, std::vector<BodyVelocity>& bodies,
                  std::vector<Real>& ratios) {
  const auto motion_of = [&](Index i) {
    return judge_body(problem.bodies[i], velocity.empty() ? nullptr : &velocity[i], bodies[i]);
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
      static_cast<Index>(problem.bodies.size()),
      [&](Index i) {
        const std::int32_t island = islands.island_of_body(i);
        return island < 0 ? alone : Index{island};
      },
      [&](Index begin, Index end) {
        Sum sum;
        const bool are_alone = islands.island_of_body(begin) < 0;
        for (Index i = begin; i < end; ++i) {
          const Momenta motion = motion_of(i);
          if (are_alone)
            sum.largest = larger_of(motion.ratio(), sum.largest);
          else
            sum.Momenta::add(motion);
        }
        return sum;
      },
      sums);
  ratios.clear();
  for (const Sum& sum : sums) ratios.push_back(larger_of(sum.ratio(), sum.largest));
}

}  // namespace talus::certify::detail
