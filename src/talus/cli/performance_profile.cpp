#include <talus/cli/performance_profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace talus::cli {
namespace {

// Colours that people with colour-blindness tell apart (Okabe & Ito).
constexpr std::array<const char*, 7> kCurveColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#000000"};
constexpr double kWidth = 640, kHeight = 360, kLeft = 60, kRight = 150, kTop = 20, kBottom = 45;

}  // namespace

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
  const double decades = std::ceil(std::log10(largest));
  const double width = kWidth - kLeft - kRight, height = kHeight - kTop - kBottom;
  const auto x = [&](double ratio) { return kLeft + width * std::log10(ratio) / decades; };
  const auto y = [&](double share) { return kTop + height * (1 - share); };

  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='{0}' height='{1}' fill='white'/>\n",
      kWidth, kHeight);
  for (int k = 0; k <= static_cast<int>(decades); ++k) {
    const double at = x(std::pow(10, k));
    svg += fmt::format(
        "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4}</text>\n",
        at, kTop, kTop + height, kTop + height + 16, std::pow(10, k));
  }
  for (int k = 0; k <= 4; ++k)
    svg += fmt::format(
        "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' stroke='#ddd'/>"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5} %</text>\n",
        kLeft, y(k / 4.0), kLeft + width, kLeft - 6, y(k / 4.0) + 4, 25 * k);
  svg += fmt::format(
      "<text x='{:.1f}' y='{}' text-anchor='middle'>time over that of the fastest solver</text>\n"
      "<text transform='translate(14 {:.1f}) rotate(-90)' text-anchor='middle'>problems "
      "solved</text>\n",
      kLeft + width / 2, kHeight - 8, kTop + height / 2);
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    const char* colour = kCurveColours[s % kCurveColours.size()];
    double level = share(s, 1);
    std::string path = fmt::format("M{:.1f} {:.1f}", x(1), y(level));
    for (const double ratio : ratios_[s]) {
      level = share(s, ratio);
      path += fmt::format("H{:.1f}V{:.1f}", x(ratio), y(level));
    }
    path += fmt::format("H{:.1f}", kLeft + width);
    const double row = kTop + 12 + 18 * static_cast<double>(s);
    svg += fmt::format(
        "<path d='{}' fill='none' stroke='{}' stroke-width='2'/>\n"
        "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='2'/>"
        "<text x='{}' y='{}'>{}</text>\n",
        path, colour, kWidth - kRight + 12, row, kWidth - kRight + 30, row, colour,
        kWidth - kRight + 36, row + 4, solvers_[s]);
  }
  return svg + "</svg>\n";
}

}  // namespace talus::cli
