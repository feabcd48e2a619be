#include <talus/problem/rigid_contact.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <atomic>

#include <talus/base/contract.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::problem {
namespace {

using Row36 = Eigen::Matrix<Real, 3, 6>;
using Triplet = Eigen::Triplet<Real>;

/// Jacobian block of one side: the velocity at the arm, in the contact frame's axes. Signs are the
/// caller's.
Row36 velocity_rows(const Mat3& frame, const Vec3& arm) {
  Row36 rows;
  rows.leftCols<3>() = frame.transpose();
  rows.rightCols<3>() = -frame.transpose() * cross_matrix(arm);  // s × arm = −arm × s
  return rows;
}

bool is_movable(const BodyVelocity& body) { return body.inverse_mass > 0; }

/// A batch without contacts; its lanes belong to the row behind the last body.
CentralBatch empty_batch(std::uint32_t pad) {
  CentralBatch batch{};
  for (int l = 0; l < kLanes; ++l) {
    batch.body_a[l] = batch.body_b[l] = pad;
    batch.arm[2][l] = batch.inverse_arm2[l] = 1;
  }
  return batch;
}

/// Writes everything about a contact that does not change while its bodies stay the same.
void set_bodies(const RigidContact& problem, std::uint32_t body_a, std::uint32_t body_b,
                Real friction, CentralBatch& batch, int lane) {
  const BodyVelocity& a = problem.bodies[body_a];
  const BodyVelocity& b = problem.bodies[body_b];
  const Real normal = a.inverse_mass + b.inverse_mass;
  TALUS_DEMAND(normal > 0);
  batch.body_a[lane] = body_a;
  batch.body_b[lane] = body_b;
  batch.inverse_normal[lane] = static_cast<float>(1 / normal);
  batch.inverse_tangential[lane] =
      static_cast<float>(1 / (normal + a.inverse_inertia + b.inverse_inertia));
  batch.friction[lane] = friction;
}

Mat3 inverse_inertia_of(const RigidContact& problem, Index body) {
  if (!problem.inverse_inertia.empty()) return problem.inverse_inertia[body];
  return problem.bodies[body].inverse_inertia * Mat3::Identity();
}

}  // namespace

void RigidContact::clear() {
  bodies.clear();
  inverse_inertia.clear();
  length.clear();
  place.clear();
  central.batches.clear();
  central.slot.clear();
  central.is_late.clear();
  central.place.clear();
  central.tiles.clear();
  central.colours.clear();
  central.layout = 0;
  central.deal = nullptr;
  general.clear();
  resistance.clear();
  rows.clear();
  before.clear();
  force_speed = 0;
}

CentralContact CentralContacts::at(Index contact) const {
  const CentralBatch& batch = batches[slot[contact] / kLanes];
  const int l = static_cast<int>(slot[contact] % kLanes);
  const Vec3 arm(batch.arm[0][l], batch.arm[1][l], batch.arm[2][l]);
  const Real length = arm.norm();
  return {arm / length,    length * batch.bias[l], batch.friction[l],
          batch.body_a[l], batch.body_b[l],        length};
}

void CentralContacts::set(Index contact, const Vec3& normal, Real bias, Real arm) {
  CentralBatch& batch = batches[slot[contact] / kLanes];
  const std::uint32_t l = slot[contact] % kLanes;
  for (int k = 0; k < 3; ++k) batch.arm[k][l] = arm * normal[k];
  batch.bias[l] = bias / arm;
  const Real a = 1 / Real(batch.inverse_normal[l]);
  const Real turning = batch.inverse_arm2[l] * (1 / Real(batch.inverse_tangential[l]) - a);
  batch.inverse_arm2[l] = 1 / (arm * arm);
  batch.inverse_tangential[l] = static_cast<float>(1 / (a + arm * arm * turning));
}

