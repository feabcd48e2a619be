#include <gtest/gtest.h>

#include <limits>

#include <talus/base/error.hpp>
#include <talus/cli/histogram.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

Curve curve_of(const std::vector<Real>& values, const std::string& unit = "N") {
  return {"normal force", unit, std::vector<Real>(values.size(), 0), values, 0, "normal force"};
}

// Bins of one width from the least to the largest value, each with its share; the largest value is
// in the last one, and the shares of a curve sum to 1.
TEST(Histogram, SharesOfEqualBins) {
  const Histogram histogram =
      histogram_of({curve_of({0, 0.5, 1, 3, 4}), curve_of({2, 2})}, 4, false);
  EXPECT_EQ(histogram.edges, (std::vector<Real>{0, 1, 2, 3, 4}));
  EXPECT_EQ(histogram.shares[0], (std::vector<Real>{0.4, 0.2, 0, 0.4}));
  EXPECT_EQ(histogram.shares[1], (std::vector<Real>{0, 0, 1, 0}));
  EXPECT_EQ(histogram.left_out, 0U);
}

// On a logarithmic axis the bins have one ratio; what has no logarithm, or is no number, is counted
// as left out.
TEST(Histogram, BinsOfOneRatio) {
  constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
  const Histogram histogram = histogram_of({curve_of({1, 5, 50, 100, 0, -2, kNaN})}, 2, true);
  ASSERT_EQ(histogram.edges.size(), 3U);
  EXPECT_NEAR(histogram.edges[1], 10, 1e-12);
  EXPECT_EQ(histogram.shares[0], (std::vector<Real>{0.5, 0.5}));
  EXPECT_EQ(histogram.left_out, 3U);
}

// One value alone has a bin around it; none at all is an error.
TEST(Histogram, OneValueAndNone) {
  const Histogram one = histogram_of({curve_of({3, 3})}, 5, false);
  EXPECT_EQ(one.shares[0], (std::vector<Real>{0, 0, 1, 0, 0}));
  EXPECT_LT(one.edges.front(), 3);
  EXPECT_GT(one.edges.back(), 3);
  EXPECT_THROW(static_cast<void>(histogram_of({curve_of({})}, 5, false)), InputError);
}

// The figure has the values across and the shares upwards, as an outline; it needs one unit.
TEST(Histogram, TheFigureIsAnOutline) {
  Figure values;
  values.curves = {curve_of({0, 1, 1, 2})};
  const Figure figure = histogram_figure(values, histogram_of(values.curves, 2, false));
  EXPECT_EQ(figure.x_label, "normal force [N]");
  EXPECT_EQ(figure.curves[0].time, (std::vector<Real>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(figure.curves[0].value, (std::vector<Real>{0, 0.25, 0.25, 0.75, 0.75, 0}));
  const std::string script = gnuplot_script(figure, PlotFormat::svg, "x.svg");
  EXPECT_NE(script.find("set xlabel 'normal force [N]'\nset ylabel 'share of the values'"),
            std::string::npos)
      << script;
  values.curves.push_back(curve_of({1}, "m"));
  EXPECT_THROW(static_cast<void>(histogram_figure(values, histogram_of(values.curves, 2, false))),
               InputError);
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
