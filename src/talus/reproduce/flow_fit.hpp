#pragma once

#include <span>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::reproduce {

/// A number with its standard error; NaN where there is none.
struct Estimate {
  Real value = 0, error = 0;
};

/// A quantity over time.
struct Series {
  std::vector<Real> time;   ///< [s], increasing
  std::vector<Real> value;  ///< one per time
  /// What lies within [from, to].
  [[nodiscard]] Series between(Real from, Real to) const;
};

/// Mean over time. Its error is that of the means of `blocks` equal parts, √(var/blocks): parts
/// longer than the correlation time are as good as independent. Without error where
/// there are fewer than two samples a block.
[[nodiscard]] Estimate mean_of(const Series& series, Index blocks);

/// Mean of one quantity over that of another at the same times, with the error of the ratios of the
/// blocks' means, as above.
[[nodiscard]] Estimate ratio_of(const Series& above, const Series& below, Index blocks);

/// Slope dvalue/dtime by least squares. Its error is that of the slopes from end to end of `blocks`
/// equal parts, as for the mean; NaN with fewer than two samples a block.
[[nodiscard]] Estimate slope_of(const Series& series, Index blocks);

/// The mean of independent repetitions. Its error is √(var/n) of their values, or what their own
/// errors give, √Σσ²/n, whichever is larger; of a single one its own.
[[nodiscard]] Estimate combine(std::span<const Estimate> repetitions);

/// W = C s (B − k d)^p.
struct Beverloo {
  Estimate C, k;
};

/// Fit of W^{1/p} = (C s)^{1/p} (B − k d) by least squares, weighted with the rates' errors, that
/// give those of C and k to first order (`beverloo_1961` for a round opening, p = 5/2, s = ρ_b √g;
/// a slot of length L has p = 3/2, s = ρ_b √g L, `nedderman_1992`).
/// @param breadth B [m], at least two. @param rate W [kg/s] > 0; where one has no error all count
/// alike. @param scale s. @param diameter d [m]. @param power p.
/// NaN where the line is not rising.
[[nodiscard]] Beverloo fit_beverloo(std::span<const Real> breadth, std::span<const Estimate> rate,
                                    Real scale, Real diameter, Real power);

}  // namespace talus::reproduce
