#pragma once

#include <memory>

#include <talus/distribute/ranks.hpp>

namespace talus::distribute {

/// The processes that a launcher has started together, by MPI.
class MpiRanks : public Ranks {
 public:
  /// Joins the others, or returns null where no launcher has started this process. One object in a
  /// program; it must outlive all work that is shared.
  /// @throws InputError if the launcher is one of another MPI, so that every process sees itself
  /// alone.
  [[nodiscard]] static std::unique_ptr<MpiRanks> join();
};

}  // namespace talus::distribute
