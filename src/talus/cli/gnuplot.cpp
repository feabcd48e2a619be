#include <talus/cli/gnuplot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>

namespace talus::cli {
namespace {

constexpr std::size_t kMostPoints = 8000;

// Okabe and Ito's colours: told apart by nearly everybody, and in print. Their yellow is left out.
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#e69f00", "#000000"};

/// A text in gnuplot's single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n') continue;
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::vector<std::string> units_of(const Figure& figure) {
  std::vector<std::string> units;
  for (const Curve& curve : figure.curves)
    if (std::find(units.begin(), units.end(), curve.unit) == units.end())
      units.push_back(curve.unit);
  if (units.size() > 2)
    throw InputError(
        Diagnostic{{"command line"},
                   "series",
                   fmt::format("these series have {} units: {}", units.size(), join(units, ", ")),
                   "",
                   "a plot has two axes at most: make several plots"});
  return units;
}

/// "energies/kinetic [J]" for one curve, "[J]" for several.
std::string axis_label(const Figure& figure, const std::string& unit) {
  const Curve* only = nullptr;
  int count = 0;
  for (const Curve& curve : figure.curves)
    if (curve.unit == unit) {
      only = &curve;
      ++count;
    }
  std::string bracket = unit == "1" ? "" : "[" + unit + "]";
  if (count != 1) return bracket;
  return only->label + (bracket.empty() ? "" : " " + bracket);
}

std::string terminal(const Figure& figure, PlotFormat format) {
  const auto size = fmt::format("size {},{}", figure.width, figure.height);
  switch (format) {
    case PlotFormat::svg:
      return fmt::format(
          "set terminal svg {} dynamic noenhanced font 'DejaVu Sans,Helvetica,sans-serif,13' "
          "background '#ffffff'\n",
          size);
    case PlotFormat::png:
      return fmt::format("set terminal pngcairo {} noenhanced font 'sans-serif,11'\n", size);
    case PlotFormat::text:
      return fmt::format("set terminal dumb noenhanced {}\n", size);
  }
  return "";
}

}  // namespace

Curve thinned(const Curve& curve, std::size_t most) {
  const std::size_t count = curve.time.size();
  if (count <= most) return curve;
  Curve few{curve.label, curve.unit, {}, {}, curve.style};
  const std::size_t pieces = most / 2;
  const auto is_less = [&](std::size_t a, std::size_t b) {
    return curve.value[a] < curve.value[b];
  };
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = piece * count / pieces, last = (piece + 1) * count / pieces;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i < last; ++i) {
      if (is_less(i, low)) low = i;
      if (is_less(high, i)) high = i;
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      if (i == high && low == high && !few.time.empty() && few.time.back() == curve.time[i])
        continue;
      few.time.push_back(curve.time[i]);
      few.value.push_back(curve.value[i]);
    }
  }
  return few;
}

std::string gnuplot_script(const Figure& figure, PlotFormat format, const std::string& target) {
  const std::vector<std::string> units = units_of(figure);
  std::string script = "set encoding utf8\n" + terminal(figure, format);
  if (format != PlotFormat::text) script += "set output " + quoted(target) + "\n";
  if (!figure.title.empty()) script += "set title " + quoted(figure.title) + "\n";
  script += "set xlabel 'time [s]'\nset ylabel " + quoted(axis_label(figure, units.at(0))) + "\n";
  if (format != PlotFormat::text)
    script +=
        "set grid linecolor '#dddddd' linewidth 0.5\nset border linecolor '#444444'\n"
        "set key outside below horizontal Left reverse\nset tics nomirror\n";
  else
    script += "set key below\n";
  // Powers of ten as 1e-06 where the text knows no raised letters.
  if (figure.has_log_x) script += "set logscale x\n";
  if (figure.has_log_y) script += "set logscale y\nset format y '%.0e'\n";
  if (units.size() > 1) {
    script += "set y2label " + quoted(axis_label(figure, units[1])) + "\nset y2tics\n";
    if (figure.has_log_y) script += "set logscale y2\nset format y2 '%.0e'\n";
  }
  std::string plots;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    const Curve curve = thinned(figure.curves[i], kMostPoints);
    script += fmt::format("$curve{} << END\n", i);
    for (std::size_t k = 0; k < curve.time.size(); ++k) {
      const Real value = curve.value[k];
      const bool is_drawn = std::isfinite(value) && (!figure.has_log_y || value > 0) &&
                            (!figure.has_log_x || curve.time[k] > 0);
      script += is_drawn ? fmt::format("{} {}\n", curve.time[k], value)
                         : fmt::format("{} NaN\n", curve.time[k]);
    }
    script += "END\n";
    const bool is_second = units.size() > 1 && curve.unit == units[1];
    plots += fmt::format("{}$curve{} using 1:2 with lines {} title {}", plots.empty() ? "" : ", ",
                         i, is_second ? "axes x1y2" : "axes x1y1", quoted(curve.label));
    if (format != PlotFormat::text)
      plots += fmt::format(" linewidth 1.6 linecolor '{}' dashtype {}",
                           kColours[i % kColours.size()], 1 + curve.style);
  }
  return script + "plot " + plots + "\n";
}

}  // namespace talus::cli
