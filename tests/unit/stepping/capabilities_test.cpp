#include <talus/stepping/capabilities.hpp>

#include <gtest/gtest.h>

#include <memory>

#include <talus/stepping/scheme_registry.hpp>

namespace talus::stepping::TALUS_TEST_FILE {
namespace {

SchemeOptions options_of(std::string_view scheme) {
  SchemeOptions options;
  options.scheme = scheme;
  return options;
}

// The page has a column for every scheme of the registry, and no other.
TEST(Capabilities, PageHasEveryScheme) {
  const std::string page = capability_page();
  const std::string header = page.substr(page.find("| |"), page.find("|---") - page.find("| |"));
  std::size_t columns = 0;
  for (const std::string_view name : scheme_names())
    columns += header.find("`" + std::string(name) + "`") != std::string::npos ? 1 : 0;
  EXPECT_EQ(columns, scheme_names().size());
  EXPECT_EQ(static_cast<std::size_t>(std::count(header.begin(), header.end(), '`')), 2 * columns);
}

// A scheme that the table says supports a model can be made of it: two balls, in the plane and in
// space.
TEST(Capabilities, SupportedSchemesCanBeMade) {
  for (const int dimension : {2, 3}) {
    model::Model model;
    model.dimension = dimension;
    model.materials.push_back({"default", 0});
    model.laws.push_back(model::coulomb_law(0.3, 0));
    for (int i = 0; i < 2; ++i) {
      model::Body body;
      body.shape = geometry::Sphere{0.1};
      model.bodies.push_back(body);
    }
    int made = 0;
    for (const std::string_view name : scheme_names())
      if (unsupported(model, options_of(name)).empty() &&
          make_scheme(model, options_of(name)) != nullptr)
        ++made;
    EXPECT_EQ(made, dimension == 2 ? 6 : 5);  // index_3 has no contacts, event_driven none in space
  }
}

// More than 1000 bodies of the plane: the schemes that step take them, the implicit ones where no
// joint holds any, as they have the constraints of all bodies in one matrix.
TEST(Capabilities, ManyPlanarBodies) {
  model::Model model;
  model.dimension = 2;
  model.materials.push_back({"default", 0});
  model.laws.push_back(model::coulomb_law(0.3, 0));
  model::Body body;
  body.shape = geometry::Sphere{0.1};
  model.bodies.assign(1001, body);
  const char* const implicit[] = {"stewart_trinkle", "anitescu_potra", "anitescu_potra_stabilised"};
  for (const char* name : implicit) EXPECT_EQ(unsupported(model, options_of(name)), "");
  EXPECT_NE(unsupported(model, options_of("event_driven")).find("1000 bodies at most"),
            std::string::npos);
  const auto machine = std::make_shared<model::Machine>();
  machine->joints.emplace_back().kind = model::RevoluteJoint{};
  model.machine = machine;
  EXPECT_EQ(unsupported(model, options_of("moreau_jean")), "");
  for (const char* name : implicit)
    EXPECT_EQ(unsupported(model, options_of(name)),
              std::string(name) +
                  " supports planar scenes of 1000 bodies at most, the scene has 1001 (take "
                  "moreau_jean)");
}

// What is not supported is said with the scheme's name in front.
TEST(Capabilities, RefusalsBeginWithTheScheme) {
  model::Model model;
  model.dimension = 2;
  model.materials.push_back({"default", 0});
  model.laws.push_back(model::coulomb_law(0.3, 0.5));
  EXPECT_EQ(unsupported(model, options_of("stewart_trinkle")),
            "stewart_trinkle supports inelastic impacts only, the scene has a restitution of 0.5");
  SchemeOptions sleeping = options_of("moreau_jean");
  sleeping.sleeping = true;
  EXPECT_EQ(unsupported(model, sleeping), "");  // discs, of which there are none
  model::Body box;
  box.shape = geometry::Box{Vec3::Ones()};
  model.bodies.push_back(box);
  EXPECT_EQ(unsupported(model, sleeping),
            "moreau_jean does not support sleeping in planar scenes (but moreau_jean of discs "
            "without joints)");
  model.dimension = 3;
  EXPECT_EQ(unsupported(model, sleeping), "");
}

}  // namespace
}  // namespace talus::stepping::TALUS_TEST_FILE
