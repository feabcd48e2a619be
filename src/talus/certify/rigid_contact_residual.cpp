#include <talus/certify/rigid_contact_residual.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/law_residual.hpp>
#include <talus/certify/resisting_residual.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/parallel/executor.hpp>

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

/// A general contact's block in world axes: Σ m⁻¹ I − [a]ₓ S [a]ₓ over its two sides.
Mat3 block(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    Mat3 turned;  // columns S (a × eᵢ); their velocities of the point are (S (a × eᵢ)) × a
    for (Index i = 0; i < 3; ++i)
      turned.col(i) = (problem.inverse_inertia[body] * arm.cross(Vec3::Unit(i))).cross(arm);
    turned.diagonal().array() += problem.bodies[body].inverse_mass;
    return turned;
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

/// The errors of a general contact in world axes; the law's directions are those of contact_frame.
ContactErrors errors_of(const RigidContact& problem, const GeneralContact& contact, const Vec3& r,
                        const Vec3& u, const Vec3& b, Real rho) {
  const Mat3 frame = contact_frame(contact.normal), turn = frame.transpose();
  ContactErrors errors =
      law_errors({problem.law, problem.directions}, turn * block(problem, contact) * frame,
                 turn * r, turn * u, turn * b, contact.friction, rho);
  for (Vec3* part : {&errors.natural, &errors.plain, &errors.primal, &errors.dual, &errors.free})
    *part = frame * *part;
  return errors;
}

/// Trace of a general contact's block A: tr(−[a]ₓ S [a]ₓ) = ‖a‖² tr S − a·S a for each side.
Real block_trace(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    const Mat3& s = problem.inverse_inertia[body];
    return 3 * problem.bodies[body].inverse_mass + arm.squaredNorm() * s.trace() - arm.dot(s * arm);
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
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
}

/// Sums of squares and products over the contacts; Certificate is made of them.
struct ContactSums {
  Real map = 0, plain = 0, primal = 0, dual = 0;
  Real round_off = 0, work = 0, scale = 0, impulse = 0, velocity = 0, free = 0, start = 0;
  Real worst = -1, worst_map = 0, worst_velocity = 0, violation = 0;
  Index worst_contact = -1;

  /// Adds a contact's errors. @param r2, u2, b2 squares of its impulse, its velocity, the same
  /// without impulses. @param rounding of its velocities [m/s].
  /// @param scale_of_velocity V [m/s] > 0.
  template <class Errors>
  void add(const Errors& errors, Index contact, Real rho, Real r2, Real u2, Real b2, Real rounding,
           Real scale_of_velocity) {
    const Real own = errors.natural.squaredNorm();
    map += own;
    const Real miss = std::sqrt(own) / rho;
    if (miss / scale_of_velocity > worst) {
      worst = miss / scale_of_velocity;
      worst_map = own;
      worst_contact = contact;
    }
    worst_velocity = std::max(worst_velocity, miss);
    violation = std::max(violation, std::max(Real(0), miss - rounding) / scale_of_velocity);
    plain += errors.plain.squaredNorm();
    primal += errors.primal.squaredNorm();
    dual += errors.dual.squaredNorm();
    work += errors.power;
    scale += r2 / rho;
    impulse += r2;
    velocity += u2;
    free += b2;
    round_off += rho * rounding * (rho * rounding);
    start += errors.free.squaredNorm();
  }
};

Vec3 relative_velocity(const GeneralContact& contact, const std::vector<BodyVelocity>& bodies) {
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) +
         contact.bias * contact.normal;
}

// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr Real kEpsilon = 8 * std::numeric_limits<Real>::epsilon();

/// Size of the numbers that a relative velocity is made of.
Real magnitude(const GeneralContact& contact, const std::vector<BodyVelocity>& bodies) {
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return a.v.norm() + b.v.norm() + a.s.norm() * contact.arm_a.norm() +
         b.s.norm() * contact.arm_b.norm() + std::abs(contact.bias);
}

constexpr Index kContactsPerPiece = 256;

