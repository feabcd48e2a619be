#include <talus/stepping/event_driven/accumulation.hpp>

#include <algorithm>
#include <cmath>

#include <talus/laws/tolerances.hpp>

namespace talus::stepping::event_driven {
namespace {

constexpr Real kLargestRatio = 0.99999;

}  // namespace

bool Accumulation::is_tail() const {
  const auto [low, high] = std::minmax_element(ratio_.begin(), ratio_.end());
  return count_ >= 5 && *low > 0 && *high < kLargestRatio &&
         *high - *low <= tolerance::kSeriesAgreement * *high &&
         speed_ <= tolerance::kSeriesTail * first_speed_;
}

std::optional<Real> Accumulation::add(Real time, Real speed) {
  const Real interval = time - last_time_;
  if (count_ >= 2 && (interval >= last_interval_ || speed >= speed_)) reset();
  if (count_ == 0) first_speed_ = speed;
  if (count_ >= 2) ratio_ = {interval / last_interval_, ratio_[0], ratio_[1]};
  last_interval_ = interval;
  last_time_ = time;
  speed_ = speed;
  ++count_;
  if (!is_tail() || speed_ > tolerance::kSeriesSlower * first_speed_) return std::nullopt;
  const Real r = std::cbrt(ratio_[0] * ratio_[1] * ratio_[2]);
  return time + interval * r / (1 - r);  // Σ Δ rᵏ, k = 1, 2, …
}

void Accumulation::write(Real* to) const {
  const std::array<Real, kSize> all{count_,    last_time_, last_interval_, first_speed_,
                                    ratio_[0], ratio_[1],  ratio_[2],      speed_};
  std::copy(all.begin(), all.end(), to);
}

void Accumulation::read(const Real* from) {
  count_ = from[0];
  last_time_ = from[1];
  last_interval_ = from[2];
  first_speed_ = from[3];
  ratio_ = {from[4], from[5], from[6]};
  speed_ = from[7];
}

}  // namespace talus::stepping::event_driven
