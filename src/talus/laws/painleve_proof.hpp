#pragma once

#include <vector>

#include <talus/laws/joint_lcp.hpp>

namespace talus::laws {

/// Forces that satisfy the laws of some contacts, with the rates that they make.
struct ContactAnswer {
  VecX force;  ///< normals, then frictions; of several with these rates their mean
  VecX rate;
  Index states = 0;        ///< that have these rates
  bool is_stable = false;  ///< one of them has det ∂rate/∂force > 0, over what is closed or held
};

/// What is left when all states of some contacts have been tried.
struct ContactStates {
  std::vector<ContactAnswer> answers;  ///< with different rates
  Index tried = 0;                     ///< states
  bool is_complete = false;            ///< it is proved that there are no other answers
};

/// Every answer to the laws of contacts, with the presses of guides: each normal is open or closed,
/// each candidate friction at its lower bound, held or at its upper bound, each end of a guide
/// pressed on one side or the other. In a state all that is not known is linear, and its one answer
/// is kept if the inequalities of the state hold to 1e-10 of the rates and 1e-12 of the forces that
/// meet.
///
/// A state whose equations are singular has no answer, or many: where these have the same rates one
/// of them is on the border to another state, and is found there. Where they differ the list is not
/// complete; nor is it with pins, whose press is no piecewise linear function, nor where there are
/// more than 2¹⁴ states (none is tried then). Cost: states × rows³.
[[nodiscard]] ContactStates find_all(const ContactLcp& contacts,
                                     const std::vector<JointNormalForce>& joint_normals = {});

/// Solves as solve(contacts, presses) does and, where that finds nothing or sliding friction may
/// have several answers or none (is_ambiguous), tries all states.
///
/// The status is `infeasible` where no state has an answer, which is a proof. Of several answers it
/// is the stable one, if there is one such only: where det ∂rate/∂force < 0 over the forces of a
/// state, contacts that give way ever so little leave it at once, whatever their stiffnesses
/// (−det K S is the constant term of the characteristic polynomial of N = −K g, g̈ = S N + b, whose
/// leading term is positive). The others are counted in `answers`; 0 where nothing was to be tried,
/// or too much.
[[nodiscard]] ContactForces solve_or_prove(const ContactLcp& contacts,
                                           const std::vector<JointNormalForce>& joint_normals = {});

}  // namespace talus::laws
