#include <talus/stepping/lagrangian_scheme.hpp>

#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/model/own_model.hpp>
#include <talus/stepping/detail/implicit_scheme.hpp>
#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::stepping {
namespace {

ImplicitOptions own_options(const SchemeOptions& options, Variant variant) {
  ImplicitOptions own = detail::implicit_options(options, variant);
  own.gives_velocity = true;
  return own;
}

class LagrangianScheme final : public Scheme {
 public:
  LagrangianScheme(const model::Model& model, const SchemeOptions& options, Variant variant)
      : system_(*model.own_system), stepper_(system_, own_options(options, variant)) {}

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override;
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void list_contacts(const VecX& q);

  const model::LagrangianSystem& system_;
  LagrangianStepper stepper_;
  std::vector<StepContact> contacts_;
  Real step_size_ = 0;
};

/// At the configuration that the step came from.
void LagrangianScheme::list_contacts(const VecX& q) {
  contacts_.clear();
  for (const LagrangianImpulse& impulse : stepper_.contacts()) {
    StepContact contact;
    contact.normal = Vec3::UnitY();
    contact.gap = system_.gap(impulse.contact, q);
    contact.impulse.y() = impulse.normal;
    if (impulse.tangential.size() > 0) contact.impulse.x() = impulse.tangential[0];
    if (impulse.tangential.size() > 1) contact.impulse.z() = impulse.tangential[1];
    contact.feature = static_cast<geometry::FeatureId>(impulse.contact);
    contacts_.push_back(contact);
  }
}

void LagrangianScheme::recall(const SchemeMemory& memory) {
  contacts_ = memory.contacts;
  step_size_ = memory.step_size;
  std::vector<LagrangianImpulse> impulses;
  for (const StepContact& contact : contacts_)
    impulses.push_back({static_cast<Index>(contact.feature), contact.impulse.y(), VecX()});
  stepper_.recall(std::move(impulses));
}

StepReport LagrangianScheme::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0);
  LagrangianState own{state.time, model::coordinates_of(state), model::rates_of(state)};
  model::demand_shape("coordinates of the state", system_.coordinate_count(), 1, own.q);
  model::demand_shape("rates of the state", system_.coordinate_count(), 1, own.v);
  const VecX start = own.q;
  StepReport report = detail::to_step_report(stepper_.step(own, h));
  if (report.status != problem::SolveStatus::numerical_error) {
    state = model::make_own_state(own.q, own.v, own.time);
    list_contacts(start);
    step_size_ = h;
  }
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy.potential = system_.potential(own.q);
  report.energy.kinetic = stepper_.energy(own) - report.energy.potential;
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_lagrangian_scheme(const model::Model& model,
                                               const SchemeOptions& options, Variant variant) {
  TALUS_DEMAND(model.own_system != nullptr);
  return std::make_unique<LagrangianScheme>(model, options, variant);
}

}  // namespace talus::stepping
