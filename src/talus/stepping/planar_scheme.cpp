#include <talus/stepping/planar_scheme.hpp>

#include <talus/base/contract.hpp>
#include <talus/dynamics/planar_system.hpp>
#include <talus/stepping/detail/halving.hpp>
#include <talus/stepping/detail/machine_limits.hpp>
#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::stepping {
namespace {

class PlanarScheme final : public Scheme {
 public:
  PlanarScheme(const model::Model& model, const SchemeOptions& options, Variant variant)
      : model_(model), options_(detail::implicit_options(options, variant)) {}

  StepReport step(model::State& state, Real h) override;
  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override;
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void make_stepper(const model::State& state);
  void remember(const VecX& q);

  const model::Model& model_;
  const ImplicitOptions options_;
  std::unique_ptr<dynamics::PlanarSystem> system_;  // made at the first step
  std::unique_ptr<LagrangianStepper> stepper_;
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
  Real step_size_ = 0;
};

/// Contacts of the step at the configuration it started from.
void PlanarScheme::remember(const VecX& q) {
  contacts_.clear();
  for (const LagrangianImpulse& impulse : stepper_->contacts()) {
    const dynamics::ContactTerms place = system_->meet(impulse.contact, q);
    const Vec2& normal = place.direction;
    const auto [body_a, body_b] = system_->machine().bodies_of(impulse.contact);
    Vec2 total = impulse.normal * normal;
    if (impulse.tangential.size() > 0) total += impulse.tangential[0] * -dynamics::left_of(normal);
    contacts_.push_back({body_a, body_b, Vec3(place.position.x(), place.position.y(), 0),
                         Vec3(normal.x(), normal.y(), 0), place.gap, Vec3(total.x(), total.y(), 0),
                         static_cast<geometry::FeatureId>(impulse.contact)});
  }
}

void PlanarScheme::recall(const SchemeMemory& memory) {
  contacts_ = memory.contacts;
  step_size_ = memory.step_size;
  stepper_.reset();  // both are made again from the state and these contacts
  system_.reset();
}

void PlanarScheme::make_stepper(const model::State& state) {
  system_ = std::make_unique<dynamics::PlanarSystem>(model_, state);
  stepper_ = std::make_unique<LagrangianStepper>(*system_, options_);
  std::vector<LagrangianImpulse> impulses;
  for (const StepContact& contact : contacts_)
    impulses.push_back(
        {static_cast<Index>(contact.feature), contact.impulse.dot(contact.normal), VecX()});
  stepper_->recall(std::move(impulses));
}

StepReport PlanarScheme::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0 && state.body_count() == model_.body_count());
  if (!system_) make_stepper(state);
  const VecX start = system_->coordinates(state);
  LagrangianState planar{state.time, start, system_->velocities(state)};
  ImplicitReport implicit = stepper_->step(planar, h);
  StepReport report = detail::to_step_report(std::move(implicit));
  if (report.status != problem::SolveStatus::numerical_error) {
    system_->store(planar.q, planar.v, state);
    state.time = planar.time;
    remember(start);
    if (model_.machine)
      dynamics::reactions(system_->machine(), system_->of_all(planar.q),
                          stepper_->bilateral_impulse() / stepper_->last_size(), VecX(),
                          reactions_);
    step_size_ = h;
  }
  report.contact_count = static_cast<Index>(contacts_.size());
  report.energy = dynamics::energy(model_, state);
  return report;
}

}  // namespace

std::unique_ptr<Scheme> make_planar_scheme(const model::Model& model, const SchemeOptions& options,
                                           Variant variant) {
  TALUS_DEMAND(model.dimension == 2);
  return std::make_unique<PlanarScheme>(model, options, variant);
}

std::string unsupported_machine(const model::Machine& machine) {
  std::string reason = detail::beyond_rigid_coulomb(machine);
  if (!reason.empty()) return reason;
  for (const model::Joint& joint : machine.joints)
    if (const auto* rope = std::get_if<model::RopeJoint>(&joint.kind))
      if (rope->restitution > 0) return "knows inelastic impacts only, also of ropes";
  for (const model::SurfaceLaw& surface : detail::surfaces_of(machine)) {
    if (surface.impact.restitution > 0) return "knows inelastic impacts only";
    if (surface.impact.tangential_restitution > 0) return "knows no tangential restitution";
  }
  return "";
}

}  // namespace talus::stepping
