#include <talus/reproduce/machine_figures.hpp>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/reproduce/svg_plot.hpp>

namespace talus::reproduce {
namespace {

constexpr std::size_t kBuckets = 1500;  // of a curve over time: more than there are pixels

const std::vector<Real>& column(const FigureSpec& figure, const std::string& name,
                                const MachineHistory& run) {
  if (name == "time") return run.time;
  const auto found = run.signals.find(name);
  if (found == run.signals.end())
    throw file_error("expected.yaml",
                     fmt::format("{}: there is no signal \"{}\"", figure.name, name));
  return found->second;
}

/// Of every bucket of a curve over time the first, the lowest, the highest and the last point.
std::vector<Vec2> thinned(const std::vector<Vec2>& points) {
  if (points.size() <= 4 * kBuckets) return points;
  std::vector<Vec2> kept;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    const std::size_t begin = b * points.size() / kBuckets,
                      end = (b + 1) * points.size() / kBuckets;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (points[i].y() < points[low].y()) low = i;
      if (points[i].y() > points[high].y()) high = i;
    }
    for (const std::size_t i : {begin, std::min(low, high), std::max(low, high), end - 1})
      if (kept.empty() || kept.back() != points[i]) kept.push_back(points[i]);
  }
  return kept;
}

}  // namespace

std::string draw_machines(const FigureSpec& figure, const MachineHistories& machines) {
  SvgPlot plot(figure.title, figure.axes[0], figure.axes[1]);
  int colour = 0;
  for (const CurveSpec& curve : figure.curves) {
    const auto runs = machines.find(curve.machine);
    if (runs == machines.end()) continue;
    const MachineHistory& run = runs->second.at(static_cast<std::size_t>(curve.value));
    const std::vector<Real>&x = column(figure, curve.x, run), &y = column(figure, curve.y, run);
    std::vector<Vec2> points;
    for (std::size_t i = 0; i < run.time.size(); ++i)
      if (figure.window[0] == figure.window[1] ||
          (run.time[i] >= figure.window[0] && run.time[i] <= figure.window[1]))
        points.emplace_back(x[i], y[i]);
    if (curve.x == "time") points = thinned(points);
    plot.line(std::move(points), curve.label, colour++, 1.2);
  }
  return plot.svg();
}

}  // namespace talus::reproduce
