#pragma once

#include <cstdint>
#include <span>

#include <talus/distribute/hand_overs.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>

namespace talus::solve::detail {

/// What a sweep over a problem touches, tile by tile, as a plan: central contacts, then general
/// ones in their order.
class ProblemPlan {
 public:
  /// @param colours of the central contacts that are visited, from the first.
  ProblemPlan(const problem::RigidContact& problem, std::span<const std::uint32_t> colours,
              const GeneralSchedule& general)
      : problem_(problem), colours_(colours), general_(general) {}

  /// All but the tiles, which are known by the layout of the contacts where all are central.
  void begin(distribute::SweepPlan& plan) const;
  /// The tiles. Contacts that are late, which most sweeps leave out, weigh a quarter of others.
  void add_tiles(distribute::SweepPlan& plan) const;

 private:
  void add_central(distribute::SweepPlan& plan) const;
  void add_general(distribute::SweepPlan& plan) const;

  const problem::RigidContact& problem_;
  std::span<const std::uint32_t> colours_;
  const GeneralSchedule& general_;
};

}  // namespace talus::solve::detail
