// The same MJCF files in Talus and in MuJoCo, two rows each: see bench/peers/README.md.
#include <mujoco/mujoco.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

#include <talus/base/error.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>

#include "support/clock.hpp"
#include "support/exit_code.hpp"
#include "support/host.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

namespace fs = std::filesystem;

/// What a run is measured by: the mean CPU time of a step, and what is wrong after any of them.
struct Figures {
  Index steps = 0;
  Index uncertified = 0;  // of MuJoCo: how often it diverged, and began anew
  double ms = 0;
  Real gap = 0;          // of equalities; of joints too where these are constraints [m, rad]
  Real penetration = 0;  // [m]
  std::optional<Vec3> first, last;  // where the body "probe" is 1 s after the start, and at the end

  [[nodiscard]] std::string slip() const {
    return first && last ? fmt::format("{:.2e}", (*last - *first).norm()) : "-";
  }
};

constexpr Real kSettled = 1;  // [s]

Figures run_talus(const fs::path& file, Real until) {
  scene::Overrides overrides;
  overrides.end_time = until;
  scene::Scene scene = scene::load(file, overrides);
  const Index probe = scene.model.find_body("probe");
  sim::Simulation run(std::move(scene));
  Figures figures;
  const double start = cpu_seconds();
  for (bool goes_on = true; goes_on;) {
    goes_on = run.step();
    const stepping::StepReport& report = run.last_report();
    ++figures.steps;
    figures.uncertified += report.is_certified() ? 0 : 1;
    figures.gap = std::max(figures.gap, report.joints.drift);
    figures.penetration = std::max(figures.penetration, report.max_penetration);
    if (probe >= 0 && !figures.first && run.state().time >= kSettled)
      figures.first = run.state().position[static_cast<std::size_t>(probe)];
  }
  figures.ms = 1e3 * (cpu_seconds() - start) / static_cast<double>(figures.steps);
  if (probe >= 0) figures.last = run.state().position[static_cast<std::size_t>(probe)];
  return figures;
}

