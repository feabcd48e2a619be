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
  void set_logarithmic() { is_logarithmic_ = {true, true}; }
  /// The x-axis is, with ticks at whole powers of ten.
  void set_logarithmic_x() { is_logarithmic_ = {true, false}; }

  [[nodiscard]] std::string svg() const;

 private:
  struct Item {
    std::vector<Vec2> points;
    std::string label;
    int colour;
    Real width;  // 0: dots
    bool closed;
  };
  /// Where data lie in the picture.
  struct View {
    Vec2 low, end, scale;
  };
  [[nodiscard]] Vec2 shown(const Vec2& point) const;
  [[nodiscard]] View view() const;
  [[nodiscard]] Vec2 place(const View& view, const Vec2& data) const;
  [[nodiscard]] std::vector<Real> ticks_of(int axis, const View& view) const;
  [[nodiscard]] std::string label_of(int axis, Real tick) const;
  [[nodiscard]] std::string axes(const View& view) const;
  [[nodiscard]] std::string curve(const View& view, const Item& item) const;

  std::string title_, x_label_, y_label_;
  bool is_equal_ = false;
  std::array<bool, 2> is_logarithmic_ = {false, false};
  std::vector<Item> items_;
};

}  // namespace talus::reproduce
