#pragma once

#include <algorithm>
#include <string>

#include <talus/model/spatial_machine.hpp>

#include "scene_folder.hpp"

// Scenes that are one robot's file.

namespace talus::scene {

inline Scene load_robot(const std::string& text, const std::string& ending = ".xml") {
  SceneFolder folder;
  folder.write("robot" + ending, text);
  return scene::load(folder.path() / ("robot" + ending));
}

inline Scene load_world(const std::string& world, const std::string& before = "",
                        const std::string& after = "") {
  return load_robot("<mujoco>" + before + "<worldbody>" + world + "</worldbody>" + after +
                    "</mujoco>");
}

inline Index body_of(const Scene& scene, const std::string& name) {
  const Index body = scene.model.find_body(name);
  EXPECT_GE(body, 0) << name;
  return std::max(body, Index(0));
}

inline const model::SpatialJoint& joint_of(const Scene& scene, const std::string& name) {
  for (const model::SpatialJoint& joint : scene.model.spatial_machine->joints)
    if (joint.name == name) return joint;
  ADD_FAILURE() << name;
  return scene.model.spatial_machine->joints.front();
}

/// Whether the report has a note of a kind with a text.
inline bool has_note(const Scene& scene, RobotNoteKind kind, const std::string& text) {
  return std::any_of(scene.robot_notes.begin(), scene.robot_notes.end(), [&](const auto& note) {
    return note.kind == kind && note.text.find(text) != std::string::npos;
  });
}

}  // namespace talus::scene
