#include <talus/reproduce/figures.hpp>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include <talus/base/error.hpp>
#include <talus/geometry/planar.hpp>
#include <talus/reproduce/measures.hpp>
#include <talus/reproduce/svg_plot.hpp>

namespace talus::reproduce {
namespace {

InputError wrong_figure(const FigureSpec& figure, const std::string& what) {
  return file_error("expected.yaml", figure.name + ": " + what);
}

int axis_of(const FigureSpec& figure, char letter) {
  const auto index = std::string("xyz").find(letter);
  if (index == std::string::npos)
    throw wrong_figure(figure, fmt::format("'{}' is none of x, y, z", letter));
  return static_cast<int>(index);
}

Index figure_body(const FigureSpec& figure, const model::Model& model) {
  const Index body = model.find_body(figure.body);
  if (body < 0) throw wrong_figure(figure, "there is no body \"" + figure.body + "\"");
  return body;
}

bool is_shown(const FigureSpec& figure, Real time) {
  return figure.window[0] == figure.window[1] ||
         (time >= figure.window[0] && time <= figure.window[1]);
}

/// A number of step k (state after k steps; k ≥ 1).
Real figure_value(const FigureSpec& figure, const History& run, std::size_t k) {
  const std::string& name = figure.value;
  const stepping::StepReport& report = run.reports[k - 1];
  if (name == "energy") return report.energy.total();
  if (name == "energy_change")
    return report.energy.total() - (k == 1 ? run.first_energy : run.reports[k - 2].energy.total());
  if (name == "lcp_size") return static_cast<Real>(report.lcp.largest);
  if (name == "pivots") return static_cast<Real>(report.lcp.pivots);
  const auto dot = name.find('.');
  if (dot == std::string::npos || dot + 2 != name.size())
    throw wrong_figure(figure, "unknown value " + name);
  const int axis = axis_of(figure, name.back());
  const std::string what = name.substr(0, dot);
  const Index body = figure_body(figure, run.scene.model);
  const model::State& state = run.states[k];
  if (what == "velocity") return state.velocity[body][axis];
  if (what == "position") return state.position[body][axis];
  if (what == "angular_velocity") return state.angular_velocity[body][axis];
  throw wrong_figure(figure, "unknown value " + name);
}

SvgPlot series(const FigureSpec& figure, const Runs& runs) {
  SvgPlot plot(figure.title, "time [s]",
               figure.body.empty() ? figure.value : figure.body + " " + figure.value);
  int colour = 0;
  for (const Real step : figure.steps) {
    const History& run = runs.get(figure.run, step);
    std::vector<Vec2> points;
    for (std::size_t k = 1; k < run.states.size(); ++k)
      if (is_shown(figure, run.time(static_cast<Index>(k))))
        points.emplace_back(run.time(static_cast<Index>(k)), figure_value(figure, run, k));
    plot.line(std::move(points), fmt::format("h = {:g}", step), colour++);
  }
  return plot;
}

SvgPlot path(const FigureSpec& figure, const Runs& runs) {
  SvgPlot plot(figure.title, figure.axes[0] + " [m]", figure.axes[1] + " [m]");
  const int right = axis_of(figure, figure.axes[0].at(0));
  const int up = axis_of(figure, figure.axes[1].at(0));
  const History& run = runs.get(figure.run, figure.steps.front());
  int colour = 0;
  for (Index body = 0; body < run.scene.model.body_count(); ++body) {
    if (run.scene.model.bodies[body].kind != model::BodyKind::dynamic) continue;
    std::vector<Vec2> points;
    for (std::size_t k = 0; k < run.states.size(); ++k)
      if (is_shown(figure, run.time(static_cast<Index>(k))))
        points.emplace_back(run.states[k].position[body][right], run.states[k].position[body][up]);
    plot.line(std::move(points), run.scene.model.body_name(body), colour++);
  }
  return plot;
}

/// The outline of a rounded core: arcs about its corners, joined.
std::vector<Vec2> shape_outline(const geometry::PlanarShape& shape) {
  constexpr int kArc = 24;
  const auto n = shape.corners.size();
  std::vector<Vec2> points;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& corner = shape.corners[i];
    if (shape.radius == 0) {
      points.push_back(corner);
      continue;
    }
    const auto direction = [&](const Vec2& from, const Vec2& to) {
      const Vec2 side = to - from;
      return std::atan2(-side.x(), side.y());
    };
    Real begin = 0, end = 2 * std::numbers::pi;
    if (n > 1) {
      begin = direction(shape.corners[(i + n - 1) % n], corner);
      end = direction(corner, shape.corners[(i + 1) % n]);
      while (end < begin) end += 2 * std::numbers::pi;
    }
    for (int k = 0; k <= kArc; ++k) {
      const Real angle = begin + (end - begin) * k / kArc;
      points.emplace_back(corner + shape.radius * Vec2(std::cos(angle), std::sin(angle)));
    }
  }
  return points;
}

SvgPlot snapshots(const FigureSpec& figure, const Runs& runs) {
  if (!(figure.every > 0)) throw wrong_figure(figure, "snapshots need every: a time");
  SvgPlot plot(figure.title, "x [m]", "y [m]");
  plot.set_equal_scale();
  const History& run = runs.get(figure.run, figure.steps.front());
  const Index index = figure_body(figure, run.scene.model);
  const model::Body& body = run.scene.model.bodies[index];
  Real left = 0, right = 0;
  int colour = 0;
  const auto stride =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(figure.every / run.step_size)));
  for (std::size_t k = 0; k < run.states.size(); k += stride) {
    const Real time = run.time(static_cast<Index>(k));
    if (!is_shown(figure, time)) continue;
    std::vector<Vec2> points = shape_outline(
        geometry::project_to_plane(body.shape, run.states[k].pose(index) * body.X_BS));
    for (const Vec2& p : points) {
      left = std::min(left, p.x());
      right = std::max(right, p.x());
    }
    plot.line(std::move(points), fmt::format("t = {:g}", time), colour++, 1.5, true);
  }
  plot.line({{left, 0}, {right, 0}}, "", 6, 2);
  return plot;
}

