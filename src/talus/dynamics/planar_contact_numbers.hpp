#pragma once

#include <cstdint>
#include <vector>

#include <talus/dynamics/planar_narrow_phase.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::dynamics {

/// The numbers of all contacts that planar shapes can make: pair by pair in the order of (a, b), a
/// < b, first the corners of b against a. Against a single point only another point is needed: the
/// distance of a corner from a point is found from the point's side.
///
/// No contact is stored: 10⁴ boxes have 4·10⁸. Bodies of one kind (so many corners, movable or not)
/// make equally many contacts with another body, so that numbers follow from how many bodies of
/// each kind are between two. Memory O(n kinds), of n bodies; pair() costs O(kinds + joints of the
/// body), candidate() O(log n) times that at most. The last answers of candidate() are kept: not
/// for several threads at a time.
class PlanarContactNumbers {
 public:
  /// @param model must outlive this. @param shapes one per body.
  PlanarContactNumbers(const model::Model& model, const std::vector<geometry::PlanarShape>& shapes);

  /// Of all contacts.
  [[nodiscard]] Index count() const { return first_of_.back(); }
  /// The contacts of two bodies. @param a < b. @return a count of 0 if they cannot touch.
  [[nodiscard]] ShapePair pair(Index a, Index b) const;
  /// @param contact 0 ≤ contact < count().
  [[nodiscard]] CornerCandidate candidate(Index contact) const;

 private:
  /// What decides how many contacts a body makes.
  struct Kind {
    bool is_half_plane = false, moves = false, touches = true;
    Index corners = 0;
    bool operator==(const Kind&) const = default;
  };
  [[nodiscard]] static Index corners_against(const Kind& target, const Kind& shape, bool is_first);
  [[nodiscard]] static Index count_of(const Kind& a, const Kind& b);
  /// Of a body with a later one that nothing keeps apart from it.
  [[nodiscard]] Index contacts_of(Index a, Index b) const {
    return contacts_of_kinds_[kind_of_[static_cast<std::size_t>(a)] * kinds_.size() +
                              kind_of_[static_cast<std::size_t>(b)]];
  }
  [[nodiscard]] const Kind& kind(Index body) const {
    return kinds_[kind_of_[static_cast<std::size_t>(body)]];
  }
  [[nodiscard]] bool are_apart(Index a, Index b) const;
  [[nodiscard]] Index first(Index a, Index b) const;
  [[nodiscard]] CornerCandidate find(Index contact) const;

  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;       // per body
  std::vector<Index> contacts_of_kinds_;   // kinds × kinds: of a body with a later one
  std::vector<std::uint32_t> before_;      // (n + 1) × kinds: bodies of a kind before one
  std::vector<std::vector<Index>> apart_;  // per body: later ones that it never touches, rising
  std::vector<Index> first_of_;            // per body: its first contact with later ones; the end
  struct Known {
    Index contact = -1;
    CornerCandidate candidate;
  };
  mutable std::vector<Known> known_;
};

}  // namespace talus::dynamics
