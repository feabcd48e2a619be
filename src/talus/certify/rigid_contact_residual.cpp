#include <talus/certify/rigid_contact_residual.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/body_share.hpp>
#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/certify/detail/rigid_islands.hpp>
#include <talus/certify/detail/rigid_motion.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/law_residual.hpp>
#include <talus/certify/resisting_residual.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::certify {
namespace {

using problem::BodyVelocity;
using problem::GeneralContact;
using problem::RigidContact;

/// Foot of x on the cone {‖x_T‖ ≤ μ x·n} about a unit axis n, by the angle between x and the axis;
/// not the formula that solvers use.
Vec3 nearest_in_cone(const Vec3& x, const Vec3& n, Real friction) {
  const Real height = x.dot(n);
  const Vec3 radial = x - height * n;
  const Real radius = radial.norm();
  if (height >= 0 && radius <= friction * height) return x;  // height < 0: μ = 0 has 0 ≤ −0
  if (radius == 0) return Vec3::Zero();                      // below the apex on the axis
  const Vec3 edge =
      (n + friction * (radial / radius)) / std::sqrt(1 + friction * friction);  // unit generator
  return std::max(Real(0), x.dot(edge)) * edge;
}

/// The errors of a general contact in world axes; the law's directions are those of contact_frame.
ContactErrors errors_of(const RigidContact& problem, const GeneralContact& contact, const Vec3& r,
                        const Vec3& u, const Vec3& b, Real rho) {
  const Mat3 frame = contact_frame(contact.normal), turn = frame.transpose();
  ContactErrors errors =
      law_errors({problem.law, problem.directions}, turn * detail::block(problem, contact) * frame,
                 turn * r, turn * u, turn * b, contact.friction, rho);
  for (Vec3* part : {&errors.natural, &errors.plain, &errors.primal, &errors.dual, &errors.free})
    *part = frame * *part;
  return errors;
}

void add_impulses(const RigidContact& problem, const problem::ContactImpulses& impulse,
                  std::vector<BodyVelocity>& bodies) {
  for (std::size_t c = 0; c < problem.general.size(); ++c) {
    const GeneralContact& contact = problem.general[c];
    const Vec3& r = impulse.general[c];
    BodyVelocity& a = bodies[contact.body_a];
    BodyVelocity& b = bodies[contact.body_b];
    a.v -= a.inverse_mass * r;
    a.s -= problem.inverse_inertia[contact.body_a] * contact.arm_a.cross(r);
    b.v += b.inverse_mass * r;
    b.s += problem.inverse_inertia[contact.body_b] * contact.arm_b.cross(r);
    if (impulse.moment.empty()) continue;
    const Vec3& m = impulse.moment[c];
    a.s -= problem.inverse_inertia[contact.body_a] * m / problem.length[contact.body_a];
    b.s += problem.inverse_inertia[contact.body_b] * m / problem.length[contact.body_b];
  }
  problem.rows.for_each_push(impulse.row, [&](std::uint32_t of, const Vec6& push) {
    bodies[of].v += bodies[of].inverse_mass * push.head<3>();
    bodies[of].s += problem.inverse_inertia[of].lazyProduct(push.tail<3>());
  });
}

/// Sums of squares and products over the contacts, and numbers of each: Certificate is made of
/// them.
struct ContactSums {
  Real plain = 0, primal = 0, dual = 0, power = 0, impulse = 0, velocity = 0,
       free = 0;            // of squares
  Real worst_velocity = 0;  // δ with rounding

