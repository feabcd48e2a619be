#pragma once

#include <memory>
#include <utility>

#include <talus/stepping/scheme.hpp>

namespace talus::stepping::detail {

/// A scheme whose steps are those of another one, in some way: all but step() is the other's. Its
/// states are whole (allow_parts has no effect).
class SchemeDecorator : public Scheme {
 public:
  explicit SchemeDecorator(std::unique_ptr<Scheme> scheme) : scheme_(std::move(scheme)) {}

  const std::vector<StepContact>& contacts() const override { return scheme_->contacts(); }
  std::optional<StepContact> contact(Index i) const override { return scheme_->contact(i); }
  std::span<const Event> events() const override { return scheme_->events(); }
  std::span<const dynamics::Reaction> reactions() const override { return scheme_->reactions(); }
  Real place_of_reactions() const override { return scheme_->place_of_reactions(); }
  std::span<const dynamics::AxisReaction> axes() const override { return scheme_->axes(); }
  void start_anew(model::State& state) const override { scheme_->start_anew(state); }
  void certify_in_full(StepReport& report) const override { scheme_->certify_in_full(report); }
  SchemeMemory memory() const override { return scheme_->memory(); }
  void recall(const SchemeMemory& memory) override { scheme_->recall(memory); }
  std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return scheme_->last_problem();
  }

 protected:
  const std::unique_ptr<Scheme> scheme_;
};

}  // namespace talus::stepping::detail