void RigidContact::lay_out_central(const ContactColouring& schedule,
                                   std::span<const ScheduledPair> pairs,
                                   std::span<const Real> friction) {
  TALUS_DEMAND_EQ(friction.size(), pairs.size());
  const std::span<const std::uint32_t> contact_of_slot = schedule.contact_of_slot();
  const auto pad = static_cast<std::uint32_t>(bodies.size());
  central.batches.resize(contact_of_slot.size() / kLanes);
  central.slot.resize(pairs.size());
  constexpr Index kBatchesPerTask = 512;
  const CentralBatch empty = empty_batch(pad);
  parallel::for_ranges(static_cast<Index>(central.batches.size()), kBatchesPerTask,
                       [&](Index begin, Index end) {
                         for (Index k = begin; k < end; ++k) {
                           CentralBatch& batch = central.batches[k] = empty;
                           for (int l = 0; l < kLanes; ++l) {
                             const std::uint32_t c = contact_of_slot[kLanes * k + l];
                             if (c == ContactColouring::kEmpty) continue;
                             central.slot[c] = static_cast<std::uint32_t>(kLanes * k + l);
                             set_bodies(*this, pairs[c].a, pairs[c].b, friction[c], batch, l);
                           }
                         }
                       });
  central.tiles.assign(schedule.tiles().begin(), schedule.tiles().end());
  central.colours.assign(schedule.colours().begin(), schedule.colours().end());
  static std::atomic<std::uint64_t> layouts = 0;
  central.layout = ++layouts;
  central.deal = nullptr;
}

