// The judge of a passive machine's energy, apart from any scheme.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <talus/stepping/passive_machine.hpp>

#include "support/fake_scheme.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Lifts body 0, at rest, by the same height in every step.
class Lift final : public test::FakeScheme {
 public:
  Lift(const model::Model& model, Real height) : FakeScheme(model), height_(height) {}

  stepping::StepReport step(model::State& state, Real h) override {
    stepping::StepReport report;
    report.status = problem::SolveStatus::converged;
    report.certificate.is_finite = true;
    state.time += h;
    state.position[0].z() += height_;
    return report;
  }

 private:
  Real height_;
};

struct Welded : test::SpatialMachineWorld {
  explicit Welded(const Vec3& place) {
    add_body(2, Mat3::Identity(), place);
    add_joint(model::weld_joint(), model::kWorld, 0, place);
  }

  /// What is said of the steps of a lift, "" where they are certified.
  std::vector<std::string> lifted(Real height, int step_count) {
    const auto judge =
        stepping::judge_energy(std::make_unique<Lift>(model, height), model, stepping::Judged::all);
    std::vector<std::string> said;
    for (int k = 0; k < step_count; ++k) said.push_back(judge->step(state, 1e-3).detail);
    return said;
  }
};

// E = m g z of what is at rest is known to no better than the place of the body, wherever that is:
// an ulp of it is no rise.
TEST(PassiveMachine, RoundingOfThePlaceIsNoRise) {
  for (const Vec3& place : {Vec3(0, 0, 1.3), Vec3(0, 0, 1e6), Vec3(1e3, 0, 0)}) {
    const Real ulp = place.norm() * std::numeric_limits<Real>::epsilon();
    for (const std::string& said : Welded(place).lifted(ulp, 100)) EXPECT_EQ(said, "");
  }
}

// m g Δz = 4e-13 m g z a step, of a machine at rest with S = 0, is below rounding in a step, and is
// told in the third, when 1e-12 m g z are exceeded: rounding is forgiven once, not in every step.
TEST(PassiveMachine, WhatRisesByLessThanRoundingIsToldAfterSeveralSteps) {
  const Real z = 1.3;
  const std::vector<std::string> said = Welded(Vec3(0, 0, z)).lifted(4e-13 * z, 6);
  for (const int k : {0, 1, 3, 4}) EXPECT_EQ(said[k], "") << k;
  for (const int k : {2, 5}) EXPECT_NE(said[k].find("in several steps"), std::string::npos) << k;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
