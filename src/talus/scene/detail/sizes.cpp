#include <talus/scene/detail/sizes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace talus::scene::detail {
namespace {

/// Φ, the standard normal distribution function.
Real phi(Real z) { return 0.5 * std::erfc(-z / std::sqrt(Real(2))); }

/// Φ⁻¹(p) between two bounds, by bisection to the last bit or so.
Real phi_inverse(Real p, Real low, Real high) {
  for (int i = 0; i < 60; ++i) {
    const Real middle = 0.5 * (low + high);
    (phi(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

SizeSampler::SizeSampler(const std::optional<SizesSpec>& sizes, Real spread) {
  min_ = 1 - spread;
  max_ = 1 + spread;
  mean_ = 1;
  deviation_ = spread;
  if (!sizes) return;
  const auto window = [&](Kind kind, Real min, Real max, Real mean, Real deviation) {
    kind_ = kind;
    min_ = min;
    max_ = max;
    mean_ = mean;
    deviation_ = deviation;
  };
  if (const auto& spec = sizes->uniform) {
    window(Kind::uniform, spec->min, spec->max, 0.5 * (spec->min + spec->max),
           0.5 * (spec->max - spec->min));
  } else if (const auto& normal = sizes->normal) {
    window(Kind::normal, normal->min, normal->max, normal->mean, normal->deviation);
  } else if (const auto& log = sizes->log_normal) {
    window(Kind::log_normal, log->min, log->max, std::log(log->median), log->deviation);
  } else if (const auto& table = sizes->table) {
    kind_ = Kind::table;
    table_ = table->sizes;
    Real sum = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const Real s = table_[i];
      sum += table->by == "mass" ? table->shares[i] / (s * s * s) : table->shares[i];
      cumulative_.push_back(sum);
    }
    for (Real& value : cumulative_) value /= sum;
    min_ = *std::min_element(table_.begin(), table_.end());
    max_ = *std::max_element(table_.begin(), table_.end());
  }
}

Real SizeSampler::draw(Random& random) const {
  if (kind_ == Kind::uniform) return mean_ + deviation_ * random.uniform(-1, 1);
  const Real u = random.uniform();
  if (kind_ == Kind::table) {
    const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
    return table_[std::min<std::size_t>(static_cast<std::size_t>(place - cumulative_.begin()),
                                        table_.size() - 1)];
  }
  const bool is_log = kind_ == Kind::log_normal;
  const Real low = ((is_log ? std::log(min_) : min_) - mean_) / deviation_;
  const Real high = ((is_log ? std::log(max_) : max_) - mean_) / deviation_;
  const Real z = phi_inverse(phi(low) + u * (phi(high) - phi(low)), low, high);
  const Real value = mean_ + deviation_ * z;
  return std::clamp(is_log ? std::exp(value) : value, min_, max_);
}

void check_sizes(const SizesSpec& sizes, Problems& problems) {
  const auto check_window = [&](const Spec& spec, Real min, Real max) {
    if (min > max)
      problems.add(spec.place.at("max"),
                   fmt::format("expected max ≥ min, got {} and {}", max, min));
  };
  const auto check_reach = [&](const Spec& spec, Real low, Real high) {
    if (low < high && !(phi(high) - phi(low) > 1e-9))
      problems.add(spec.place, "the distribution has next to nothing between min and max");
    if (low >= high) problems.add(spec.place.at("max"), "expected max above min");
  };
  if (const auto& spec = sizes.uniform) check_window(*spec, spec->min, spec->max);
  if (const auto& spec = sizes.normal)
    check_reach(*spec, (spec->min - spec->mean) / spec->deviation,
                (spec->max - spec->mean) / spec->deviation);
  if (const auto& spec = sizes.log_normal)
    check_reach(*spec, std::log(spec->min / spec->median) / spec->deviation,
                std::log(spec->max / spec->median) / spec->deviation);
  if (const auto& spec = sizes.table; spec && spec->sizes.size() != spec->shares.size())
    problems.add(spec->place.at("shares"),
                 fmt::format("expected a share for each of the {} sizes, got {}",
                             spec->sizes.size(), spec->shares.size()));
}

}  // namespace talus::scene::detail
