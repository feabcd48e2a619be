#include <talus/cli/override_options.hpp>

#include <talus/cli/candidates.hpp>

namespace talus::cli {

void add_override_options(Verb verb, scene::Overrides& overrides) {
  verb.add_option("--until", overrides.end_time, "End time [s]").in_seconds();
  verb.add_option("--step-size", overrides.step_size, "Time step [s]").in_seconds();
  verb.add_option("--scheme", overrides.scheme, "Time-stepping scheme")
      .completed_by(scheme_candidates());
  verb.add_option("--solver", overrides.solver, "Contact solver").completed_by(solver_candidates());
  verb.add_option("--tolerance", overrides.tolerance, "Asked of every step's natural map");
  verb.add_option(
      "--sweeps", overrides.sweeps,
      "Most sweeps of a solve, with --solver nsgs; a step that needs more is uncertified");
}

}  // namespace talus::cli
