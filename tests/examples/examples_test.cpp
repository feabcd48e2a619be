#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>

// Every folder of examples/ is run to its end and held against its expected.yaml:
//
// - certified: every step is
// - falls_freely: there are steps whose contacts bear nothing, their natural map has no scale
// - probes: by name {column, value, tolerance} at the end
// - max_penetration: [length] over the run
// - population: bodies that came in and went out, steps with late ones
// - energy_rise: [J] largest rise of the energy in a step
// - energy_drift: [J] energy at the end against that at the start
// - support_over_weight: {value, tolerance}, impulse of the fixed bodies on the others in the last
//   step over the weight's
// - mean_support_over_weight: the same of the last hundred steps: both differ by the change of the
//   momentum
// - first_event: by kind {time, tolerance}
// - bodies: by name: position, velocity, angular_velocity at the end, and where an axis {of} it
//   then {is}, with tolerances of the same names
// - fallen: {set, axis, cosine_below}, every member's axis is turned by more than that from where
//   it was

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

Vec3 vector(const YAML::Node& node) {
  return {node[0].as<Real>(), node[1].as<Real>(), node[2].as<Real>()};
}

/// "1 um", "2 mm" or a number of metres.
Real length(const YAML::Node& node) {
  const auto text = node.as<std::string>();
  std::size_t end = 0;
  const Real value = std::stod(text, &end);
  if (text.find("um", end) != std::string::npos) return 1e-6 * value;
  if (text.find("mm", end) != std::string::npos) return 1e-3 * value;
  return value;
}

constexpr std::size_t kSupportSteps = 100;

/// In the last step.
Real support_over_weight(const sim::Simulation& simulation) {
  const model::Model& model = simulation.scene().model;
  const Vec3 up = -model.gravity.normalized();
  Real weight = 0, support = 0;
  for (const model::Body& body : model.bodies)
    if (body.kind == model::BodyKind::dynamic)
      weight += body.mass * model.gravity.norm() * simulation.scene().step_size;
  const auto is_fixed = [&](Index i) { return model.bodies[i].kind == model::BodyKind::fixed; };
  for (const stepping::StepContact& contact : simulation.scheme().contacts()) {
    if (is_fixed(contact.body_a)) support += contact.impulse.dot(up);
    if (is_fixed(contact.body_b)) support -= contact.impulse.dot(up);
  }
  return support / weight;
}

void check_body(const std::string& name, const YAML::Node& expected,
                const sim::Simulation& simulation) {
  const Index body = simulation.scene().model.find_body(name);
  ASSERT_GE(body, 0) << name;
  const auto check = [&](const char* key, const Vec3& value) {
    if (!expected[key]) return;
    EXPECT_LE((value - vector(expected[key])).norm(), expected["tolerance"][key].as<Real>())
        << name << ' ' << key << ": " << value.transpose();
  };
  const model::State& state = simulation.state();
  check("position", state.position[body]);
  check("velocity", state.velocity[body]);
  check("angular_velocity", state.angular_velocity[body]);
  if (const YAML::Node axis = expected["axis"]) {
    const Vec3 is = state.orientation[body] * vector(axis["of"]);
    EXPECT_LE((is - vector(axis["is"])).norm(), expected["tolerance"]["axis"].as<Real>())
        << name << " axis: " << is.transpose();
  }
}

/// A single number of a probe at the end.
void check_probe(const std::string& name, const YAML::Node& expected, sim::Simulation& simulation) {
  const std::vector<Real> values = simulation.measure(name);
  for (const record::ProbeTable& table : simulation.tables()) {
    if (table.name != name) continue;
    std::size_t at = 0;
    for (const record::ProbeColumn& column : table.columns) {
      if (column.name == expected["column"].as<std::string>()) {
        EXPECT_NEAR(values.at(at), expected["value"].as<Real>(), expected["tolerance"].as<Real>())
            << name;
        return;
      }
      at += column.components();
    }
  }
  FAIL() << "no such probe or column: " << name;
}

