#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(TALUS_SOURCE_DIR) / "tests" / "scenes" / "broken";

struct Expectation {
  std::string message;
  std::string hint;
};

/// The lines `# expect: …` and `# hint: …` of a broken scene.
std::vector<Expectation> expectations_of(const fs::path& file) {
  std::vector<Expectation> expectations;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("# expect: ")) expectations.push_back({line.substr(10), ""});
    if (line.starts_with("# hint: ")) expectations.back().hint = line.substr(8);
  }
  return expectations;
}

/// `file:line:column: path: message` with file names relative to the folder.
std::string headline(const Diagnostic& diagnostic) {
  Diagnostic bare = diagnostic;
  bare.excerpt.clear();
  bare.hint.clear();
  std::string text = to_string(bare);
  const std::string prefix = kFolder.string() + "/";
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
    text.erase(at, prefix.size());
  return text;
}

/// An expectation that ends with … is the beginning of the message.
bool agrees(const std::string& expected, const std::string& message) {
  const std::string more = " …";
  return expected == message ||
         (expected.ends_with(more) &&
          message.starts_with(expected.substr(0, expected.size() - more.size())));
}

class BrokenScene : public ::testing::TestWithParam<fs::path> {};

// A broken scene gives exactly the mistakes that are written in it: place, path, what was found,
// what is allowed, hint; all of them in one go.
TEST_P(BrokenScene, GivesItsMessages) {
  const std::vector<Expectation> expectations = expectations_of(GetParam());
  ASSERT_FALSE(expectations.empty()) << "no line `# expect: `";
  try {
    (void)load(GetParam());
    FAIL() << "the scene was accepted";
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), expectations.size()) << error.what();
    for (std::size_t i = 0; i < expectations.size(); ++i) {
      const std::string message = headline(error.diagnostics()[i]);
      EXPECT_TRUE(agrees(expectations[i].message, message))
          << "expected: " << expectations[i].message << "\ngot:      " << message;
      EXPECT_EQ(error.diagnostics()[i].hint, expectations[i].hint);
    }
  }
}

std::vector<fs::path> broken_scenes() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Corpus, BrokenScene, ::testing::ValuesIn(broken_scenes()),
                         [](const auto& test) { return test.param.stem().string(); });

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
