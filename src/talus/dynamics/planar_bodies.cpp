#include <talus/dynamics/planar_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/dynamics/kinks.hpp>
#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/geometry/shape.hpp>

namespace talus::dynamics {
namespace {

constexpr Real kCorner = 1e-12;  // of the coordinates and lever arms: at a corner
constexpr Real kSlow = 1e-9;     // of a fall through them: no sliding off

/// In the place of a null machine.
const model::Machine& no_machine() {
  static const model::Machine none;
  return none;
}

Index row_count(const model::JointKind& kind) {
  if (std::holds_alternative<model::WeldJoint>(kind)) return 3;
  if (std::holds_alternative<model::RevoluteJoint>(kind) ||
      std::holds_alternative<model::PrismaticJoint>(kind))
    return 2;
  if (std::holds_alternative<model::DistanceJoint>(kind) ||
      std::holds_alternative<model::GearJoint>(kind) ||
      std::holds_alternative<model::SlotJoint>(kind))
    return 1;
  return 0;
}

}  // namespace

PlanarBodies::PlanarBodies(const model::Model& model, const model::State& state)
    : model_(model),
      machine_(model.machine ? model.machine.get() : &no_machine()),
      mass_(model.body_count(), 3),
      step_mass_(mass_) {
  TALUS_DEMAND(model.dimension == 2 && state.body_count() == model.body_count());
  const Index n = model.body_count();
  fixed_ = VecX::Zero(3 * n);
  upright_.assign(static_cast<std::size_t>(n), Quat::Identity());
  std::vector<const model::Motion*> motion(static_cast<std::size_t>(n), nullptr);
  for (const model::Motion& m : model.motions) motion[static_cast<std::size_t>(m.body)] = &m;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const model::Body& body = model.bodies[i];
    Pose rest = state.pose(i);
    std::vector<model::MotionTerm> terms;
    if (body.kind == model::BodyKind::kinematic && motion[at] != nullptr) {
      rest = motion[at]->rest;
      terms = motion[at]->terms;
    } else if (body.kind == model::BodyKind::kinematic) {  // keeps its twist
      rest.p -= state.time * state.velocity[i];
      rest.q = rotation_exp(-state.time * state.angular_velocity[i]) * rest.q;
      terms = {model::ConstantTwist{state.velocity[i], state.angular_velocity[i]}};
    }
    if (body.kind == model::BodyKind::dynamic) mass_.set(i, body.mass, body.inertia(2, 2));
    moves_.push_back(moves(i) ? 1 : 0);
    upright_[at] = model::upright_orientation(model, state, i);
    const Real angle = model::planar_angle(rest.q, upright_[at]);
    if (body.kind == model::BodyKind::fixed) fixed_.segment<3>(3 * i) << rest.p.head<2>(), angle;
    if (body.kind == model::BodyKind::kinematic) {
      motions_.push_back({i, rest, std::move(terms)});
      rest_angle_.push_back(angle);
    }
    shapes_.push_back(
        geometry::project_to_plane(body.shape, Pose{Vec3::Zero(), upright_[at]} * body.X_BS));
  }
  for (const geometry::PlanarShape& shape : shapes_)
    bounding_radius_.push_back(geometry::bounding_radius(shape));
  for (const model::Body& body : model.bodies) {
    const geometry::Aabb box = geometry::bounds(body.shape, Pose{});
    size_.push_back((box.upper - box.lower).head<2>().minCoeff() / 2);
  }
  numbers_ = std::make_unique<PlanarContactNumbers>(model, shapes_);
  for (std::size_t j = 0; j < machine().joints.size(); ++j) {
    const model::Joint& joint = machine().joints[j];
    TALUS_DEMAND(joint.body_a != joint.body_b && joint.body_a >= 0 && joint.body_b >= 0 &&
                 joint.body_a < n && joint.body_b < n);
    joint_rows_.push_back({constraint_count_, row_count(joint.kind)});
    constraint_count_ += joint_rows_.back().count;
    add_unilateral(static_cast<Index>(j));
    TALUS_DEMAND(!joint.friction || std::holds_alternative<model::RevoluteJoint>(joint.kind) ||
                 std::holds_alternative<model::PrismaticJoint>(joint.kind));
    if (joint.friction) friction_joints_.push_back(static_cast<Index>(j));
  }
  for (std::size_t d = 0; d < machine().drives.size(); ++d)
    drive_rows_.push_back({constraint_count_++, 1});
}

