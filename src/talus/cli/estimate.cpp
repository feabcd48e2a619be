#include <fmt/format.h>

#include <memory>
#include <optional>

#include <talus/cli/override_options.hpp>
#include <talus/cli/spinner.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/ranks_estimate.hpp>
#include <talus/sim/resume.hpp>

namespace talus::cli {
namespace {

constexpr const char* kEstimateExamples = R"(Examples:
  talus estimate scene.yaml --ranks 64                what a sweep sends and takes as the scene starts
  talus estimate scene.yaml --ranks 64 --at 0.5s      half a second later
  talus estimate scene.yaml --ranks 64 --resume out.h5    and where a run has got to
  talus estimate scene.yaml --ranks 8 --latency 20e-6 --bandwidth 1e9    on Ethernet)";

struct EstimateOptions {
  std::string scene, resume;
  scene::Overrides overrides;
  sim::RankCosts costs;
  Real at = 0;  // [s]
  int ranks = 2;
  bool as_json = false;
};

int estimate(const EstimateOptions& options) {
  const sim::RanksEstimate found = [&] {
    const Spinner spinner(stderr, "a step of " + options.scene);
    sim::Simulation simulation(scene::load(options.scene, options.overrides));
    if (!options.resume.empty()) simulation.resume(sim::read_resumption(options.resume).checkpoint);
    while (simulation.state().time < options.at && simulation.step()) {
    }
    return sim::estimate_ranks(simulation, options.ranks, options.costs);
  }();
  fmt::print("{}{}", options.as_json ? sim::to_json(found) : sim::to_text(found),
             options.as_json ? "\n" : "");
  return kDone;
}

}  // namespace

void add_estimate(Verb program) {
  auto options = std::make_shared<EstimateOptions>();
  Verb verb = program.add_verb("estimate", "Says what a run on several ranks would send and take");
  verb.footer(kEstimateExamples);
  verb.add_option("scene", options->scene, "Scene file, or a folder with scene.yaml").required();
  verb.add_option("--ranks", options->ranks, "Processes").in_range(1, 32767).with_default();
  verb.add_option("--resume", options->resume,
                  "From where a run has got to: a record or a state file");
  verb.add_option("--at", options->at, "After a run on one process up to this time [s]")
      .in_seconds()
      .in_range(0.0, 1e9);
  add_override_options(verb, options->overrides);
  verb.add_option("--contact-time", options->costs.contact_seconds,
                  "What a contact takes in a sweep [s]")
      .in_range(0.0, 1.0)
      .with_default();
  verb.add_option("--latency", options->costs.message_seconds, "What a message takes [s]")
      .in_range(0.0, 1.0)
      .with_default();
  verb.add_option("--bandwidth", options->costs.bytes_per_second, "Of a rank [B/s]")
      .in_range(1.0, 1e15)
      .with_default();
  verb.add_flag("--json", options->as_json, "Print JSON");
  verb.action([options] { return estimate(*options); });
}

}  // namespace talus::cli