Mat3 contact_block(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](Index body, const Vec3& arm) -> Mat3 {
    const Mat3 x = cross_matrix(arm);
    return problem.bodies[body].inverse_mass * Mat3::Identity() -
           x * problem.inverse_inertia[body] * x;
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Mat3 resistance_frame(const GeneralContact& contact, const Resistance& resistance) {
  if (resistance.axis.isZero(0)) return contact_frame(contact.normal);
  Mat3 frame;
  frame << contact.normal, resistance.axis, contact.normal.cross(resistance.axis);
  return frame;
}

Mat6 resistance_block(const RigidContact& problem, Index general) {
  const GeneralContact& contact = problem.general[general];
  Mat6 block = Mat6::Zero();
  block.topLeftCorner<3, 3>() =
      contact_block(problem, contact) + problem.resistance[general].compliance;
  const auto add_side = [&](Index body, const Vec3& arm) {  // a moment m gives s = S m/ℓ
    const Mat3 turn = problem.inverse_inertia[body] / problem.length[body];
    block.topRightCorner<3, 3>() -= cross_matrix(arm) * turn;
    block.bottomLeftCorner<3, 3>() += turn * cross_matrix(arm);
    block.bottomRightCorner<3, 3>() += turn / problem.length[body];
  };
  add_side(contact.body_a, contact.arm_a);
  add_side(contact.body_b, contact.arm_b);
  return block;
}

Vec3 impulse_of(const RigidContact& problem, const ContactImpulses& impulse, Index contact) {
  if (contact >= problem.central.size()) return impulse.general[contact - problem.central.size()];
  const std::uint32_t slot = problem.central.slot[contact];
  const auto& r = impulse.central[slot / kLanes].r;
  const std::uint32_t l = slot % kLanes;
  return {r[0][l], r[1][l], r[2][l]};
}

void set_impulse(const RigidContact& problem, Index contact, const Vec3& r,
                 ContactImpulses& impulse) {
  if (contact >= problem.central.size()) {
    impulse.general[contact - problem.central.size()] = r;
    return;
  }
  const std::uint32_t slot = problem.central.slot[contact];
  for (int k = 0; k < 3; ++k) impulse.central[slot / kLanes].r[k][slot % kLanes] = r[k];
}

void set_bias(RigidContact& problem, Index contact, Real bias) {
  if (contact >= problem.central.size()) {
    problem.general[contact - problem.central.size()].bias = bias;
    return;
  }
  CentralContacts& central = problem.central;
  const std::uint32_t slot = central.slot[contact];
  central.batches[slot / kLanes].bias[slot % kLanes] = bias / central.at(contact).arm;
}

ContactImpulses zero_impulses(const RigidContact& problem) {
  ContactImpulses impulse;
  set_zero(problem, impulse);
  return impulse;
}

void set_zero(const RigidContact& problem, ContactImpulses& impulse) {
  impulse.central.resize(problem.central.batches.size());
  parallel::fill(impulse.central, {});
  impulse.general.assign(problem.general.size(), Vec3::Zero());
  impulse.moment.assign(problem.resistance.size(), Vec3::Zero());
  impulse.row.assign(static_cast<std::size_t>(problem.rows.size()), 0);
}

std::vector<Vec3> listed(const RigidContact& problem, const ContactImpulses& impulse) {
  std::vector<Vec3> list;
  list.reserve(static_cast<std::size_t>(problem.contact_count()));
  for (Index c = 0; c < problem.contact_count(); ++c)
    list.push_back(impulse_of(problem, impulse, c));
  return list;
}

ContactImpulses batched(const RigidContact& problem, std::span<const Vec3> impulse) {
  TALUS_DEMAND_EQ(impulse.size(), problem.contact_count());
  ContactImpulses batches = zero_impulses(problem);
  for (Index c = 0; c < problem.contact_count(); ++c) set_impulse(problem, c, impulse[c], batches);
  return batches;
}

namespace {

/// v += M⁻¹ Jᵀ r of one general contact.
void apply_impulse(const RigidContact& problem, const GeneralContact& contact, const Vec3& r,
                   std::span<BodyVelocity> velocity) {
  BodyVelocity& a = velocity[contact.body_a];
  BodyVelocity& b = velocity[contact.body_b];
  a.v -= a.inverse_mass * r;
  a.s -= problem.inverse_inertia[contact.body_a] * contact.arm_a.cross(r);
  b.v += b.inverse_mass * r;
  b.s += problem.inverse_inertia[contact.body_b] * contact.arm_b.cross(r);
}

}  // namespace

void apply_impulses(const RigidContact& problem, const ContactImpulses& impulse,
                    std::span<BodyVelocity> velocity) {
  TALUS_DEMAND_EQ(impulse.central.size(), problem.central.batches.size());
  TALUS_DEMAND_EQ(impulse.general.size(), problem.general.size());
  TALUS_DEMAND_EQ(impulse.moment.size(), problem.resistance.size());
  TALUS_DEMAND_EQ(impulse.row.size(), problem.rows.size());
  TALUS_DEMAND(velocity.size() >= problem.bodies.size());
  for (Index c = 0; c < problem.central.size(); ++c) {
    const CentralContact contact = problem.central.at(c);
    const Vec3 r = impulse_of(problem, impulse, c);
    BodyVelocity& a = velocity[contact.body_a];
    BodyVelocity& b = velocity[contact.body_b];
    const Vec3 torque = contact.arm * contact.normal.cross(r);  // both spins lose α n × r
    a.v -= a.inverse_mass * r;
    a.s -= a.inverse_inertia * torque;
    b.v += b.inverse_mass * r;
    b.s -= b.inverse_inertia * torque;
  }
  for (std::size_t c = 0; c < problem.general.size(); ++c)
    apply_impulse(problem, problem.general[c], impulse.general[c], velocity);
  for (std::size_t c = 0; c < impulse.moment.size(); ++c) {
    const GeneralContact& contact = problem.general[c];
    const auto add = [&](std::uint32_t body, const Vec3& moment) {
      velocity[body].s += problem.inverse_inertia[body] * moment / problem.length[body];
    };
    add(contact.body_a, -impulse.moment[c]);
    add(contact.body_b, impulse.moment[c]);
  }
  problem.rows.for_each_push(impulse.row, [&](std::uint32_t of, const Vec6& push) {
    BodyVelocity& body = velocity[of];
    body.v += body.inverse_mass * push.head<3>();
    body.s += problem.inverse_inertia[of].lazyProduct(push.tail<3>());
  });
}

ContactView view(const RigidContact& problem, Index contact) {
  if (contact < problem.central.size()) {
    const CentralContact c = problem.central.at(contact);
    const Vec3 arm = c.arm * c.normal;
    return {c.normal, arm, -arm, c.bias, c.friction, c.body_a, c.body_b};
  }
  const GeneralContact& c = problem.general[contact - problem.central.size()];
  return {c.normal, c.arm_a, c.arm_b, c.bias, c.friction, c.body_a, c.body_b};
}

GlobalFrictionContact to_global(const RigidContact& problem, std::vector<Index>* bodies) {
  TALUS_DEMAND(problem.resistance.empty() && problem.rows.empty());
  const Index contact_count = problem.contact_count();
  std::vector<Index> row(problem.bodies.size(), -1);
  std::vector<Index> movable;
  for (Index i = 0; i < static_cast<Index>(problem.bodies.size()); ++i)
    if (is_movable(problem.bodies[i])) {
      row[i] = 6 * static_cast<Index>(movable.size());
      movable.push_back(i);
    }
  const Index n = 6 * static_cast<Index>(movable.size());

  GlobalFrictionContact global;
  global.law = problem.law;
  global.directions = problem.directions;
  global.f.resize(n);
  std::vector<Triplet> mass;
  for (const Index i : movable) {
    const BodyVelocity& body = problem.bodies[i];
    const Mat3 inertia = inverse_inertia_of(problem, i).inverse();
    for (int k = 0; k < 3; ++k) mass.emplace_back(row[i] + k, row[i] + k, 1 / body.inverse_mass);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        if (inertia(k, l) != 0) mass.emplace_back(row[i] + 3 + k, row[i] + 3 + l, inertia(k, l));
    global.f.segment<3>(row[i]) = body.v / body.inverse_mass;
    global.f.segment<3>(row[i] + 3) = inertia * body.s;
  }
  global.M.resize(n, n);
  global.M.setFromTriplets(mass.begin(), mass.end());

  global.w = VecX::Zero(3 * contact_count);
  global.friction.resize(contact_count);
  std::vector<Triplet> jacobian;
  for (Index c = 0; c < contact_count; ++c) {
    const ContactView contact = view(problem, c);
    const Mat3 frame = contact_frame(contact.normal);
    global.friction[c] = contact.friction;
    global.w[3 * c] = contact.bias;
    const auto add_side = [&](Index body, const Vec3& arm, Real sign) {
      const Row36 rows = sign * velocity_rows(frame, arm);
      if (row[body] < 0) {
        Eigen::Matrix<Real, 6, 1> velocity;
        velocity << problem.bodies[body].v, problem.bodies[body].s;
        global.w.segment<3>(3 * c) += rows * velocity;
        return;
      }
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 6; ++l)
          if (rows(k, l) != 0) jacobian.emplace_back(row[body] + l, 3 * c + k, rows(k, l));
    };
    add_side(contact.body_a, contact.arm_a, -1);
    add_side(contact.body_b, contact.arm_b, +1);
  }
  global.H.resize(n, 3 * contact_count);
  global.H.setFromTriplets(jacobian.begin(), jacobian.end());
  if (bodies != nullptr) *bodies = std::move(movable);
  return global;
}

