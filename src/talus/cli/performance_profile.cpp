#include <talus/cli/performance_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/reproduce/svg_plot.hpp>

namespace talus::cli {
PerformanceProfile::PerformanceProfile(std::vector<std::string> solvers,
                                       const std::vector<std::vector<double>>& seconds)
    : solvers_(std::move(solvers)), ratios_(solvers_.size()), problem_count_(seconds.size()) {
  for (const std::vector<double>& times : seconds) {
    const double best = *std::min_element(times.begin(), times.end());
    for (std::size_t s = 0; s < times.size(); ++s)
      if (std::isfinite(times[s])) ratios_[s].push_back(best > 0 ? times[s] / best : 1);
  }
  for (auto& ratios : ratios_) std::sort(ratios.begin(), ratios.end());
}

double PerformanceProfile::share(std::size_t solver, double ratio) const {
  if (problem_count_ == 0) return 0;
  const auto& ratios = ratios_[solver];
  const auto within = std::upper_bound(ratios.begin(), ratios.end(), ratio) - ratios.begin();
  return static_cast<double>(within) / static_cast<double>(problem_count_);
}

std::string PerformanceProfile::to_text() const {
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  std::string text = fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "solver", "fastest", "x 2",
                                 "x 10", "x 100", "solved");
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    text += fmt::format("{:<18}", solvers_[s]);
    for (const double ratio : {1.0, 2.0, 10.0, 100.0, kEnd})
      text += fmt::format("{:>8.0f}%", 100 * share(s, ratio));
    text += '\n';
  }
  return text;
}

std::string PerformanceProfile::to_svg() const {
  double largest = 10;
  for (const auto& ratios : ratios_)
    if (!ratios.empty()) largest = std::max(largest, ratios.back());
  const double end = std::pow(10, std::ceil(std::log10(largest)));
  reproduce::SvgPlot plot("", "time over that of the fastest solver", "problems solved [%]");
  plot.set_logarithmic_x();
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    double level = 100 * share(s, 1);
    std::vector<Vec2> steps = {{1, level}};
    for (const double ratio : ratios_[s]) {
      steps.emplace_back(ratio, level);
      level = 100 * share(s, ratio);
      steps.emplace_back(ratio, level);
    }
    steps.emplace_back(end, level);
    plot.line(std::move(steps), solvers_[s], static_cast<int>(s), 2);
  }
  return plot.svg();
}

}  // namespace talus::cli
