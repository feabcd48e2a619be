#include <gtest/gtest.h>

#include <atomic>

#include "unit/dynamics/machines.hpp"

extern std::atomic<long> allocation_count;

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

// After the first call nothing of a machine takes memory from the heap: it is asked in the loops of
// integrators.
TEST(PlanarBodies, DoesNotAllocate) {
  talus::Random random(7);
  test::PlanarModel model;
  model.add(geometry::Box{{0.2, 0.3, 0.1}});
  model.add(test::triangle());
  const Index slider = model.add(geometry::Sphere{0.1}, model::BodyKind::kinematic);
  model.model.motions.push_back(
      {slider,
       Pose(),
       {model::HarmonicTranslation{Vec3(0.1, 0, 0), 2, 0}, model::ConstantRotation{}}});
  test::add_everything_between(0, 1, random, *model.machine);
  const PlanarBodies machine(model.model, model.state);
  VecX q = test::random_vector(random, 9, 1), v = test::random_vector(random, 9, 1);
  VecX acceleration = VecX::Zero(9), Q;
  ConstraintTerms constraints;
  ContactTerms contact;
  dynamics::JointSlip slip;
  Real sum = 0;
  const auto ask_all = [&](Real time) {
    machine.prescribe(time, q, v, acceleration);
    machine.force(time, q, v, Q);
    machine.constraints(time, q, v, constraints);
    for (Index i = 0; i < machine.contact_count(); ++i) {
      machine.contact(i, q, v, contact);
      sum += machine.gap(i, q) + contact.slip + machine.law(i).friction.coefficient;
    }
    for (Index i = 0; i < machine.joint_friction_count(); ++i) {
      machine.joint_slip(i, 0, q, v, slip);
      sum += machine.joint_normal_force(i, constraints.value);
    }
    sum += machine.kinetic_energy(q, v) + machine.potential_energy(time, q);
    sum += machine.next_kink(time) < 0;
  };
  ask_all(0.1);
  const long before = allocation_count;
  ask_all(0.2);
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
