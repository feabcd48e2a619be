#include <talus/stepping/halving.hpp>

#include <algorithm>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/stepping/detail/halving.hpp>

namespace talus::stepping {
namespace {

class Halving final : public Scheme {
 public:
  Halving(std::unique_ptr<Scheme> scheme, Index most) : scheme_(std::move(scheme)), most_(most) {
    TALUS_DEMAND(most >= 1);
  }

  StepReport step(model::State& state, Real h) override {
    const auto save = [&] { return std::pair(state, scheme_->memory()); };
    const auto restore = [&](const auto& before) {
      state = before.first;
      scheme_->recall(before.second);
    };
    const Real start = state.time;
    bool keeps_time = false;  // it is the caller's then, and each part has its own
    const auto take = [&](Real size) {
      const Real time = state.time;
      StepReport report = scheme_->step(state, size);
      if (size < h) scheme_->certify_in_full(report);  // of a part, whose problem is not kept
      keeps_time = keeps_time || state.time != time;
      if (!keeps_time) state.time = time + size;
      return report;
    };
    StepReport report = detail::take_step(take, save, restore, h, most_);
    if (!keeps_time) state.time = start;
    return report;
  }

  const std::vector<StepContact>& contacts() const override { return scheme_->contacts(); }
  std::optional<StepContact> contact(Index i) const override { return scheme_->contact(i); }
  std::span<const Event> events() const override { return scheme_->events(); }
  std::span<const dynamics::Reaction> reactions() const override { return scheme_->reactions(); }
  Real place_of_reactions() const override { return scheme_->place_of_reactions(); }
  std::span<const dynamics::AxisReaction> axes() const override { return scheme_->axes(); }
  void certify_in_full(StepReport& report) const override { scheme_->certify_in_full(report); }
  SchemeMemory memory() const override { return scheme_->memory(); }
  void recall(const SchemeMemory& memory) override { scheme_->recall(memory); }
  std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return scheme_->last_problem();
  }

 private:
  const std::unique_ptr<Scheme> scheme_;
  const Index most_;
};

}  // namespace

std::unique_ptr<Scheme> halving(std::unique_ptr<Scheme> scheme, Index max_halvings) {
  return std::make_unique<Halving>(std::move(scheme), max_halvings);
}

}  // namespace talus::stepping
