#pragma once

#include <optional>
#include <span>
#include <vector>

#include <talus/stepping/detail/moreau_scheme.hpp>
#include <talus/stepping/detail/sleeping_islands.hpp>

namespace talus::stepping::detail {

/// Moreau–Jean's scheme with θ = 1 whose islands are left out of steps while they rest (ADR 0013):
/// every step is MoreauScheme's of the bodies that are awake, with the certificate of all.
class SleepingMoreau final : public MoreauScheme {
 public:
  /// @param options theta 1 (contract).
  SleepingMoreau(const model::Model& model, const SchemeOptions& options);

 private:
  void take_given_rates(model::State& state, Real h) override;
  bool solve(const model::State& state, Real h, StepReport& report) override;
  void certify(Real h, StepReport& report) override;
  void finish(model::State& state, Real h, StepReport& report) override;
  [[nodiscard]] bool is_left_out(Index body) const override { return sleepers_.is_asleep(body); }
  void leave_out() override;
  [[nodiscard]] std::span<const StepContact> resting_contacts() const override {
    return sleepers_.contacts();
  }
  void wake_changed(const model::State& state, Real h) override;
  bool wake_touched() override;
  void wake_pushed() override;
  void recall_rest(const model::State& state, Real h, const SchemeMemory& memory) override;

  [[nodiscard]] SleepingIslands::Law law_at_rest(Real h) const;
  bool wake_across(std::uint32_t a, std::uint32_t b);
  void wake_called(Real time, Real h);
  [[nodiscard]] bool is_any_still(const model::State& state) const;
  [[nodiscard]] SleepingIslands::NextMachine next_machine(const model::State& state, Real h);
  Index look_for_rest(Real time, Real h);
  void bring_to_rest(StepReport& report);
  void fall_asleep(const model::State& state, std::span<const StepContact> contacts, Real h);

  SleepingIslands sleepers_;
  std::optional<MachineStep> machine_at_rest_;  // in the step that would follow
  problem::RigidContact problem_at_rest_;
  problem::ContactImpulses impulse_at_rest_;
  VecX bounds_at_rest_;  // of its dry frictions
  std::vector<unsigned char> restless_;
  std::vector<Index> called_;
  Vec3 last_gravity_ = Vec3::Zero();
};

}  // namespace talus::stepping::detail
