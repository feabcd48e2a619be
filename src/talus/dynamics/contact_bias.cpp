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

Real contact_bias(const BiasLaw& law, Real gap, Real restitution, Real approach,
                  Real free_approach) {
  const Real bias =
      std::max(Real(0), predicted_gap(law, gap, approach)) / (law.theta * law.step_size);
  return restitution > 0 && closes(law, gap, approach, free_approach)
             ? std::min(bias, restitution * approach)
             : bias;
}

Real push_bias(const BiasLaw& law, Real gap, Real left) {
  return (gap > 0 ? gap : law.error_reduction * std::min(Real(0), gap + left)) / law.step_size;
}

}  // namespace talus::dynamics