SvgPlot impulse_plot(const FigureSpec& figure, const Runs& runs) {
  SvgPlot plot(figure.title, "time [s]", "impulse [N s]");
  const History& run = runs.get(figure.run, figure.steps.front());
  std::map<std::string, std::vector<Vec2>> dots;
  for (std::size_t k = 0; k < run.contacts.size(); ++k) {
    const Real time = run.time(static_cast<Index>(k) + 1);
    if (!is_shown(figure, time)) continue;
    for (const stepping::StepContact& c : run.contacts[k])
      if (!c.impulse.isZero(0))
        dots[run.scene.model.body_name(c.body_a) + "–" + run.scene.model.body_name(c.body_b)]
            .emplace_back(time, c.impulse.norm());
  }
  int colour = 0;
  for (auto& [name, points] : dots) plot.dots(std::move(points), name, colour++);
  return plot;
}

SvgPlot convergence(const FigureSpec& figure, const Runs& runs) {
  SvgPlot plot(figure.title, "step size h [s]", "error");
  plot.set_logarithmic();
  const History& reference = runs.get(figure.run, figure.reference);
  std::vector<Vec2> velocity, position, first;
  for (const Real step : figure.steps) {
    const Errors e = errors(runs.get(figure.run, step), reference);
    velocity.emplace_back(step, e.velocity);
    position.emplace_back(step, e.position);
    first.emplace_back(step,
                       e.velocity > 0 ? velocity.front().y() * step / figure.steps.front() : 1);
  }
  plot.line(first, "slope 1", 7, 1);
  plot.line(velocity, "velocity", 0);
  plot.dots(velocity, "", 0);
  plot.line(position, "position", 1);
  plot.dots(position, "", 1);
  return plot;
}

}  // namespace

std::string draw(const FigureSpec& figure, const Runs& runs) {
  if (figure.kind == "series") return series(figure, runs).svg();
  if (figure.kind == "path") return path(figure, runs).svg();
  if (figure.kind == "snapshots") return snapshots(figure, runs).svg();
  if (figure.kind == "impulses") return impulse_plot(figure, runs).svg();
  if (figure.kind == "convergence") return convergence(figure, runs).svg();
  throw wrong_figure(figure, "unknown kind " + figure.kind +
                                 "; known: series, path, snapshots, impulses, convergence");
}

std::vector<std::pair<std::string, Real>> runs_of(const FigureSpec& figure) {
  std::vector<std::pair<std::string, Real>> runs;
  for (const Real step : figure.steps) runs.emplace_back(figure.run, step);
  if (figure.kind == "convergence") runs.emplace_back(figure.run, figure.reference);
  return runs;
}

}  // namespace talus::reproduce
