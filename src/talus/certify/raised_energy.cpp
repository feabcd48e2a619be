#include <talus/certify/raised_energy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>

namespace talus::certify {
namespace {

using problem::BodyVelocity;
using problem::ContactView;
using problem::RigidContact;

constexpr Real kRounding = 1e-13;  // of velocities that a sum of impulses makes
constexpr Real kHeld = 1e-6;       // of velocities: how well rows hold alone

/// Relative velocity of a contact's points, and of the bodies' turning [1/s].
struct PointMotion {
  Vec3 u = Vec3::Zero(), w = Vec3::Zero();
  Real size = 0;  // of what u is the difference of [m/s]
};

class WorkOfContacts {
 public:
  WorkOfContacts(const RigidContact& problem, const problem::ContactImpulses& impulse,
                 const MachineAlone& alone)
      : problem_(problem),
        impulse_(impulse),
        alone_(alone),
        before_(problem.bodies),
        bodies_(problem.bodies),
        islands_(static_cast<Index>(bodies_.size())),
        work_(bodies_.size(), 0),
        size_(work_) {
    problem::apply_pulls(problem, before_);
    for (Index c = 0; c < problem.contact_count(); ++c) push(c);
    push_rows();
    for (Index j = 0; j < problem.rows.size(); ++j) push_row(j, alone.impulse[j], before_);
  }

  Real raised() {
    if (!holds_alone()) return std::numeric_limits<Real>::infinity();
    for (Index c = 0; c < problem_.contact_count(); ++c) add(c);
    for (Index j = 0; j < problem_.rows.size(); ++j)
      if (alone_.resists[j] != 0) add_row(j);
    Real most = 0;
    for (std::size_t i = 0; i < work_.size(); ++i)
      if (work_[i] > 0) most = std::max(most, work_[i] / size_[i]);
    return most;
  }

 private:
  [[nodiscard]] Vec3 moment(Index contact) const {
    const Index general = contact - problem_.central.size();
    return general < 0 || impulse_.moment.empty() ? Vec3(Vec3::Zero()) : impulse_.moment[general];
  }
  /// ℓ² I⁻¹ x of a body; without general contacts all bodies are isotropic.
  [[nodiscard]] Vec3 turned(Index body, const Vec3& x) const {
    return problem_.inverse_inertia.empty() ? Vec3(problem_.bodies[body].inverse_inertia * x)
                                            : Vec3(problem_.inverse_inertia[body] * x);
  }
  [[nodiscard]] bool moves(Index body) const { return problem_.bodies[body].inverse_mass > 0; }
  void join(Index a, Index b) {
    if (moves(a) && moves(b)) islands_.join(a, b);
  }

  void push(Index contact) {
    const Vec3 r = problem::impulse_of(problem_, impulse_, contact), m = moment(contact);
    if (r.isZero(0) && m.isZero(0)) return;
    const ContactView at = problem::view(problem_, contact);
    join(at.body_a, at.body_b);
    for (const auto& [body, arm, sign] :
         {std::tuple(at.body_a, at.arm_a, -1.0), std::tuple(at.body_b, at.arm_b, 1.0)}) {
      bodies_[body].v += sign * problem_.bodies[body].inverse_mass * r;
      bodies_[body].s += sign * turned(body, arm.cross(r));
      if (!m.isZero(0)) bodies_[body].s += sign * turned(body, m) / problem_.length[body];
    }
  }
  void push_row(Index row, Real impulse, std::vector<BodyVelocity>& bodies) const {
    problem_.rows.for_each_part(row, [&](const problem::RowPart& of) {
      const Vec6 push = impulse * of.part;
      bodies[of.body].v += problem_.bodies[of.body].inverse_mass * push.head<3>();
      bodies[of.body].s += turned(of.body, push.tail<3>());
    });
  }
  /// Whether rows hold with the velocities before, to a share of the fastest: none that resists
  /// acts, motors at bounds act as in the answer, and w + C λ = 0 in all others.
  [[nodiscard]] bool holds_alone() const {
    Real fastest = 0;
    for (std::size_t i = 0; i < before_.size(); ++i)
      for (const BodyVelocity* body : {&problem_.bodies[i], &before_[i]})
        fastest = std::max({fastest, body->v.norm(), body->s.norm()});
    for (Index j = 0; j < problem_.rows.size(); ++j) {
      const Real impulse = alone_.impulse[j];
      if (alone_.resists[j] != 0) {
        if (impulse != 0) return false;
        continue;
      }
      if (problem_.rows.is_at_bound(j, impulse) && impulse == impulse_.row[j]) continue;
      const Real own = problem_.rows.compliance[j] * impulse;
      Real size = std::abs(problem_.rows.bias[j]) + std::abs(own);
      problem_.rows.for_each_part(j, [&](const problem::RowPart& of) {
        size += fastest * (of.part.head<3>().norm() + of.part.tail<3>().norm());
      });
      if (!(std::abs(problem::row_rate(problem_, j, before_) + own) <= kHeld * size)) return false;
    }
    return true;
  }
  void push_rows() {
    for (Index j = 0; j < problem_.rows.size(); ++j) {
      push_row(j, impulse_.row[j], bodies_);
      Index first = -1;
      problem_.rows.for_each_part(j, [&](const problem::RowPart& of) {
        if (!moves(of.body)) return;
        if (first >= 0) islands_.join(first, of.body);
        first = of.body;
      });
    }
  }

