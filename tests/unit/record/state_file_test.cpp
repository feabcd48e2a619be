#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/record/checkpoint.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

// A state goes through its file bit for bit, whatever its numbers are.
RC_GTEST_PROP(StateFile, RoundTripIsExact, ()) {
  const test::Scratch scratch;
  const Index count = *rc::gen::inRange(0, 30);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  model::State state;
  state.resize(count);
  state.time = random.uniform();
  for (Index i = 0; i < count; ++i) {
    state.position[i] = Vec3(random.uniform(-1, 1), 1e300 * random.uniform(), -0.0);
    state.orientation[i] = Quat(random.uniform(), random.uniform(), random.uniform(), 1);
    state.velocity[i] = Vec3::Constant(random.uniform(-1e-300, 1e-300));
    state.angular_velocity[i] = Vec3(0, random.uniform(), 5e-324);
  }
  if (*rc::gen::arbitrary<bool>())
    for (Index i = 0; i < count; ++i)
      state.presence.push_back(static_cast<model::Presence>(random.bits() % 3));
  write_state(scratch / "state.h5", state, std::vector<std::string>(count, "body"));
  RC_ASSERT(read_state(scratch / "state.h5").presence == state.presence);
  RC_ASSERT(read_state(scratch / "state.h5").hash() == state.hash());
}

// A state file is replaced, anything else is left alone, and a wrong file is named.
TEST(StateFile, DestroysNothing) {
  const test::Scratch scratch;
  model::State state;
  state.resize(2);
  write_state(scratch / "state.h5", state, {"a", "b"});
  state.resize(3);
  write_state(scratch / "state.h5", state, {"a", "b", "c"});
  EXPECT_EQ(read_state(scratch / "state.h5").body_count(), 3);
  std::ofstream(scratch / "other.h5") << "other";
  EXPECT_THROW(write_state(scratch / "other.h5", state, {}), InputError);
  EXPECT_THROW(static_cast<void>(read_state(scratch / "other.h5")), InputError);
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
