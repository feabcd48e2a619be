#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <talus/certify/worse_of.hpp>
#include <talus/stepping/step_report.hpp>
#include <talus/stepping/stewart_trinkle_anitescu_potra.hpp>

namespace talus::stepping::detail {

/// Whether a step is better taken as two.
[[nodiscard]] inline bool is_too_long(const ImplicitReport& report) {
  return !report.is_certified();
}
[[nodiscard]] inline bool is_too_long(const StepReport& report) {
  return !report.is_certified() || report.second_impacts > 0;
}

/// The report of a step taken in two parts, from those of the parts: what is of the state after it
/// is the second's, and the certificate is the worse of both (no place in contacts() where that is
/// the first's).
inline void add_first(const ImplicitReport& first, ImplicitReport& report) {
  report.halvings += first.halvings;
  report.lcp.add(first.lcp);
  report.penetration = std::max(report.penetration, first.penetration);
  report.certificate = certify::worse_of(report.certificate, first.certificate, -1);
}
inline void add_first(const StepReport& first, StepReport& report) {
  report.halvings += first.halvings;
  report.iterations += first.iterations;
  report.second_impacts += first.second_impacts;
  report.lcp.add(first.lcp);
  report.max_penetration = std::max(report.max_penetration, first.max_penetration);
  report.joints = certify::worse_of(report.joints, first.joints);
  report.certificate = certify::worse_of(report.certificate, first.certificate, -1);
}

/// Takes a step, and where it is too long takes it as two of half the size, and so on.
/// @param take takes one step of a size and gives its report. @param save gives everything that
/// `take` changes; @param restore puts it back.
/// @return of the parts together; of the one that is not certified, if there is one.
template <class Take, class Save, class Restore>
auto take_halving(const Take& take, const Save& save, const Restore& restore, Real h,
                  Index halvings_left) -> decltype(take(h)) {
  const auto before = save();
  auto whole = take(h);
  if (halvings_left == 0 || !is_too_long(whole)) return whole;
  restore(before);
  auto report = take_halving(take, save, restore, h / 2, halvings_left - 1);
  if (report.is_certified()) {
    auto second = take_halving(take, save, restore, h / 2, halvings_left - 1);
    add_first(report, second);
    report = std::move(second);
  }
  ++report.halvings;
  report.lcp.add(whole.lcp);
  if (!whole.is_certified())
    report.detail = fmt::format(
        "halved {} times, first because: {}{}{}", report.halvings, whole.detail,
        report.is_certified() ? "" : "; then: ", report.is_certified() ? "" : report.detail);
  return report;
}

/// The same from the outside: where some part is not certified, the step is taken whole,
/// uncertified.
template <class Take, class Save, class Restore>
auto take_step(const Take& take, const Save& save, const Restore& restore, Real h,
               Index max_halvings) -> decltype(take(h)) {
  if (max_halvings == 0) return take(h);
  const auto before = save();
  auto report = take_halving(take, save, restore, h, max_halvings);
  if (report.is_certified() || report.halvings == 0) return report;
  restore(before);
  auto whole = take(h);
  whole.halvings = report.halvings;
  whole.detail = report.detail;
  return whole;
}

}  // namespace talus::stepping::detail
