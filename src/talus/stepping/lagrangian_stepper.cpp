#include <talus/stepping/lagrangian_stepper.hpp>

#include <tuple>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/stepping/detail/halving.hpp>
#include <talus/stepping/detail/lagrangian_source.hpp>

namespace talus::stepping {

using problem::SolveStatus;

LagrangianStepper::LagrangianStepper(const model::LagrangianSystem& system, ImplicitOptions options)
    : system_(system), options_(std::move(options)) {
  TALUS_DEMAND(options_.directions >= 4 && options_.directions % 2 == 0);
  TALUS_DEMAND(options_.max_passes >= 1 && options_.fixed_point_tolerance > 0);
}

ImplicitReport LagrangianStepper::step_once(LagrangianState& state, Real h) {
  detail::LagrangianSource source(system_, options_, state, h, contacts_);
  ImplicitReport report = implicit_step(source, options_);
  if (report.status == SolveStatus::numerical_error) {
    if (report.detail.empty()) report.detail = "the state after the step is not finite";
    return report;
  }
  contacts_ = source.impulses();
  bilateral_impulse_ = source.bilateral_impulse();
  joint_impulse_ = source.joint_impulse();
  last_size_ = h;
  state = {state.time + h, source.q_end(), source.v_end()};
  return report;
}

ImplicitReport LagrangianStepper::step(LagrangianState& state, Real h) {
  TALUS_DEMAND(h > 0);
  TALUS_DEMAND(state.q.size() == system_.coordinate_count() && state.q.size() == state.v.size());
  return detail::take_step([&](Real size) { return step_once(state, size); },
                           [&] { return std::pair(state, contacts_); },
                           [&](const auto& memory) { std::tie(state, contacts_) = memory; }, h,
                           options_.max_halvings);
}

Real LagrangianStepper::energy(const LagrangianState& state) const {
  const MatX blocks = model::mass_of(system_, state.q);
  const Index width = blocks.cols();
  Real twice = 0;
  for (Index first = 0; first < blocks.rows(); first += width) {
    const auto v = state.v.segment(first, width);
    twice += v.dot(blocks.middleRows(first, width) * v);
  }
  return 0.5 * twice + system_.potential(state.q);
}

}  // namespace talus::stepping
