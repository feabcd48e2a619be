#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fuzz/targets.hpp>
#include <talus/base/random.hpp>

namespace talus::fuzz {
namespace {

namespace fs = std::filesystem;
using File = std::vector<std::uint8_t>;

struct Target {
  const char* name;  ///< of the function and of its folder in corpus/
  void (*use)(Bytes);
  int mutations;  ///< of every file
};

constexpr Target kTargets[] = {
    {"scene", scene, 200},
    {"record", record_whole, 20},
    {"state", state, 100},
    {"problem", problem, 100},
    {"matrix_market", matrix_market, 500},
    {"stl", stl, 500},
    {"obj", obj, 100},
    {"sphere_table", sphere_table, 500},
    {"time_table", time_table, 500},
    {"urdf", urdf, 200},
    {"mjcf", mjcf, 200},
    {"request", request, 50},
};

std::vector<File> corpus_of(const char* name) {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(fs::path(TALUS_SOURCE_DIR) / "tests/fuzz/corpus" / name))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<File> files;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

/// A few bytes changed, or the end cut off, or a piece repeated.
File damaged(File file, Random& random) {
  if (file.empty()) return file;
  const auto place = [&] { return static_cast<std::ptrdiff_t>(random.bits() % file.size()); };
  switch (random.bits() % 4) {
    case 0:
      file.resize(static_cast<std::size_t>(place()));
      break;
    case 1:
      for (int k = 0; k < 8; ++k)
        file[static_cast<std::size_t>(place())] = static_cast<std::uint8_t>(random.bits());
      break;
    case 2: {
      const std::size_t first = static_cast<std::size_t>(place());
      for (std::size_t k = first; k < std::min(first + 8, file.size()); ++k) file[k] = 0xff;
      break;
    }
    default: {
      const std::ptrdiff_t first = place();
      const auto last = std::min<std::ptrdiff_t>(first + 64, std::ssize(file));
      const File piece(file.begin() + first, file.begin() + last);
      file.insert(file.begin() + place(), piece.begin(), piece.end());
    }
  }
  return file;
}

class Replay : public ::testing::TestWithParam<Target> {};

// Whatever stands in a file or a request, the program says what is wrong with it and goes on: for
// every file of the corpus (which holds what fuzzing once found), and for damaged copies of it. The
// fuzzers proper are the programs of the preset `fuzz`.
TEST_P(Replay, NothingCrashes) {
  const char* rounds = std::getenv("TALUS_FUZZ_ROUNDS");  // for longer runs by hand
  const int factor = rounds != nullptr ? std::atoi(rounds) : 1;
  Random random(18 + static_cast<std::uint64_t>(factor));
  const std::vector<File> files = corpus_of(GetParam().name);
  ASSERT_FALSE(files.empty());
  for (const File& file : files) {
    GetParam().use(file);
    for (int k = 0; k < factor * GetParam().mutations; ++k) GetParam().use(damaged(file, random));
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace talus::fuzz
