#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include <talus/cli/candidates.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/record/csv.hpp>
#include <talus/record/gltf.hpp>
#include <talus/record/vtk.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExportExamples = R"(Examples:
  talus export out.h5 --series energies                   a table on the terminal
  talus export out.h5 --series energies/kinetic --csv kinetic.csv
  talus export out.h5 --series sensor.imu.x               a component of a sensor or joint
  talus export out.h5 --probe outflow --csv outflow.csv   what a probe of the scene measured
  talus export out.h5 --body crate --csv crate.csv        pose and velocity of one body
  talus export out.h5 --format vtk                        out.pvd and a folder, for ParaView
  talus export out.h5 --format gltf --every 10            out.glb, for Blender and web pages
  talus export out.h5 --format csv -o tables              a folder of tables with everything

Series: frames, poses, velocities, contacts, steps, energies, certificates, solver, timings, or one
dataset of them; of machines also events, reactions/JOINT, drives/DRIVE, joints/JOINT, sensors/SENSOR,
and as talus plot names them: joint.JOINT.angle, joint.JOINT.force.x, sensor.SENSOR.x
(docs/reference/record.md).)";

struct ExportOptions {
  std::string record, series, body, probe;
  std::string format, output;
  Index every = 1;
};

void write(const ExportOptions& options, const record::RecordReader& reader, std::ostream& out) {
  if (!options.probe.empty())
    record::write_probe_csv(reader, options.probe, out);
  else if (!options.body.empty())
    record::write_body_csv(reader, options.body, out);
  else
    record::write_series_csv(reader, options.series, out);
}

int export_csv(const ExportOptions& options) {
  const record::RecordReader reader(options.record);
  if (options.output.empty() || options.output == "-") {
    write(options, reader, std::cout);
    return kDone;
  }
  files::OutputFile file(options.output, files::table_kind());
  write(options, reader, file.stream());
  file.commit();
  return kDone;
}

/// The record's name with another end, in this folder.
fs::path default_target(const ExportOptions& options) {
  const fs::path stem = fs::path(options.record).stem();
  return options.format == "csv"
             ? stem
             : fs::path(stem.string() + (options.format == "vtk" ? ".pvd" : ".glb"));
}

int write_tables(const record::RecordReader& reader, const fs::path& folder) {
  files::make_folder(folder);
  std::set<std::string> probes;
  for (const std::string& path : reader.datasets())
    if (path.starts_with("probes/")) probes.insert(path.substr(7, path.rfind('/') - 7));
  int files = 0;
  const auto save = [&](const std::string& name, const auto& write_table) {
    files::OutputFile file(folder / (name + ".csv"), files::table_kind());
    write_table(file.stream());
    file.commit();
    ++files;
  };
  for (const char* group : {"steps", "energies", "certificates", "solver", "poses", "velocities",
                            "contacts", "population"})
    if (std::string(group) != "population" || reader.has("population/late"))
      save(group, [&](std::ostream& out) { record::write_series_csv(reader, group, out); });
  std::set<std::string> of_machines;
  for (const std::string& path : reader.datasets())
    for (const char* group : {"events", "reactions", "drives", "joints", "sensors"})
      if (path.starts_with(std::string(group) + '/')) of_machines.insert(group);
  for (const std::string& group : of_machines)
    save(group, [&](std::ostream& out) { record::write_series_csv(reader, group, out); });
  for (const std::string& probe : probes)
    save("probe_" + probe, [&](std::ostream& out) { record::write_probe_csv(reader, probe, out); });
  return files;
}

int export_format(const ExportOptions& options) {
  const record::RecordReader reader(options.record);
  fs::path target = options.output.empty() ? default_target(options) : fs::path(options.output);
  if (options.format == "vtk" && target.extension() != ".pvd") target += ".pvd";
  int files = 1;
  if (options.format == "gltf")
    record::write_gltf(reader, target, options.every);
  else if (options.format == "vtk")
    files = record::write_vtk(reader, target, options.every);
  else
    files = write_tables(reader, target);
  fmt::print(stderr, "talus: wrote {}{}\n", target.string(),
             files > 1 ? fmt::format(" ({} files)", files) : "");
  return kDone;
}

}  // namespace

void add_export(Verb program) {
  auto options = std::make_shared<ExportOptions>();
  Verb verb = program.add_verb("export", "Writes a record for other programs: CSV, VTK, glTF");
  verb.footer(kExportExamples);
  verb.add_option("record", options->record, "Record to read").required();
  Verb what = verb.add_choice("what", "One of");
  what.add_option("--series", options->series,
                  "Group, dataset or component, e.g. energies/kinetic, sensor.imu.x")
      .completed_by(dataset_candidates());
  what.add_option("--body", options->body, "Name of a body, e.g. crate or grains[12]")
      .completed_by(body_candidates());
  what.add_option("--probe", options->probe, "Name of a probe").completed_by(probe_candidates());
  const Option format =
      what.add_option("--format", options->format, "The whole record: vtk, gltf or csv")
          .one_of({"vtk", "gltf", "csv"});
  const Option output = verb.add_option(
      "-o,--output", options->output,
      "File or folder to write; otherwise the terminal, with --format the record's name");
  verb.add_option("--csv", options->output, "Of a table: the same")
      .excludes(output)
      .excludes(format);
  const Option every =
      verb.add_option("--every", options->every, "With --format vtk, gltf: one of so many frames")
          .positive();
  verb.action([options, every] {
    if (every.is_given() && options->format != "vtk" && options->format != "gltf")
      throw usage_error("--every", "tables have every frame", "it is of --format vtk and gltf");
    return options->format.empty() ? export_csv(*options) : export_format(*options);
  });
}

}  // namespace talus::cli
