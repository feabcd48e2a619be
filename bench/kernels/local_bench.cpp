// Time per one-contact problem of every law: a general block (a box corner), Coulomb blocks of
// random condition, and the sphere form. Figures: bench/README.md.

#include <benchmark/benchmark.h>

#include <vector>

#include <talus/solve/gauss_seidel/local/contact_law.hpp>
#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

#include "support/contact_blocks.hpp"

namespace talus::bench {
namespace {

using problem::FrictionLaw;
using solve::FrictionPolygon;
using solve::LocalLaw;
using test::ContactBlock;

constexpr std::size_t kContacts = 1024;

enum class Kind { box, sliding_box, sphere };

/// Contacts that close; sliding_box: only those that maximum dissipation lets slide.
std::vector<ContactBlock> contacts(Kind kind) {
  Random random(1);
  std::vector<ContactBlock> list;
  while (list.size() < kContacts) {
    ContactBlock c = test::random_box_contact(random, 10, 1);
    if (kind == Kind::sphere) c.A = Vec3(1, 3.5, 3.5).asDiagonal();
    if (kind == Kind::sliding_box &&
        solve::solve_maximum_dissipation(c.A, c.b, c.friction, Vec3::Zero()).state !=
            solve::ContactState::slip)
      continue;
    list.push_back(c);
  }
  return list;
}

template <class Solve>
void time_solves(benchmark::State& state, Kind kind, const Solve& solve) {
  const std::vector<ContactBlock> list = contacts(kind);
  std::vector<Vec3> last(list.size(), Vec3::Zero());
  for (auto _ : state)
    for (std::size_t i = 0; i < list.size(); ++i) {
      last[i] = solve(list[i], last[i]).impulse;
      benchmark::DoNotOptimize(last[i].data());
    }
  using benchmark::Counter;
  state.counters["per_solve"] =
      Counter(static_cast<double>(state.iterations()) * static_cast<double>(list.size()),
              Counter::kIsRate | Counter::kInvert);
}

void law_bench(benchmark::State& state, FrictionLaw law, Kind kind, bool is_cold) {
  const LocalLaw which{law, FrictionPolygon(8)};
  time_solves(state, kind, [&](const ContactBlock& c, const Vec3& last) {
    return solve::solve_contact(which, c.A, c.b, c.friction, is_cold ? Vec3::Zero() : last);
  });
}

void quartic_bench(benchmark::State& state) {
  time_solves(state, Kind::sliding_box, [](const ContactBlock& c, const Vec3& /*last*/) {
    return solve::solve_maximum_dissipation_quartic(c.A, c.b, c.friction);
  });
}

void register_all() {
  for (const FrictionLaw law : problem::kFrictionLaws) {
    const std::string name(to_string(law));
    benchmark::RegisterBenchmark((name + "/box").c_str(), law_bench, law, Kind::box, true);
    benchmark::RegisterBenchmark((name + "/sliding_box").c_str(), law_bench, law, Kind::sliding_box,
                                 true);
    benchmark::RegisterBenchmark((name + "/sliding_box_warm").c_str(), law_bench, law,
                                 Kind::sliding_box, false);
    benchmark::RegisterBenchmark((name + "/sphere").c_str(), law_bench, law, Kind::sphere, true);
  }
  benchmark::RegisterBenchmark("maximum_dissipation/quartic", quartic_bench);
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace talus::bench
