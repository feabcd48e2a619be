#include <talus/reproduce/svg_plot.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::reproduce {
namespace {

constexpr Real kWidth = 720, kHeight = 440, kLeft = 80, kRight = 150, kTop = 40, kBottom = 56;
const Vec2 kRoom(kWidth - kLeft - kRight, kHeight - kTop - kBottom);

/// Colours that people with colour-blindness tell apart (Okabe and Ito).
constexpr std::array kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                 "#E69F00", "#56B4E9", "#000000", "#999999"};

const char* colour_of(int index) {
  return kColours[static_cast<std::size_t>(index) % kColours.size()];
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

/// Round steps 1, 2, 5 · 10ⁿ that cut a length into about so many parts.
Real tick_step(Real length, int parts) {
  const Real raw = length / parts, power = std::pow(10, std::floor(std::log10(raw)));
  for (const Real factor : {1, 2, 5})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

std::vector<Real> ticks(Real low, Real high, int parts) {
  std::vector<Real> result;
  const Real step = tick_step(high - low, parts);
  for (auto k = std::llround(std::ceil(low / step - 1e-9));
       static_cast<Real>(k) * step <= high + 1e-9 * step; ++k)
    result.push_back(static_cast<Real>(k) * step);
  return result;
}

std::string text(Real x, Real y, const char* anchor, const std::string& words,
                 const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(words));
}

}  // namespace

void SvgPlot::line(std::vector<Vec2> points, const std::string& label, int colour, Real width,
                   bool closed) {
  items_.push_back({std::move(points), label, colour, width, closed});
}

void SvgPlot::dots(std::vector<Vec2> points, const std::string& label, int colour) {
  items_.push_back({std::move(points), label, colour, 0, false});
}

/// A point as axes measure it.
Vec2 SvgPlot::shown(const Vec2& point) const {
  return {is_logarithmic_[0] ? std::log10(point.x()) : point.x(),
          is_logarithmic_[1] ? std::log10(point.y()) : point.y()};
}

SvgPlot::View SvgPlot::view() const {
  Vec2 low = Vec2::Constant(std::numeric_limits<Real>::infinity()), high = -low;
  for (const Item& item : items_)
    for (const Vec2& point : item.points) {
      if (!shown(point).allFinite()) continue;
      low = low.cwiseMin(shown(point));
      high = high.cwiseMax(shown(point));
    }
  if (!low.allFinite()) low = Vec2::Zero(), high = Vec2::Ones();
  for (int i = 0; i < 2; ++i) {
    const Real pad = high[i] > low[i] ? 0.04 * (high[i] - low[i]) : 0.5;
    low[i] -= pad;
    high[i] += pad;
  }
  Vec2 scale = kRoom.cwiseQuotient(high - low);
  if (is_equal_) scale.setConstant(scale.minCoeff());
  return {low, low + kRoom.cwiseQuotient(scale), scale};
}

Vec2 SvgPlot::place(const View& view, const Vec2& data) const {
  const Vec2 p = view.scale.cwiseProduct(shown(data) - view.low);
  return {kLeft + p.x(), kHeight - kBottom - p.y()};
}

/// Where an axis is marked, as it measures.
std::vector<Real> SvgPlot::ticks_of(int axis, const View& view) const {
  std::vector<Real> all = ticks(view.low[axis], view.end[axis], axis == 0 ? 7 : 6);
  if (is_logarithmic_[0] && !is_logarithmic_[1] && axis == 0)
    std::erase_if(all, [](Real tick) { return tick != std::round(tick); });
  return all;
}

std::string SvgPlot::label_of(int axis, Real tick) const {
  return is_logarithmic_[static_cast<std::size_t>(axis)] ? fmt::format("{:.2g}", std::pow(10, tick))
                                                         : fmt::format("{:g}", tick);
}

/// Grid, ticks, frame and labels.
std::string SvgPlot::axes(const View& view) const {
  const Real bottom = kHeight - kBottom;
  std::string out;
  for (const Real tick : ticks_of(0, view)) {
    const Real x = kLeft + view.scale.x() * (tick - view.low.x());
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#ddd\" fill=\"none\"/>\n", x,
                       bottom, kTop);
    out += text(x, bottom + 18, "middle", label_of(0, tick));
  }
  for (const Real tick : ticks_of(1, view)) {
    const Real y = bottom - view.scale.y() * (tick - view.low.y());
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}H{2:.1f}\" stroke=\"#ddd\" fill=\"none\"/>\n",
                       kLeft, y, kWidth - kRight);
    out += text(kLeft - 6, y + 4, "end", label_of(1, tick));
  }
  out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" stroke=\"black\" fill=\"none\"/>\n",
                     kLeft, kTop, bottom, kWidth - kRight);
  out += text(kLeft + kRoom.x() / 2, kHeight - 14, "middle", x_label_);
  return out +
         text(18, kTop + kRoom.y() / 2, "middle", y_label_,
              fmt::format(" transform=\"rotate(-90 18 {:.1f})\"", kTop + kRoom.y() / 2).c_str());
}

/// The points of an item that are numbers, as a line or as dots.
std::string SvgPlot::curve(const View& view, const Item& item) const {
  const char* colour = colour_of(item.colour);
  const bool is_line = item.width > 0;
  std::string out = is_line ? "<path d=\"" : "";
  char command = 'M';
  for (const Vec2& point : item.points) {
    if (!shown(point).allFinite()) continue;
    const Vec2 p = place(view, point);
    out += is_line ? fmt::format("{}{:.2f} {:.2f}", command, p.x(), p.y())
                   : fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n",
                                 p.x(), p.y(), colour);
    command = 'L';
  }
  if (!is_line) return out;
  return out + fmt::format("{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                           item.closed ? "Z" : "", colour, item.width);
}

std::string SvgPlot::svg() const {
  const View view = this->view();
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  out += text(kLeft, kTop - 16, "start", title_, " font-size=\"14\"");
  out += axes(view);
  Real legend = kTop + 8;
  for (const Item& item : items_) {
    out += curve(view, item);
    if (item.label.empty()) continue;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n",
                       kWidth - kRight + 10, legend - 6, colour_of(item.colour));
    out += text(kWidth - kRight + 30, legend, "start", item.label);
    legend += 18;
  }
  return out + "</svg>\n";
}

}  // namespace talus::reproduce
