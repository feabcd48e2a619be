#pragma once

#include <string>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::cli {

/// A line of a plot.
struct Curve {
  std::string label;
  std::string unit;
  std::vector<Real> time, value;  ///< drawn across and upwards
  int style = 0;                  ///< 0 solid; others dashed: which file it is of
  std::string quantity;           ///< the label without its file
};

/// A horizontal line across a plot.
struct Limit {
  std::string label;
  std::string unit;
  Real value = 0;
};

struct Figure {
  std::string title;
  std::vector<Curve> curves;
  std::vector<Limit> limits;
  bool has_log_x = false, has_log_y = false;
  int width = 720, height = 432;  ///< pixels, or of a text letters
  std::string x_label = "time [s]";
};

enum class PlotFormat : unsigned char { svg, png, pdf, eps, text };

/// The commands and data with which gnuplot draws a figure to a file, or a text to its stdout. One
/// unit: one axis; two: the second one on the right. A curve alone needs no legend: its axis names
/// it.
/// @throws InputError if the curves have three units or more.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, PlotFormat format,
                                         const std::string& target);

/// What stands at the axis of a unit: "kinetic energy [J]" for one curve, "energy [J]" for several.
[[nodiscard]] std::string axis_label(const Figure& figure, const std::string& unit);

/// Points of a curve, so few that a file stays small: of each piece the lowest and the highest, so
/// that no peak is lost. All of them where there are no more than `most`.
[[nodiscard]] Curve thinned(const Curve& curve, std::size_t most);

}  // namespace talus::cli
