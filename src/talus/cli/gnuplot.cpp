#include <talus/cli/gnuplot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/plot_words.hpp>

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

std::string with_unit(const std::string& name, const std::string& unit) {
  const std::string text = readable_unit(unit);
  return text.empty() ? name : fmt::format("{}{}[{}]", name, name.empty() ? "" : " ", text);
}

/// How many entries of the legend have room side by side. gnuplot itself takes letters for narrower
/// than they are, and cuts the last entry off.
std::size_t legend_columns(const Figure& figure) {
  constexpr std::size_t kLetter = 8, kSample = 65, kMargins = 120;  // in pixels
  std::size_t longest = 1;
  for (const Curve& curve : figure.curves) longest = std::max(longest, curve.label.size());
  for (const Limit& limit : figure.limits) longest = std::max(longest, limit.label.size());
  const auto width = static_cast<std::size_t>(figure.width);
  return std::max<std::size_t>(1,
                               (width - std::min(width, kMargins)) / (kLetter * longest + kSample));
}

/// A logarithmic axis that ends beyond its highest and lowest numbers; without it gnuplot ends at a
/// power of ten, and a line at one of them is not seen for the frame.
std::string log_range(const Figure& figure, const std::string& unit, const char* axis) {
  Real low = std::numeric_limits<Real>::infinity(), high = 0;
  const auto take = [&](Real value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Curve& curve : figure.curves)
    if (curve.unit == unit) std::for_each(curve.value.begin(), curve.value.end(), take);
  for (const Limit& limit : figure.limits)
    if (limit.unit == unit) take(limit.value);
  if (high == 0) return "";
  return fmt::format("set {}range [{:g}:{:g}]\n", axis, low / 3, high * 3);
}

/// Legend, ticks and lines, as each medium bears them.
std::string frame_of(const Figure& figure, PlotFormat format) {
  // Letters have no room for a name along an axis: the legend has it, with its unit.
  if (format == PlotFormat::text)
    return "set key outside below vertical maxrows 8\n"
           "set offsets graph 0, 0, graph 0.06, graph 0.06\n";
  const bool has_legend = figure.curves.size() + figure.limits.size() > 1;
  return std::string(
             "set grid linecolor '#dddddd' linewidth 0.5\nset border linecolor '#444444'\n") +
         (has_legend ? fmt::format("set key tmargin center horizontal Left reverse maxcols {}\n",
                                   legend_columns(figure))
                     : "set nokey\n") +
         "set tics nomirror\nset offsets graph 0, 0, graph 0.03, graph 0.03\n";
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
    case PlotFormat::pdf:
    case PlotFormat::eps:
      return fmt::format("set terminal {} size {:.3f}in,{:.3f}in noenhanced font 'sans-serif,10'\n",
                         format == PlotFormat::pdf ? "pdfcairo" : "epscairo", figure.width / 96.0,
                         figure.height / 96.0);
    case PlotFormat::text:
      return fmt::format("set terminal dumb noenhanced {}\n", size);
  }
  return "";
}

}  // namespace

std::string axis_label(const Figure& figure, const std::string& unit) {
  std::vector<std::string> names;
  for (const Curve& curve : figure.curves)
    if (curve.unit == unit && std::find(names.begin(), names.end(), curve.quantity) == names.end())
      names.push_back(curve.quantity);
  return with_unit(quantity_of(names, unit), unit);
}

Curve thinned(const Curve& curve, std::size_t most) {
  const std::size_t count = curve.time.size();
  if (count <= most) return curve;
  Curve few{curve.label, curve.unit, {}, {}, curve.style, curve.quantity};
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
  script += "set xlabel " + quoted(figure.x_label) + "\nset ylabel " +
            quoted(axis_label(figure, units.at(0))) + "\n";
  script += frame_of(figure, format);
  // Powers of ten as 1e-06 where the text has no superscripts.
  if (figure.has_log_x) script += "set logscale x\n";
  if (figure.has_log_y)
    script += "set logscale y\nset format y '%.0e'\n" + log_range(figure, units[0], "y");
  if (units.size() > 1) {
    script += "set y2label " + quoted(axis_label(figure, units[1])) + "\nset y2tics\n";
    if (figure.has_log_y)
      script += "set logscale y2\nset format y2 '%.0e'\n" + log_range(figure, units[1], "y2");
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
    plots += fmt::format(
        "{}$curve{} using 1:2 with lines {} title {}", plots.empty() ? "" : ", ", i,
        is_second ? "axes x1y2" : "axes x1y1",
        quoted(format == PlotFormat::text ? with_unit(curve.label, curve.unit) : curve.label));
    if (format != PlotFormat::text)
      plots +=
          fmt::format(" linewidth 1.6 linecolor '{}' dashtype {}", kColours[i % kColours.size()],
                      1 + static_cast<std::size_t>(curve.style) + i / kColours.size());
  }
  for (const Limit& limit : figure.limits)
    plots += fmt::format(
        ", {} with lines axes {} title {}{}", limit.value,
        units.size() > 1 && limit.unit == units[1] ? "x1y2" : "x1y1", quoted(limit.label),
        format == PlotFormat::text ? "" : " linewidth 1 linecolor '#666666' dashtype 2");
  return script + "plot " + plots + "\n";
}

}  // namespace talus::cli