void PlanarBodies::add_unilateral(Index joint) {
  const auto add = [&](int corner, const model::InterfaceLaw& law) {
    joint_contacts_.push_back({joint, corner});
    joint_laws_.push_back(law);
  };
  const model::JointKind& kind = machine().joints[static_cast<std::size_t>(joint)].kind;
  if (const auto* rope = std::get_if<model::RopeJoint>(&kind)) {
    add(0, model::coulomb_law(0, rope->restitution));
  } else if (const auto* pin = std::get_if<model::RevoluteClearance>(&kind)) {
    add(0, pin->law);
  } else if (const auto* block = std::get_if<model::TranslationalClearance>(&kind)) {
    for (int corner = 0; corner < 4; ++corner) add(corner, block->law);
  }
}

Index PlanarBodies::contact_count() const {
  return shape_contact_count() + static_cast<Index>(joint_contacts_.size());
}
Index PlanarBodies::joint_friction_count() const {
  return static_cast<Index>(friction_joints_.size());
}
RowRange PlanarBodies::rows_of_joint(Index joint) const {
  return joint_rows_[static_cast<std::size_t>(joint)];
}
RowRange PlanarBodies::rows_of_drive(Index drive) const {
  return drive_rows_[static_cast<std::size_t>(drive)];
}

BodyPair PlanarBodies::bodies_of(Index contact) const {
  if (contact < shape_contact_count()) {
    const CornerCandidate candidate = numbers_->candidate(contact);
    return {candidate.body_a, candidate.body_b};
  }
  const model::Joint& joint =
      machine()
          .joints[static_cast<std::size_t>(joint_contacts_[place_among_joints(contact)].joint)];
  return {joint.body_a, joint.body_b};
}

Index PlanarBodies::joint_of(Index contact) const {
  return contact < shape_contact_count() ? -1 : joint_contacts_[place_among_joints(contact)].joint;
}

const model::InterfaceLaw& PlanarBodies::law(Index contact) const {
  if (contact >= shape_contact_count()) return joint_laws_[place_among_joints(contact)];
  const auto [a, b] = bodies_of(contact);
  return model_.law(model_.bodies[a].material, model_.bodies[b].material);
}

bool PlanarBodies::can_roll(Index contact) const {
  if (!is_of_shapes(contact)) return false;
  const auto is_disc = [&](Index body) {
    const geometry::PlanarShape& shape = shapes_[static_cast<std::size_t>(body)];
    return !shape.is_half_plane && shape.corners.size() == 1 && shape.radius > 0;
  };
  const auto [a, b] = bodies_of(contact);
  return is_disc(a) || is_disc(b);
}

bool PlanarBodies::is_sharp(Index contact) const {
  if (!is_of_shapes(contact)) return false;
  const auto [a, b] = bodies_of(contact);
  const geometry::PlanarShape& target = shapes_[static_cast<std::size_t>(a)];
  const geometry::PlanarShape& shape = shapes_[static_cast<std::size_t>(b)];
  return !target.is_half_plane && shape.radius + target.radius == 0;
}

void PlanarBodies::prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const {
  for (std::size_t m = 0; m < motions_.size(); ++m) {
    const auto& [body, rest, terms] = motions_[m];
    const PrescribedMotion motion = prescribed_motion(terms, rest, time);
    q.segment<3>(3 * body) << motion.pose.p.head<2>(), rest_angle_[m] + motion.turn;
    v.segment<3>(3 * body) << motion.v.head<2>(), motion.w.z();
    acceleration.segment<3>(3 * body) << motion.acceleration.head<2>(), motion.w_rate.z();
  }
  for (Index i = 0; i < body_count(); ++i)
    if (model_.bodies[i].kind == model::BodyKind::fixed) acceleration.segment<3>(3 * i).setZero();
}

Real PlanarBodies::next_jump(Real time) const {
  Real first = std::numeric_limits<Real>::infinity();
  for (const model::Motion& motion : motions_)
    first = std::min(first, dynamics::next_kink(motion.terms, time));
  for (const model::Drive& drive : machine().drives)
    if (!drive.is_speed) first = std::min(first, model::next_kink(drive.law, time));
  return first;
}

Real PlanarBodies::next_kink(Real time) const {
  return std::min(next_jump(time), dynamics::next_kink(machine(), time));
}

