#pragma once

#include <optional>
#include <span>
#include <vector>

#include <talus/dynamics/reaction.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/stepping/event.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {

/// A time-stepping scheme bound to a model. It keeps what it needs between steps (contact cache,
/// warm start).
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Advances the state by h [s] > 0. If the result is not finite the state is left as it was and
  /// the status says numerical_error. Uncertified steps are taken and reported; the caller decides
  /// what to do with them.
  [[nodiscard]] virtual StepReport step(model::State& state, Real step_size) = 0;

  /// Drops from a state what the next step would take up of accelerations before, which are none
  /// of those after where a law of time changes fast.
  virtual void start_anew(model::State& /*state*/) const {}

  /// Allows the scheme to leave states in parts (model::State::deal) where ranks share its bodies,
  /// and what it remembers too: the caller completes the state before it reads bodies that another
  /// rank has, and calls complete() before anything below but contact() and the energy's report;
  /// contact() then has the right bodies, no more. Not allowed before the first call.
  virtual void allow_parts(bool /*are_allowed*/) {}
  /// Makes what the scheme remembers of the last step right on this rank. Collective.
  virtual void complete() {}

  /// The contacts of the last step, in the order the certificate counts them.
  [[nodiscard]] virtual const std::vector<StepContact>& contacts() const = 0;

  /// One of them, or nothing if there are not so many; does not make the whole list where the
  /// scheme can do without.
  [[nodiscard]] virtual std::optional<StepContact> contact(Index i) const {
    const std::vector<StepContact>& all = contacts();
    if (i < 0 || i >= static_cast<Index>(all.size())) return std::nullopt;
    return all[i];
  }

  /// The events of the last step, in order of time; only event-driven schemes have any.
  [[nodiscard]] virtual std::span<const Event> events() const { return {}; }

  /// What the joints, then the drives of a machine did: at the end of the last step, or on average
  /// over it where the scheme has impulses. Empty where there is no machine, and before a step.
  [[nodiscard]] virtual std::span<const dynamics::Reaction> reactions() const { return {}; }
  /// The share of the last step after which the bodies are where the reactions act, in [0, 1].
  [[nodiscard]] virtual Real place_of_reactions() const { return 1; }
  /// The coordinates of a machine in space after the last step, in the order of
  /// dynamics::joint_coordinates, with what acted along them. Empty as above.
  [[nodiscard]] virtual std::span<const dynamics::AxisReaction> axes() const { return {}; }

  /// Completes the report of the last step: the numbers of its certificate that decide nothing, and
  /// that steps of rigid bodies leave out. Cost: about that of the certificate.
  virtual void certify_in_full(StepReport& /*report*/) const {}

  /// What the scheme remembers from the last step. O(bodies + contacts).
  [[nodiscard]] virtual SchemeMemory memory() const = 0;
  /// Takes up the memory of a scheme of the same model and options, as if this one had taken its
  /// last step: with it and the state a run resumes bit for bit. Without a search in it the answers
  /// are as good, not the same.
  virtual void recall(const SchemeMemory& memory) = 0;

  /// The frictional contact problem of the last step, to be written to a file; empty before the
  /// first step.
  [[nodiscard]] virtual std::optional<problem::GlobalFrictionContact> last_problem() const = 0;
};

}  // namespace talus::stepping
