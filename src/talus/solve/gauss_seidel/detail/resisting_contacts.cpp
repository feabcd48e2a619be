#include <talus/solve/gauss_seidel/detail/resisting_contacts.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/linalg/small.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::solve::detail {

using problem::BodyVelocity;
using problem::GeneralContact;
using problem::Resistance;

namespace {

/// Rows (N, T1, T2, R1, R2, S) of a force and a moment, or of a velocity and an angular velocity.
Vec6 to_rows(const Mat3& frame, const Vec3& force, const Vec3& moment) {
  const Vec3 f = frame.transpose() * force, m = frame.transpose() * moment;
  Vec6 rows;
  rows << f, m[1], m[2], m[0];
  return rows;
}
Vec3 force_of(const Mat3& frame, const Vec6& r) { return frame * r.head<3>(); }
Vec3 moment_of(const Mat3& frame, const Vec6& r) { return frame * Vec3(r[5], r[3], r[4]); }

/// The inverse of A on the rows that are resisted at all, 0 elsewhere.
Mat6 stick_matrix(const Mat6& A, const ContactSurface& surface) {
  const bool is_resisted[6] = {true,
                               surface.friction[0] > 0,
                               surface.friction[1] > 0,
                               surface.rolling > 0,
                               surface.rolling > 0,
                               surface.torsion > 0};
  Mat6 block = A;
  for (int k = 0; k < 6; ++k) {
    if (is_resisted[k]) continue;
    block.row(k).setZero();
    block.col(k).setZero();
    block(k, k) = 1;
  }
  Mat6 inverse = linalg::lu_inverse(block);
  for (int k = 0; k < 6; ++k)
    if (!is_resisted[k]) inverse(k, k) = 0;
  return inverse;
}

}  // namespace

void ResistingContacts::load(const problem::RigidContact& problem,
                             const problem::ContactImpulses& guess) {
  problem_ = &problem;
  law_.law = problem.law;
  law_.polygon = FrictionPolygon(problem.directions);
  const std::size_t contacts = problem.resistance.size();
  rows_.clear();
  impulse_.assign(contacts, Vec6::Zero());
  TALUS_DEMAND_EQ(contacts, problem.general.size());
  schedule_.build(problem);
  tile_steps_.resize(schedule_.tiles().size());

  rows_.resize(contacts);
  parallel::for_ranges(static_cast<Index>(contacts), 256, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const GeneralContact& contact = problem.general[c];
      const Resistance& resistance = problem.resistance[c];
      Row& row = rows_[c];
      row.frame = problem::resistance_frame(contact, resistance);
      const Mat6 world = problem::resistance_block(problem, c);
      for (int k = 0; k < 6; ++k) {
        const Vec6 unit = Vec6::Unit(k);
        const Vec3 force = force_of(row.frame, unit), moment = moment_of(row.frame, unit);
        Vec6 both;
        both << force, moment;
        const Vec6 answer = world * both;
        row.A.col(k) = to_rows(row.frame, answer.head<3>(), answer.tail<3>());
      }
      const bool is_isotropic = resistance.axis.isZero(0);
      row.surface = {
          Vec2(contact.friction, is_isotropic ? contact.friction : resistance.friction_across),
          resistance.rolling, resistance.torsion, resistance.cohesion};
      if (law_.law == problem::FrictionLaw::frictionless) row.surface.friction.setZero();
      row.stick = stick_matrix(row.A, row.surface);
      row.moment_scale =
          std::sqrt(row.A.diagonal().tail<3>().sum() / row.A.diagonal().head<3>().sum());
      if (!guess.general.empty())
        impulse_[c] = to_rows(row.frame, guess.general[c],
                              guess.moment.empty() ? Vec3(Vec3::Zero()) : guess.moment[c]);
    }
  });
}

/// r_T over the half axes of its ellipse at a normal impulse; along an axis without any, 0.
Vec2 ResistingContacts::slip_share(const Row& row, Real normal, const Vec2& r) const {
  const bool is_polygon = law_.law == problem::FrictionLaw::polyhedral;
  const Vec2 reach = (is_polygon ? law_.polygon.inner_radius() : 1) * normal * row.surface.friction;
  Vec2 share = Vec2::Zero();
  for (const Index k : {0, 1})
    if (reach[k] > 0) share[k] = r[k] / reach[k];
  return share;
}

/// Whether p is inside every bound of the law; along what is not resisted it is 0.
bool ResistingContacts::is_within(const Row& row, const Vec6& p) const {
  const ContactSurface& surface = row.surface;
  return p[0] > 0 && slip_share(row, p[0], p.segment<2>(1)).norm() <= 1 &&
         p.segment<2>(3).norm() <= surface.rolling * p[0] &&
         std::abs(p[5]) <= surface.torsion * p[0];
}

