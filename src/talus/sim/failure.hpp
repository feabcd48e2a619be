#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <talus/record/checkpoint.hpp>
#include <talus/scene/scene.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {
class Scheme;
}

namespace talus::sim {

/// A step at which a run stopped, and what was saved to look into it.
struct Failure {
  Index step = 0;
  std::filesystem::path
      problem;  ///< the step's contact problem, or its LCP without answer; empty if none
  std::filesystem::path state;  ///< the last good state: the one before the step
  std::string again;            ///< the command that solves the problem again; empty without one
  std::string message;          ///< all of it for people, several lines
};

/// Writes the failing problem to `<stem>.failed_<step>.hdf5` and the state before the step to
/// `<stem>.state_<step>.h5`, and words the message. A file that cannot be written is named in the
/// message with the reason; the rest is still done.
/// @param last_good the run before the step; without names of bodies. @param stem empty: nothing is
/// written.
[[nodiscard]] Failure save_failure(const scene::Scene& scene, const stepping::Scheme& scheme,
                                   const stepping::StepReport& report, record::Checkpoint last_good,
                                   const std::filesystem::path& stem);

/// "crate–ramp": the bodies of a contact by name.
[[nodiscard]] std::string contact_bodies(const model::Model& model,
                                         const stepping::StepContact& contact);

}  // namespace talus::sim
