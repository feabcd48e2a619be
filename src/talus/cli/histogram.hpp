#pragma once

#include <string>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/cli/gnuplot.hpp>

namespace talus::cli {

/// How often the values of curves lie where: between edges[i] and edges[i + 1] the part
/// shares[k][i] of the values of curve k.
struct Histogram {
  std::vector<Real> edges;
  std::vector<std::vector<Real>> shares;
  std::size_t left_out = 0;  ///< values that are not finite, or have no logarithm
};

/// Bins of one width from the least value of all curves to the largest; of one ratio where the axis
/// is logarithmic. The last bin holds the largest value.
/// @throws InputError if there is no value.
[[nodiscard]] Histogram histogram_of(const std::vector<Curve>& curves, int bins, bool is_log);

/// The outline of each curve's histogram over the values.
/// @throws InputError if the curves have several units.
[[nodiscard]] Figure histogram_figure(const Figure& values, const Histogram& histogram);

}  // namespace talus::cli
