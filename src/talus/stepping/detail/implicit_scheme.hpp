#pragma once

#include <utility>

#include <talus/laws/tolerances.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/step_report.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping::detail {

/// Whether a step ends with its overlaps taken back by displacements.
[[nodiscard]] inline bool pushes_out(const ImplicitOptions& options) {
  return !options.gives_velocity && options.variant != Variant::anitescu_potra;
}

/// The part of a scheme's options that an implicit step takes.
[[nodiscard]] inline ImplicitOptions implicit_options(const SchemeOptions& options,
                                                      Variant variant) {
  ImplicitOptions result;
  result.variant = variant;
  result.directions = options.directions;
  result.fixed_point = options.fixed_point;
  result.gives_velocity = options.overlap == "velocity" || options.fixed_point;
  result.solver = options.solver;
  return result;
}

/// The report of a scheme, without contacts and energy.
[[nodiscard]] inline StepReport to_step_report(ImplicitReport implicit) {
  StepReport report;
  report.status = implicit.status;
  report.certificate = implicit.certificate;
  report.detail = std::move(implicit.detail);
  report.iterations = implicit.lcp.pivots;
  report.lcp = implicit.lcp;
  report.fixed_point = std::move(implicit.fixed_point);
  report.max_penetration = implicit.penetration;
  return report;
}

}  // namespace talus::stepping::detail
