#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <vector>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "shapes.hpp"

extern std::atomic<long> allocation_count;

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

/// Allocations that `work` makes.
template <typename Work>
long allocations_of(const Work& work) {
  const long before = allocation_count;
  work();
  return allocation_count - before;
}

// The counter sees every form of new, also the one that std::stable_sort takes its buffer with.
TEST(AllocationCounter, SeesEveryFormOfNew) {
  struct alignas(64) Wide {
    Real value = 0;
  };
  int* volatile kept = nullptr;  // so that no pair of new and delete is left out
  Wide* volatile wide = nullptr;
  EXPECT_EQ(allocations_of([&] { kept = new int(1); }), 1);
  delete kept;
  EXPECT_EQ(allocations_of([&] { kept = new int[3]; }), 1);
  delete[] kept;
  EXPECT_EQ(allocations_of([&] { kept = new (std::nothrow) int(1); }), 1);
  delete kept;
  EXPECT_EQ(allocations_of([&] { kept = new (std::nothrow) int[3]; }), 1);
  delete[] kept;
  EXPECT_EQ(allocations_of([&] { wide = new Wide; }), 1);
  delete wide;
  std::vector<int> numbers(100, 1);
  EXPECT_GE(allocations_of([&] { std::stable_sort(numbers.begin(), numbers.end()); }), 1);
}

// Queries run in the time step's loops and take no memory from the heap, whatever the pair.
TEST(Queries, DoNotAllocate) {
  Random random(9);
  std::vector<Shape> all = {Plane{}};
  for (int k = 0; k < 10; ++k) {
    all.push_back(poses::sphere(random));
    all.push_back(poses::box(random));
    all.push_back(poses::capsule(random));
    all.push_back(shapes::polytope(shapes::random_mesh(random, 1, 10)));
  }
  all.push_back(shapes::polytope(shapes::prism_mesh(64, 1, 1)));
  Real sum = 0;
  const long before = allocation_count;
  for (const Shape& a : all)
    for (const Shape& b : all) {
      if (std::holds_alternative<Plane>(a) || std::holds_alternative<Plane>(b)) continue;
      for (int k = 0; k < 5; ++k) {
        const Pose X = poses::pose(random, a, b, static_cast<poses::Family>(k));
        sum += manifold(a, b, X, 0.1).normal.x() + separation(a, b, X).gap;
        sum += manifold(a, Plane{}, X, 0.1).normal.x() + bounds(b, X).lower.x();
      }
    }
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