  /// Adds the sums of other contacts.
  void add(const ContactSums& other) {
    for (const auto part :
         {&ContactSums::plain, &ContactSums::primal, &ContactSums::dual, &ContactSums::power,
          &ContactSums::impulse, &ContactSums::velocity, &ContactSums::free})
      this->*part += other.*part;
    worst_velocity = std::max(worst_velocity, other.worst_velocity);
  }
};

/// Per body, 10¹⁰ times the largest of all velocities and biases of its island, and of what forces
/// do in the step [m/s]; 0 for what no force moves. Empty without rows.
std::vector<Real> largest_speeds(const RigidContact& problem, const detail::RigidIslands& islands) {
  constexpr Real kMost = 1e10;
  if (problem.rows.empty()) return {};
  std::vector<Real> of_island(static_cast<std::size_t>(islands.count()), problem.force_speed);
  const auto raise = [&](Index island, Real speed) {
    of_island[island] = std::max(of_island[island], speed);
  };
  const auto speed = [&](std::size_t body) {
    return std::sqrt(
        std::max(problem.bodies[body].v.squaredNorm(), problem.bodies[body].s.squaredNorm()));
  };
  // What contacts and rows of an island touch are its movable bodies, and immovable ones.
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (const std::int32_t island = islands.island_of_body(static_cast<Index>(i)); island >= 0)
      raise(island, speed(i));
  const auto raise_immovable = [&](Index island, std::uint32_t body) {
    if (problem.bodies[body].inverse_mass == 0) raise(island, speed(body));
  };
  const Index central = problem.central.size(), contacts = problem.contact_count();
  for (Index c = central; c < contacts; ++c) {
    const GeneralContact& contact = problem.general[c - central];
    const Index island = islands.island(islands.slot_of(c));
    raise(island, std::abs(contact.bias));
    raise_immovable(island, contact.body_a);
    raise_immovable(island, contact.body_b);
  }
  for (Index j = 0; j < problem.rows.size(); ++j) {
    const Index island = islands.island(islands.slot_of(contacts + j));
    raise(island, std::abs(problem.rows.bias[j]));
    problem.rows.for_each_part(
        j, [&](const problem::RowPart& of) { raise_immovable(island, of.body); });
  }
  std::vector<Real> of_body(problem.bodies.size(), 0);
  for (std::size_t i = 0; i < of_body.size(); ++i)
    if (const std::int32_t island = islands.island_of_body(static_cast<Index>(i)); island >= 0)
      of_body[i] = kMost * of_island[island];
  return of_body;
}

/// Sizes of what all impulses of a jointed problem change velocities by, body by body, before they
/// cancel: rounding is of these numbers. Empty without rows.
///
/// Impulses that change velocities by 10¹⁰ times all that the island has are no answer, and their
/// rounding is no excuse: it is of numbers up to there.
struct ImpulseSizes {
  std::vector<Real> v, s;      // [m/s]
  std::span<const Real> most;  // largest_speeds()
  /// A velocity is the sum of what all rows and contacts of a body do.
  static constexpr Real kTerms = 4;

  void assign(const RigidContact& problem, std::span<const Real> largest,
              const detail::KeptRows& rows, const problem::ContactImpulses& impulse) {
    most = largest;
    v.assign(problem.rows.empty() ? 0 : problem.bodies.size(), 0);
    s.assign(v.size(), 0);
    if (v.empty()) return;
    const auto add = [&](std::uint32_t body, const Vec3& push, const Vec3& turn) {
      v[body] += kTerms * problem.bodies[body].inverse_mass * push.norm();
      s[body] += kTerms * (problem.inverse_inertia[body] * turn).norm();
    };
    for (std::size_t c = 0; c < problem.general.size(); ++c) {
      const GeneralContact& contact = problem.general[c];
      const Vec3& r = impulse.general[c];
      add(contact.body_a, r, contact.arm_a.cross(r));
      add(contact.body_b, r, contact.arm_b.cross(r));
      if (impulse.moment.empty()) continue;
      for (const std::uint32_t body : {contact.body_a, contact.body_b})
        add(body, Vec3::Zero(), impulse.moment[c] / problem.length[body]);
    }
    for (Index j = 0; j < problem.rows.size(); ++j)
      for (std::uint32_t k = problem.rows.first[j]; k < problem.rows.first[j + 1]; ++k) {
        const std::uint32_t body = problem.rows.parts[k].body;
        const Real size = kTerms * std::abs(impulse.row[j]);
        v[body] += size * rows.parts[k].push_size;
        s[body] += size * rows.parts[k].turn_size;
      }
  }
  [[nodiscard]] Real of(const GeneralContact& contact) const {
    if (v.empty()) return 0;
    return std::min(std::max(most[contact.body_a], most[contact.body_b]),
                    v[contact.body_a] + v[contact.body_b] +
                        s[contact.body_a] * contact.arm_a.norm() +
                        s[contact.body_b] * contact.arm_b.norm());
  }
  [[nodiscard]] Real of(std::uint32_t body) const {
    return std::min(most[body], v[body] + s[body]);
  }
};

/// Errors of general contacts, each in its slot, with their sums.
struct GeneralResidual {
  const RigidContact& problem;
  const problem::ContactImpulses& impulse;
  const std::vector<BodyVelocity>& bodies;  // with all impulses, |v| + |s| of both in number 7
  const ImpulseSizes& sizes;
  const detail::RigidIslands& islands;
  const detail::KeptRows& rows;
  Real *error, *answer, *work, *violation;  // of every slot
  bool in_full;                             // also sums of what decides nothing

