#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/probe.hpp>
#include <talus/model/state.hpp>
#include <talus/scene/robot_note.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::scene {

/// What to do when a step is not certified.
enum class OnUncertified : unsigned char { accept, stop };

/// A file that a scene was made from, for provenance.
struct SourceFile {
  std::filesystem::path path;
  std::string text;
};

/// A scene as it was read: what exists, how it starts, how to step it.
struct Scene {
  std::string title;
  std::filesystem::path path;  ///< the main file
  std::vector<SourceFile>
      sources;  ///< the main file first, then includes and data files in order of reading
  model::Model model;
  model::State initial;
  Real step_size = 1e-3;           ///< h [s]
  Real end_time = 1;               ///< [s]
  stepping::SchemeOptions scheme;  ///< and the solver's options in it
  OnUncertified on_uncertified = OnUncertified::accept;
  std::vector<model::Probe> probes;    ///< what is measured
  Index record_every = 1;              ///< frames recorded: every so many steps
  Index record_contacts_every = 1;     ///< frames with contacts: every so many; 0: none
  bool is_recorded_in_single = false;  ///< poses, velocities and contacts of frames
  std::vector<RobotNote> robot_notes;  ///< what became of the parts of robots' files
};

/// A value of the main file to be put in place of what is written there.
struct Setting {
  std::string path;   ///< keys, names or numbers of list items, from the top: bodies.gate.position
  std::string value;  ///< YAML
};

/// What the command line may change in a scene; empty means: as the file says.
struct Overrides {
  std::vector<Setting> settings;  ///< one after another; become sources of the scene
  std::optional<Real> end_time;
  std::optional<Real> step_size;
  std::optional<std::string> scheme;
  std::optional<std::string> solver;
  std::optional<Real> tolerance;
  std::optional<Index> sweeps;                            ///< solver.max_iterations
  std::map<std::string, std::filesystem::path> packages;  ///< folders of package://NAME in robots
  std::string keyframe;  ///< of an MJCF file that is the scene: where it starts; "": as it is given
};

/// Reads a scene file, or the scene.yaml of a folder, and everything it includes. A file that ends
/// in .urdf, .xml or .mjcf is read as a robot (URDF, MJCF) and becomes a scene of its own.
/// @throws InputError with every mistake found, each with file:line:column, what was found, what is
/// allowed, a hint.
[[nodiscard]] Scene load(const std::filesystem::path& path, const Overrides& overrides = {});

/// Reads a scene that is given as text, YAML or JSON, as load reads a file that says it.
/// @param name of the file it might be, for messages; files that the scene names are relative to
/// its folder, and its ending says what a robot is.
[[nodiscard]] Scene load_text(std::string text, const std::filesystem::path& name,
                              const Overrides& overrides = {});

}  // namespace talus::scene
