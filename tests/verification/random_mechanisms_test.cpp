#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <regex>
#include <string>

#include <talus/dynamics/planar_bodies.hpp>

#include "support/random_machine.hpp"
#include "support/seeds.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;
using test::Random;

/// How the run of a machine ended.
struct Ending {
  enum class Kind : unsigned char {
    certified,   ///< to its end, every step certified
    reported,    ///< stopped: no motion obeys the laws there, and it said why
    uncertified  ///< a step without a certificate that says why
  };
  Kind kind = Kind::certified;
  std::string cause;  ///< what it said, without numbers
};

/// A message without its numbers: what causes are counted by.
std::string without_numbers(const std::string& message) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?");
  return std::regex_replace(message, number, "#");
}

/// Kinetic energy and that of gravity and springs at the start.
Real energy_of(const Mechanism& m) {
  const dynamics::PlanarBodies machine(m.model, m.state);
  VecX q, v;
  machine.load(m.state, q, v);
  return machine.kinetic_energy(q, v) + machine.potential_energy(0, q);
}

/// Whether nothing feeds energy to a machine: no drive, and no force that is a function of time.
bool is_passive(const Mechanism& m) {
  if (!m.machine->drives.empty()) return false;
  for (const model::ForceElement& force : m.machine->forces) {
    const auto* line = std::get_if<model::LineForce>(&force.kind);
    if (line == nullptr || !std::holds_alternative<model::ConstantLaw>(line->force)) return false;
  }
  return true;
}

/// Runs a machine for a time. Whatever does not go well must say why.
Ending run(Mechanism m, const stepping::SchemeOptions& options, unsigned seed, Real end) {
  const std::string& name = options.scheme;
  const auto scheme = make_scheme(m.model, options);
  if (!unsupported(m.model, options).empty()) return {};
  const bool has_events = name == "event_driven";
  const Real h = has_events ? 0.02 : 2e-3;
  Real energy = energy_of(m);
  for (int step = 0; step * h < end; ++step) {
    const auto report = scheme->step(m.state, h);
    EXPECT_TRUE(m.state.is_finite()) << name << " seed " << seed << " step " << step;
    if (!report.is_certified()) {
      EXPECT_FALSE(report.detail.empty()) << name << " seed " << seed << " step " << step;
      std::cout << name << " seed " << seed << " step " << step << ": " << report.detail << '\n';
      const bool is_stopped = report.status == problem::SolveStatus::numerical_error;
      return {is_stopped ? Ending::Kind::reported : Ending::Kind::uncertified,
              without_numbers(report.detail)};
    }
    if (has_events && is_passive(m)) {
      EXPECT_LE(report.energy.total(), energy + 1e-6 * std::max(Real(1), std::abs(energy)))
          << "seed " << seed << " step " << step;
    }
    energy = report.energy.total();
  }
  return {};
}

Ending run_random(unsigned seed, const std::string& name, Real end) {
  Random random(seed);
  stepping::SchemeOptions options;
  options.scheme = name;
  return run(test::random_mechanism(random), options, seed, end);
}

/// The same of everything that machines are made of, some with impacts one after another.
Ending run_machine(unsigned seed, const std::string& name, Real end) {
  Random random(seed);
  stepping::SchemeOptions options;
  options.scheme = name;
  Mechanism m = test::random_machine(random);
  if (random() % 4 == 0) options.machine.impacts = "sequential";
  return run(std::move(m), options, seed, end);
}

/// TALUS_RANDOM_MECHANISMS gives others.
test::Seeds seeds() { return test::seeds_of("TALUS_RANDOM_MECHANISMS", {1, 40}); }

