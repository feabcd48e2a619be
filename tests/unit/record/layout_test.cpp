#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <support/scratch.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

namespace talus::record {
namespace {

// Every dataset that a record holds is described on the reference page, with its unit.
TEST(Layout, EveryDatasetIsOnTheReferencePage) {
  std::ifstream file(TALUS_SOURCE_DIR "/docs/reference/record.md");
  ASSERT_TRUE(file) << "docs/reference/record.md is missing";
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const test::Scratch scratch;
  model::Model model = test::balls_above_plane(1);
  model.sinks.emplace_back();
  model.machine = std::make_shared<model::Machine>();
  Recorder(scratch / "run.h5", model, {}, test::some_provenance()).finish(RunStatus::finished);
  const Reader reader(scratch / "run.h5");
  const std::vector<std::string> datasets = reader.datasets();
  EXPECT_GT(datasets.size(), kSeriesCount);
  for (const std::string& path : datasets)
    EXPECT_NE(page.find("| `" + path + "` |"), std::string::npos) << path;
  for (const Series& series : kPopulationSeries) EXPECT_TRUE(reader.has(series.path));
  for (const Series& series : kMachineSeries) EXPECT_TRUE(reader.has(series.path));
  for (const Series& series : kJointSeries)
    EXPECT_NE(page.find("| `joints/NAME/" + std::string(series.path) + "` | "), std::string::npos);
  for (const Series& series : kDriveSeries)
    EXPECT_NE(page.find("| `drives/NAME/" + std::string(series.path) + "` | "), std::string::npos);
  for (const Series& series : kSeries)
    EXPECT_NE(page.find("| `" + std::string(series.path) + "` | "), std::string::npos);
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
}  // namespace talus::record
