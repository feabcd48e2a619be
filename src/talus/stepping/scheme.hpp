#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/geometry/manifold.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/stepping/event.hpp>
#include <talus/stepping/implicit_step.hpp>
#include <talus/stepping/machine/options.hpp>

namespace talus::stepping {

/// What a scene or a caller may set about a scheme. Fields a scheme does not use are rejected by
/// the scene reader.
struct SchemeOptions {
  std::string scheme = "moreau_jean";  ///< a registry name: scheme_names()
  Real theta = 1.0;  ///< Moreau–Jean's θ in [1/2, 1]; 1 keeps gaps non-negative to first order
  Index directions = 8;      ///< Stewart–Trinkle's k: even, ≥ 4
  bool fixed_point = false;  ///< the implicit schemes: re-linearise at q' (ImplicitOptions)
  Index max_halvings = 0;    ///< the implicit schemes: how often a step that fails is cut in two
  std::string tangents = "paper";  ///< frame of the k directions: "paper" or "contact_frame"
  Real error_reduction =
      0.2;           ///< share of a penetration below the slop that one step removes, in [0, 1]
  Real slop = 1e-3;  ///< penetration left alone, as a share of the smaller body's size, ≥ 0
  bool sleeping = false;  ///< Moreau–Jean's with θ = 1: islands at rest are left out of steps
  problem::FrictionLaw law =
      problem::FrictionLaw::coulomb;  ///< of all contacts; Moreau–Jean's only
  machine::MachineOptions machine;    ///< event-driven's only
  driver::Options solver = step_solver();

  /// Steps are certified at 1e-6 unless somebody asks for something else.
  [[nodiscard]] static driver::Options step_solver() {
    driver::Options options;
    options.tolerance = 1e-6;
    return options;
  }
};

/// A contact of the last step with its impulse, for recorders, viewers and tests.
struct StepContact {
  Index body_a = 0, body_b = 0;  ///< model indices; the impulse acts on B, its reverse on A
  Vec3 position = Vec3::Zero();  ///< [m], world
  Vec3 normal = Vec3::UnitZ();   ///< unit, from A to B, world
  Real gap = 0;                  ///< [m] at the start of the step
  Vec3 impulse = Vec3::Zero();   ///< [N·s], world
  geometry::FeatureId feature =
      0;  ///< features of the two shapes that touch: the contact's name across steps
  Vec3 moment = Vec3::Zero();  ///< on B, its reverse on A [N·s·m], world: of rolling and spinning
};

/// All that a scheme remembers from one step to the next, besides the state.
struct SchemeMemory {
  std::vector<StepContact> contacts;  ///< of the last step, in its order
  Real step_size = 0;                 ///< of the last step [s]; 0: there was none
  /// Where the last search for contacts saw the bodies and how far from there it holds: the order
  /// in which contacts are solved follows from it. Empty where that does not matter.
  std::vector<Pose> search_pose;
  std::vector<Real> search_reach;  ///< [m]; negative: the body was not there
};

using dynamics::Energy;

/// What one step did, certified. A step whose status is not `converged` is uncertified.
struct [[nodiscard]] StepReport {
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< worst_contact indexes contacts() of the scheme
  Index contact_count = 0;
  Index iterations = 0;      ///< sweeps or pivots
  Real max_penetration = 0;  ///< [m] ≥ 0, the largest that the scheme saw in this step
  Energy energy;             ///< after the step
  std::string detail;        ///< one line for people when something went wrong
  LcpStatistics lcp;         ///< of the implicit schemes with Lemke's method
  FixedPointReport fixed_point;
  [[nodiscard]] bool is_certified() const { return status == problem::SolveStatus::converged; }
};

/// A time-stepping scheme bound to a model. It keeps what it needs between steps (contact cache,
/// warm start).
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Advances the state by h [s] > 0. If the result is not finite the state is left as it was and
  /// the status says numerical_error. Uncertified steps are taken and reported; the caller decides
  /// what to do with them.
  [[nodiscard]] virtual StepReport step(model::State& state, Real step_size) = 0;

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

  /// What the scheme remembers from the last step. O(bodies + contacts).
  [[nodiscard]] virtual SchemeMemory memory() const = 0;
  /// Takes up the memory of a scheme of the same model and options, as if this one had taken its
  /// last step: with it and the state a run goes on bit for bit. Without a search in it the answers
  /// are as good, not the same.
  virtual void recall(const SchemeMemory& memory) = 0;

  /// The frictional contact problem of the last step, to be written to a file; empty before the
  /// first step.
  [[nodiscard]] virtual std::optional<problem::GlobalFrictionContact> last_problem() const = 0;
};

/// Registry: schemes by name. Adding a scheme adds one file and one line in scheme.cpp.
[[nodiscard]] std::vector<std::string_view> scheme_names();

/// What a scheme cannot do of a model, in words for its user; empty if it can do everything.
/// Stewart–Trinkle and Anitescu–Potra stepping know inelastic impacts only: a restitution above 0
/// is refused.
[[nodiscard]] std::string unsupported(const model::Model& model, const SchemeOptions& options);

/// Makes a scheme. The model must outlive it. An unknown name is a broken contract: check
/// scheme_names() first.
[[nodiscard]] std::unique_ptr<Scheme> make_scheme(const model::Model& model,
                                                  const SchemeOptions& options);

}  // namespace talus::stepping
