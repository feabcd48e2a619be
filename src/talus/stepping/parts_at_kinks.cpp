#include <talus/stepping/parts_at_kinks.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/dynamics/kinks.hpp>
#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/stepping/detail/halving.hpp>
#include <talus/stepping/detail/parts.hpp>
#include <talus/stepping/detail/scheme_decorator.hpp>
#include <talus/stepping/detail/sum_of_parts.hpp>

namespace talus::stepping {
namespace {

// Of a step:
constexpr Real kBefore = 1e-7;    // how far before its kink a part begins
constexpr Real kNoPart = 1e-6;    // what is no part of its own: kinks in it are one
constexpr Real kNear = 1 - 1e-6;  // kinks that are farther apart are met alone

class PartsAtKinks final : public detail::SchemeDecorator {
 public:
  PartsAtKinks(std::unique_ptr<Scheme> scheme, const model::Model& model, PartStart parts)
      : SchemeDecorator(std::move(scheme)),
        model_(model),
        before_(parts == PartStart::before_kink ? kBefore : 0) {
    TALUS_DEMAND(has_kinks(model));
  }

  void recall(const SchemeMemory& memory) override {
    is_cut_ = false;
    SchemeDecorator::recall(memory);
  }

  StepReport step(model::State& state, Real h) override {
    const Real start = state.time;
    find_ends(start, h);
    is_cut_ = false;
    if (ends_.empty()) return scheme_->step(state, h);
    detail::Parts parts(*scheme_, state, h);
    sum_.clear();
    std::optional<StepReport> all;
    for (std::size_t i = 0; i + 1 < ends_.size(); ++i) {
      const Real size = ends_[i + 1] - ends_[i];
      state.time = ends_[i];
      dynamics::prescribe(model_, ends_[i], ends_[i + 1], size, state);
      scheme_->start_anew(state);
      StepReport part = parts.take(size);
      sum_.add(*scheme_, size / h);
      if (all) {
        detail::add_first(*all, part);
        if (!all->is_certified()) {
          part.status = all->status;
          part.detail = all->detail;
        }
      }
      all = std::move(part);
      if (is_lost(*all, state)) break;
    }
    if (parts.finish()) state.time = start + h;
    scheme_->start_anew(state);
    is_cut_ = true;
    all->contact_count = std::ssize(sum_.contacts());
    return std::move(*all);
  }

  const std::vector<StepContact>& contacts() const override {
    return is_cut_ ? sum_.contacts() : scheme_->contacts();
  }
  std::optional<StepContact> contact(Index i) const override {
    if (!is_cut_) return scheme_->contact(i);
    return Scheme::contact(i);  // NOLINT(bugprone-parent-virtual-call): one of contacts()
  }
  std::span<const dynamics::Reaction> reactions() const override {
    return are_means() ? sum_.reactions() : scheme_->reactions();
  }
  std::span<const dynamics::AxisReaction> axes() const override {
    return are_means() ? sum_.axes() : scheme_->axes();
  }

 private:
  /// Whether reactions are means over parts, of a scheme that has impulses.
  bool are_means() const { return is_cut_ && before_ > 0; }

  static bool is_lost(const StepReport& report, const model::State& state) {
    return report.status == problem::SolveStatus::interrupted ||
           report.status == problem::SolveStatus::numerical_error || !state.is_finite();
  }

  /// Where parts begin and end, rising; nothing where the step is taken whole.
  void find_ends(Real start, Real h) {
    ends_.clear();
    const Real least = kNoPart * h;
    Real first = start, end = start + h;
    bool is_cut = false;
    const auto add = [&](Real time) {
      const Real last = ends_.empty() ? first : ends_.back();
      if (time > last + least && time < end - least) ends_.push_back(time);
    };
    const auto meet = [&](Real kink) {
      const Real time = kink - before_ * h;
      const bool is_first = std::abs(kink - start) <= least;
      const bool is_last = std::abs(kink - start - h) <= least;
      is_cut = is_cut || is_first || is_last;
      if (is_first)
        first = time;
      else if (is_last)
        end = time;
      else
        add(time);
    };
    Real kink = dynamics::next_kink(model_, start - 2 * h);
    while (kink <= start + h + least) {
      burst_.assign(1, kink);  // kinks that are near to each other
      for (;;) {
        kink = dynamics::next_kink(model_, burst_.back() + least);
        if (!(kink - burst_.back() < kNear * h)) break;
        burst_.push_back(kink);
      }
      if (burst_.size() < 2 || burst_.back() - burst_.front() >= kNear * h) continue;
      for (std::size_t k = 0; k < burst_.size(); ++k) {
        meet(burst_[k]);
        if (k + 1 < burst_.size()) add(std::midpoint(burst_[k], burst_[k + 1]));
      }
    }
    if (ends_.empty() && !is_cut) return;
    ends_.insert(ends_.begin(), first);
    ends_.push_back(end);
  }

  const model::Model& model_;
  const Real before_;
  bool is_cut_ = false;  // the last step
  detail::SumOfParts sum_;
  std::vector<Real> burst_;
  std::vector<Real> ends_;  // of parts, the start of the first one among them
};

}  // namespace

bool has_kinks(const model::Model& model) {
  return std::isfinite(dynamics::next_kink(model, -std::numeric_limits<Real>::infinity()));
}

std::unique_ptr<Scheme> parts_at_kinks(std::unique_ptr<Scheme> scheme, const model::Model& model,
                                       PartStart parts) {
  return std::make_unique<PartsAtKinks>(std::move(scheme), model, parts);
}

}  // namespace talus::stepping