/// What a central contact has to answer; its island is filled in later.
detail::Demand central_demand(const RigidContact& problem, std::uint32_t slot) {
  const problem::CentralBatch& batch = problem.central.batches[slot / problem::kLanes];
  const auto lane = slot % problem::kLanes;
  const BodyVelocity& a = problem.bodies[batch.body_a[lane]];
  const BodyVelocity& b = problem.bodies[batch.body_b[lane]];
  const Vec3 n(batch.normal[0][lane], batch.normal[1][lane], batch.normal[2][lane]);
  const Vec3 speed = b.v - a.v + n.cross(a.s + b.s) + batch.bias[lane] * n;
  const Real trace =
      3 * (a.inverse_mass + b.inverse_mass) + 2 * (a.inverse_inertia + b.inverse_inertia);
  return {0, std::max(Real(0), -speed.dot(n)), speed.norm(), 3 / trace};
}

/// The same of a general contact; cohesion holds what would open more slowly than it can pull.
detail::Demand general_demand(const RigidContact& problem, Index c) {
  const GeneralContact& contact = problem.general[c];
  const Vec3 speed = relative_velocity(contact, problem.bodies);
  const Real rho = 3 / block_trace(problem, contact), normal = speed.dot(contact.normal);
  const Real held = problem.resistance.empty() ? Real(0) : problem.resistance[c].cohesion / rho;
  return {0, std::max(-normal, std::min(normal, held)), speed.norm(), rho};
}

/// Those of contacts [begin, end) with resistance.
void add_resisting_residuals(const RigidContact& problem, const problem::ContactImpulses& impulse,
                             const std::vector<BodyVelocity>& bodies, std::span<const Real> scales,
                             Index begin, Index end, ContactSums& sums) {
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
    const ResistingContact seen{impulse.general[c],
                                impulse.moment[c],
                                relative_velocity(contact, bodies) + resistance.slip_bias,
                                spin(contact, bodies),
                                relative_velocity(contact, problem.bodies) + resistance.slip_bias,
                                spin(contact, problem.bodies),
                                block(problem, contact),
                                turn_trace(contact.body_a) + turn_trace(contact.body_b)};
    const Real rho = 3 / seen.block.trace();
    const ResistingErrors errors =
        resisting_errors({problem.law, problem.directions}, contact, resistance, seen, rho);
    const Real size = magnitude(contact, bodies) + magnitude(contact, problem.bodies) +
                      resistance.slip_bias.norm();
    sums.add(errors, problem.central.size() + c, rho, errors.impulse2, errors.velocity2,
             errors.free2, kEpsilon * size, scales[c]);
  }
}

/// Those of contacts [begin, end).
void add_general_residuals(const RigidContact& problem, std::span<const Vec3> impulse,
                           const std::vector<BodyVelocity>& bodies, std::span<const Real> scales,
                           Index begin, Index end, ContactSums& sums) {
  for (Index c = begin; c < end; ++c) {
    const GeneralContact& contact = problem.general[c];
    const Vec3& n = contact.normal;
    const Vec3& r = impulse[c];
    const Real mu = contact.friction;
    const Real rho = 3 / block_trace(problem, contact);
    const Vec3 u = relative_velocity(contact, bodies);
    const Vec3 b = relative_velocity(contact, problem.bodies);
    ContactErrors errors;
    if (problem.law == problem::FrictionLaw::coulomb) {
      const Vec3 shifted = u + mu * (u - u.dot(n) * n).norm() * n;  // û, De Saxcé
      errors = {r - nearest_in_cone(r - rho * shifted, n, mu),
                r - nearest_in_cone(r - shifted, n, mu),
                r - nearest_in_cone(r, n, mu),
                rho * nearest_in_cone(-shifted, n, mu),  // û − P_K*(û) = −P_K(−û)
                nearest_in_cone(-rho * b, n, mu),
                std::abs(r.dot(shifted))};
    } else {
      errors = errors_of(problem, contact, r, u, b, rho);
    }
    const Real size = magnitude(contact, bodies) + magnitude(contact, problem.bodies);
    sums.add(errors, problem.central.size() + c, rho, r.squaredNorm(), u.squaredNorm(),
             b.squaredNorm(), kEpsilon * size, scales[c]);
  }
}

