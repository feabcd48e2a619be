#include <talus/model/internal_variables.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/model/state.hpp>

namespace talus::model::TALUS_TEST_FILE {
namespace {

InternalVariables of_dahl() {
  InternalVariables internal;
  internal.start("event_driven");
  internal.add("dahl_force", {1, 2});
  return internal;
}

// What a scheme has kept is found by its name, by that scheme alone.
TEST(InternalVariables, AreFoundByName) {
  const InternalVariables internal = of_dahl();
  EXPECT_EQ(*internal.of_scheme("event_driven", "dahl_force", 2), (std::vector<Real>{1, 2}));
  EXPECT_EQ(internal.of_scheme("event_driven", "contact_mode", 4), nullptr);
  EXPECT_EQ(internal.find("angle"), nullptr);
}

std::string message_of(const InternalVariables& internal, std::string_view owner, Index count) {
  try {
    (void)internal.of_scheme(owner, "dahl_force", count);
  } catch (const InputError& error) {
    return error.diagnostics().front().message + "; " + error.diagnostics().front().hint;
  }
  return "";
}

// The memory of another scheme, or of another model, is an error: never silently no memory.
TEST(InternalVariables, OfAnotherSchemeAreAnError) {
  EXPECT_EQ(message_of(of_dahl(), "moreau_jean", 2),
            "the state keeps variables of the scheme event_driven, the step is one of moreau_jean; "
            "resume with the scheme event_driven, or clear the internal variables to begin without "
            "memory");
  EXPECT_EQ(message_of(of_dahl(), "event_driven", 3),
            "dahl_force of event_driven has 2 numbers, expected 3; the state is that of another "
            "model");
}

// Variables of no scheme in particular, the angles, are every scheme's.
TEST(InternalVariables, AnglesAreOfEveryScheme) {
  InternalVariables internal;
  internal.start();
  internal.add(kAngles, {7});
  EXPECT_EQ(internal.of_scheme("moreau_jean", "friction_memory", 1), nullptr);
  EXPECT_EQ(internal.find(kAngles)->front(), 7);
}

// The hash is of every bit of the values.
TEST(InternalVariables, ArePartOfTheHash) {
  State state;
  state.resize(1);
  const std::uint64_t before = state.hash();
  state.internal = of_dahl();
  EXPECT_NE(state.hash(), before);
}

}  // namespace
}  // namespace talus::model::TALUS_TEST_FILE
