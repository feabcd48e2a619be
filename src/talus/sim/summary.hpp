#pragma once

#include <optional>
#include <string>

#include <talus/certify/joint_residual.hpp>
#include <talus/model/state.hpp>
#include <talus/record/recorder.hpp>

namespace talus::sim {

/// Who came and went in a run.
struct PopulationAccount {
  bool is_changing = false;        ///< the scene has sources or sinks
  Index present = 0, waiting = 0;  ///< bodies at the end
  model::Flow in, out;
  struct {
    Index now = 0, most = 0;  ///< bodies that are due and have found no place: at the end; at worst
    Index steps = 0;          ///< steps with some
  } late;
  void start(const model::Model& model, const model::State& state);
  void add(const model::PopulationChange& change);
};

/// How many bodies lay still and were left out of steps.
struct SleepAccount {
  bool is_possible = false;   ///< the scene lets bodies sleep
  Index bodies = 0;           ///< dynamic ones: who can
  Index now = 0, most = 0;    ///< asleep in the last step; in the step with most
  std::optional<Real> since;  ///< end of the first step with some [s]
  void start(const model::Model& model, bool can_sleep);
  void add(Index sleeping, Real time);
};

/// How well the constraints of a machine in space held in a run.
struct JointAccount {
  certify::JointResidual worst;  ///< over all steps; constraint_count 0: there is no machine
  Index rate_step = 0, drift_step = 0, rank_step = 0;  ///< where each was
  std::string rate_of, drift_of;                       ///< what has it: "joint elbow"
  /// Adds a step. @param name of a constraint.
  template <class Name>
  void add(const certify::JointResidual& joints, Index step, const Name& name) {
    if (joints.constraint_count == 0) return;
    const certify::JointResidual before = worst;
    worst = certify::worse_of(before, joints);
    const bool is_first = before.constraint_count == 0;
    if (is_first || !(worst.rate == before.rate)) {
      rate_step = step;
      rate_of = name(worst.worst_rate);
    }
    if (is_first || !(worst.drift == before.drift)) {
      drift_step = step;
      drift_of = name(worst.worst_drift);
    }
    if (is_first || worst.rank != before.rank) rank_step = step;
  }
};

/// The result of a run in numbers, for people and scripts.
struct Summary {
  record::RunStatus status = record::RunStatus::running;
  std::string title;
  std::string scheme, solver;
  Real tolerance = 0;           ///< that steps are certified at [-]
  Index steps = 0;              ///< steps taken, those before a resumption included
  Index resumed_from_step = 0;  ///< the first of them that an earlier run had taken are not judged
  Real time = 0;                ///< simulated time reached [s]
  Index bodies = 0;
  Index warnings = 0;      ///< scene::warnings: what was left out of a robot's file, and others
  Index max_contacts = 0;  ///< in one step
  Index uncertified_steps = 0;
  Index first_uncertified_step = -1;  ///< −1: every step is certified
  std::string first_reason;           ///< what that step said; "": its certificate is the reason
  bool has_lost_step = false;  ///< the run ended at a step without an answer; it was not taken
  struct {
    certify::Certificate::Measure measure{"natural map", 0, 1};
    ///< what came nearest to its limit, or farthest beyond; its value is infinite if a residual was
    ///< not finite
    Real velocity = 0;   ///< largest error of a contact's velocity in that step [m/s]
    Index step = 0;      ///< which; 0 before the first
    Index contact = -1;  ///< the worst contact there; −1 without contacts
    std::string bodies;  ///< its bodies by name, "crate–ramp"
  } worst_certificate;
  /// The worst residual as a number to compare with the tolerance: excess · tolerance.
  [[nodiscard]] Real worst_residual() const {
    return worst_certificate.measure.excess() * tolerance;
  }
  JointAccount joints;
  Real max_penetration = 0;  ///< [m] ≥ 0
  Index pushed_steps = 0;    ///< that had impulses from outside, those before a resumption included
  Index second_impacts = 0;  ///< impacts with restitution that others of their step caused
  struct {
    Real initial = 0, final = 0;  ///< total energy [J]
    Real max_rise_in_a_step = 0;  ///< largest increase [J] in a step, ≥ 0; of the bodies that
                                  ///< are there in it
  } energy;
  PopulationAccount population;
  SleepAccount sleep;
  struct {
    Index total = 0, max = 0;  ///< sweeps or pivots of all steps and of the longest
  } iterations;
  double wall_seconds = 0;       ///< from the first step on, recording included
  std::string output;            ///< the record; empty without one
  std::uint64_t state_hash = 0;  ///< of the last state, bit for bit
};

/// One JSON object on one line; keys as in docs/reference/record.md. Numbers that are not finite
/// become null.
[[nodiscard]] std::string to_json(const Summary& summary);

/// A few lines for people.
[[nodiscard]] std::string to_text(const Summary& summary);

}  // namespace talus::sim