PlanarWitness PlanarBodies::closest_features(Index contact, const VecX& q, Index side) const {
  if (contact >= shape_contact_count())
    return meet_joint(joint_contacts_[place_among_joints(contact)], q);
  const CornerCandidate c = numbers_->candidate(contact);
  return dynamics::closest_features(c, shapes_, pose(c.body_a, q), pose(c.body_b, q),
                                    moves(c.body_a), moves(c.body_b), side);
}

Real PlanarBodies::gap(Index contact, const VecX& q) const {
  return closest_features(contact, q).gap;
}

Real PlanarBodies::gap_bound(Index contact, const VecX& q) const {
  if (!is_of_shapes(contact)) return -std::numeric_limits<Real>::infinity();
  const auto [a, b] = bodies_of(contact);
  return circle_distance(a, b, q);
}

/// Of the circles about two shapes, of a circle and a half-plane; −∞ of two half-planes.
Real PlanarBodies::circle_distance(Index a, Index b, const VecX& q) const {
  const geometry::PlanarShape& shape_a = shapes_[static_cast<std::size_t>(a)];
  if (!shape_a.is_half_plane && shapes_[static_cast<std::size_t>(b)].is_half_plane)
    return circle_distance(b, a, q);
  if (!shape_a.is_half_plane || !std::isfinite(bounding_radius(b)))
    return (q.segment<2>(3 * a) - q.segment<2>(3 * b)).norm() - bounding_radius(a) -
           bounding_radius(b);
  const PlanarPose edge = pose(a, q);
  return (edge.R * shape_a.normal)
             .dot(q.segment<2>(3 * b) - edge.p - edge.R * shape_a.corners.front()) -
         shape_a.radius - bounding_radius(b);
}

void PlanarBodies::near_pairs(const VecX& q, const VecX& margin,
                              std::vector<ShapePair>& pairs) const {
  constexpr Real kSlack = 1e-9;  // of sizes and coordinates: more than rounding
  constexpr Real kEverywhere = std::numeric_limits<Real>::infinity();
  boxes_.clear();
  for (Index i = 0; i < body_count(); ++i) {
    const Vec2 centre = q.segment<2>(3 * i);
    const Real circle = bounding_radius(i) + margin[i];
    const Real half = circle + kSlack * (circle + centre.lpNorm<Eigen::Infinity>());
    geometry::Aabb box{Vec3::Constant(-kEverywhere), Vec3::Constant(kEverywhere)};
    if (std::isfinite(half) && std::isfinite(q[3 * i + 2]))
      box = {{centre.x() - half, centre.y() - half, -half},
             {centre.x() + half, centre.y() + half, half}};
    boxes_.push_back(box);
  }
  broad_phase_.find(boxes_, moves_, found_);
  pairs.clear();
  for (const collision::Pair& found : found_) {
    const auto a = static_cast<Index>(found.a), b = static_cast<Index>(found.b);
    const Real about = q.segment<2>(3 * a).lpNorm<Eigen::Infinity>() +
                       q.segment<2>(3 * b).lpNorm<Eigen::Infinity>();
    if (circle_distance(a, b, q) > (1 + kSlack) * (margin[a] + margin[b]) + kSlack * about)
      continue;
    const ShapePair pair = shape_pair(a, b);
    if (pair.count > 0) pairs.push_back(pair);
  }
}

Real PlanarBodies::overlap(const ShapePair& pair, const VecX& q) const {
  const Index a = pair.body_a, b = pair.body_b;
  const Real bound = -circle_distance(a, b, q);
  if (bound <= 0) return bound;
  return -geometry::separation(shapes_[static_cast<std::size_t>(a)], pose(a, q),
                               shapes_[static_cast<std::size_t>(b)], pose(b, q));
}

