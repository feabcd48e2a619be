#include <talus/reproduce/contact_study.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/base/random.hpp>
#include <talus/math/rotation.hpp>
#include <talus/solve/gauss_seidel/local/cone_complementarity.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

namespace talus::reproduce {
namespace {

using solve::ContactState;
using solve::LocalSolution;

constexpr int kScan = 3600;        // angles of the scan for minima
constexpr Real kRoundOff = 1e-12;  // of an energy, over the terms that cancel in it

Real energy(const ContactCase& c, const Vec3& r) { return r.dot(c.A * r) / 2 + c.b.dot(r); }

ContactStudy::Solution solution(const ContactCase& c, const LocalSolution& s) {
  return {s.impulse, energy(c, s.impulse), s.state == ContactState::stick};
}

/// Minima of E over the angle, which is cut where the conic is open.
int count_minima(const ContactCase& contact) {
  std::vector<Real> values;
  for (int k = 0; k < kScan; ++k) {
    const Real value = on_conic(contact, 2 * M_PI * k / kScan).energy;
    values.push_back(std::isfinite(value) ? value : std::numeric_limits<Real>::infinity());
  }
  int minima = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Real last = values[(k + values.size() - 1) % values.size()];
    const Real next = values[(k + 1) % values.size()];
    minima += values[k] < last && values[k] <= next;
  }
  return minima;
}

ContactCase random_box(const Population& population, Random& random) {
  Vec3 half, corner;
  for (Index i = 0; i < 3; ++i) half[i] = std::pow(population.aspect, -random.uniform());
  for (Index i = 0; i < 3; ++i) corner[i] = random.uniform() < 0.5 ? half[i] : -half[i];
  const Vec3 squares = half.cwiseAbs2();
  const Vec3 inertia = (Vec3::Constant(squares.sum()) - squares) / 3;
  Quat attitude;  // x, y, z, w; arguments of a call have another order with every compiler
  for (const Index i : {2, 1, 0, 3}) attitude.coeffs()[i] = random.uniform(-1, 1);
  const Mat3 R = attitude.normalized().toRotationMatrix(), arm = cross_matrix(R * corner);
  const Mat3 turning = R * inertia.cwiseInverse().asDiagonal() * R.transpose();
  ContactCase contact;
  contact.A = Mat3::Identity() + arm * turning * arm.transpose();
  contact.A = (contact.A + contact.A.transpose()).eval() / 2;
  contact.b[0] = -std::pow(10, random.uniform(-1, 0.5));
  contact.b[1] = random.uniform(-2, 2);
  contact.b[2] = random.uniform(-2, 2);
  contact.friction = population.friction * random.uniform();
  return contact;
}

bool is_ordered(const ContactCase& c, const ContactStudy& s) {
  const Real slack = kRoundOff * (std::abs(c.b.dot(s.coulomb.back().impulse)) +
                                  std::abs(c.b.dot(s.dissipative.impulse)));
  return s.cone.energy <= s.dissipative.energy + slack &&
         s.dissipative.energy <= s.coulomb.front().energy + slack &&
         s.coulomb.back().energy <= s.frictionless.energy + slack && s.frictionless.energy < 0;
}

/// Without the scan.
ContactStudy laws_of(const ContactCase& contact) {
  TALUS_DEMAND(contact.b[0] < 0 && contact.friction > 0);
  ContactStudy found;
  const auto all = solve::enumerate_coulomb(contact.A, contact.b, contact.friction);
  for (int k = 0; k < all.count; ++k)
    found.coulomb.push_back(solution(contact, all.solutions[static_cast<std::size_t>(k)]));
  std::sort(found.coulomb.begin(), found.coulomb.end(),
            [](const auto& a, const auto& b) { return a.energy < b.energy; });
  const Vec3 none = Vec3::Zero();
  found.dissipative = solution(
      contact, solve::solve_maximum_dissipation(contact.A, contact.b, contact.friction, none));
  found.cone = solution(
      contact, solve::solve_cone_complementarity(contact.A, contact.b, contact.friction, none));
  found.frictionless =
      solution(contact, solve::solve_maximum_dissipation(contact.A, contact.b, 0, none));
  found.eccentricity =
      contact.friction * std::hypot(contact.A(0, 1), contact.A(0, 2)) / contact.A(0, 0);
  return found;
}

}  // namespace

ConicPoint on_conic(const ContactCase& contact, Real angle) {
  const Vec3 ray(1, contact.friction * std::cos(angle), contact.friction * std::sin(angle));
  const Real normal = -contact.b[0] / contact.A.row(0).dot(ray);
  const Vec3 r = normal > 0 ? Vec3(normal * ray)
                            : Vec3(Vec3::Constant(std::numeric_limits<Real>::quiet_NaN()));
  return {r, energy(contact, r)};
}

ContactStudy study(const ContactCase& contact) {
  ContactStudy found = laws_of(contact);
  found.minima = count_minima(contact);
  return found;
}

PopulationStudy study(const Population& population) {
  Random random(static_cast<std::uint64_t>(population.seed));
  PopulationStudy found;
  found.coulomb.resize(population.samples);
  found.dissipative.resize(population.samples);
  found.cone.resize(population.samples);
  for (Index i = 0; i < population.samples; ++i) {
    const ContactCase contact = random_box(population, random);
    const ContactStudy own = laws_of(contact);
    found.coulomb[i] = own.coulomb.front().energy;
    found.dissipative[i] = own.dissipative.energy;
    found.cone[i] = own.cone.energy;
    found.coulomb_count.push_back(static_cast<int>(own.coulomb.size()));
    found.sticks.push_back(own.dissipative.sticks);
    found.disordered += !is_ordered(contact, own);
  }
  return found;
}

}  // namespace talus::reproduce