bool has_local_form(const RigidContact& problem) {
  return problem.rows.empty() && have_contacts_local_form(problem);
}

bool has_moments(const RigidContact& problem) {
  return std::any_of(problem.resistance.begin(), problem.resistance.end(),
                     [](const Resistance& one) { return one.rolling > 0 || one.torsion > 0; });
}

bool have_contacts_local_form(const RigidContact& problem) {
  if (has_moments(problem)) return false;
  for (std::size_t c = 0; c < problem.resistance.size(); ++c) {
    const Resistance& resistance = problem.resistance[c];
    const bool has_two = problem.general[c].friction > 0 && resistance.friction_across > 0;
    if (!resistance.axis.isZero(0) && !has_two) return false;
  }
  return true;
}

namespace {

const Resistance* resistance_of(const RigidContact& problem, Index contact) {
  const Index general = contact - problem.central.size();
  return problem.resistance.empty() || general < 0 ? nullptr : &problem.resistance[general];
}

/// S of the local form: 1 where friction is alike in all directions, none included.
Vec3 axes_of(const Resistance& resistance, Real friction) {
  const Vec2 both(friction, resistance.friction_across);
  if (resistance.axis.isZero(0) || both.isZero(0)) return Vec3::Ones();
  return Vec3(1, both[0], both[1]).cwiseQuotient(Vec3(1, both.maxCoeff(), both.maxCoeff()));
}

/// The contact frame, its columns scaled by S.
Mat3 local_basis(const RigidContact& problem, Index contact, FrameRule frame_rule) {
  const Resistance* resistance = resistance_of(problem, contact);
  if (resistance == nullptr || resistance->axis.isZero(0))
    return frame_rule(view(problem, contact).normal);
  const GeneralContact& own = problem.general[contact - problem.central.size()];
  return resistance_frame(own, *resistance) * axes_of(*resistance, own.friction).asDiagonal();
}

/// c n − d: what a contact's impulse has less than its pressing impulse.
Vec3 pull_of(const RigidContact& problem, Index contact) {
  const Resistance* resistance = resistance_of(problem, contact);
  if (resistance == nullptr) return Vec3::Zero();
  return resistance->cohesion * view(problem, contact).normal - resistance->drag;
}

/// Of a vector in the columns of a basis, which are orthogonal; 0 along those that are 0.
Vec3 in_basis(const Mat3& basis, const Vec3& x) {
  const Vec3 lengths2 = basis.colwise().squaredNorm();
  return (lengths2.array() > 0).select((basis.transpose() * x).cwiseQuotient(lengths2), 0);
}

}  // namespace

