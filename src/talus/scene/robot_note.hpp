#pragma once

#include <string>
#include <vector>

#include <talus/base/error.hpp>

namespace talus::scene {

/// What became of a part of a robot's file.
enum class RobotNoteKind : unsigned char {
  read,     ///< understood, and worth saying
  merged,   ///< several parts became one
  added,    ///< not in the file: what was taken for what it does not say
  ignored,  ///< of no effect on hard bodies, or not on the motion: softness, solvers, looks
  refused,  ///< it would change the motion, is not read, and left out
};

/// One line of the report on a robot's file. Equal ones are counted; the place is the first one's.
struct RobotNote {
  RobotNoteKind kind = RobotNoteKind::read;
  SourcePosition where;
  std::string text;
  int count = 1;
};

/// "ignored  go1.xml:3:5: option impratio: … (2 times)".
[[nodiscard]] std::string to_string(const RobotNote& note);

}  // namespace talus::scene
