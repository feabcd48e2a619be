#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <talus/reproduce/flow_study.hpp>
#include <talus/reproduce/machine_run.hpp>
#include <talus/reproduce/paper.hpp>
#include <talus/reproduce/runs.hpp>

namespace talus::reproduce {

/// A number of the paper beside ours.
struct Row {
  RowSpec spec;
  Real talus = 0;
  [[nodiscard]] Real difference() const { return talus - spec.paper; }
  /// |difference| ≤ tolerance, to a relative 1e-9: what is printed to three digits may lie exactly
  /// on the edge of its rounding. NaN is never ok.
  [[nodiscard]] bool is_ok() const;
};

struct Options {
  bool is_full = false;  ///< also the rows and flows marked `full`
  /// Only what has a name (a row's quantity, a figure's, a flow's) that begins like one of these;
  /// empty: everything.
  std::vector<std::string> only;
  std::function<void(const std::string&, Real)> progress;
  std::function<bool()> should_stop;
};

/// A paper's numbers with ours.
struct Reproduction {
  Paper paper;
  std::vector<Row> rows;
  std::vector<FlowStudy> flows;
  MachineHistories machines;
  bool is_interrupted = false;
  std::vector<std::pair<std::string, std::string>> figures;  ///< file name, SVG
  [[nodiscard]] bool is_ok() const;
};

/// Makes all runs of a paper, measures its rows and draws its figures.
[[nodiscard]] Reproduction reproduce(const Paper& paper, const Options& options);

/// The table for people; what is not printed in the paper is marked.
[[nodiscard]] std::string to_text(const Reproduction& reproduction);
/// One object {"paper", "rows": [{"quantity", "paper", "talus", "difference", "tolerance", "ok"}],
/// "flows": see to_json(FlowStudy)}; NaN becomes null.
[[nodiscard]] std::string to_json(const Reproduction& reproduction);
/// The report as Markdown; figures are linked by their file names.
[[nodiscard]] std::string to_markdown(const Reproduction& reproduction);

/// Writes report.md and the figures into a folder, which is made if need be; returns the report's
/// path. Files of those names are replaced. @throws InputError if that is impossible.
std::filesystem::path write_report(const Reproduction& reproduction,
                                   const std::filesystem::path& folder);

}  // namespace talus::reproduce