Vec3 pressing_impulse_of(const RigidContact& problem, const ContactImpulses& impulse,
                         Index contact) {
  return impulse_of(problem, impulse, contact) + pull_of(problem, contact);
}

void apply_pulls(const RigidContact& problem, std::span<BodyVelocity> velocity) {
  for (std::size_t c = 0; c < problem.resistance.size(); ++c)
    if (const Vec3 pull = pull_of(problem, problem.central.size() + static_cast<Index>(c));
        !pull.isZero(0))
      apply_impulse(problem, problem.general[c], -pull, velocity);
}

LocalContact local_contact(const RigidContact& problem, Index contact, FrameRule frame_rule) {
  const ContactView seen = view(problem, contact);
  const Resistance* resistance = resistance_of(problem, contact);
  LocalContact local;
  local.basis = local_basis(problem, contact, frame_rule);
  local.bias = Vec3(seen.bias, 0, 0);
  local.friction = seen.friction;
  local.pull = in_basis(local.basis, pull_of(problem, contact));
  if (resistance != nullptr) {
    local.bias += local.basis.transpose() * resistance->slip_bias;
    local.compliance = local.basis.transpose() * resistance->compliance * local.basis;
    if (!resistance->axis.isZero(0))
      local.friction = std::max(seen.friction, resistance->friction_across);
  }
  local.rows_a = -velocity_rows(local.basis, seen.arm_a);
  local.rows_b = velocity_rows(local.basis, seen.arm_b);
  local.body_a = seen.body_a;
  local.body_b = seen.body_b;
  return local;
}