  [[nodiscard]] PointMotion motion(const ContactView& at,
                                   const std::vector<BodyVelocity>& bodies) const {
    const BodyVelocity &a = bodies[at.body_a], &b = bodies[at.body_b];
    PointMotion motion;
    motion.u = b.v + b.s.cross(at.arm_b) - a.v - a.s.cross(at.arm_a);
    motion.size =
        a.v.norm() + b.v.norm() + a.s.norm() * at.arm_a.norm() + b.s.norm() * at.arm_b.norm();
    if (!problem_.length.empty())
      motion.w = b.s / problem_.length[at.body_b] - a.s / problem_.length[at.body_a];
    return motion;
  }
  void add(Index contact) {
    const Vec3 r = problem::pressing_impulse_of(problem_, impulse_, contact), m = moment(contact);
    if (r.isZero(0) && m.isZero(0)) return;
    const ContactView at = problem::view(problem_, contact);
    const PointMotion before = motion(at, before_), after = motion(at, bodies_);
    const auto island =
        static_cast<std::size_t>(islands_.root(moves(at.body_a) ? at.body_a : at.body_b));
    work_[island] += (r.dot(before.u + after.u) + m.dot(before.w + after.w)) / 2 -
                     kRounding * r.norm() * (before.size + after.size);
    size_[island] += r.norm() * (before.u.norm() + after.u.norm() + problem_.force_speed) / 2;
  }

  void add_row(Index row) {
    const Real impulse = impulse_.row[row];
    if (impulse == 0) return;
    Real before = 0, after = 0, size = 0;
    Index mover = -1;
    problem_.rows.for_each_part(row, [&](const problem::RowPart& of) {
      for (const auto& [rate, bodies] :
           {std::pair(&before, &before_), std::pair(&after, &bodies_)}) {
        const BodyVelocity& body = (*bodies)[of.body];
        *rate += of.part.head<3>().dot(body.v) + of.part.tail<3>().dot(body.s);
        size += of.part.head<3>().norm() * body.v.norm() + of.part.tail<3>().norm() * body.s.norm();
      }
      if (moves(of.body)) mover = of.body;
    });
    if (mover < 0) return;
    const auto island = static_cast<std::size_t>(islands_.root(mover));
    work_[island] += impulse * (before + after) / 2 - kRounding * std::abs(impulse) * size;
    size_[island] +=
        std::abs(impulse) * (std::abs(before) + std::abs(after) + problem_.force_speed) / 2;
  }

  const RigidContact& problem_;
  const problem::ContactImpulses& impulse_;
  const MachineAlone& alone_;
  std::vector<BodyVelocity> before_;  // with v_free, joints and springs at work
  std::vector<BodyVelocity> bodies_;  // with v'
  DisjointSets islands_;
  std::vector<Real> work_, size_;  // by root of the island [J]
};

}  // namespace

Real raised_energy(const RigidContact& problem, const problem::ContactImpulses& impulse,
                   const MachineAlone& alone) {
  TALUS_DEMAND(static_cast<Index>(alone.impulse.size()) == problem.rows.size());
  TALUS_DEMAND(static_cast<Index>(alone.resists.size()) == problem.rows.size());
  return WorkOfContacts(problem, impulse, alone).raised();
}

}  // namespace talus::certify
