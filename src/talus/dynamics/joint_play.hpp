#pragma once

#include <span>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// Joints with play in space as contacts between their two bodies, which have the places of
/// joint_contact_terms: a ball in its socket has one, a pin in its bearing one at each end of the
/// bore. What detection, steps and records do with contacts of shapes holds for them alike.
class JointPlay {
 public:
  /// The model must outlive this object; both bodies of a joint with play are bodies of the model,
  /// not the world (contract).
  explicit JointPlay(const model::Model& model);

  [[nodiscard]] bool is_empty() const { return contacts_.empty(); }
  /// Whether a contact is one of a joint with play, by its name.
  [[nodiscard]] static constexpr bool has(geometry::FeatureId feature) {
    return (feature & kMark) != 0;
  }
  /// Adds the contacts at a state whose gaps are within the margins of their bodies.
  /// @param still per body: contacts of two bodies that are still are left out; empty: none is.
  /// @param margin per body [m]; empty: without bound.
  /// @param contacts in and out: ordered by (a, b, feature).
  void add(const model::State& state, std::span<const unsigned char> still,
           std::span<const Real> margin, std::vector<collision::Contact>& contacts) const;

  /// The name of another contact of the same joint and end, with another normal: the play is a
  /// convex set, of which each normal n gives a tangent half-space n · y ≤ c.
  [[nodiscard]] static constexpr geometry::FeatureId with_cut(geometry::FeatureId feature,
                                                              Index cut) {
    return (feature & (kMark | kContact)) | static_cast<geometry::FeatureId>(cut) << kCutBits;
  }

  [[nodiscard]] static constexpr Index cut(geometry::FeatureId feature) {
    return static_cast<Index>((feature & ~kMark) >> kCutBits);
  }

  /// Of one of these contacts.
  [[nodiscard]] const model::SpatialJoint& joint(geometry::FeatureId feature) const;
  [[nodiscard]] const model::InterfaceLaw& law(geometry::FeatureId feature) const;
  /// c [m], the difference of the radii.
  [[nodiscard]] Real clearance(geometry::FeatureId feature) const;

 private:
  static constexpr int kCutBits = 32;
  static constexpr geometry::FeatureId kMark = geometry::kNotOfShapes,
                                       kContact = (geometry::FeatureId{1} << kCutBits) - 1;

  struct Contact {
    Index joint = 0;
    int which = 0;
  };
  [[nodiscard]] const Contact& contact(geometry::FeatureId feature) const {
    return contacts_[static_cast<std::size_t>(feature & kContact)];
  }

  const model::Model* model_;
  std::vector<Contact> contacts_;
};

}  // namespace talus::dynamics
