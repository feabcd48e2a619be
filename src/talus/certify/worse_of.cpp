#include <talus/certify/worse_of.hpp>

#include <cmath>

namespace talus::certify {

Certificate worse_of(const Certificate& one, const Certificate& other, Index first) {
  Certificate worse = one;
  const bool is_measured = !std::isnan(one.violation) || !std::isnan(other.violation);
  const bool is_other_worse = is_measured
                                  ? std::isnan(one.violation) || other.violation > one.violation
                                  : other.natural_map > one.natural_map;
  if (is_other_worse) {
    worse.worst_contact = first < 0 || other.worst_contact < 0 ? -1 : first + other.worst_contact;
    worse.worst_share = other.worst_share;
  }
  // A residual that is not a number is worse than any number.
  const auto keep = [](Real& mine, Real its) {
    if (!(its <= mine)) mine = its;
  };
  keep(worse.natural_map, other.natural_map);
  keep(worse.plain, other.plain);
  keep(worse.primal, other.primal);
  keep(worse.dual, other.dual);
  keep(worse.complementarity, other.complementarity);
  keep(worse.equation_of_motion, other.equation_of_motion);
  keep(worse.worst_velocity, other.worst_velocity);
  // But for those that need not be measured.
  worse.violation = std::fmax(one.violation, other.violation);
  worse.work = std::fmax(one.work, other.work);
  worse.is_finite = one.is_finite && other.is_finite;
  return worse;
}

}  // namespace talus::certify
