#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include <talus/base/error.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/record/csv.hpp>

namespace talus::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  talus export out.h5 --series energies                   a table on the terminal
  talus export out.h5 --series energies/kinetic --csv kinetic.csv
  talus export out.h5 --series contacts --csv contacts.csv
  talus export out.h5 --probe outflow --csv outflow.csv   what a probe of the scene measured
  talus export out.h5 --body crate --csv crate.csv        pose and velocity of one body

Series: frames, poses, velocities, contacts, steps, energies, certificates, solver, timings, or one
dataset of them (docs/reference/record.md).)";

struct ExportOptions {
  std::string record, series, body, probe, csv;
};

void write(const ExportOptions& options, const record::Reader& reader, std::ostream& out) {
  if (!options.probe.empty())
    record::write_probe_csv(reader, options.probe, out);
  else if (!options.body.empty())
    record::write_body_csv(reader, options.body, out);
  else
    record::write_series_csv(reader, options.series, out);
}

int export_csv(const ExportOptions& options) {
  const record::Reader reader(options.record);
  if (options.csv.empty() || options.csv == "-") {
    write(options, reader, std::cout);
    std::cout.flush();
    return kDone;
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(options.csv, options.record, ignored))
    throw file_error(options.csv, "this is the record itself", "choose another name");
  std::ofstream out(options.csv);
  if (out) write(options, reader, out);
  out.flush();
  if (!out) throw file_error(options.csv, "cannot write this file");
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "Writes a series of a record as CSV");
  verb->footer(kExamples);
  verb->add_option("record", options->record, "Record to read")->required();
  CLI::Option_group* what = verb->add_option_group("what", "One of");
  what->add_option("--series", options->series, "Group or dataset, e.g. energies/kinetic");
  what->add_option("--body", options->body, "Name of a body, e.g. crate or grains[12]");
  what->add_option("--probe", options->probe, "Name of a probe");
  what->require_option(1);
  verb->add_option("--csv", options->csv, "File to write; otherwise the terminal");
  verb->callback([options, &exit_code] { exit_code = export_csv(*options); });
}

}  // namespace talus::cli
