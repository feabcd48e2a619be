#include <talus/stepping/halving.hpp>

#include <algorithm>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/stepping/detail/halving.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>

namespace talus::stepping {
namespace {

class Halving final : public detail::SchemeDecorator {
 public:
  Halving(std::unique_ptr<Scheme> scheme, Index most)
      : SchemeDecorator(std::move(scheme)), most_(most) {
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

 private:
  const Index most_;
};

}  // namespace

std::unique_ptr<Scheme> halving(std::unique_ptr<Scheme> scheme, Index max_halvings) {
  return std::make_unique<Halving>(std::move(scheme), max_halvings);
}

}  // namespace talus::stepping