void PlanarBodies::contact_on_side(Index contact, Index of_a, const VecX& q, const VecX& v,
                                   ContactTerms& terms) const {
  const PlanarWitness touch = closest_features(contact, q, of_a);
  const Index a = touch.body_a, b = touch.body_b;
  const Vec2 centre_a = q.segment<2>(3 * a), centre_b = q.segment<2>(3 * b);
  const Vec2 corner_rate = v.segment<2>(3 * b) + v[3 * b + 2] * perp(touch.corner - centre_b);
  Real turn_rate = v[3 * a + 2];
  if (touch.is_point && touch.centre_distance != 0) {
    const Vec2 centre_rate = v.segment<2>(3 * a) + v[3 * a + 2] * perp(touch.centre - centre_a);
    turn_rate = perp(touch.normal).dot(corner_rate - centre_rate) / touch.centre_distance;
  }
  // The position is corner − reach · normal.
  const Vec2 side = perp(touch.normal);
  const Vec2 across = corner_rate - touch.offset * turn_rate * side;
  const RowTerms normal = relative_row(a, b, q, v, touch.position, across, touch.normal, turn_rate);
  const Vec2 position_rate = across - touch.surface_split * normal.rate * touch.normal;
  terms.gap = touch.gap;
  terms.normal = normal.row;
  terms.gap_rate = normal.rate;
  terms.normal_drift = normal.drift;
  terms.position << touch.position, 0;
  terms.direction << touch.normal, 0;
  terms.is_corner = touch.is_point;
  terms.rolling = {a, b, -Vec3::UnitZ(), Vec3::UnitZ()};
  terms.spin = v[3 * b + 2] - v[3 * a + 2];
  const RowTerms tangent =
      relative_row(a, b, q, v, touch.position, position_rate, -side, turn_rate);
  terms.tangent = tangent.row;
  terms.slip = tangent.rate;
  terms.tangent_drift = tangent.drift;
  // A corner at a corner is on a side of A where B can rest on that alone and does not slide off.
  const Real at_corner =
      kCorner * (touch.corner.lpNorm<Eigen::Infinity>() + (touch.corner - centre_b).norm() +
                 (touch.corner - centre_a).norm());
  const Real slow = kSlow * std::sqrt(model_.gravity.norm() * at_corner / kCorner);
  const bool is_held = !touch.inward.isZero(0) && tangent.rate * side.dot(touch.inward) <= slow;
  terms.distance_to_edge_end = is_held ? std::max(touch.distance_to_edge_end, Real(0)) + at_corner
                                       : touch.distance_to_edge_end - at_corner;
  terms.side = touch.side;
  terms.edge_end_noise = at_corner;
}

Real PlanarBodies::length_scale(const VecX& q) const {
  Real largest = 0;
  for (Index b = 0; b < body_count(); ++b)
    largest = std::max(largest, q.segment<2>(3 * b).lpNorm<Eigen::Infinity>());
  return largest;
}

void PlanarBodies::load(const model::State& state, VecX& q, VecX& v) const {
  const std::vector<Real>* angles =
      state.internal.of_scheme(state.internal.owner(), model::kAngles, body_count());
  q.resize(coordinate_count());
  v.resize(coordinate_count());
  for (Index i = 0; i < body_count(); ++i) {
    if (model_.bodies[i].kind == model::BodyKind::fixed) {
      q.segment<3>(3 * i) = fixed_.segment<3>(3 * i);
      v.segment<3>(3 * i).setZero();
      continue;
    }
    const Quat& upright = upright_[static_cast<std::size_t>(i)];
    Real angle = model::planar_angle(state.orientation[i], upright);
    constexpr Real kTurn = 2 * std::numbers::pi;
    if (angles != nullptr) {
      const Real near = (*angles)[static_cast<std::size_t>(i)];
      angle += kTurn * std::round((near - angle) / kTurn);
    }
    q.segment<3>(3 * i) << state.position[i].x(), state.position[i].y(), angle;
    v.segment<3>(3 * i) << state.velocity[i].x(), state.velocity[i].y(),
        state.angular_velocity[i].z();
  }
}

void PlanarBodies::store(const VecX& q, const VecX& v, model::State& state) const {
  for (Index i = 0; i < body_count(); ++i) {
    if (model_.bodies[i].kind == model::BodyKind::fixed) continue;
    const Index at = 3 * i;
    state.position[i] = {q[at], q[at + 1], 0};
    state.orientation[i] = Quat(std::cos(q[at + 2] / 2), 0, 0, std::sin(q[at + 2] / 2)) *
                           upright_[static_cast<std::size_t>(i)];
    state.velocity[i] = {v[at], v[at + 1], 0};
    state.angular_velocity[i] = {0, 0, v[at + 2]};
  }
  std::vector<Real> angles;
  for (Index i = 0; i < body_count(); ++i) angles.push_back(q[3 * i + 2]);
  state.internal.start();
  state.internal.add(model::kAngles, std::move(angles));
}

}  // namespace talus::dynamics
