#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include <talus/base/csv_cell.hpp>
#include <talus/base/error.hpp>
#include <talus/certify/certificate.hpp>
#include <talus/cli/candidates.hpp>
#include <talus/cli/child_process.hpp>
#include <talus/cli/gnuplot.hpp>
#include <talus/cli/histogram.hpp>
#include <talus/cli/plot_words.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/record/distribution.hpp>
#include <talus/record/series.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlotExamples = R"(Examples:
  talus plot out.h5 energies                           on the terminal
  talus plot out.h5 energies/total -o energy.svg       for papers energy.pdf or energy.eps
  talus plot a.h5 b.h5 certificates/natural_map --log y -o compare.svg
  talus plot out.h5 body.crate.x body.crate.speed -o crate.png    two units, two axes
  talus plot out.h5 probes/outflow/rate momentum -o numbers.csv
  talus plot crank.h5 reactions/bearing/force drives/motor/effort -o machine.svg
  talus plot out.h5 contacts/normal_force --histogram 40 --log y -o forces.svg
  talus plot out.h5 --list                             all names

What ends with .h5, or is a file, is a record; everything else is a series (talus info lists them).)";

struct PlotOptions {
  std::vector<std::string> words;
  std::string output, title, log, size = "720x432";
  int bins = 0;  ///< of a histogram; 0: none is wanted
  bool is_text = false, is_list = false;
};

bool is_record_name(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".h5") || word.ends_with(".hdf5") || fs::is_regular_file(word, ignored);
}

/// What the certificate's numbers among the series may be, where the records say it.
std::vector<Limit> limits_of(const std::vector<std::string>& files,
                             const std::vector<std::string>& names) {
  std::vector<Limit> limits;
  const auto add = [&](Real value) {
    const bool is_known = std::any_of(limits.begin(), limits.end(),
                                      [&](const Limit& limit) { return limit.value == value; });
    if (!is_known) limits.push_back({fmt::format("allowed: {:g}", value), "1", value});
  };
  for (const std::string& file : files) {
    const record::RecordReader reader(file);
    const Real tolerance = reader.attribute("certificates", "tolerance", 0);
    for (const std::string& name : names) {
      if (tolerance > 0 &&
          (name == "certificates/natural_map" || name == "certificates/equation_of_motion"))
        add(tolerance);
      if (tolerance > 0 && name == "certificates/violation")
        add(certify::Certificate::violation_at(tolerance));
      if (name == "certificates/work" || name == "certificates/excess") add(1);
    }
  }
  return limits;
}

/// Body series and momentum are made of frames, of which there may be fewer than steps.
std::string frames_note(const std::vector<std::string>& names) {
  const bool is_of_frames = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("body.") || name.starts_with("momentum");
  });
  return is_of_frames ? "; what is of bodies and momentum has one point per frame" : "";
}

/// A series; for a histogram also what a record has many of in a frame.
std::vector<record::SeriesData> read_values(const record::RecordReader& reader,
                                            const std::string& name, bool is_histogram) {
  const auto known = record::distribution_names();
  const bool is_distribution =
      std::any_of(known.begin(), known.end(),
                  [&](const record::SeriesName& each) { return each.name == name; });
  if (!is_distribution) return record::read_series(reader, name);
  if (!is_histogram)
    throw usage_error("series", name + " has many values at an instant, not one",
                      "--histogram 40 shows how they are distributed");
  return {*record::read_distribution(reader, name)};
}

std::vector<Curve> read_curves(const std::vector<std::string>& files,
                               const std::vector<std::string>& names, bool is_table,
                               bool is_histogram) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const record::RecordReader reader(files[i]);
    for (const std::string& name : names)
      for (record::SeriesData& data : read_values(reader, name, is_histogram)) {
        const std::string own = is_table ? data.name : readable(data.name);
        const std::string label =
            files.size() > 1 ? fs::path(files[i]).stem().string() + ": " + own : own;
        curves.push_back({label, data.unit, std::move(data.time), std::move(data.value),
                          static_cast<int>(i), own});
      }
  }
  return curves;
}

