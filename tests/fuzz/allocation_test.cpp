#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <vector>

#include <fuzz/targets.hpp>

namespace {

// Only this thread's allocations are counted, and only while one is to fail.
thread_local bool is_counting = false;
thread_local long allocations = 0, fails_at = 0, live = 0;

void* allocate(std::size_t size) {
  if (is_counting && ++allocations == fails_at) throw std::bad_alloc();
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  if (is_counting) ++live;
  return memory;
}

void release(void* memory) {
  if (memory == nullptr) return;
  if (is_counting) --live;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace talus::fuzz {
namespace {

namespace fs = std::filesystem;

struct Reader {
  const char* name;
  void (*use)(Bytes);
  const char* file;
};

constexpr Reader kReaders[] = {
    {"scene", scene, "tiny.yaml"},
    {"record", record_read, "balls.h5"},
    {"state", state, "ball.h5"},
    {"problem", problem, "local.hdf5"},
    {"matrix_market", matrix_market, "symmetric.mtx"},
    {"stl", stl, "text.stl"},
    {"sphere_table", sphere_table, "balls.csv"},
    {"time_table", time_table, "angles.csv"},
    {"urdf", urdf, "pendulum.urdf"},
    {"mjcf", mjcf, "pendulum.xml"},
};

class Allocation : public ::testing::TestWithParam<Reader> {};

/// Reads with the n-th allocation failing; the allocations that were made.
long read_with_failure(const Reader& reader, Bytes bytes, long n, bool& has_failed) {
  allocations = live = 0;
  fails_at = n;
  is_counting = true;
  try {
    reader.use(bytes);
  } catch (const std::bad_alloc&) {
    has_failed = true;
  }
  is_counting = false;
  return allocations;
}

// Memory that runs out at any place of a reader is an error that its caller can catch, and what was
// taken before is given back. Every allocation up to the 100th fails once, later ones in growing
// strides. (Not the export to glTF: g++ 12 destroys parts of an initializer list twice when memory
// runs out within it.)
TEST_P(Allocation, FailureIsAnErrorWithoutLeaks) {
  std::ifstream file(
      fs::path(TALUS_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name / GetParam().file,
      std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(bytes.empty());
  bool has_failed = false;
  read_with_failure(GetParam(), bytes, 0, has_failed);  // what is made once is made here
  const long all = read_with_failure(GetParam(), bytes, 0, has_failed);
  ASSERT_FALSE(has_failed);
  const long kept = live;
  int failures = 0;
  for (long n = 1; n <= all; n += 1 + n / 100 * 10) {
    has_failed = false;
    read_with_failure(GetParam(), bytes, n, has_failed);
    failures += has_failed ? 1 : 0;
    EXPECT_LE(live, kept) << "allocation " << n << " of " << all;
  }
  EXPECT_GT(failures, 0);
}

INSTANTIATE_TEST_SUITE_P(Readers, Allocation, ::testing::ValuesIn(kReaders),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace talus::fuzz
