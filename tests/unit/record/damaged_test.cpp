#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <support/content_of.hpp>
#include <support/damaged_indices.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

/// For the leak sanitizer: HDF5 itself leaks some bytes at damaged files.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace talus::record::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

/// As Talus wrote records before its texts had a fixed length.
const fs::path kOld =
    fs::path(TALUS_SOURCE_DIR) / "tests/fuzz/corpus/record/texts_of_variable_length.h5";

/// Reads every text; the number of those that could be read.
int read_texts(const fs::path& path) {
  int count = 0;
  try {
    const RecordReader reader(path);
    for (const std::string& name : reader.datasets()) {
      try {
        static_cast<void>(reader.note(name, "meaning"));
        static_cast<void>(reader.texts(name));
        ++count;
      } catch (const InputError&) {
      }
    }
  } catch (const InputError&) {
  }
  return count;
}

// Texts of variable length in records of before are read as they were written.
TEST(DamagedRecord, TextsOfVariableLengthAreRead) {
  const RecordReader reader(kOld);
  EXPECT_EQ(reader.title(), "Two balls");
  EXPECT_EQ(reader.status(), "finished");
  EXPECT_TRUE(reader.text("provenance/scene").starts_with("title: Two balls\n"));
  EXPECT_EQ(reader.texts("provenance/source_texts").size(), 1U);
  EXPECT_EQ(reader.body_names(), (std::vector<std::string>{"floor", "ball", "box"}));
}

// Damage at any place of their heap is an error of the text, never a crash: HDF5's own reader
// follows any index that it finds there.
TEST(DamagedRecord, DamagedTextsAreErrors) {
  const test::Scratch scratch;
  const std::string good = test::content_of(kOld);
  const int all = read_texts(kOld);
  ASSERT_GT(all, 5);
  int damaged = 0;
  for (std::size_t heap = good.find("GCOL"); heap != std::string::npos;
       heap = good.find("GCOL", heap + 1))
    for (std::size_t at = heap; at < std::min(heap + 400, good.size()); at += 8)
      for (const char byte : {'\0', '\x07', '\xff'}) {
        std::string bytes = good;
        bytes.replace(at, 8, std::string(8, byte));
        std::ofstream(scratch / "record.h5", std::ios::binary) << bytes;
        damaged += read_texts(scratch / "record.h5") < all ? 1 : 0;
      }
  EXPECT_GT(damaged, 10);
}

// Records of before are in HDF5's older form, on which HDF5 itself breaks where their indices are
// damaged: each such record is an error, or is read as far as the damage lets.
TEST(DamagedRecord, DamagedIndicesAreErrors) {
  const test::Scratch scratch;
  const std::vector<std::string> all = test::with_damaged_indices(test::content_of(kOld));
  ASSERT_GT(all.size(), 60U);
  std::size_t refused = 0;
  for (const std::string& bytes : all) {
    std::ofstream(scratch / "record.h5", std::ios::binary) << bytes;
    refused += read_texts(scratch / "record.h5") == 0 ? 1 : 0;
    static_cast<void>(kind_of(scratch / "record.h5"));
    try {
      static_cast<void>(read_checkpoint(scratch / "record.h5"));
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(refused, all.size() / 8);
  EXPECT_LT(refused, all.size());
}

// The names in a group of more than eight lie in a heap of their own. Its checksum tells of damage,
// and then HDF5 1.10 breaks where it was to sort the names: the record is refused, by an error.
TEST(DamagedRecord, DamagedLargeGroupsAreErrors) {
  const test::Scratch scratch;
  const model::Model model = test::balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance());
  test::record_balls(recorder, model, 2, 1);
  recorder.finish(RunStatus::finished);
  const std::string good = test::content_of(scratch / "run.h5");
  int groups = 0;
  for (std::size_t heap = good.find("FHDB"); heap != std::string::npos;
       heap = good.find("FHDB", heap + 1)) {
    ++groups;
    for (const std::size_t offset : {20, 60, 120}) {
      std::string bytes = good;
      bytes[heap + offset] = static_cast<char>(~bytes[heap + offset]);
      std::ofstream(scratch / "record.h5", std::ios::binary) << bytes;
      EXPECT_THROW(RecordReader(scratch / "record.h5"), InputError) << groups << ' ' << offset;
    }
  }
  EXPECT_GE(groups, 2);  // bodies and certificates
}

// New records have no texts of variable length.
TEST(DamagedRecord, NewRecordsHaveNoHeap) {
  const test::Scratch scratch;
  const model::Model model = test::balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance());
  test::record_balls(recorder, model, 4, 1, 2);
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(test::content_of(scratch / "run.h5").find("GCOL"), std::string::npos);
  EXPECT_EQ(RecordReader(scratch / "run.h5").texts("provenance/source_texts").back(),
            "id,x,y,z,r\n");
}

// A dataset of another shape than its readers rely on is refused by name when the record is opened,
// and so is one that declares more than a file of its size can hold.
TEST(DamagedRecord, WrongShapesAreRefused) {
  const test::Scratch scratch;
  const auto message_with = [&](const char* path, const hdf5::Shape& shape) -> std::string {
    fs::copy_file(kOld, scratch / "record.h5", fs::copy_options::overwrite_existing);
    {
      const hdf5::File file(H5Fopen((scratch / "record.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                            "file");
      H5Ldelete(file.get(), path, H5P_DEFAULT);
      const hdf5::Space space(
          H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "space");
      const hdf5::Dataset dataset(H5Dcreate2(file.get(), path, H5T_IEEE_F64LE, space.get(),
                                             H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                  path);
    }
    try {
      static_cast<void>(RecordReader(scratch / "record.h5").array(path));
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_NE(message_with("bodies/inertia", {3, 2, 3}).find("bodies/inertia: wrong shape"),
            std::string::npos);
  EXPECT_NE(message_with("bodies/mass", {4}).find("bodies/mass: wrong number of rows"),
            std::string::npos);
  EXPECT_NE(message_with("poses/position", {3, 3}).find("poses/position: wrong shape"),
            std::string::npos);
  EXPECT_NE(message_with("gravity", {1'000'000'000'000}).find("more is declared"),
            std::string::npos);
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