/// All of them, on all threads; pieces are added up in their order.
void add_general_residuals(const RigidContact& problem, const problem::ContactImpulses& impulse,
                           const std::vector<BodyVelocity>& bodies, std::span<const Real> scales,
                           std::vector<ContactSums>& pieces, ContactSums& sums) {
  const auto count = static_cast<Index>(problem.general.size());
  pieces.assign((count + kContactsPerPiece - 1) / kContactsPerPiece, {});
  parallel::for_ranges(count, kContactsPerPiece, [&](Index begin, Index end) {
    ContactSums& piece = pieces[begin / kContactsPerPiece];
    if (problem.resistance.empty())
      add_general_residuals(problem, impulse.general, bodies, scales, begin, end, piece);
    else
      add_resisting_residuals(problem, impulse, bodies, scales, begin, end, piece);
  });
  for (const ContactSums& piece : pieces) {
    for (const auto part :
         {&ContactSums::map, &ContactSums::plain, &ContactSums::primal, &ContactSums::dual,
          &ContactSums::round_off, &ContactSums::work, &ContactSums::scale, &ContactSums::impulse,
          &ContactSums::velocity, &ContactSums::free, &ContactSums::start})
      sums.*part += piece.*part;
    sums.worst_velocity = std::max(sums.worst_velocity, piece.worst_velocity);
    sums.violation = std::max(sums.violation, piece.violation);
    if (!(piece.worst > sums.worst)) continue;
    sums.worst = piece.worst;
    sums.worst_map = piece.worst_map;
    sums.worst_contact = piece.worst_contact;
  }
}

Real total(const detail::LaneSums::Lane& lane) {
  Real sum = 0;
  for (const Real x : lane) sum += x;
  return sum;
}

/// Contact in a slot; −1 for an empty one.
Index contact_in(const problem::CentralContacts& central, std::uint32_t slot) {
  const auto found = std::find(central.slot.begin(), central.slot.end(), slot);
  return found == central.slot.end() ? -1 : found - central.slot.begin();
}

/// @param rows bodies after all impulses, with T and |v| + |s| of both velocities in numbers 3, 7.
void add_central_residuals(const RigidContact& problem, const detail::CentralResidual& data,
                           const detail::CentralResidualKernels& kernels,
                           std::vector<detail::LaneSums>& tiles, ContactSums& sums) {
  const problem::CentralContacts& central = problem.central;
  tiles.assign(central.tiles.size(), {});
  parallel::for_each(static_cast<Index>(tiles.size()),
                     [&](Index t) { kernels.residuals(data, central.tiles[t], tiles[t]); });
  std::uint32_t worst_slot = 0;
  for (const detail::LaneSums& tile : tiles) {
    sums.map += total(tile.map);
    sums.plain += total(tile.plain);
    sums.primal += total(tile.primal);
    sums.dual += total(tile.dual);
    sums.round_off += total(tile.round_off);
    sums.work += total(tile.work);
    sums.scale += total(tile.scale);
    sums.impulse += total(tile.impulse);
    sums.velocity += total(tile.velocity);
    sums.free += total(tile.free);
    sums.start += total(tile.start);
    for (std::uint32_t l = 0; l < problem::kLanes; ++l) {
      sums.worst_velocity = std::max(sums.worst_velocity, tile.worst_velocity[l]);
      sums.violation = std::max(sums.violation, tile.violation[l]);
      if (!(tile.worst[l] > sums.worst)) continue;
      sums.worst = tile.worst[l];
      sums.worst_map = tile.worst_map[l];
      worst_slot = static_cast<std::uint32_t>(tile.worst_batch[l]) * problem::kLanes + l;
    }
  }
  if (!tiles.empty()) sums.worst_contact = contact_in(central, worst_slot);
}