  /// Adds a contact's errors. @param r2, u2, b2 squares of its impulse, its velocity, the same
  /// without impulses. @param size of the numbers that its velocities are made of [m/s].
  template <class Errors>
  void add(const Errors& errors, Index general, Real rho, Real r2, Real u2, Real b2, Real size,
           ContactSums& sums) const {
    const Index slot = islands.first_general() + general;
    const Real miss = errors.natural.norm() / rho;
    const Real rounding = detail::kVelocityRoundOff * size, above = miss - rounding;
    const Real own = above < 0 ? Real(0) : above;  // NaN stays
    error[slot] = rho * own * own;
    answer[slot] = r2 / rho;
    work[slot] = std::max(Real(0), errors.power - rounding * std::sqrt(r2));
    violation[slot] = std::max(own, errors.normal - rounding) * islands.inverse_scale()[slot];
    sums.worst_velocity = std::max(sums.worst_velocity, miss);
    if (!in_full) return;
    sums.plain += errors.plain.squaredNorm();
    sums.primal += errors.primal.squaredNorm() / rho;
    sums.dual += errors.dual.squaredNorm() / rho;
    sums.power += errors.power;
    sums.impulse += r2;
    sums.velocity += u2;
    sums.free += b2;
  }

  /// Adds a law that is missed by a velocity, where no impulse can change that.
  void miss(Index general, Real distance, Real size, ContactSums& sums) const {
    const Index slot = islands.first_general() + general;
    const Real above = distance - detail::kVelocityRoundOff * size;
    const Real own = above < 0 ? Real(0) : above;  // NaN stays
    violation[slot] = own * islands.inverse_scale()[slot];
    sums.worst_velocity = std::max(sums.worst_velocity, distance);
  }
};

/// Size of the numbers that a relative velocity is made of.
Real magnitude(const GeneralContact& contact, const std::vector<BodyVelocity>& bodies) {
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return a.v.norm() + b.v.norm() + a.s.norm() * contact.arm_a.norm() +
         b.s.norm() * contact.arm_b.norm() + std::abs(contact.bias);
}

constexpr Index kContactsPerPiece = 256;

/// Adds contacts [begin, end), which have resistance.
void add_resisting(const GeneralResidual& data, Index begin, Index end, ContactSums& sums) {
  const RigidContact& problem = data.problem;
  const auto spin = [&](const GeneralContact& contact, const std::vector<BodyVelocity>& rows) {
    return Vec3(rows[contact.body_b].s / problem.length[contact.body_b] -
                rows[contact.body_a].s / problem.length[contact.body_a]);
  };
  const auto turn_trace = [&](std::uint32_t body) {
    return problem.inverse_inertia[body].trace() / (problem.length[body] * problem.length[body]);
  };
  for (Index c = begin; c < end; ++c) {
    const GeneralContact& contact = problem.general[c];
    const problem::Resistance& resistance = problem.resistance[c];
    ResistingContact seen{data.impulse.general[c],
                          data.impulse.moment[c],
                          detail::relative_velocity(contact, data.bodies) + resistance.slip_bias,
                          spin(contact, data.bodies),
                          detail::relative_velocity(contact, problem.bodies) + resistance.slip_bias,
                          spin(contact, problem.bodies),
                          detail::block(problem, contact),
                          turn_trace(contact.body_a) + turn_trace(contact.body_b)};
    if (!resistance.compliance.isZero(0)) {
      const Mat3 share = detail::felt_share(seen.block, contact.normal, resistance.compliance);
      seen.velocity =
          share * (seen.velocity + resistance.compliance * (seen.impulse - resistance.drag));
      seen.free_velocity = share * seen.free_velocity;
    }
    const Real rho = 3 / seen.block.trace();
    const ResistingErrors errors =
        resisting_errors({problem.law, problem.directions}, contact, resistance, seen, rho);
    const Real size = magnitude(contact, data.bodies) + magnitude(contact, problem.bodies) +
                      resistance.slip_bias.norm() + data.sizes.of(contact);
    data.add(errors, c, rho, errors.impulse2, errors.velocity2, errors.free2, size, sums);
  }
}

/// Adds contacts [begin, end), which have none.
void add_plain(const GeneralResidual& data, Index begin, Index end, ContactSums& sums) {
  const RigidContact& problem = data.problem;
  for (Index c = begin; c < end; ++c) {
    const GeneralContact& contact = problem.general[c];
    const Vec3& n = contact.normal;
    const Vec3& r = data.impulse.general[c];
    const Real mu = contact.friction;
    const Real rho = data.islands.rho()[data.islands.first_general() + c];
    const Vec3 u = detail::relative_velocity(contact, data.bodies);
    const Vec3 b = detail::relative_velocity(contact, problem.bodies);
    ContactErrors errors;
    if (problem.law == problem::FrictionLaw::coulomb) {
      const Vec3 shifted = u + mu * (u - u.dot(n) * n).norm() * n;  // û, De Saxcé
      errors.natural = r - nearest_in_cone(r - rho * shifted, n, mu);
      errors.power = std::abs(r.dot(shifted));
      errors.normal = signorini_error(r.dot(n), u.dot(n), rho);
      if (data.in_full) {
        errors.plain = r - nearest_in_cone(r - shifted, n, mu);
        errors.primal = r - nearest_in_cone(r, n, mu);
        errors.dual = rho * nearest_in_cone(-shifted, n, mu);  // û − P_K*(û) = −P_K(−û)
      }
    } else {
      errors = errors_of(problem, contact, r, u, b, rho);
    }
    data.add(errors, c, rho, r.squaredNorm(), u.squaredNorm(), b.squaredNorm(),
             magnitude(contact, data.bodies) + magnitude(contact, problem.bodies) +
                 data.sizes.of(contact),
             sums);
  }
}

/// The errors of a row, as ContactErrors has those of a contact.
struct RowErrors {
  using Vec1 = Eigen::Matrix<Real, 1, 1>;
  Vec1 natural = Vec1::Zero(), plain = Vec1::Zero(), primal = Vec1::Zero(), dual = Vec1::Zero();
  Real power = 0, normal = 0;
};

/// Velocities whose squares underflow are none, over kVelocityRoundOff [m/s].
constexpr Real kUnderflow = 1e-138;

/// Adds the rows: λ = P(λ − ρ y), y = w + C λ.
void add_rows(const GeneralResidual& data, ContactSums& sums) {
  constexpr Real kTerms = ImpulseSizes::kTerms;
  const problem::BoundedRows& rows = data.problem.rows;
  const auto first = static_cast<Index>(data.problem.general.size());
  for (Index j = 0; j < rows.size(); ++j) {
    const Real rho = data.rows.rho[j], r = data.impulse.row[j];
    const Real held = rows.compliance[j] * r;
    Real y = rows.bias[j];
    // Of what the rates with and without impulses are made of. Joints turn what is left of
    // velocities into spins, and spins into velocities: both count.
    Real size = kTerms * (2 * (std::abs(rows.bias[j]) + kUnderflow) + std::abs(held));
    for (std::uint32_t k = rows.first[j]; k < rows.first[j + 1]; ++k) {
      const problem::RowPart& of = rows.parts[k];
      const BodyVelocity& body = data.bodies[of.body];
      y += of.part.head<3>().dot(body.v) + of.part.tail<3>().dot(body.s);
      size += data.rows.parts[k].norm * (kTerms * body.inverse_inertia + data.sizes.of(of.body));
    }
    y += held;
    if (rho == 0) {  // nothing moves it: what its law demands is missed
      data.miss(first + j, data.rows.demand(rows, j, y), size, sums);
      continue;
    }
    const Real b = data.rows.free_rate[j];
    RowErrors errors;
    errors.natural[0] = r - rows.clamped(j, r - rho * y);
    errors.power =
        std::abs(y) * std::min(std::abs(r), y > 0 ? r - rows.lower[j] : rows.upper[j] - r);
    if (data.in_full) {
      errors.plain[0] = r - rows.clamped(j, r - y);
      errors.primal[0] = r - rows.clamped(j, r);
    }
    data.add(errors, first + j, rho, r * r, y * y, b * b, size, sums);
  }
}

/// All of them, on all threads and ranks; pieces are added up in their order.
void add_general(const GeneralResidual& data, const detail::SlotShare& share,
                 std::vector<ContactSums>& pieces, ContactSums& sums) {
  const auto count = static_cast<Index>(data.problem.general.size());
  pieces.assign((count + kContactsPerPiece - 1) / kContactsPerPiece, {});
  const auto first = [&](Index k) { return data.islands.first_general() + k * kContactsPerPiece; };
  share.for_each(std::ssize(pieces), first, [&](Index k) {
    const Index begin = k * kContactsPerPiece, end = std::min(begin + kContactsPerPiece, count);
    if (data.problem.resistance.empty())
      add_plain(data, begin, end, pieces[k]);
    else
      add_resisting(data, begin, end, pieces[k]);
  });
  share.complete(std::span(pieces), first);
  for (const ContactSums& piece : pieces) sums.add(piece);
  add_rows(data, sums);
}

/// ‖P_K(−ρb)‖²/ρ of a contact by its number: what the natural map is divided by without impulses.
Real free_answer(const RigidContact& problem, const detail::KeptRows& rows, Index c) {
  const Index central = problem.central.size();
  if (c < central) {
    const problem::CentralContact contact = problem.central.at(c);
    const BodyVelocity& a = problem.bodies[contact.body_a];
    const BodyVelocity& b = problem.bodies[contact.body_b];
    const Vec3& n = contact.normal;
    const Real rho =
        3 / (3 * (a.inverse_mass + b.inverse_mass) + 2 * (a.inverse_inertia + b.inverse_inertia));
    const Vec3 speed = b.v - a.v + n.cross(a.s + b.s) + contact.bias * n;
    return nearest_in_cone(-rho * speed, n, contact.friction).squaredNorm() / rho;
  }
  if (c >= problem.contact_count()) {
    const Index row = c - problem.contact_count();
    const Real demand = rows.demand(problem.rows, row, rows.free_rate[row]);
    return rows.rho[row] * demand * demand;
  }
  const GeneralContact& contact = problem.general[c - central];
  const Real rho = 3 / detail::block_trace(problem, contact);
  const Vec3 speed = detail::relative_velocity(contact, problem.bodies);
  if (problem.law == problem::FrictionLaw::coulomb && problem.resistance.empty())
    return nearest_in_cone(-rho * speed, contact.normal, contact.friction).squaredNorm() / rho;
  const Real approach = std::max(Real(0), -speed.dot(contact.normal));
  Real held2 = 0;  // by pulls
  if (!problem.resistance.empty()) {
    const problem::Resistance& resistance = problem.resistance[c - central];
    held2 = resistance.cohesion * resistance.cohesion + resistance.drag.squaredNorm();
  }
  return rho * approach * approach + held2 / rho;
}

/// Number of the contact in a slot.
Index contact_in(const RigidContact& problem, const detail::RigidIslands& islands, Index slot) {
  constexpr Index kPerPiece = 16384;
  const Index central = problem.central.size();
  if (slot >= islands.first_general()) return central + slot - islands.first_general();
  std::atomic<Index> found = central;  // one writes
  parallel::for_ranges(central, kPerPiece, [&](Index begin, Index end) {
    const auto slots = std::span(problem.central.slot).subspan(begin, end - begin);
    const auto at = std::find(slots.begin(), slots.end(), static_cast<std::uint32_t>(slot));
    if (at != slots.end()) found = begin + (at - slots.begin());
  });
  return found;
}

/// @param data with rows of bodies after all impulses, at least |v| + |s| of both velocities in
/// number 7.
void add_central(const problem::CentralContacts& central, const detail::CentralResidual& data,
                 const detail::CentralResidualKernels& kernels, const detail::SlotShare& share,
                 bool in_full, std::vector<ContactSums>& tiles, ContactSums& sums) {
  tiles.assign(central.tiles.size(), {});
  const auto residuals = in_full ? kernels.in_full : kernels.residuals;
  parallel::for_each(std::ssize(tiles), [&](Index t) {
    if (!share.makes_tile(t)) return;
    detail::LaneSums lanes;
    residuals(data, central.tiles[t], lanes);
    using detail::total;
    if (in_full)
      tiles[t] = {total(lanes.plain), total(lanes.primal),  total(lanes.dual),
                  total(lanes.power), total(lanes.impulse), total(lanes.velocity)};
    for (const Real worst : lanes.worst_velocity)
      tiles[t].worst_velocity = std::max(tiles[t].worst_velocity, worst);
  });
  share.complete_tiles(std::span(tiles));
  for (const ContactSums& tile : tiles) sums.add(tile);
}

/// What the sums say of the problem as one; of what decides nothing only in full.
void write(const ContactSums& sums, const std::vector<detail::IslandSum>& islands, bool in_full,
           Certificate& certificate) {
  const detail::IslandVerdict verdict = detail::judge(islands);
  certificate.natural_map = verdict.natural_map;
  certificate.work = verdict.work;
  certificate.worst_velocity = sums.worst_velocity;
  certificate.violation = 0;
  certificate.is_finite = std::isfinite(certificate.natural_map) && std::isfinite(verdict.answer) &&
                          std::isfinite(certificate.equation_of_motion) &&
                          std::isfinite(sums.worst_velocity);
  for (Real* number :
       {&certificate.plain, &certificate.primal, &certificate.dual, &certificate.complementarity})
    *number = std::numeric_limits<Real>::quiet_NaN();
  if (!in_full) return;
  certificate.plain = detail::ratio(std::sqrt(sums.plain),
                                    std::sqrt(std::max({sums.free, sums.impulse, sums.velocity})));
  certificate.primal = verdict.ratio(sums.primal);
  certificate.dual = verdict.ratio(sums.dual);
  certificate.complementarity =
      verdict.answer > 0 ? detail::ratio(sums.power, verdict.answer) : Real(0);
}

/// What decides of one island.
Certificate own_certificate(const detail::IslandSum& sum, Real equation_of_motion) {
  Certificate own;
  own.natural_map = sum.natural_map();
  own.work = detail::ratio(sum.work, sum.stake);
  own.violation = std::max(Real(0), sum.worst);
  own.equation_of_motion = equation_of_motion;
  own.is_finite = std::isfinite(own.natural_map) && std::isfinite(equation_of_motion);
  return own;
}

}  // namespace