/// Runs all of them. @return how many ended without a certificate and without a reason to stop.
template <class Run>
unsigned count_uncertified(const std::string& name, const Run& run) {
  const auto [first, last] = seeds();
  std::map<Ending::Kind, unsigned> kinds;
  std::map<std::string, unsigned> causes;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Ending ending = run(static_cast<unsigned>(seed));
    ++kinds[ending.kind];
    if (!ending.cause.empty()) ++causes[ending.cause];
  }
  std::cout << name << ", seeds " << first << " to " << last << ": "
            << kinds[Ending::Kind::certified] << " certified, " << kinds[Ending::Kind::reported]
            << " stopped with a reason, " << kinds[Ending::Kind::uncertified] << " uncertified\n";
  for (const auto& [cause, count] : causes) std::cout << "  " << count << " x " << cause << '\n';
  return kinds[Ending::Kind::uncertified];
}

// Random machines over a floor for a second: nothing crashes, whatever fails says why, friction and
// impacts make no energy. TALUS_RANDOM_MECHANISMS sets how many.
TEST(RandomMechanisms, EventDrivenRunOrSayWhyNot) {
  const auto [first, last] = seeds();
  EXPECT_LE(count_uncertified("event_driven",
                              [](unsigned seed) { return run_random(seed, "event_driven", 1); }),
            (last - first) / 1000);
}

// Machines of all that machines can be made of: every joint, drive, force element and law. Here the
// energy is looked at where nothing feeds it. Some are left uncertified: a viscous force, or
// Dahl's, on a contact that bears nothing pushes it open, and without the force it closes; and an
// impact at the edge of jamming (12) that impulses of 10¹³ times what comes in would answer, in
// whose rounding the velocities are lost.
TEST(RandomMechanisms, WholeCatalogueRunsOrSaysWhyNot) {
  const auto [first, last] = seeds();
  EXPECT_LE(count_uncertified("catalogue",
                              [](unsigned seed) { return run_machine(seed, "event_driven", 1); }),
            (last - first) / 18);
}

// Some that were hard: jammed linkages whose impacts throw nothing back and which friction then
// holds with many forces (355, 2557), forces that are not unique (887, 3470), or hardly (1861),
// contacts that bear nothing because others hold the bodies (804, 9843), ends of two rods that
// slide past each other (1845), a rod that approaches again before a bounce is over (437), and
// several accelerations, of which one is stable (814, 8920).
TEST(RandomMechanisms, HardOnesRunToTheirEnd) {
  for (const unsigned seed :
       {355U, 437U, 804U, 814U, 887U, 1845U, 1861U, 2557U, 3470U, 8920U, 9843U})
    EXPECT_EQ(run_random(seed, "event_driven", 1).kind, Ending::Kind::certified) << seed;
}

// Three rods that slide (35), one whose slip turns round where the machine drives it (7376), and
// one after a series of impacts without time in between, which ends after fifteen (3548): no state
// of their contacts is consistent, and the run says that this is proved.
TEST(RandomMechanisms, PainleveIsProved) {
  for (const unsigned seed : {35U, 3548U, 7376U}) {
    const Ending ending = run_random(seed, "event_driven", 1);
    EXPECT_EQ(ending.kind, Ending::Kind::reported) << seed;
    EXPECT_NE(ending.cause.find("none of the # states"), std::string::npos) << ending.cause;
  }
}

// The same machines by Moreau's time stepping.
TEST(RandomMechanisms, TimeSteppingRunsOrSaysWhyNot) {
  const auto [first, last] = seeds();
  for (const char* scheme : {"moreau_midpoint", "moreau_jean"})
    EXPECT_LE(count_uncertified(scheme, [&](unsigned seed) { return run_random(seed, scheme, 1); }),
              (last - first) / 20)
        << scheme;
}

// The same of everything that machines are made of: every law is derived anew from what a step has
// found, and holds in it. Left uncertified are, beside jams, impacts that raise the energy and
// steps too long for their overlap.
TEST(RandomMechanisms, WholeCatalogueByTimeSteppingRunsOrSaysWhyNot) {
  const auto [first, last] = seeds();
  for (const char* scheme : {"moreau_midpoint", "moreau_jean"})
    EXPECT_LE(
        count_uncertified(scheme, [&](unsigned seed) { return run_machine(seed, scheme, 1); }),
        (last - first) / 12)
        << scheme;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
