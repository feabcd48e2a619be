#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <talus/stepping/implicit_step.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping::detail {

/// Takes a step, and where it fails takes it as two of half the size, and so on.
/// @param take takes one step of a size and gives its ImplicitReport. @param save gives everything
/// that `take` changes; @param restore puts it back.
template <class Take, class Save, class Restore>
ImplicitReport take_halving(const Take& take, const Save& save, const Restore& restore, Real h,
                            Index halvings_left) {
  const auto before = save();
  ImplicitReport whole = take(h);
  if (whole.is_certified() || halvings_left == 0) return whole;
  restore(before);
  ImplicitReport report = take_halving(take, save, restore, h / 2, halvings_left - 1);
  Index halvings = 1 + report.halvings;
  LcpStatistics lcp = whole.lcp;
  lcp.add(report.lcp);
  if (report.is_certified()) {
    ImplicitReport second = take_halving(take, save, restore, h / 2, halvings_left - 1);
    halvings += second.halvings;
    lcp.add(second.lcp);
    second.penetration = std::max(second.penetration, report.penetration);
    report = std::move(second);
  }
  report.lcp = lcp;
  report.halvings = halvings;
  report.detail = fmt::format(
      "halved {} times, first because: {}{}{}", halvings, whole.detail,
      report.is_certified() ? "" : "; then: ", report.is_certified() ? "" : report.detail);
  return report;
}

/// The same from the outside: where halvings were asked for and some part still fails, everything
/// is put back.
template <class Take, class Save, class Restore>
ImplicitReport take_step(const Take& take, const Save& save, const Restore& restore, Real h,
                         Index max_halvings) {
  if (max_halvings == 0) return take(h);
  const auto before = save();
  ImplicitReport report = take_halving(take, save, restore, h, max_halvings);
  if (!report.is_certified()) restore(before);
  return report;
}

/// The part of a scheme's options that an implicit step knows.
[[nodiscard]] inline ImplicitOptions implicit_options(const SchemeOptions& options,
                                                      Variant variant) {
  ImplicitOptions result;
  result.variant = variant;
  result.directions = options.directions;
  result.fixed_point = options.fixed_point;
  result.max_halvings = options.max_halvings;
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
