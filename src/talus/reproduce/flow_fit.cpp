#include <talus/reproduce/flow_fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/reproduce/measured.hpp>

namespace talus::reproduce {
namespace {

Real mean(std::span<const Real> values) {
  Real sum = 0;
  for (const Real value : values) sum += value;
  return sum / static_cast<Real>(values.size());
}

/// Standard error of the mean of independent values.
Real error_of_mean(std::span<const Real> values) {
  const auto n = static_cast<Real>(values.size());
  if (n < 2) return kNone;
  const Real middle = mean(values);
  Real sum = 0;
  for (const Real value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / (n - 1) / n);
}

/// Calls get(first, last) for equal parts of the samples, ends shared.
template <class Get>
std::vector<Real> over_blocks(const Series& series, Index blocks, const Get& get) {
  std::vector<Real> values;
  const auto last = static_cast<Index>(series.time.size()) - 1;
  for (Index k = 0; k < blocks; ++k)
    values.push_back(get(static_cast<std::size_t>(k * last / blocks),
                         static_cast<std::size_t>((k + 1) * last / blocks)));
  return values;
}

bool is_enough(const Series& series, Index blocks) {
  TALUS_DEMAND(series.time.size() == series.value.size() && blocks >= 2);
  return static_cast<Index>(series.time.size()) >= 2 * blocks;
}

}  // namespace

Series Series::between(Real from, Real to) const {
  Series part;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (time[i] < from || time[i] > to) continue;
    part.time.push_back(time[i]);
    part.value.push_back(value[i]);
  }
  return part;
}

Estimate mean_of(const Series& series, Index blocks) {
  const std::span<const Real> all = series.value;
  if (all.empty()) return {kNone, kNone};
  if (!is_enough(series, blocks)) return {mean(all), kNone};
  const auto means = over_blocks(series, blocks, [&](std::size_t first, std::size_t last) {
    return mean(all.subspan(first, last - first));
  });
  return {mean(all), error_of_mean(means)};
}

Estimate ratio_of(const Series& above, const Series& below, Index blocks) {
  TALUS_DEMAND(above.time == below.time);
  const std::span<const Real> a = above.value, b = below.value;
  if (a.empty()) return {kNone, kNone};
  const Real ratio = mean(a) / mean(b);
  if (!is_enough(above, blocks)) return {ratio, kNone};
  const auto ratios = over_blocks(above, blocks, [&](std::size_t first, std::size_t last) {
    return mean(a.subspan(first, last - first)) / mean(b.subspan(first, last - first));
  });
  return {ratio, error_of_mean(ratios)};
}

Estimate slope_of(const Series& series, Index blocks) {
  if (!is_enough(series, blocks)) return {kNone, kNone};
  const Real t0 = mean(series.time), y0 = mean(series.value);
  Real ty = 0, tt = 0;
  for (std::size_t i = 0; i < series.time.size(); ++i) {
    ty += (series.time[i] - t0) * (series.value[i] - y0);
    tt += (series.time[i] - t0) * (series.time[i] - t0);
  }
  const auto slopes = over_blocks(series, blocks, [&](std::size_t first, std::size_t last) {
    return (series.value[last] - series.value[first]) / (series.time[last] - series.time[first]);
  });
  return {ty / tt, error_of_mean(slopes)};
}

Estimate combine(std::span<const Estimate> repetitions) {
  if (repetitions.empty()) return {kNone, kNone};
  std::vector<Real> values;
  Real squares = 0;
  for (const Estimate& one : repetitions) {
    values.push_back(one.value);
    squares += one.error * one.error;
  }
  const Real own = std::sqrt(squares) / static_cast<Real>(values.size());
  if (values.size() == 1) return {values[0], own};
  const Real spread = error_of_mean(values);
  return {mean(values), std::isfinite(own) ? std::max(own, spread) : spread};
}

Beverloo fit_beverloo(std::span<const Real> breadth, std::span<const Estimate> rate, Real scale,
                      Real diameter, Real power) {
  TALUS_DEMAND(breadth.size() == rate.size() && breadth.size() >= 2 && scale > 0 && diameter > 0);
  const auto n = static_cast<Index>(rate.size());
  VecX x(n), y(n), weight = VecX::Ones(n);
  bool has_errors = true;
  for (Index i = 0; i < n; ++i) {
    const Estimate& W = rate[static_cast<std::size_t>(i)];
    x[i] = breadth[static_cast<std::size_t>(i)];
    y[i] = std::pow(W.value, 1 / power);
    const Real error = y[i] / (power * W.value) * W.error;
    has_errors = has_errors && error > 0;
    weight[i] = 1 / (error * error);
  }
  if (!has_errors) weight.setOnes();
  const Real sum = weight.sum(), x0 = weight.dot(x) / sum, y0 = weight.dot(y) / sum;
  const VecX dx = x.array() - x0;
  const Real xx = (weight.array() * dx.array().square()).sum();
  const Real slope = (weight.array() * dx.array() * (y.array() - y0)).sum() / xx;
  if (!(slope > 0)) return {{kNone, kNone}, {kNone, kNone}};
  // The line is y = y0 + slope (x − x0), whose two coefficients are not correlated.
  Beverloo fit;
  fit.C.value = std::pow(slope, power) / scale;
  fit.k.value = (x0 - y0 / slope) / diameter;
  const Real slope_error = has_errors ? 1 / std::sqrt(xx) : kNone;
  const Real middle_error = has_errors ? 1 / std::sqrt(sum) : kNone;
  fit.C.error = power * fit.C.value / slope * slope_error;
  fit.k.error = std::hypot(middle_error / slope, y0 / (slope * slope) * slope_error) / diameter;
  return fit;
}

}  // namespace talus::reproduce
