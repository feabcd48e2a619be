#include <talus/cli/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/error.hpp>

namespace talus::cli {

Histogram histogram_of(const std::vector<Curve>& curves, int bins, bool is_log) {
  const auto is_counted = [&](Real value) {
    return std::isfinite(value) && (!is_log || value > 0);
  };
  Histogram histogram;
  Real low = std::numeric_limits<Real>::infinity(), high = -low;
  for (const Curve& curve : curves)
    for (const Real value : curve.value) {
      if (!is_counted(value)) {
        ++histogram.left_out;
        continue;
      }
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high)
    throw InputError(Diagnostic{{"command line"},
                                "--histogram",
                                "these series have no value to count",
                                "",
                                is_log ? "a logarithmic axis leaves out what is not above 0" : ""});
  if (low == high) {  // one value alone has a bin of its size around it
    const Real half = low == 0 ? 0.5 : 0.5 * std::abs(low);
    low -= half;
    high += half;
  }
  const auto scaled = [&](Real value) { return is_log ? std::log(value) : value; };
  const Real first = scaled(low), width = (scaled(high) - first) / bins;
  for (int i = 0; i <= bins; ++i) {
    const Real edge = i == bins ? scaled(high) : first + i * width;
    histogram.edges.push_back(is_log ? std::exp(edge) : edge);
  }
  for (const Curve& curve : curves) {
    std::vector<Real> share(static_cast<std::size_t>(bins), 0);
    Real count = 0;
    for (const Real value : curve.value) {
      if (!is_counted(value)) continue;
      const auto bin = static_cast<int>((scaled(value) - first) / width);
      share[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))] += 1;
      ++count;
    }
    for (Real& each : share) each /= std::max<Real>(count, 1);
    histogram.shares.push_back(std::move(share));
  }
  return histogram;
}

Figure histogram_figure(const Figure& values, const Histogram& histogram) {
  const std::string& unit = values.curves.at(0).unit;
  for (const Curve& curve : values.curves)
    if (curve.unit != unit)
      throw InputError(Diagnostic{{"command line"},
                                  "--histogram",
                                  "these series have several units: " + unit + ", " + curve.unit,
                                  "",
                                  "a histogram has one axis of values: make one of each"});
  Figure figure = values;
  figure.curves.clear();
  figure.limits.clear();
  figure.x_label = axis_label(values, unit);
  for (std::size_t k = 0; k < values.curves.size(); ++k) {
    Curve outline{values.curves[k].label, "1", {}, {}, values.curves[k].style,
                  "share of the values"};
    const auto add = [&](Real value, Real share) {
      outline.time.push_back(value);
      outline.value.push_back(share);
    };
    add(histogram.edges.front(), 0);
    for (std::size_t i = 0; i < histogram.shares[k].size(); ++i) {
      add(histogram.edges[i], histogram.shares[k][i]);
      add(histogram.edges[i + 1], histogram.shares[k][i]);
    }
    add(histogram.edges.back(), 0);
    figure.curves.push_back(std::move(outline));
  }
  return figure;
}

}  // namespace talus::cli