/// The first event of a kind.
void check_event(const std::string& kind, const YAML::Node& expected,
                 const std::vector<stepping::Event>& events) {
  const auto first = std::find_if(events.begin(), events.end(), [&](const stepping::Event& event) {
    return to_string(event.kind) == kind;
  });
  ASSERT_NE(first, events.end()) << kind;
  EXPECT_NEAR(first->time, expected["time"].as<Real>(), expected["tolerance"].as<Real>()) << kind;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(TALUS_SOURCE_DIR) / "examples"))
    if (entry.is_directory() && !fs::exists(entry.path() / "main.cpp"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Example : public testing::TestWithParam<std::string> {};

// Every example does what its README says.
TEST_P(Example, DoesWhatItsReadmeSays) {
  const fs::path folder = fs::path(TALUS_SOURCE_DIR) / "examples" / GetParam();
  ASSERT_TRUE(fs::exists(folder / "README.md"));
  const YAML::Node expected = YAML::LoadFile((folder / "expected.yaml").string());
  sim::Simulation simulation(scene::load(folder));
  const model::State initial = simulation.state();
  std::vector<stepping::Event> events;
  std::deque<Real> supports;
  simulation.observe([&](const sim::Simulation& after) {
    supports.push_back(support_over_weight(after));
    if (supports.size() > kSupportSteps) supports.pop_front();
    const auto now = after.scheme().events();
    events.insert(events.end(), now.begin(), now.end());
  });
  const sim::Summary summary = simulation.run();

  if (expected["certified"].as<bool>()) {
    EXPECT_EQ(summary.uncertified_steps, 0) << "first: " << summary.first_uncertified_step;
    if (!expected["falls_freely"]) {
      EXPECT_LE(summary.worst_residual(), summary.tolerance);
    }
  }
  if (expected["max_penetration"]) {
    EXPECT_LE(summary.max_penetration, length(expected["max_penetration"]));
  }
  if (expected["energy_rise"]) {
    EXPECT_LE(summary.energy.max_rise_in_a_step, expected["energy_rise"].as<Real>());
  }
  if (expected["energy_drift"]) {
    EXPECT_NEAR(summary.energy.final, summary.energy.initial, expected["energy_drift"].as<Real>());
  }
  if (const YAML::Node support = expected["support_over_weight"]) {
    EXPECT_NEAR(support_over_weight(simulation), support["value"].as<Real>(),
                support["tolerance"].as<Real>());
  }
  if (const YAML::Node support = expected["mean_support_over_weight"]) {
    const Real mean = std::accumulate(supports.begin(), supports.end(), Real(0)) /
                      static_cast<Real>(supports.size());
    EXPECT_NEAR(mean, support["value"].as<Real>(), support["tolerance"].as<Real>());
  }
  if (const YAML::Node population = expected["population"]) {
    EXPECT_EQ(summary.population.in.bodies, population["in"].as<Index>());
    EXPECT_EQ(summary.population.out.bodies, population["out"].as<Index>());
    EXPECT_EQ(summary.population.late.steps, population["late_steps"].as<Index>());
  }
  for (const auto& entry : expected["first_event"])
    check_event(entry.first.as<std::string>(), entry.second, events);
  for (const auto& entry : expected["bodies"])
    check_body(entry.first.as<std::string>(), entry.second, simulation);
  for (const auto& entry : expected["probes"])
    check_probe(entry.first.as<std::string>(), entry.second, simulation);
  if (const YAML::Node fallen = expected["fallen"]) {
    const Vec3 axis = vector(fallen["axis"]);
    for (const model::BodyGroup& group : simulation.scene().model.groups) {
      if (group.name != fallen["set"].as<std::string>()) continue;
      for (Index i = group.first; i < group.first + group.count; ++i)
        EXPECT_LT((simulation.state().orientation[i] * axis).dot(initial.orientation[i] * axis),
                  fallen["cosine_below"].as<Real>())
            << simulation.scene().model.body_name(i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(example_names()),
                         [](const auto& example) { return "e_" + example.param; });

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
