#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/reproduce/contact_study.hpp>
#include <talus/reproduce/flow.hpp>
#include <talus/reproduce/machine_case.hpp>

namespace talus::reproduce {

/// An input that the paper does not print.
struct Inferred {
  std::string what, value, why;
};

/// A scene of the paper, run at several step sizes.
struct Case {
  std::filesystem::path scene;
  Real end = 0;  ///< [s] instead of the scene's end; 0: as the scene says
};

/// One number of the paper and how to measure ours.
struct RowSpec {
  std::string quantity;  ///< its name: four_balls.variation.0.02
  std::string measure;   ///< a name of measure_names(), contact_measure_names(),
                         ///< machine_measure_names(), or measure_flow()
  std::string contact;   ///< name of the contact or population, of a measure without a run
  std::string run;       ///< name of the case
  std::string flow,
      law;         ///< of a measure of flows: the flow's name, and the law where it needs one
  Real value = 0;  ///< of the flow's parameter
  MachineMeasure machine;    ///< of a measure of machines
  std::vector<Real> steps;   ///< step sizes [s] that the measure looks at
  Real reference = 0;        ///< step size of the reference solution, where the measure has one
  Index number = 1;          ///< which impact, counted from 1
  std::string body;          ///< where the measure is about one body
  std::string component;     ///< x, y or z, where it is about one
  std::string at = "start";  ///< label of a step's time: its start or its end
  Real paper = 0;            ///< the printed number
  Real tolerance = 0;        ///< absolute
  bool is_printed = true;    ///< false: the paper does not print it, `paper` is the expected value
  bool needs_full = false;   ///< only with --full
};

/// A curve of a figure about machines: one signal over another, or over time.
struct CurveSpec {
  std::string machine, x = "time", y;
  std::string label;
  Index value = 0;  ///< which value of the machine's parameter, counted from 0
};

/// One curve family, path or drawing of the report.
struct FigureSpec {
  std::string name, title, kind;  ///< kind: series, path, snapshots, impulses, convergence, or
                                  ///< of a contact: conic, objective, histogram, deficit;
                                  ///< machine: curves of machines
  std::string contact;            ///< name of the contact or population, of those
  std::string run;
  std::vector<Real> steps;
  Real reference = 0;
  std::string body;
  std::string value;  ///< series: velocity.y, angular_velocity.z, energy, …
  std::array<std::string, 2> axes = {"x", "y"};  ///< path: what is drawn to the right and up
  std::array<Real, 2> window = {0, 0};           ///< times [s]; equal: all
  Real every = 0;                                ///< snapshots: time between two [s]
  std::vector<CurveSpec> curves;                 ///< of machines
};

/// A table of the paper: lines are step sizes, columns are quantities without the step.
struct TableSpec {
  std::string title;
  std::vector<std::string> steps;
  std::vector<std::array<std::string, 2>> columns;  ///< heading, quantity
};

/// What papers/NAME/expected.yaml says.
struct Paper {
  std::string name;  ///< of the folder
  std::filesystem::path folder;
  std::string title, citation;
  Real seconds = 0;  ///< about what all of it takes on two processors, without --full; 0: not said
  std::vector<Inferred> inferred;
  std::map<std::string, Case> cases;
  std::map<std::string, ContactCase> contacts;
  std::map<std::string, Population> populations;
  std::vector<Flow> flows;
  std::map<std::string, MachineCase> machines;
  std::vector<RowSpec> rows;
  std::vector<FigureSpec> figures;
  std::vector<TableSpec> tables;
};

/// Reads a paper's folder. @throws InputError with file and line where something is wrong.
[[nodiscard]] Paper load_paper(const std::filesystem::path& folder);

/// Names of the papers in a folder of papers, sorted: its subfolders with an expected.yaml.
[[nodiscard]] std::vector<std::string> paper_names(const std::filesystem::path& papers);

}  // namespace talus::reproduce
