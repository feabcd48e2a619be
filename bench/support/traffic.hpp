#pragma once

#include <talus/problem/rigid_contact.hpp>

namespace talus::bench {

// What the sweeps of solve::RigidNsgs read and write: the only place that depends on its records.

/// Bytes a sweep reads and writes at least, each line once per pass over it.
inline double sweep_bytes(const problem::RigidContact& problem, bool momentum) {
  const double impulses = 2.0 * sizeof(Vec3) * (momentum ? 2 : 1);  // read and written
  const double block = 2.0 * sizeof(Mat3);                          // frame and A
  const double bodies = 2.0 * sizeof(problem::BodyVelocity) * (momentum ? 3 : 1);
  return static_cast<double>(problem.central.batches.size()) *
             (sizeof(problem::CentralBatch) + problem::kLanes * impulses) +
         static_cast<double>(problem.general.size()) *
             (sizeof(problem::GeneralContact) + block + impulses) +
         static_cast<double>(problem.bodies.size()) * bodies +
         static_cast<double>(problem.inverse_inertia.size()) * sizeof(Mat3);
}

/// Bytes one relaxation of a central contact touches, its two bodies counted in full.
inline double touched_bytes(bool momentum) {
  return sizeof(problem::CentralBatch) / 8.0 + sizeof(Vec3) * (momentum ? 2.0 : 1.0) +
         2.0 * sizeof(problem::BodyVelocity);
}

}  // namespace talus::bench
