#include <talus/model/lagrangian.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

namespace talus::model {
namespace {

/// d/ds of a function along q + s v, time + s, at s = 0: central differences of fourth order.
/// @param f(q, time) a vector.
template <class F>
VecX along(const LagrangianSystem& system, const VecX& q, const VecX& v, Real time, F&& f) {
  constexpr Real kShare = 1e-3, kLongest = 1e-3;  // of the scale; [s]
  const Real fastest = v.cwiseQuotient(system.scale()).lpNorm<Eigen::Infinity>();
  const Real s = fastest * kLongest > kShare ? kShare / fastest : kLongest;
  const auto at = [&](Real by) { return VecX(f(q + by * v, time + by)); };
  return (8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * s);
}

}  // namespace

LagrangianContact LagrangianSystem::contact(Index /*i*/, const VecX& /*q*/) const {
  TALUS_DEMAND(!"a system with contacts gives contact()");
  return {};
}

void LagrangianSystem::near_contacts(const VecX& /*q*/, std::vector<Index>& contacts) const {
  contacts.resize(static_cast<std::size_t>(contact_count()));
  std::iota(contacts.begin(), contacts.end(), Index(0));
}

std::vector<LagrangianMeeting> LagrangianSystem::meetings(const VecX& /*q*/, const VecX& /*q_end*/,
                                                          Real /*tolerance*/) const {
  return {};
}

Real LagrangianSystem::contact_time(Index /*i*/, const VecX& /*q*/, const VecX& /*v*/,
                                    Real /*step_size*/) const {
  return 0;
}

LagrangianSprings LagrangianSystem::springs(const VecX& q) const {
  return {VecX(0), MatX(q.size(), 0), VecX(0), VecX(0)};
}

LagrangianBilateral LagrangianSystem::bilateral(const VecX& q) const {
  return {VecX(0), MatX(q.size(), 0), VecX(0)};
}

LagrangianBilateral LagrangianSystem::bilateral_at(const VecX& q, Real /*time*/) const {
  return bilateral(q);
}

std::optional<InterfaceLaw> LagrangianSystem::law(Index /*i*/) const { return std::nullopt; }

LagrangianDrift LagrangianSystem::contact_drift(Index i, const VecX& q, const VecX& v) const {
  const VecX all = along(*this, q, v, 0, [&](const VecX& at, Real /*time*/) {
    const LagrangianContact there = contact(i, at);
    VecX moved = v;
    if (!there.coordinates.empty()) moved = v(there.coordinates);
    VecX rates(1 + there.tangents.cols());
    rates[0] = there.normal.dot(moved);
    if (there.tangents.cols() > 0)
      rates.tail(there.tangents.cols()) = there.tangents.transpose() * moved;
    return rates;
  });
  return {all[0], all.tail(all.size() - 1)};
}

VecX LagrangianSystem::bilateral_drift(const VecX& q, const VecX& v, Real time) const {
  return along(*this, q, v, time, [&](const VecX& at, Real when) {
    const LagrangianBilateral there = bilateral_at(at, when);
    VecX rate = there.gradient.transpose() * v;
    if (there.rate.size() > 0) rate += there.rate;
    return rate;
  });
}

VecX LagrangianSystem::joint_drift(const VecX& q, const VecX& v) const {
  return along(*this, q, v, 0, [&](const VecX& at, Real /*time*/) {
    std::vector<Real> slips;
    for (const LagrangianJoint& joint : joints(at))
      for (Index t = 0; t < joint.tangents.cols(); ++t)
        slips.push_back(joint.tangents.col(t).dot(v));
    return VecX(VecX::Map(slips.data(), std::ssize(slips)));
  });
}

VecX LagrangianSystem::scale() const { return VecX::Ones(coordinate_count()); }

std::vector<LagrangianJoint> LagrangianSystem::joints(const VecX& /*q*/) const { return {}; }

Real LagrangianSystem::potential(const VecX& /*q*/) const { return 0; }

void refuse_feature(const std::string& what, const std::string& scheme,
                    const std::string& instead) {
  throw InputError(Diagnostic{
      {"Lagrangian system"}, what, scheme + " does not support it", "", "take " + instead});
}

void demand_shape(const char* what, Index rows, Index columns,
                  const Eigen::Ref<const MatX>& found) {
  if (rows == found.rows() && columns == found.cols()) return;
  throw InputError(Diagnostic{
      {"Lagrangian system"},
      what,
      fmt::format("expected {}×{} numbers, got {}×{}", rows, columns, found.rows(), found.cols()),
      "",
      "one row per coordinate"});
}

MatX mass_of(const LagrangianSystem& system, const VecX& q, Real h) {
  constexpr Real kSymmetric = 1e-9;
  MatX mass = h > 0 ? system.step_mass(q, h) : system.mass(q);
  const Index n = system.coordinate_count(), width = mass.cols();
  demand_shape("M(q)", n, width > 0 && n % width == 0 ? width : n, mass);
  for (Index i = 0; i < n; ++i)
    for (Index first = i - i % width, j = first; j < i; ++j) {
      const Real lower = mass(i, j - first), upper = mass(j, i - first);
      const Real allowed =
          kSymmetric * std::sqrt(std::abs(mass(i, i - first) * mass(j, j - first)));
      if (std::abs(lower - upper) > allowed)
        throw InputError(Diagnostic{
            {"Lagrangian system"},
            "M(q)",
            fmt::format("expected a symmetric matrix, got {} at ({}, {}) and {} at ({}, {}): they "
                        "may differ by {:.2g}",
                        upper, j, i, lower, i, j, allowed),
            "",
            "forces that depend on the velocity belong to k(q, v, t)"});
    }
  return mass;
}

}  // namespace talus::model
