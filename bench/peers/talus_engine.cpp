#include "peers/engine.hpp"

namespace talus::bench {
namespace {

class TalusEngine final : public Engine {
 public:
  TalusEngine(const model::Model& model, const model::State& state, const EngineOptions& options)
      : step_size_(options.step_size), state_(state) {
    scheme_.solver.tolerance = options.tolerance;
    scheme_.solver.max_iterations = 5000;
    stepper_ = stepping::make_scheme(model, scheme_);
  }

  // Not certified steps show in the table by their residual.
  void step() override { static_cast<void>(stepper_->step(state_, step_size_)); }
  void read(model::State& state) const override { state = state_; }
  void read(std::vector<stepping::StepContact>& contacts) const override {
    contacts = stepper_->contacts();
  }
  [[nodiscard]] Correction correction() const override {
    return {scheme_.error_reduction, scheme_.slop};
  }

 private:
  Real step_size_;
  stepping::SchemeOptions scheme_;
  model::State state_;
  std::unique_ptr<stepping::Scheme> stepper_;
};

}  // namespace

EngineEntry talus_engine() {
  return {"talus", "Moreau-Jean, auto",
          [](const model::Model& model, const model::State& state,
             const EngineOptions& options) -> std::unique_ptr<Engine> {
            return std::make_unique<TalusEngine>(model, state, options);
          }};
}

}  // namespace talus::bench