/// Curves of one clock side by side, others one after the other.
void write_csv(const std::vector<Curve>& curves, std::ostream& out) {
  const auto heading = [](const Curve& c) {
    return csv_cell(c.label + (c.unit == "1" ? "" : " [" + c.unit + "]"));
  };
  const bool is_table = std::all_of(curves.begin(), curves.end(),
                                    [&](const Curve& c) { return c.time == curves[0].time; });
  if (!is_table) {
    out << "series,time [s],value\n";
    for (const Curve& curve : curves)
      for (std::size_t k = 0; k < curve.time.size(); ++k)
        out << fmt::format("{},{},{}\n", heading(curve), curve.time[k], curve.value[k]);
    return;
  }
  out << "time [s]";
  for (const Curve& curve : curves) out << ',' << heading(curve);
  for (std::size_t k = 0; k < curves[0].time.size(); ++k) {
    out << fmt::format("\n{}", curves[0].time[k]);
    for (const Curve& curve : curves) out << fmt::format(",{}", curve.value[k]);
  }
  out << '\n';
}

void write_csv(const Figure& figure, const Histogram& histogram, std::ostream& out) {
  out << "bin," << csv_cell("from " + figure.x_label) << ',' << csv_cell("to " + figure.x_label);
  for (const Curve& curve : figure.curves) out << ',' << csv_cell("share of " + curve.label);
  for (std::size_t i = 0; i + 1 < histogram.edges.size(); ++i) {
    out << fmt::format("\n{},{},{}", i + 1, histogram.edges[i], histogram.edges[i + 1]);
    for (const std::vector<Real>& share : histogram.shares) out << fmt::format(",{}", share[i]);
  }
  out << '\n';
}

void list_series(const std::string& file) {
  const record::RecordReader reader(file);
  for (const record::SeriesName& series : record::series_names(reader))
    fmt::print("{:<39}  {:<10} {}\n", series.name, series.unit == "1" ? "" : series.unit,
               series.meaning);
  for (const record::SeriesName& series : record::body_series_names())
    fmt::print("{:<39}  {:<10} {}\n", "body.NAME." + series.name, series.unit, series.meaning);
  for (const record::SeriesName& series : record::distribution_names())
    fmt::print("{:<39}  {:<10} {}; with --histogram\n", series.name, series.unit, series.meaning);
}

void set_size(const PlotOptions& options, PlotFormat format, Figure& figure) {
  if (format == PlotFormat::text) {
    winsize window{};
    const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20;
    figure.width = is_known ? std::min<int>(window.ws_col - 1, 160) : 100;
    figure.height = is_known ? std::clamp<int>(window.ws_row - 3, 16, 40) : 28;
    return;
  }
  char cross = 0, rest = 0;
  if (std::sscanf(options.size.c_str(), "%d%c%d%c", &figure.width, &cross, &figure.height, &rest) !=
          3 ||
      cross != 'x' || std::min(figure.width, figure.height) < 100 ||
      std::max(figure.width, figure.height) > 10000)
    throw usage_error("--size", "expected WIDTHxHEIGHT in pixels, got \"" + options.size + "\"",
                      "as in --size 720x432");
}

std::string run_gnuplot(const std::string& script) {
  if (find_program({"gnuplot"}).empty())
    throw usage_error("talus plot", "gnuplot, which draws the plots, is not installed",
                      "as root: apt-get install gnuplot-nox; or -o FILE.csv, which needs nothing");
  ChildProcess gnuplot({"gnuplot"});
  gnuplot.write(script);
  gnuplot.close_input();
  const int code = gnuplot.wait();
  std::string text = gnuplot.printed();
  if (code != 0) throw std::runtime_error("gnuplot failed: " + text);
  return text;
}

/// What gnuplot wrote, with our mark. On a full disk gnuplot ends as if all were well.
std::string drawn(const std::string& target, PlotFormat format, const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(input), {});
  const bool is_svg = format == PlotFormat::svg;
  const char* const end = is_svg ? "</svg>" : format == PlotFormat::png ? "IEND" : "%%EOF";
  if (bytes.rfind(end) == std::string::npos)
    throw file_error(target, "gnuplot could not write the whole picture", "is the disk full?");
  return is_svg ? files::xml_marked(bytes) : files::picture_marked(bytes);
}