RigidContactCertifier::RigidContactCertifier(const RigidContact& problem, Simd simd)
    : problem_(problem),
      rows_(problem),
      islands_(problem, rows_, simd),
      most_(largest_speeds(problem, islands_)) {}

Certificate RigidContactCertifier::operator()(const problem::ContactImpulses& impulse,
                                              std::span<const BodyVelocity> velocity,
                                              Simd simd) const {
  return judge(impulse, velocity, simd, false, nullptr);
}

Certificate RigidContactCertifier::operator()(const problem::ContactImpulses& impulse,
                                              std::span<const BodyVelocity> velocity,
                                              std::vector<Certificate>& islands) const {
  return judge(impulse, velocity, best_simd(), false, &islands);
}

Certificate RigidContactCertifier::in_full(const problem::ContactImpulses& impulse,
                                           std::span<const BodyVelocity> velocity,
                                           Simd simd) const {
  return judge(impulse, velocity, simd, true, nullptr);
}

Certificate RigidContactCertifier::judge(const problem::ContactImpulses& impulse,
                                         std::span<const BodyVelocity> velocity, Simd simd,
                                         bool in_full, std::vector<Certificate>* islands) const {
  const RigidContact& problem = problem_;
  TALUS_DEMAND_EQ(impulse.central.size(), problem.central.batches.size());
  TALUS_DEMAND_EQ(impulse.general.size(), problem.general.size());
  TALUS_DEMAND_EQ(impulse.moment.size(), problem.resistance.size());
  TALUS_DEMAND_EQ(impulse.row.size(), problem.rows.size());
  TALUS_DEMAND(velocity.empty() || velocity.size() == problem.bodies.size());
  static thread_local std::vector<BodyVelocity> bodies;  // and a row for empty lanes
  static thread_local std::vector<Real> motion;
  static thread_local std::vector<ContactSums> tiles, general_pieces;
  static thread_local detail::SlotNumbers error, answer, work, violation;
  static thread_local std::vector<detail::IslandSum> island_sums;
  const detail::SlotShare share = islands_.share();
  const detail::BodyShare own_bodies(problem, share);
  bodies.resize(problem.bodies.size() + 1);
  own_bodies.start(bodies);
  for (detail::SlotNumbers* numbers : {&error, &answer, &work, &violation}) {
    numbers->resize(islands_.slot_count());
    std::fill(numbers->data() + islands_.first_general(), numbers->data() + islands_.slot_count(),
              Real(0));
  }

  const detail::CentralResidualKernels& kernels = detail::central_residual_kernels(simd);
  const detail::CentralResidual data{problem.central.batches.data(),
                                     impulse.central.data(),
                                     reinterpret_cast<double*>(bodies.data()),
                                     islands_.rho().data(),
                                     islands_.inverse_scale().data(),
                                     error.data(),
                                     answer.data(),
                                     work.data(),
                                     violation.data()};
  own_bodies.add(kernels, data);
  add_impulses(problem, impulse, bodies);

  detail::judge_motion(problem, islands_, kernels, velocity, own_bodies, bodies, motion);
  own_bodies.complete(bodies);
  Certificate certificate;
  for (const Real ratio : motion)
    certificate.equation_of_motion = detail::larger_of(ratio, certificate.equation_of_motion);
  if (!problem::is_coulomb_between_balls(problem.law) && problem.central.size() > 0) {
    Certificate assembled =
        certify(problem::to_local(problem), problem::impulses_to_frames(problem, impulse));
    assembled.equation_of_motion = certificate.equation_of_motion;
    assembled.is_finite = assembled.is_finite && std::isfinite(certificate.equation_of_motion);
    if (islands != nullptr) islands->assign(static_cast<std::size_t>(island_count()), assembled);
    return assembled;
  }
  ContactSums sums;
  sums.free = islands_.central_free2();
  add_central(problem.central, data, kernels, share, in_full, tiles, sums);
  static thread_local ImpulseSizes sizes;
  sizes.assign(problem, most_, rows_, impulse);
  add_general({problem, impulse, bodies, sizes, islands_, rows_, error.data(), answer.data(),
               work.data(), violation.data(), in_full},
              share, general_pieces, sums);
  const auto free_of = [&](Index c) { return free_answer(problem, rows_, c); };
  islands_.sum({error.data(), answer.data(), work.data(), violation.data()}, kernels, free_of,
               share, island_sums);
  if (islands != nullptr) {
    islands->clear();
    for (std::size_t i = 0; i < island_sums.size(); ++i)
      islands->push_back(own_certificate(island_sums[i], motion[i]));
  }
  write(sums, island_sums, in_full, certificate);
  const auto worst = std::max_element(
      island_sums.begin(), island_sums.end(),
      [](const detail::IslandSum& a, const detail::IslandSum& b) { return a.worst < b.worst; });
  if (worst != island_sums.end() && worst->worst_slot >= 0) {
    certificate.violation = std::max(Real(0), worst->worst);
    certificate.worst_contact = contact_in(problem, islands_, worst->worst_slot);
    certificate.worst_share = detail::ratio(worst->worst_error, worst->error);
  }
  return certificate;
}

Certificate certify(const RigidContact& problem, const problem::ContactImpulses& impulse,
                    std::span<const BodyVelocity> velocity, Simd simd) {
  return RigidContactCertifier(problem, simd).in_full(impulse, velocity, simd);
}

}  // namespace talus::certify
