#include <talus/dynamics/contact_bias.hpp>

#include <algorithm>

namespace talus::dynamics {
namespace {

/// g̃
Real predicted_gap(const BiasLaw& law, Real gap, Real approach) {
  return gap + (1 - law.theta) * law.step_size * approach;
}

}  // namespace

bool closes(const BiasLaw& law, Real gap, Real approach, Real free_approach) {
  return approach < 0 &&
         predicted_gap(law, gap, approach) / (law.theta * law.step_size) + free_approach <= 0;
}

Real contact_bias(const BiasLaw& law, Real gap, Real slop, Real restitution, Real approach,
                  Real free_approach) {
  const Real h = law.step_size, predicted = predicted_gap(law, gap, approach);
  Real bias = predicted > 0 ? predicted / (law.theta * h)
                            : law.error_reduction * std::min(Real(0), gap + slop) / h;
  if (restitution > 0 && closes(law, gap, approach, free_approach))
    bias = std::min(bias, restitution * approach);
  return bias;
}

}  // namespace talus::dynamics
