#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include <support/scratch.hpp>
#include <talus/geometry/compound.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

/// A planar model of a compound and a polytope that share a surface, with a joint and a sink.
model::Model model_with_everything() {
  model::Model model = test::balls_above_plane(1);
  model.sinks.emplace_back();
  const auto wedge = std::make_shared<const geometry::Polytope>(
      geometry::convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  model.bodies[0].shape = std::make_shared<const geometry::Compound>(geometry::Compound::build(
      {{wedge, {Vec3(1, 2, 3), Quat::Identity()}, 0}, {geometry::Sphere{0.5}, {}, 0}}));
  model.bodies[1].shape = wedge;
  model.dimension = 2;
  auto machine = std::make_shared<model::Machine>();
  machine->joints.push_back({"pin", 0, 1, model::RevoluteJoint{{0.5, 0.25}, {1, 2}, 0}, {}});
  model::Drive push;
  push.name = "push";
  push.body_a = 1;
  push.quantity = model::Drive::Quantity::displacement;
  push.p_B = {3, 4};
  push.axis_A = {0, 1};
  machine->drives.push_back(push);
  model.machine = machine;
  return model;
}

// Every dataset that a record holds is described on the reference page, with its unit.
TEST(Layout, EveryDatasetIsOnTheReferencePage) {
  std::ifstream file(TALUS_SOURCE_DIR "/docs/reference/record.md");
  ASSERT_TRUE(file) << "docs/reference/record.md is missing";
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const test::Scratch scratch;
  const model::Model model = model_with_everything();
  Recorder(scratch / "run.h5", model, {}, test::some_provenance()).finish(RunStatus::finished);
  const RecordReader reader(scratch / "run.h5");
  const std::vector<std::string> datasets = reader.datasets();
  EXPECT_GT(datasets.size(), kSeriesCount);
  for (std::string path : datasets) {
    if (path.starts_with("joints/pin/")) path.replace(7, 3, "NAME");
    if (path.starts_with("reactions/pin/")) path.replace(10, 3, "NAME");
    if (path.starts_with("drives/push/")) path.replace(7, 4, "NAME");
    EXPECT_NE(page.find("| `" + path + "` |"), std::string::npos) << path;
  }
  for (const Series& series : kPopulationSeries) EXPECT_TRUE(reader.has(series.path));
  for (const Series& series : kMachineSeries) EXPECT_TRUE(reader.has(series.path));
  for (const Series& series : kJointSeries)
    EXPECT_NE(page.find("| `reactions/NAME/" + std::string(series.path) + "` | "),
              std::string::npos);
  for (const Series& series : kDriveSeries)
    EXPECT_NE(page.find("| `drives/NAME/" + std::string(series.path) + "` | "), std::string::npos);
  for (const Series& series : kSeries)
    EXPECT_NE(page.find("| `" + std::string(series.path) + "` | "), std::string::npos);
  for (const auto& table : kOptionalSeries)
    for (const Series& series : table)
      EXPECT_NE(page.find("| `" + std::string(series.path) + "` | "), std::string::npos)
          << series.path;
}

/// What joints a record has, by the names that it has itself.
std::vector<std::string> joint_kinds(const RecordReader& reader) {
  std::istringstream text(reader.note("machine/kind", "values"));
  const std::vector<std::string> names(std::istream_iterator<std::string>(text), {});
  std::vector<std::string> kinds;
  for (const Real code : reader.array("machine/kind").values)
    kinds.push_back(names.at(static_cast<std::size_t>(code)));
  return kinds;
}

// So is every dataset of a machine in space; where one stands for many, the page has NAME.
TEST(Layout, EveryDatasetOfAMachineInSpaceIsOnTheReferencePage) {
  std::ifstream file(TALUS_SOURCE_DIR "/docs/reference/record.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const test::Scratch scratch;
  model::Model model = test::balls_above_plane(2);
  auto machine = std::make_shared<model::SpatialMachine>();
  model::SpatialJoint pin, rail, rope;
  pin.name = "pin";
  pin.body_b = 1;
  pin.X_AJ = {Vec3(1, 2, 3), Quat(0, 1, 0, 0)};
  pin.kind = model::revolute_joint();
  model::AxisLaw law;
  law.lower = -1;
  law.stiffness = law.friction = 1;
  law.motor.emplace();
  pin.axes = {law};
  rail.name = "rail";
  rail.body_a = 1;
  rail.body_b = 2;
  rail.kind = model::prismatic_joint();
  rope.name = "rope";
  rope.body_b = 2;
  rope.kind = model::Rope{0.75};
  machine->joints = {pin, rail, rope};
  model.spatial_machine = machine;
  Recorder(scratch / "run.h5", model, {}, test::some_provenance()).finish(RunStatus::finished);
  const RecordReader reader(scratch / "run.h5");
  for (std::string path : reader.datasets()) {
    for (const std::string name : {"/pin/", "/rail/", "/rope/"})
      if (const std::size_t at = path.find(name); at != std::string::npos)
        path.replace(at, name.size(), "/NAME/");
    EXPECT_NE(page.find("| `" + path + "` |"), std::string::npos) << path;
  }
  for (const Series& series : kJointCertificateSeries) EXPECT_TRUE(reader.has(series.path));
  for (const Series& series : kCoordinateSeries)
    EXPECT_NE(page.find("| `joints/NAME/" + std::string(series.path) + "` | "), std::string::npos);
  EXPECT_EQ(joint_kinds(reader), (std::vector<std::string>{"revolute", "prismatic", "rope"}));
  EXPECT_EQ(reader.array("machine/body_a").values, (std::vector<Real>{-1, 1, -1}));
  EXPECT_EQ(reader.array("machine/length").values, (std::vector<Real>{0, 0, 0.75}));
  EXPECT_EQ(reader.array("machine/motor").values, (std::vector<Real>{1, 0, 0}));
  EXPECT_EQ(reader.array("machine/limits").values[2], -1);
  EXPECT_TRUE(std::isnan(reader.array("machine/limits").values[3]));
  EXPECT_EQ(reader.array("machine/axis_a").values[2], -1);  // turned about x by half a turn
}

// Surfaces are written once however many bodies and parts share them; parts and joints say where
// they are in their bodies.
TEST(Layout, ShapesAndJoints) {
  const test::Scratch scratch;
  const model::Model model = model_with_everything();
  Recorder(scratch / "run.h5", model, {}, test::some_provenance()).finish(RunStatus::finished);
  const RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.attribute("/", "dimension", 3), 2);
  EXPECT_EQ(reader.array("bodies/shape").values, (std::vector<Real>{6, 4}));
  EXPECT_EQ(reader.array("bodies/surface").values, (std::vector<Real>{-1, 0}));
  EXPECT_EQ(reader.array("parts/body").values, (std::vector<Real>{0, 0}));
  EXPECT_EQ(reader.array("parts/surface").values, (std::vector<Real>{0, -1}));
  EXPECT_EQ(reader.array("parts/shape_position").values, (std::vector<Real>{1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(reader.array("surfaces/vertex_offset").values, (std::vector<Real>{0, 4}));
  EXPECT_EQ(reader.array("surfaces/triangle_offset").values, (std::vector<Real>{0, 4}));
  EXPECT_EQ(reader.array("machine/point_b").values, (std::vector<Real>{1, 2, 0}));
  EXPECT_EQ(reader.texts("machine/drive"), (std::vector<std::string>{"push"}));
  EXPECT_EQ(reader.array("machine/drive_quantity").values, (std::vector<Real>{1}));
  EXPECT_EQ(reader.array("machine/drive_body_a").values, (std::vector<Real>{1}));
  EXPECT_EQ(reader.array("machine/drive_body_b").values, (std::vector<Real>{0}));
  EXPECT_EQ(reader.array("machine/drive_point_b").values, (std::vector<Real>{3, 4, 0}));
  EXPECT_EQ(reader.array("machine/drive_axis_a").values, (std::vector<Real>{0, 1, 0}));
  // Outward triangles of a wedge of legs 1: its volume is 1/6.
  const std::vector<Real> vertex = reader.array("surfaces/vertex").values;
  const auto corner = [&](Real index) {
    return Vec3(vertex.data() + 3 * static_cast<Index>(index));
  };
  const std::vector<Real> triangle = reader.array("surfaces/triangle").values;
  Real volume = 0;
  for (std::size_t t = 0; t < triangle.size(); t += 3)
    volume += corner(triangle[t]).dot(corner(triangle[t + 1]).cross(corner(triangle[t + 2]))) / 6;
  EXPECT_NEAR(volume, 1.0 / 6, 1e-14);
}

// Chunks hold a useful amount of data from three bodies to a hundred thousand.
TEST(Layout, ChunksAreNeitherTinyNorHuge) {
  for (const Index bodies : {1, 3, 1000, 100'000, 10'000'000})
    for (const Series& series : kSeries) {
      const ChunkShape chunk = chunk_shape(series, bodies);
      EXPECT_GE(chunk.rows, 1);
      EXPECT_GE(chunk.bodies, 1);
      EXPECT_LE(chunk.bodies, series.is_per_body ? bodies : 1);
      const Index bytes = chunk.rows * chunk.bodies * series.components *
                          static_cast<Index>(size_of(series.element));
      EXPECT_LE(bytes, 1024 * 1024) << series.path << " with " << bodies << " bodies";
      EXPECT_GE(bytes, 4096) << series.path << " with " << bodies << " bodies";
    }
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
