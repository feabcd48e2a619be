#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <talus/geometry/manifold.hpp>

namespace talus::geometry {

/// A contact point of a pair of any shapes, with its own normal; in A's frame.
struct PairContact {
  Vec3 normal = Vec3::UnitZ();   ///< unit, from A to B
  Vec3 position = Vec3::Zero();  ///< on the mid-surface [m]
  Real gap = 0;                  ///< [m], negative = penetration
  FeatureId feature = 0;
  std::uint32_t member = 0;  ///< names the members of compounds that touch
};

/// Where contacts_of_pair writes; keep one (per thread) and use it again, so that nothing is
/// allocated once it has grown.
struct PairContacts {
  std::vector<PairContact> points;  ///< sorted by feature, each feature once

  /// Scratch of the mesh queries: a triangle near a body's middle with its closest point there, a
  /// contact with the triangle that gave it, and the way out of a triangle that is overlapped.
  struct Near {
    Vec3 point;
    Real squared_distance;
    int triangle, feature;
    bool is_behind = false;   ///< the body is behind it, of a sheet
    bool is_nearest = false;  ///< of its piece of a sheet
    bool is_seen = false;
  };
  struct Candidate {
    PairContact contact;
    int triangle;
  };
  struct Overlap {
    Vec3 normal;
    Real gap;
    int triangle;
  };
  std::vector<Near> near;
  std::vector<std::size_t> open;  ///< of them, on the way through a sheet
  std::vector<Candidate> candidates;
  std::vector<Overlap> overlaps;
};

/// True for shapes that `manifold` takes: everything but meshes, pipes and compounds.
[[nodiscard]] bool is_convex(const Shape& shape);

/// All contact points of two shapes with gap ≤ margin, whatever they are: the points of `manifold`
/// for convex ones; for a mesh, a pipe or a compound any number of points with several normals.
///
/// Meshes and pipes touch convex shapes and compounds only, not each other (no points).
/// @param b_in_a X_AB, unit quaternion. @param margin [m] ≥ 0. @param contacts out, overwritten.
/// Features name the points from step to step, also where a body slides from triangle to triangle
/// of one plane.
void contacts_of_pair(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin,
                      PairContacts& contacts);

}  // namespace talus::geometry
