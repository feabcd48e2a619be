#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <talus/problem/friction_contact.hpp>
#include <talus/reproduce/paper.hpp>
#include <talus/scene/scene.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::reproduce {

/// Everything that happened in one run of a scene. Entry k of `states` is the state after k steps.
struct History {
  scene::Scene scene;
  Real step_size = 0;
  std::vector<model::State> states;
  std::vector<stepping::StepReport> reports;                 ///< one per step
  std::vector<std::vector<stepping::StepContact>> contacts;  ///< one per step
  std::vector<problem::GlobalFrictionContact> problems;  ///< one per step, where a row needs them
  Real first_energy = 0;                                 ///< [J] at the start
  bool is_complete = false;                              ///< it went to its end
  [[nodiscard]] Index step_count() const { return static_cast<Index>(reports.size()); }
  /// Time after k steps, k h.
  [[nodiscard]] Real time(Index k) const { return static_cast<Real>(k) * step_size; }
};

/// The impulses of contacts in their frames, normal first: as the local problem of a step has them.
[[nodiscard]] VecX impulses(const std::vector<stepping::StepContact>& contacts);

/// The runs of a paper's cases, each made once.
class Runs {
 public:
  /// @param progress called now and then with the text of what runs and the share of the whole that
  /// is done, in [0, 1]. @param should_stop polled after every step.
  Runs(const Paper& paper, std::function<void(const std::string&, Real)> progress,
       std::function<bool()> should_stop);

  /// Makes all runs that are asked for; false if stopped.
  bool make(const std::vector<std::pair<std::string, Real>>& asked);
  /// A run that has been made (contract).
  [[nodiscard]] const History& get(const std::string& name, Real step_size) const;

 private:
  const Paper& paper_;
  std::function<void(const std::string&, Real)> progress_;
  std::function<bool()> should_stop_;
  std::map<std::pair<std::string, Real>, History> histories_;
};

}  // namespace talus::reproduce
