#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include <support/content_of.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/hdf5/hdf5.hpp>
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

bool is_refused(const std::filesystem::path& path) {
  try {
    (void)read_checkpoint(path);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

model::State with_memory() {
  model::State state;
  state.resize(2);
  state.internal.start("event_driven");
  state.internal.add(model::kAngles, {7, -8.5});
  state.internal.add("dahl_force", {});
  state.internal.add("internal_step", {1e-3});
  return state;
}

// What a scheme keeps in a state keeps its names and its owner in a file.
TEST(StateFile, InternalVariablesKeepTheirNames) {
  const test::Scratch scratch;
  const model::State state = with_memory();
  write_state(scratch / "state.h5", state, {"a", "b"});
  EXPECT_EQ(read_state(scratch / "state.h5").internal, state.internal);
}

// Numbers without names, of files of earlier versions, are taken for nothing, and the file is then
// one that does not tell what the last step left; names that are not of these numbers are refused.
TEST(StateFile, NumbersWithoutNamesAreNoMemory) {
  const test::Scratch scratch;
  const auto path = scratch / "state.h5";
  Checkpoint checkpoint;
  checkpoint.state = with_memory();
  checkpoint.body_names = {"a", "b"};
  checkpoint.has_memory = true;
  write_checkpoint(path, checkpoint);
  EXPECT_TRUE(read_checkpoint(path).has_memory);
  const auto set_names = [&](const std::string& names) {
    const hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "file");
    const hdf5::Dataset internal(H5Dopen2(file.get(), "internal", H5P_DEFAULT), "internal");
    hdf5::write_attribute(internal.get(), "variables", names);
  };
  for (const char* names : {"event_driven\nangle 3\n", "event_driven\nangle 2\nangle 1\n",
                            "event_driven\nangle 4\n", "event_driven\nangle two\n"}) {
    set_names(names);
    EXPECT_EQ(std::string(names) == "event_driven\nangle 3\n", !is_refused(path)) << names;
  }
  set_names("");
  const Checkpoint read = read_checkpoint(path);
  EXPECT_FALSE(read.has_memory);
  EXPECT_TRUE(read.state.internal.is_empty());
}

// What describes the data carries checksums: a damaged byte of it is an error before HDF5 follows
// lengths out of its buffers. Nothing is read but the state itself, or another number of it.
TEST(StateFile, ADamagedByteIsAnErrorOrANumber) {
  const test::Scratch scratch;
  write_state(scratch / "state.h5", with_memory(), {"a", "b"});
  const std::string whole = test::content_of(scratch / "state.h5");
  int refused = 0;
  for (std::size_t place = 0; place < whole.size(); place += 3) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(~damaged[place]);
    std::ofstream(scratch / "damaged.h5", std::ios::binary | std::ios::trunc) << damaged;
    if (is_refused(scratch / "damaged.h5"))
      ++refused;
    else
      EXPECT_EQ(read_state(scratch / "damaged.h5").body_count(), 2) << place;
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()) / 12) << "of " << whole.size() / 3;
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