Figures run_mujoco(const fs::path& file, Real until) {
  char error[1000] = "";
  mjModel* const model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  if (model == nullptr) throw file_error(file.string(), error);
  mjData* const data = mj_makeData(model);
  const int probe = mj_name2id(model, mjOBJ_BODY, "probe");
  const auto place = [&] {
    const mjtNum* x = data->xpos + 3 * probe;
    return Vec3(x[0], x[1], x[2]);
  };
  Figures figures;
  double used = 0;
  const auto count = static_cast<Index>(std::ceil(until / model->opt.timestep - 1e-9));
  while (figures.steps < count) {  // its clock starts anew where it starts anew
    const double start = cpu_seconds();
    mj_step(model, data);
    used += cpu_seconds() - start;
    ++figures.steps;
    for (int k = 0; k < data->ncon; ++k)
      figures.penetration = std::max(figures.penetration, -data->contact[k].dist);
    for (int k = 0; k < data->nefc; ++k)
      if (data->efc_type[k] == mjCNSTR_EQUALITY)
        figures.gap = std::max(figures.gap, std::abs(data->efc_pos[k]));
    if (probe >= 0 && !figures.first && data->time >= kSettled) figures.first = place();
  }
  for (const int bad : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
    figures.uncertified += data->warning[bad].number;
  figures.ms = 1e3 * used / static_cast<double>(figures.steps);
  if (probe >= 0) figures.last = place();
  mj_deleteData(data);
  mj_deleteModel(model);
  return figures;
}

/// Links of 0.2 m on hinges about two axes by turns, hung up at one end, level at the start.
std::string chain(int links, Real tip_mass) {
  std::string inside, after;
  for (int i = 0; i < links; ++i) {
    inside += fmt::format(
        "<body pos='{} 0 0'><joint axis='0 {}'/><geom type='box' size='0.09 0.02 0.02' pos='0.1 0 "
        "0' mass='{}' contype='0' conaffinity='0'/>",
        i == 0 ? 0 : 0.2, i % 2 == 0 ? "0.6 0.8" : "1 0", i + 1 < links ? 0.5 : tip_mass);
    after += "</body>";
  }
  return inside + after;
}

struct Model {
  const char* name;
  std::string inside;  // of <mujoco>
  Real until;          // [s]
};

std::vector<Model> models() {
  const auto bar = [](const char* end, int density) {
    return fmt::format(
        "<geom type='capsule' fromto='0 0 0 {}' size='0.02' density='{}' contype='0' "
        "conaffinity='0'/>",
        end, density);
  };
  const std::string loop =
      "<worldbody><body pos='0 0 1'><joint axis='0 1 0'/>" + bar("0 0 -0.3", 5000) +
      "<body name='b' pos='0 0 -0.3'><joint axis='0 1 0'/>" + bar("0.4 0 -0.3", 1000) +
      "</body></body><body pos='0.8 0 1'><joint axis='0 1 0'/>" + bar("0 0 -0.3", 1000) +
      "<body name='c' pos='0 0 -0.3'><joint axis='0 1 0'/>" + bar("-0.4 0 -0.3", 1000) +
      "</body></body></worldbody><equality><connect body1='b' body2='c' anchor='0.4 0 -0.3'/>"
      "</equality>";
  const std::string gears =
      "<worldbody><body><joint name='a' axis='0 1 0' damping='0.1'/><geom type='cylinder' "
      "size='0.1 0.02' euler='90 0 0' mass='1' contype='0' conaffinity='0'/></body><body pos='0.3 "
      "0 "
      "0'><joint name='b' axis='0 1 0'/><geom type='cylinder' size='0.2 0.02' euler='90 0 0' "
      "mass='4' contype='0' conaffinity='0'/><geom type='sphere' size='0.05' pos='0.5 0 0' "
      "mass='10' contype='0' conaffinity='0'/></body></worldbody><equality><joint joint1='a' "
      "joint2='b' polycoef='0 -2 0 0 0'/></equality>";
  const std::string slope =
      "<worldbody><geom type='plane' size='5 5 0.1' euler='0 5.710593 0' friction='0.6'/><body "
      "name='probe' pos='0 0 0.13' euler='0 5.710593 0'><freejoint/><geom type='box' size='0.2 "
      "0.15 "
      "0.1' mass='10' friction='0.6'/></body></worldbody>";
  const auto hung = [](const std::string& bodies) {
    return "<worldbody>" + bodies + "</worldbody>";
  };
  return {{"chain of 10", hung(chain(10, 0.5)), 2},
          {"chain of 30", hung(chain(30, 0.5)), 2},
          {"chain of 10, tip 5 t", hung(chain(10, 5000)), 2},
          {"five-bar loop", loop, 5},
          {"gears 1 : 2 under load", gears, 5},
          {"box on a slope of 10 %", slope, 60}};
}

struct Arguments {
  std::vector<std::string> files;
  Real until = 2, step = 2e-3;
};

int run(const Arguments& arguments) {
  parallel::set_thread_count(1);
  fmt::print("{}; CPU time, one thread; MuJoCo {} as the file sets it\n", describe_host(),
             mj_versionString());
  Table table({"model", "engine", "steps", "ms/step", "ratio", "bad_steps", "gap", "penetration_m",
               "slip_m"});
  const auto compare = [&](const std::string& name, const fs::path& file, Real until) {
    std::optional<double> talus_ms;
    for (const bool is_talus : {true, false}) {
      const char* const engine = is_talus ? "talus" : "mujoco";
      try {
        const Figures f = is_talus ? run_talus(file, until) : run_mujoco(file, until);
        if (is_talus) talus_ms = f.ms;
        table.add({name, engine, fmt::to_string(f.steps), fmt::format("{:.3g}", f.ms),
                   talus_ms ? fmt::format("{:.3g}", f.ms / *talus_ms) : "-",
                   fmt::to_string(f.uncertified), fmt::format("{:.1e}", f.gap),
                   fmt::format("{:.1e}", f.penetration), f.slip()});
      } catch (const InputError& problem) {
        fmt::print("{} in {}: {}\n", name, engine, problem.what());
      }
      std::fflush(stdout);
    }
  };
  if (arguments.files.empty()) {
    const fs::path file = fs::temp_directory_path() / "talus_robot_table.xml";
    for (const Model& model : models()) {
      std::ofstream(file) << fmt::format("<mujoco><option timestep='{}'/>{}</mujoco>\n",
                                         arguments.step, model.inside);
      compare(model.name, file, model.until);
    }
    fs::remove(file);
  }
  for (const std::string& file : arguments.files)
    compare(fs::path(file).stem().string(), file, arguments.until);
  fmt::print("{}", table.as_lines());
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app("Runs MJCF files in Talus and in MuJoCo (bench/peers/README.md).");
  app.add_option("files", arguments.files, "MJCF files; without any: models of its own")
      ->check(CLI::ExistingFile);
  app.add_option("--until", arguments.until, "Simulated time of files [s]")
      ->check(CLI::PositiveNumber);
  app.add_option("--step-size", arguments.step, "h of its own models [s]")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return talus::bench::exit_code("robot_table", [&] { return talus::bench::run(arguments); });
}
