// How forces and speeds are distributed, against what statics and free fall say of each.
#include <gtest/gtest.h>

#include <algorithm>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/record/distribution.hpp>
#include <talus/record/reader.hpp>
#include <talus/sim/simulation.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81;

// Of a column of three balls at rest the contacts bear 3, 2 and 1 weights in every frame but the
// first, which no step ended at; a fourth ball falls beside them with the speed g t and touches
// nothing. The fixed floor has no speed.
TEST(Distribution, ColumnAndFall) {
  scene::SceneFolder folder;
  const test::Scratch scratch;
  Simulation simulation(scene::load(folder.write(
      "scene.yaml",
      "time: {step: 1 ms, end: 20 ms}\nrecord: {every: 5}\nsolver: {tolerance: 1e-10}\n"
      "bodies:\n"
      "  - {name: floor, motion: fixed, shape: {plane: {}}}\n"
      "  - {name: a, shape: {sphere: 0.1}, mass: 2 kg, position: [0, 0, 0.1]}\n"
      "  - {name: b, shape: {sphere: 0.1}, mass: 2 kg, position: [0, 0, 0.3]}\n"
      "  - {name: c, shape: {sphere: 0.1}, mass: 2 kg, position: [0, 0, 0.5]}\n"
      "  - {name: d, shape: {sphere: 0.1}, mass: 2 kg, position: [3, 0, 9]}\n")));
  simulation.record_to(scratch / "run.h5");
  simulation.run();
  const record::RecordReader reader(scratch / "run.h5");
  ASSERT_EQ(reader.frame_count(), 5);

  auto forces = record::read_distribution(reader, "contacts/normal_force").value();
  ASSERT_EQ(forces.value.size(), 12U);
  EXPECT_EQ(forces.unit, "N");
  std::sort(forces.value.begin(), forces.value.end());
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_NEAR(forces.value[k], static_cast<Real>(k / 4 + 1) * 2 * kG, 1e-6) << k;
  const auto friction = record::read_distribution(reader, "contacts/friction_force").value();
  for (const Real force : friction.value) EXPECT_LT(force, 1e-9);
  const auto gaps = record::read_distribution(reader, "contacts/gap").value();
  for (const Real gap : gaps.value) EXPECT_NEAR(gap, 0, 1e-9);

  const auto speeds = record::read_distribution(reader, "bodies/speed").value();
  ASSERT_EQ(speeds.value.size(), 20U);  // four bodies in five frames
  for (std::size_t k = 0; k < 20; ++k)
    EXPECT_NEAR(speeds.value[k], k % 4 == 3 ? kG * speeds.time[k] : 0, 1e-9) << k;
  EXPECT_FALSE(record::read_distribution(reader, "energies/kinetic").has_value());
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
