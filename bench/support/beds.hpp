#pragma once

#include <filesystem>

#include "support/world.hpp"

namespace talus::bench {

/// A bed of spheres in a square container, open at the top, with its width [m].
struct Bed {
  test::World world;
  Real width = 0;
  stepping::SchemeMemory memory;  ///< of the step before, where there was one
};

/// Spheres of 10 mm ± 10 %, 2500 kg/m³, μ = 0.5, at rest on a jittered cubic lattice of
/// spacing 25.6 mm, not touching, about 28 layers deep whatever the number.
/// @param count spheres, ≥ 1. @param seed of radii and jitter.
[[nodiscard]] Bed lattice_bed(Index count, std::uint64_t seed = 1);

/// Spheres from a CSV file: columns id, x, y, z, r and, for a bed in motion, vx, vy, vz, wx, wy,
/// wz; the width L of the container in a first line `# … L=0.1536 …`. Behind them may follow the
/// impulses of the step before: a line `# h=0.001`, columns a, b, rx, ry, rz [N s], bodies by their
/// indices in the model.
/// @throws InputError with file and line.
[[nodiscard]] Bed read_bed(const std::filesystem::path& path);

/// Writes what read_bed() reads, at 17 digits: a bed at rest is read at rest. Orientations, and
/// whether walls are smooth, are not kept. @throws InputError if the file cannot be written.
/// @param memory of the bed's scheme at that state.
void write_bed(const std::filesystem::path& path, const Bed& bed, const model::State& state,
               const stepping::SchemeMemory& memory);

/// A larger bed of tiles × tiles copies, neighbours mirror images of each other: a sphere that
/// leant on a wall leans on its own image at the same force, so that a settled bed stays nearly at
/// rest.
/// @param state of the tile. @param tiles ≥ 1.
[[nodiscard]] Bed mirror_tiles(const Bed& tile, const model::State& state, int tiles);

/// Takes the friction from the four walls, not from the floor.
void smooth_walls(Bed& bed);

/// The same with smooth walls, and with the impulses of the tile's last step: a sphere leant on a
/// wall, or leans on its image, without friction. So a tile at rest gives a bed at rest.
/// @param memory of the tile's scheme at that state.
[[nodiscard]] Bed mirror_settled(const Bed& tile, const model::State& state,
                                 const stepping::SchemeMemory& memory, int tiles);

/// Numbers the spheres at random, as after long mixing.
void shuffle(Bed& bed, std::uint64_t seed = 1);

/// A wall of bricks of 200 × 100 × 60 mm in running bond on a floor, courses of n and n − 1 in
/// turn, head joints 1 mm open; it stands.
[[nodiscard]] test::World toothed_wall(int bricks, int courses);

}  // namespace talus::bench