LocalMoment local_moment(const RigidContact& problem, Index contact) {
  const Index general = contact - problem.central.size();
  const GeneralContact& own = problem.general[general];
  const Resistance& resistance = problem.resistance[general];
  LocalMoment local;
  local.basis = resistance_frame(own, resistance);
  local.rows_a.setZero();
  local.rows_b.setZero();
  local.rows_a.rightCols<3>() = -local.basis.transpose() / problem.length[own.body_a];
  local.rows_b.rightCols<3>() = local.basis.transpose() / problem.length[own.body_b];
  local.torsion = resistance.torsion;
  local.rolling = resistance.rolling;
  return local;
}

FrictionContact to_local(const RigidContact& problem, FrameRule frame_rule) {
  TALUS_DEMAND(has_local_form(problem));
  const Index contact_count = problem.contact_count();
  FrictionContact local;
  local.law = problem.law;
  local.directions = problem.directions;
  local.force_speed = problem.force_speed;
  local.b.resize(3 * contact_count);
  local.friction.resize(contact_count);
  local.W.resize(3 * contact_count, 3 * contact_count);

  struct Side {
    Index contact;
    Row36 rows;  // signed
  };
  std::vector<std::vector<Side>> sides(problem.bodies.size());
  std::vector<Triplet> entries;
  for (Index c = 0; c < contact_count; ++c) {
    const LocalContact contact = local_contact(problem, c, frame_rule);
    local.friction[c] = contact.friction;
    local.b.segment<3>(3 * c) = contact.bias;
    const auto add_side = [&](Index body, const Row36& rows) {
      const BodyVelocity& velocity = problem.bodies[body];
      local.b.segment<3>(3 * c) +=
          rows.leftCols<3>() * velocity.v + rows.rightCols<3>() * velocity.s;
      if (is_movable(velocity)) sides[body].push_back({c, rows});
    };
    add_side(contact.body_a, contact.rows_a);
    add_side(contact.body_b, contact.rows_b);
    if (contact.compliance.isZero(0)) continue;
    local.b.segment<3>(3 * c) += contact.compliance * contact.pull;  // C p, and below W of r
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        entries.emplace_back(3 * c + k, 3 * c + l, contact.compliance(k, l));
  }

  for (Index i = 0; i < static_cast<Index>(problem.bodies.size()); ++i) {
    const Real inverse_mass = problem.bodies[i].inverse_mass;
    const Mat3 inverse_inertia = inverse_inertia_of(problem, i);
    for (const Side& p : sides[i]) {
      Row36 weighted = inverse_mass * p.rows;
      weighted.rightCols<3>() = p.rows.rightCols<3>() * inverse_inertia;
      for (const Side& q : sides[i]) {
        const Mat3 block = weighted * q.rows.transpose();
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            entries.emplace_back(3 * p.contact + k, 3 * q.contact + l, block(k, l));
      }
    }
  }
  local.W.setFromTriplets(entries.begin(), entries.end());
  if (!problem.resistance.empty()) {
    VecX pull = VecX::Zero(local.b.size());
    for (Index c = 0; c < contact_count; ++c)
      pull.segment<3>(3 * c) = in_basis(local_basis(problem, c, frame_rule), pull_of(problem, c));
    local.b -= local.W * pull;
  }
  return local;
}

ContactImpulses impulses_to_world(const RigidContact& problem, const VecX& r, FrameRule frame) {
  ContactImpulses impulse = zero_impulses(problem);
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Vec3 p = local_basis(problem, c, frame) * r.segment<3>(3 * c);
    set_impulse(problem, c, p - pull_of(problem, c), impulse);
  }
  return impulse;
}

VecX impulses_to_frames(const RigidContact& problem, const ContactImpulses& impulse,
                        FrameRule frame) {
  VecX local(3 * problem.contact_count());
  for (Index c = 0; c < problem.contact_count(); ++c) {
    local.segment<3>(3 * c) =
        in_basis(local_basis(problem, c, frame), pressing_impulse_of(problem, impulse, c));
  }
  return local;
}

}  // namespace talus::problem