/// ‖v − velocity‖ over the larger of ‖v‖ and ‖v_free‖, every component weighted with the body's
/// mass; infinite if a body that no force moves has changed. Writes what the central residuals need
/// into numbers 3 and 7 of the rows.
constexpr Index kBodiesPerPiece = 2048;
struct Motion {
  Real difference = 0, end = 0, start = 0;
};

Real motion_residual(const RigidContact& problem, std::vector<BodyVelocity>& bodies,
                     std::span<const BodyVelocity> velocity, std::vector<Motion>& pieces) {
  const auto count = static_cast<Index>(problem.bodies.size());
  pieces.assign((count + kBodiesPerPiece - 1) / kBodiesPerPiece, {});
  parallel::for_ranges(count, kBodiesPerPiece, [&](Index begin, Index end) {
    Motion sum;
    for (Index i = begin; i < end; ++i) {
      const BodyVelocity& free = problem.bodies[i];
      BodyVelocity& body = bodies[i];
      const Real v2 = body.v.squaredNorm(), s2 = body.s.squaredNorm();
      const Real free_v2 = free.v.squaredNorm(), free_s2 = free.s.squaredNorm();
      body.inverse_mass = 3 * free.inverse_mass + 2 * free.inverse_inertia;
      body.inverse_inertia =
          std::sqrt(v2) + std::sqrt(s2) + std::sqrt(free_v2) + std::sqrt(free_s2);
      if (velocity.empty()) continue;
      if (free.inverse_mass == 0) {  // no force moves it: any change at all is wrong
        if (velocity[i].v != free.v || velocity[i].s != free.s) sum.difference = INFINITY;
        continue;
      }
      const Real mass = 1 / free.inverse_mass;
      sum.difference +=
          mass * ((body.v - velocity[i].v).squaredNorm() + (body.s - velocity[i].s).squaredNorm());
      sum.end += mass * (v2 + s2);
      sum.start += mass * (free_v2 + free_s2);
    }
    pieces[begin / kBodiesPerPiece] = sum;
  });
  Motion sum;
  for (const Motion& piece : pieces) {
    sum.difference += piece.difference;
    sum.end += piece.end;
    sum.start += piece.start;
  }
  if (sum.difference == 0) return 0;
  if (sum.difference == INFINITY) return INFINITY;
  return std::sqrt(sum.difference / std::max(sum.end, sum.start));
}

}  // namespace

RigidContactCertifier::RigidContactCertifier(const RigidContact& problem) : problem_(problem) {
  const auto count = static_cast<Index>(problem.contact_count());
  const Index central = problem.central.size();
  std::vector<detail::Demand> demands(count);
  parallel::for_ranges(count, kContactsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      demands[c] = c < central ? central_demand(problem, problem.central.slot[c])
                               : general_demand(problem, c - central);
  });
  DisjointSets islands(static_cast<Index>(problem.bodies.size()));
  const auto bodies_of = [&](Index c) {
    if (c >= central)
      return std::pair(problem.general[c - central].body_a, problem.general[c - central].body_b);
    const problem::CentralBatch& batch =
        problem.central.batches[problem.central.slot[c] / problem::kLanes];
    const auto lane = problem.central.slot[c] % problem::kLanes;
    return std::pair(batch.body_a[lane], batch.body_b[lane]);
  };
  const auto is_movable = [&](std::uint32_t body) { return problem.bodies[body].inverse_mass > 0; };
  for (Index c = 0; c < count; ++c)
    if (const auto [a, b] = bodies_of(c); is_movable(a) && is_movable(b)) islands.join(a, b);
  for (Index c = 0; c < count; ++c) {
    const auto [a, b] = bodies_of(c);
    demands[c].island = islands.root(is_movable(a) ? a : b);
  }
  const std::vector<Real> scales = detail::velocity_scales(islands.size(), demands);
  Batch empty;
  std::fill(std::begin(empty.of), std::end(empty.of), Real(1));
  central_scale_.assign(problem.central.batches.size(), empty);
  for (Index c = 0; c < central; ++c)
    central_scale_[problem.central.slot[c] / problem::kLanes]
        .of[problem.central.slot[c] % problem::kLanes] = scales[c];
  general_scale_.assign(scales.begin() + central, scales.end());
}

