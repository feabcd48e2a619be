#pragma once

#include <array>
#include <string>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::reproduce {

/// A diagram with axes, ticks and a legend, written as SVG. Coordinates are data; what is drawn
/// last lies on top.
class SvgPlot {
 public:
  SvgPlot(std::string title, std::string x_label, std::string y_label)
      : title_(std::move(title)), x_label_(std::move(x_label)), y_label_(std::move(y_label)) {}

  /// A line through points. @param label for the legend; empty: none.
  void line(std::vector<Vec2> points, const std::string& label, int colour, Real width = 1.5,
            bool closed = false);
  /// Dots. @param label as above.
  void dots(std::vector<Vec2> points, const std::string& label, int colour);
  /// Both axes have the same scale.
  void set_equal_scale() { is_equal_ = true; }
  /// Both axes are logarithmic: coordinates must be positive.
  void set_logarithmic() { is_logarithmic_ = true; }

  [[nodiscard]] std::string svg() const;

 private:
  struct Item {
    std::vector<Vec2> points;
    std::string label;
    int colour;
    Real width;  // 0: dots
    bool closed;
  };
  [[nodiscard]] Vec2 shown(const Vec2& point) const;

  std::string title_, x_label_, y_label_;
  bool is_equal_ = false, is_logarithmic_ = false;
  std::vector<Item> items_;
};

}  // namespace talus::reproduce