/// The contact's answer to the velocity without its impulse: open, sticking, or what the law says.
Vec6 ResistingContacts::solve(const Row& row, const Vec6& free, const Vec6& previous) const {
  const Vec6 pull = row.surface.cohesion * Vec6::Unit(0);
  const Vec6 pulled = free - row.A * pull;
  if (pulled[0] >= 0 && law_.law != problem::FrictionLaw::cone_complementarity) return -pull;
  const Vec6 p = -row.stick * pulled;
  if (is_within(row, p)) return p - pull;
  return solve_surface(law_, row.surface, row.A, free, previous);
}

/// Shortened to what the law allows at its normal impulse.
Vec6 ResistingContacts::into_law(const Row& row, Vec6 r) const {
  const ContactSurface& surface = row.surface;
  const Real normal = std::max(Real(0), r[0] + surface.cohesion);
  r[0] = normal - surface.cohesion;
  const Real size_of_slip = slip_share(row, normal, r.segment<2>(1)).norm();
  if (size_of_slip > 1) r.segment<2>(1) /= size_of_slip;
  for (const Index k : {0, 1})
    if (normal * surface.friction[k] == 0) r[1 + k] = 0;
  if (const Real size = r.segment<2>(3).norm(); size > surface.rolling * normal)
    r.segment<2>(3) *= surface.rolling * normal / size;
  r[5] = std::clamp(r[5], -surface.torsion * normal, surface.torsion * normal);
  return r;
}

void ResistingContacts::add(std::uint32_t c, const Vec6& r, std::span<BodyVelocity> bodies) const {
  const GeneralContact& contact = problem_->general[c];
  const Mat3& frame = rows_[c].frame;
  const Vec3 force = force_of(frame, r), moment = moment_of(frame, r);
  const auto add_side = [&](std::uint32_t i, const Vec3& arm, Real sign) {
    BodyVelocity& body = bodies[i];
    if (body.inverse_mass == 0) return;
    body.v += sign * body.inverse_mass * force;
    body.s +=
        sign * (problem_->inverse_inertia[i] * (arm.cross(force) + moment / problem_->length[i]));
  };
  add_side(contact.body_a, contact.arm_a, -1);
  add_side(contact.body_b, contact.arm_b, 1);
}

void ResistingContacts::begin(Index tile, std::span<BodyVelocity> bodies) {
  schedule_.for_contacts(tile, [&](std::uint32_t c) {
    impulse_[c] = into_law(rows_[c], impulse_[c]);
    add(c, impulse_[c], bodies);
  });
}

void ResistingContacts::visit_contact(std::uint32_t c, const SweepPace& pace,
                                      std::span<BodyVelocity> bodies, SweepStep& step) {
  const GeneralContact& contact = problem_->general[c];
  const Row& row = rows_[c];
  Vec6 y = impulse_[c];
  if (pace.momentum) {
    const Vec6 old = old_[c];
    old_[c] = y;
    y += pace.beta * (y - old);
  }
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  const Resistance& resistance = problem_->resistance[c];
  const Vec3 u = b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) +
                 contact.bias * contact.normal + resistance.slip_bias +
                 resistance.compliance * force_of(row.frame, y);
  const Vec3 w = b.s / problem_->length[contact.body_b] - a.s / problem_->length[contact.body_a];
  const Vec6 free = to_rows(row.frame, u, w) - row.A * y;
  Vec6 r = solve(row, free, y);
  if (pace.relaxation != 1) r = into_law(row, Vec6(y + pace.relaxation * (r - y)));
  const Vec6 change = r - y;
  impulse_[c] = r;
  add(c, change, bodies);
  const Real moment2 = row.moment_scale * row.moment_scale;
  step.change += change.head<3>().squaredNorm() + moment2 * change.tail<3>().squaredNorm();
  step.size += r.head<3>().squaredNorm() + moment2 * r.tail<3>().squaredNorm();
}

void ResistingContacts::visit(Index tile, const SweepPace& pace, std::span<BodyVelocity> bodies) {
  tile_steps_[tile] = {};
  schedule_.for_contacts(
      tile, [&](std::uint32_t c) { visit_contact(c, pace, bodies, tile_steps_[tile]); });
}

void ResistingContacts::store(problem::ContactImpulses& impulse) const {
  impulse.general.resize(rows_.size());
  impulse.moment.resize(rows_.size());
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    impulse.general[c] = force_of(rows_[c].frame, impulse_[c]);
    impulse.moment[c] = moment_of(rows_[c].frame, impulse_[c]);
  }
}

}  // namespace talus::solve::detail
