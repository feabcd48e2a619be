#include <gtest/gtest.h>

#include <talus/cli/gnuplot.hpp>
#include <talus/cli/plot_words.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

// Plots say what people say: no slashes, no underscores, components behind the name.
TEST(PlotWords, NamesAreReadable) {
  EXPECT_EQ(readable("energies/kinetic"), "kinetic energy");
  EXPECT_EQ(readable("certificates/natural_map"), "natural map");
  EXPECT_EQ(readable("momentum/linear.x"), "linear momentum x");
  EXPECT_EQ(readable("body.crate.speed"), "speed of crate");
  EXPECT_EQ(readable("body.grains[3].vz"), "velocity z of grains[3]");
  EXPECT_EQ(readable("reactions/crank pin/force.x"), "force x of crank pin");
  EXPECT_EQ(readable("drives/motor/effort"), "effort of motor");
}

// Exponents are raised, and a number without unit has none.
TEST(PlotWords, UnitsAreSet) {
  EXPECT_EQ(readable_unit("kg m^2/s"), "kg m²/s");
  EXPECT_EQ(readable_unit("m^-3"), "m⁻³");
  EXPECT_EQ(readable_unit("1"), "");
}

Figure figure_of(int curves) {
  Figure figure;
  for (int i = 0; i < curves; ++i)
    figure.curves.push_back(
        {"energy " + std::to_string(i), "J", {0, 1}, {1, 2}, 0, "energy " + std::to_string(i)});
  return figure;
}

// One curve is named by its axis; several share the name of what is measured, and have a legend.
TEST(PlotWords, AxesAndLegend) {
  const std::string one = gnuplot_script(figure_of(1), PlotFormat::svg, "x.svg");
  EXPECT_NE(one.find("set ylabel 'energy 0 [J]'"), std::string::npos) << one;
  EXPECT_NE(one.find("set nokey"), std::string::npos);
  const std::string two = gnuplot_script(figure_of(2), PlotFormat::pdf, "x.pdf");
  EXPECT_NE(two.find("set ylabel 'energy [J]'"), std::string::npos) << two;
  EXPECT_EQ(two.find("set nokey"), std::string::npos);
  EXPECT_NE(two.find("pdfcairo"), std::string::npos);
}

// A limit is a line, and makes a legend even of one curve.
TEST(PlotWords, LimitsAreLines) {
  Figure figure = figure_of(1);
  figure.limits.push_back({"allowed: 1e-08", "J", 1e-8});
  const std::string script = gnuplot_script(figure, PlotFormat::svg, "x.svg");
  EXPECT_NE(script.find("1e-08 with lines axes x1y1 title 'allowed: 1e-08'"), std::string::npos)
      << script;
  EXPECT_EQ(script.find("set nokey"), std::string::npos);
}

// A logarithmic axis ends beyond its numbers, so that a limit at a power of ten is seen.
TEST(PlotWords, LogarithmicAxesEndBeyondTheLimit) {
  Figure figure = figure_of(1);  // with the values 1 and 2
  figure.limits.push_back({"allowed: 100", "J", 100});
  figure.has_log_y = true;
  const std::string script = gnuplot_script(figure, PlotFormat::svg, "x.svg");
  EXPECT_NE(script.find("set yrange [0.333333:300]"), std::string::npos) << script;
}

// Legends have as many columns as there is room for; curves beyond the last colour have dashes.
TEST(PlotWords, LegendsFitAndCurvesDiffer) {
  Figure figure = figure_of(9);
  for (Curve& curve : figure.curves) curve.label = "angular momentum x of the crank";
  figure.width = 720;
  const std::string script = gnuplot_script(figure, PlotFormat::svg, "x.svg");
  EXPECT_NE(script.find("maxcols 1\n"), std::string::npos) << script;
  figure.width = 1440;
  EXPECT_NE(gnuplot_script(figure, PlotFormat::svg, "x.svg").find("maxcols 4\n"),
            std::string::npos);
  EXPECT_NE(script.find("linecolor '#0072b2' dashtype 1,"), std::string::npos) << script;
  EXPECT_NE(script.find("linecolor '#0072b2' dashtype 2,"), std::string::npos) << script;
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