int plot(const PlotOptions& options) {
  std::vector<std::string> files, names;
  for (const std::string& word : options.words)
    (is_record_name(word) ? files : names).push_back(word);
  if (files.empty())
    throw usage_error("talus plot", "no record is named", "as in talus plot out.h5 energies");
  if (options.is_list) {
    list_series(files[0]);
    return kDone;
  }
  if (names.empty())
    throw usage_error("talus plot", "no series is named",
                      "as in talus plot " + files[0] + " energies; talus plot " + files[0] +
                          " --list lists them");
  const std::string end = fs::path(options.output).extension();
  const bool is_histogram = options.bins > 0;
  Figure figure{options.title, read_curves(files, names, end == ".csv", is_histogram),
                limits_of(files, names)};
  figure.has_log_x = options.log.find('x') != std::string::npos;
  figure.has_log_y = options.log.find('y') != std::string::npos;
  std::string note = frames_note(names);
  Histogram histogram;
  if (is_histogram) {
    histogram = histogram_of(figure.curves, options.bins, figure.has_log_x);
    figure = histogram_figure(figure, histogram);
    note = histogram.left_out == 0
               ? ""
               : fmt::format("; {} values are not counted: not finite, or without a logarithm",
                             histogram.left_out);
  }
  const auto tell = [&] {
    fmt::print(stderr, "talus: wrote {}{}\n", options.output, note);
    return kDone;
  };
  if (end == ".csv") {
    files::OutputFile file(options.output, files::table_kind(), files);
    if (is_histogram)
      write_csv(figure, histogram, file.stream());
    else
      write_csv(figure.curves, file.stream());
    file.commit();
    return tell();
  }
  if (options.is_text || options.output.empty()) {
    set_size(options, PlotFormat::text, figure);
    fmt::print("{}", run_gnuplot(gnuplot_script(figure, PlotFormat::text, "")));
    return kDone;
  }
  static const std::map<std::string, PlotFormat> kFormats = {{".svg", PlotFormat::svg},
                                                             {".png", PlotFormat::png},
                                                             {".pdf", PlotFormat::pdf},
                                                             {".eps", PlotFormat::eps}};
  const auto found = kFormats.find(end);
  if (found == kFormats.end())
    throw usage_error("-o", "cannot tell the format of \"" + options.output + "\"",
                      "allowed ends: .svg, .png, .pdf, .eps, .csv");
  const PlotFormat format = found->second;
  set_size(options, format, figure);
  files::OutputFile file(options.output,
                         format == PlotFormat::svg ? files::drawing_kind() : files::picture_kind(),
                         files);
  run_gnuplot(gnuplot_script(figure, format, file.part()));
  file.stream() << drawn(options.output, format, file.part());
  file.commit();
  return tell();
}

}  // namespace

void add_plot(Verb program) {
  auto options = std::make_shared<PlotOptions>();
  Verb verb = program.add_verb("plot", "Plots series of one record or several");
  verb.footer(kPlotExamples);
  verb.add_option("words", options->words, "Records and series")
      .required()
      .completed_by(series_candidates());
  verb.add_option(
      "-o,--output", options->output,
      "File to write, .svg, .png, .pdf, .eps or .csv; otherwise a plot on the terminal");
  verb.add_flag("--text", options->is_text, "Plot with letters on the terminal");
  verb.add_option("--log", options->log,
                  "Logarithmic axes: x, y or xy; what is not above 0 is left out there")
      .one_of({"x", "y", "xy"});
  verb.add_option("--title", options->title, "Title above the plot");
  verb.add_option("--size", options->size, "Width and height in pixels").with_default();
  verb.add_option("--histogram", options->bins,
                  "How the values are distributed, in so many bins; also of contacts and bodies")
      .in_range(1, 1000);
  verb.add_flag("--list", options->is_list, "List the series of a record");
  verb.action([options] { return plot(*options); });
}

}  // namespace talus::cli
