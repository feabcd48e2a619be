#include <gtest/gtest.h>

#include <atomic>

#include <talus/dynamics/kinks.hpp>
#include <talus/dynamics/machine_terms.hpp>

#include "unit/dynamics/spatial_joints.hpp"

extern std::atomic<long> allocation_count;

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

// After the first call nothing of a machine in space takes memory from the heap.
TEST(MachineTerms, DoesNotAllocate) {
  talus::Random random(7);
  model::SpatialMachine machine = test::coupled_machine(random);
  for (const test::NamedKind& kind : test::all_kinds())
    machine.joints.push_back(test::joint_between(0, 1, kind.kind, random));
  const model::Bushing bushing{test::random_pose(random), test::random_pose(random),
                               Mat6::Identity(), Mat6::Identity()};
  machine.forces.push_back({"bushing", 0, 1, bushing});
  machine.forces.push_back({"push", 0, 1, model::AppliedForce{}});
  machine.forces.push_back({"twist", 0, 1, model::AppliedTorque{}});
  const MachineTerms terms(machine, test::kMachineBodies);
  const test::TwoMotions first(random), second(random);
  std::vector<BodyMotion> bodies = {first.at_0[0], first.at_0[1], second.at_0[0], second.at_0[1]};
  std::vector<Real> angles(static_cast<std::size_t>(terms.angle_count()), 0.0);
  MachineConstraints constraints;
  JointContactTerms contact;
  VecX Q;
  Real sum = 0;
  const auto compute_all = [&](Real time) {
    const MachineMotion at{bodies, angles};
    terms.count_angles(bodies, angles);
    terms.constraints(time, at, constraints);
    terms.force(time, at, Q);
    for (Index i = 0; i < terms.contact_count(); ++i) {
      terms.contact(i, at, contact);
      sum += terms.gap(i, at) + contact.normal.rate;
    }
    for (Index i = 0; i < terms.axis_count(); ++i) sum += terms.axis(i, at).value;
    sum += terms.potential_energy(at);
    sum += next_kink(machine, time) < 0;
  };
  compute_all(0.1);
  const long before = allocation_count;
  compute_all(0.2);
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_TRUE(std::isfinite(sum + constraints.value.sum() + Q.sum()));
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
