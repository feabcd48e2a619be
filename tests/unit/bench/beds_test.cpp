#include "support/beds.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <talus/base/error.hpp>

#include "support/scratch.hpp"
#include "support/step_problem.hpp"

namespace talus::bench::TALUS_TEST_FILE {
namespace {

// A bed that is written and read again is the same, bit by bit, with the impulses of its last step.
TEST(Beds, AreReadAsTheyWereWritten) {
  const test::Scratch scratch;
  Bed bed = lattice_bed(50);
  bed.world.state.velocity[20] = {0.1, -0.2, 1.0 / 3};
  bed.world.state.angular_velocity[30] = {1e-17, 2, 3};
  bed.memory.step_size = 1e-3;
  for (const auto& [a, b] : {std::pair(0, 7), std::pair(54, 6)}) {
    stepping::StepContact& contact = bed.memory.contacts.emplace_back();
    contact.body_a = a;
    contact.body_b = b;
    contact.impulse = {1.0 / b, -1e-20, 1.0 / 3};
  }
  write_bed(scratch / "bed.csv", bed, bed.world.state, bed.memory);
  const Bed again = read_bed(scratch / "bed.csv");
  EXPECT_EQ(again.memory.step_size, 1e-3);
  ASSERT_EQ(again.memory.contacts.size(), 2U);
  for (int i = 0; i < 2; ++i) {
    const stepping::StepContact &one = again.memory.contacts[i], &other = bed.memory.contacts[i];
    EXPECT_EQ(one.body_a, other.body_a);
    EXPECT_EQ(one.body_b, other.body_b);
    EXPECT_EQ(one.impulse, other.impulse);
  }
  EXPECT_EQ(again.width, bed.width);
  EXPECT_EQ(again.world.state.hash(), bed.world.state.hash());
  EXPECT_EQ(again.world.model.bodies.back().mass, bed.world.model.bodies.back().mass);
}

// What is wrong in a file of spheres is named with its line.
TEST(Beds, MistakesAreNamedWithTheirLine) {
  const test::Scratch scratch;
  const auto message = [&](const char* text) {
    std::ofstream(scratch / "bed.csv") << text;
    try {
      static_cast<void>(read_bed(scratch / "bed.csv"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read without complaint");
  };
  EXPECT_NE(message("# N=1\nid,x,y,z,r\n").find("bed.csv:1"), std::string::npos);
  EXPECT_NE(message("# L=1\nid,x,y\n").find("bed.csv:2"), std::string::npos);
  EXPECT_NE(message("# L=1\nid,x,y,z,r\n0,0,0,1,0.1\n1,0,0,x,0.1\n").find("bed.csv:4"),
            std::string::npos);
  EXPECT_NE(message("# L=1\nid,x,y,z,r\n0,0,0,1,-0.1\n").find("bed.csv:3"), std::string::npos);
  const std::string ball = "# L=1\nid,x,y,z,r\n0,0,0,1,0.1\n";
  EXPECT_NE(message((ball + "# h=0\na,b,rx,ry,rz\n").c_str()).find("bed.csv:5"), std::string::npos);
  EXPECT_NE(message((ball + "# h=1\na,b\n").c_str()).find("bed.csv:5"), std::string::npos);
  EXPECT_NE(message((ball + "# h=1\na,b,rx,ry,rz\n0,6,1,1,1\n").c_str()).find("bed.csv:6"),
            std::string::npos);
}

// A generated bed does not touch itself or its container, and is the same every time.
TEST(Beds, LatticesDoNotTouch) {
  const Bed bed = lattice_bed(300);
  EXPECT_EQ(bed.world.state.hash(), lattice_bed(300).world.state.hash());
  StepProblem step(bed.world.model);
  step.build(bed.world.state, 1e-6, {});
  EXPECT_EQ(step.max_penetration(), 0);
  for (const Vec3& v : bed.world.state.velocity) EXPECT_TRUE(v.isZero(0));
}

// In a mirrored bed a sphere at a gap g from an inner wall of its tile is at 2g from its image, and
// the image moves as in a mirror.
TEST(Beds, MirroredTilesMeetAtTheirWalls) {
  Bed tile = lattice_bed(1);
  const Real radius = std::get<geometry::Sphere>(tile.world.model.bodies[5].shape).radius;
  const Real gap = 1e-4;
  tile.world.state.position[5] = {tile.width / 2 - radius - gap, 0.001, radius};
  tile.world.state.velocity[5] = {0.1, 0.2, 0.3};
  tile.world.state.angular_velocity[5] = {1, 2, 3};
  const Bed bed = mirror_tiles(tile, tile.world.state, 2);
  const model::State& state = bed.world.state;
  ASSERT_EQ(state.body_count(), 5 + 4);
  EXPECT_EQ(bed.width, 2 * tile.width);
  EXPECT_NEAR((state.position[6] - state.position[5]).norm() - 2 * radius, 2 * gap, 1e-15);
  EXPECT_EQ(state.velocity[6], Vec3(-0.1, 0.2, 0.3));
  // Their surfaces move alike where they meet: v + ω × (± radius x), along the mirror.
  const Vec3 arm(radius, 0, 0);
  const Vec3 left = state.velocity[5] + state.angular_velocity[5].cross(arm);
  const Vec3 right = state.velocity[6] - state.angular_velocity[6].cross(arm);
  EXPECT_NEAR(left.y(), right.y(), 1e-15);
  EXPECT_NEAR(left.z(), right.z(), 1e-15);
}

}  // namespace
}  // namespace talus::bench::TALUS_TEST_FILE