Certificate RigidContactCertifier::operator()(const problem::ContactImpulses& impulse,
                                              std::span<const BodyVelocity> velocity,
                                              Simd simd) const {
  const RigidContact& problem = problem_;
  TALUS_DEMAND_EQ(impulse.central.size(), problem.central.batches.size());
  TALUS_DEMAND_EQ(impulse.general.size(), problem.general.size());
  TALUS_DEMAND_EQ(impulse.moment.size(), problem.resistance.size());
  TALUS_DEMAND(velocity.empty() || velocity.size() == problem.bodies.size());
  static thread_local std::vector<BodyVelocity> bodies, free;  // and a row for empty lanes
  static thread_local std::vector<detail::LaneSums> tiles;
  static thread_local std::vector<Motion> pieces;
  static thread_local std::vector<ContactSums> general_pieces;
  for (std::vector<BodyVelocity>* rows : {&bodies, &free}) {
    rows->resize(problem.bodies.size() + 1);
    parallel::copy(std::span(problem.bodies), rows->data());
    rows->back() = {};
  }

  const detail::CentralResidualKernels& kernels = detail::central_residual_kernels(simd);
  const detail::CentralResidual data{problem.central.batches.data(), impulse.central.data(),
                                     reinterpret_cast<double*>(bodies.data()),
                                     reinterpret_cast<const double*>(free.data()),
                                     central_scale_.empty() ? nullptr : central_scale_.front().of};
  parallel::for_phases(problem.central.colours,
                       [&](Index t) { kernels.add(data, problem.central.tiles[t]); });
  add_impulses(problem, impulse, bodies);

  ContactSums sums;
  const Real equation_of_motion = motion_residual(problem, bodies, velocity, pieces);
  if (!problem::is_coulomb_between_balls(problem.law) && problem.central.size() > 0) {
    Certificate assembled =
        certify(problem::to_local(problem), problem::impulses_to_frames(problem, impulse));
    assembled.equation_of_motion = equation_of_motion;
    assembled.is_finite = assembled.is_finite && std::isfinite(equation_of_motion);
    return assembled;
  }
  add_central_residuals(problem, data, kernels, tiles, sums);
  add_general_residuals(problem, impulse, bodies, general_scale_, general_pieces, sums);

  const Real scale = std::sqrt(sums.impulse > 0 ? sums.impulse : sums.start);
  Certificate certificate;
  certificate.natural_map = detail::ratio(std::sqrt(sums.map), scale);
  certificate.plain = detail::ratio(std::sqrt(sums.plain),
                                    std::sqrt(std::max({sums.free, sums.impulse, sums.velocity})));
  certificate.primal = detail::ratio(std::sqrt(sums.primal), scale);
  certificate.dual = detail::ratio(std::sqrt(sums.dual), scale);
  certificate.complementarity = detail::ratio(sums.work, sums.scale);
  certificate.round_off = detail::ratio(std::sqrt(sums.round_off), scale);
  certificate.equation_of_motion = equation_of_motion;
  certificate.worst_velocity = sums.worst_velocity;
  certificate.violation = sums.violation;
  certificate.worst_contact = sums.worst_contact;
  certificate.worst_share = detail::ratio(sums.worst_map, sums.map);
  certificate.is_finite = std::isfinite(certificate.natural_map) &&
                          std::isfinite(certificate.plain) && std::isfinite(certificate.dual) &&
                          std::isfinite(certificate.complementarity) &&
                          std::isfinite(certificate.equation_of_motion) &&
                          std::isfinite(sums.velocity) && std::isfinite(certificate.violation);
  return certificate;
}

Certificate certify(const RigidContact& problem, const problem::ContactImpulses& impulse,
                    std::span<const BodyVelocity> velocity, Simd simd) {
  return RigidContactCertifier(problem)(impulse, velocity, simd);
}

}  // namespace talus::certify
