#include <talus/stepping/halving.hpp>

#include <utility>

#include <talus/base/contract.hpp>
#include <talus/stepping/detail/halving.hpp>
#include <talus/stepping/detail/parts.hpp>
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
    detail::Parts parts(*scheme_, state, h);
    const auto take = [&](Real size) { return parts.take(size); };
    StepReport report = detail::take_step(take, save, restore, h, most_);
    parts.finish();
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
