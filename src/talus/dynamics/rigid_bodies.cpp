#include <talus/dynamics/rigid_bodies.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/dynamics/detail/move_lanes.hpp>
#include <talus/dynamics/free_motion.hpp>
#include <talus/geometry/triangle_mesh.hpp>
#include <talus/math/simd.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::dynamics {
namespace {

constexpr Index kBodiesPerPiece = 2048;
constexpr Index kBallsAtOnce = 16;  // in lanes: all of them one by one where a single one whirls

std::vector<collision::Collider> colliders(const model::Model& model, bool has_persistent) {
  std::vector<collision::Collider> list;
  list.reserve(model.bodies.size());
  for (const model::Body& body : model.bodies) {
    const bool is_ball = std::holds_alternative<geometry::Sphere>(body.shape);
    const bool is_plane = std::holds_alternative<geometry::Plane>(body.shape);
    // Tracked contacts need a normal along both arms, or an arm that does not matter.
    const bool is_persistent =
        (is_plane && body.kind == model::BodyKind::fixed) ||
        (is_ball && body.X_BS.p.isZero(0) &&
         (body.kind != model::BodyKind::dynamic || is_isotropic(body.inertia)));
    list.push_back({&body.shape, body.X_BS, body.kind == model::BodyKind::dynamic,
                    has_persistent && is_persistent});
  }
  if (model.spatial_machine)
    for (const Index body : model.spatial_machine->visual_only) list[body].is_touchable = false;
  return list;
}

/// Half of the shortest edge of a shape's box [m]. A sheet has no thickness of its own, as little
/// as a plane: what touches it is measured by the other body; one that moves itself, by its extent.
Real half_thickness(const model::Body& body) {
  const geometry::Aabb box = geometry::bounds(body.shape, Pose{});
  const Vec3 extent = box.upper - box.lower;
  const auto* mesh = std::get_if<std::shared_ptr<const geometry::TriangleMesh>>(&body.shape);
  if (mesh == nullptr || (*mesh)->is_closed()) return extent.minCoeff() / 2;
  return body.kind == model::BodyKind::dynamic ? extent.maxCoeff() / 2
                                               : std::numeric_limits<Real>::infinity();
}

/// What move_balls() reads and writes; `next` has its size.
detail::MovingBalls moving_balls(const model::State& state,
                                 std::span<const problem::BodyVelocity> solved,
                                 std::span<const Real> length, Real step_size, model::State& next) {
  const auto numbers = [](auto* list) { return reinterpret_cast<Real*>(list); };
  const auto known = [](const auto* list) { return reinterpret_cast<const Real*>(list); };
  static_assert(sizeof(problem::BodyVelocity) == 8 * sizeof(Real));
  static_assert(sizeof(Vec3) == 3 * sizeof(Real) && sizeof(Quat) == 4 * sizeof(Real));
  return {known(solved.data()),
          length.data(),
          known(state.position.data()),
          known(state.orientation.data()),
          step_size,
          numbers(next.position.data()),
          numbers(next.orientation.data()),
          numbers(next.velocity.data()),
          numbers(next.angular_velocity.data())};
}

/// Moves bodies [begin, end), of which each rank has a part: a body takes longer to move than to
/// copy. Then all ranks have all of them.
template <class MoveRange>
void share(distribute::Ranks& with, Index count, const MoveRange& move, model::State& next) {
  const std::vector<std::size_t> first =
      distribute::begins_of_ranks(static_cast<std::size_t>(count), with.count());
  const auto own = static_cast<std::size_t>(with.rank());
  const auto from = static_cast<Index>(first[own]), to = static_cast<Index>(first[own + 1]);
  parallel::for_ranges(to - from, kBodiesPerPiece,
                       [&](Index begin, Index end) { move(from + begin, from + end); });
  distribute::gather(with, std::span(next.position), first);
  distribute::gather(with, std::span(next.orientation), first);
  distribute::gather(with, std::span(next.velocity), first);
  distribute::gather(with, std::span(next.angular_velocity), first);
}

/// Neighbours in a machine that do not collide, and bodies that are kept apart.
std::vector<collision::Pair> pairs_apart(const model::Model& model) {
  std::vector<collision::Pair> pairs;
  if (!model.spatial_machine) return pairs;
  for (const model::SpatialJoint& joint : model.spatial_machine->joints)
    if (!joint.collides && joint.body_a >= 0) {
      const auto [a, b] = std::minmax(joint.body_a, joint.body_b);
      pairs.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    }
  for (const std::vector<Index>& list : model.spatial_machine->apart)
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = i + 1; j < list.size(); ++j) {
        const auto [a, b] = std::minmax(list[i], list[j]);
        pairs.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
      }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

bool has_central_contacts(const model::Model& model, problem::FrictionLaw law) {
  return !model.resists_more() && !model.has_functions() && !model.spatial_machine &&
         problem::is_coulomb_between_balls(law);
}

RigidBodies::RigidBodies(const model::Model& model, bool has_persistent)
    : model_(&model),
      detector_(colliders(model, has_persistent), model.cell, pairs_apart(model)),
      play_(model),
      has_persistent_(has_persistent),
      needs_general_(!has_persistent || model.spatial_machine) {
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    const bool is_sphere = detector_.is_centred_sphere(i);
    const bool dynamic = body.kind == model::BodyKind::dynamic;
    size_.push_back(half_thickness(body));
    if (dynamic && std::isfinite(size_.back()) && (least_size_ == 0 || size_.back() < least_size_))
      least_size_ = size_.back();
    // A length that makes spins comparable with velocities: a sphere's radius, else the radius of
    // gyration.
    const Real reach = detector_.radius(i);
    const Real length = is_sphere ? reach
                        : dynamic ? std::sqrt(body.inertia.trace() / (2 * body.mass))
                                  : (std::isfinite(reach) && reach > 0 ? reach : Real(1));
    length_.push_back(length);
    turning_radius_.push_back(is_sphere || !std::isfinite(reach) ? 0 : reach);
    inverse_mass_.push_back(dynamic ? 1 / body.mass : 0);
    inverse_inertia_.push_back(dynamic ? length * length / body.inertia(0, 0) : 0);
    body_inverse_inertia_.push_back(dynamic ? Mat3(length * length * body.inertia.inverse())
                                            : Mat3(Mat3::Zero()));
    const bool is_central = body.kind == model::BodyKind::fixed ||
                            (is_sphere && (!dynamic || is_isotropic(body.inertia)));
    is_central_.push_back(is_central);
    if (!is_central || !(is_sphere || detector_.is_plane(i))) needs_general_ = true;
    ball_radius_.push_back(is_sphere ? reach : 0);
    if (detector_.is_plane(i)) planes_.push_back(i);
    material_.push_back(body.material);
    mass_.push_back(dynamic ? body.mass : 0);
    spin_inertia_.push_back(!dynamic ? 0 : is_isotropic(body.inertia) ? body.inertia(0, 0) : -1);
    kind_.push_back(body.kind);
  }
}

void RigidBodies::free_velocities(const model::State& state, Real step_size, const StepDrag& drag,
                                  std::vector<Vec3>& velocity,
                                  std::vector<Vec3>& angular_velocity) const {
  velocity = state.velocity;
  angular_velocity = state.angular_velocity;
  for (Index i = 0; i < model_->body_count(); ++i) {
    if (!is_dynamic(i) || !state.is_present(i)) continue;
    velocity[i] =
        drag.linear.decay * velocity[i] + drag.linear.yield * (step_size * model_->gravity);
    angular_velocity[i] *= drag.angular.decay;
  }
}

/// What gravity and drag make of velocities in a step, and of what impulses do.
struct RigidBodies::FreeMotion {
  StepDrag drag;
  Vec3 gained;

  FreeMotion(const model::Model& model, Real step_size, Real theta)
      : drag(model, step_size, theta), gained(drag.linear.yield * (step_size * model.gravity)) {}

  problem::BodyVelocity of(const RigidBodies& bodies, Index body, const model::State& state) const {
    const Vec3 &v = state.velocity[body], &w = state.angular_velocity[body];
    const Real length = bodies.length_[body];
    const Real inverse_mass = state.is_present(body) ? bodies.inverse_mass_[body] : 0;
    if (inverse_mass == 0) return {v, 0, length * w, 0};
    return {drag.linear.decay * v + gained, drag.linear.yield * inverse_mass,
            (drag.angular.decay * length) * w, drag.angular.yield * bodies.inverse_inertia_[body]};
  }
};

problem::BodyVelocity RigidBodies::free_velocity(Index body, const model::State& state,
                                                 Real step_size, Real theta) const {
  return FreeMotion(*model_, step_size, theta).of(*this, body, state);
}

void RigidBodies::load_free(const model::State& state, Real step_size, Real theta,
                            problem::RigidContact& problem) const {
  const Index count = model_->body_count();
  const FreeMotion motion(*model_, step_size, theta);
  if (state.deal == nullptr) parallel::assign(std::span<const Real>(length_), problem.length);
  problem.force_speed = force_speed(step_size);
  problem.bodies.resize(count);
  if (state.deal != nullptr)  // of balls
    return state.deal->for_here([&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) problem.bodies[i] = motion.of(*this, i, state);
    });
  if (needs_general_) problem.inverse_inertia.resize(count);
  parallel::for_ranges(count, kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) problem.bodies[i] = motion.of(*this, i, state);
    for (Index i = begin; needs_general_ && i < end; ++i)
      problem.inverse_inertia[i] = inverse_inertia(i, state, motion.drag);
  });
  // Contacts of balls are laid out and dealt out by places of the last search.
  if (needs_general_)
    folded(state.position, problem.place);
  else
    problem.place.clear();
}

Mat3 RigidBodies::inverse_inertia(Index body, const model::State& pose,
                                  const StepDrag& drag) const {
  if (!pose.is_present(body)) return Mat3::Zero();
  const Real yield = drag.angular.yield;
  if (spin_inertia_[body] >= 0) return yield * body_inverse_inertia_[body];  // or immovable
  const Mat3 rotation = pose.orientation[body].toRotationMatrix();
  const Mat3 world = rotation * body_inverse_inertia_[body] * rotation.transpose();
  return (0.5 * yield) * (world + world.transpose());
}

bool RigidBodies::move(const model::State& state, std::span<const problem::BodyVelocity> solved,
                       std::span<const problem::BodyVelocity> struck, Real theta, Real step_size,
                       model::State& next) const {
  const Index count = model_->body_count();
  next.resize(count);
  next.time = state.time + step_size;
  next.presence = state.presence;
  std::atomic<bool> is_lost = false;  // a number that is not finite
  const auto is_prescribed = [&](Index i) { return inverse_mass_[i] == 0 || !state.is_present(i); };
  const auto move_one = [&](Index i) -> Real {
    next.velocity[i] = is_prescribed(i) ? state.velocity[i] : solved[i].v;
    next.angular_velocity[i] =
        is_prescribed(i) ? state.angular_velocity[i] : Vec3(solved[i].s / length_[i]);
    next.position[i] = state.position[i];
    next.orientation[i] = state.orientation[i];
    if (kind_[i] == model::BodyKind::fixed || !state.is_present(i)) return 0;
    const Vec3 mean = theta == 1 ? next.velocity[i]
                                 : Vec3((1 - theta) * state.velocity[i] + theta * next.velocity[i]);
    const Vec3& before = state.angular_velocity[i];
    const Vec3 by_contacts = struck.empty() ? Vec3::Zero() : Vec3(struck[i].s / length_[i]);
    const bool is_turned_before = theta < 1 && !(before.isZero(0) && by_contacts.isZero(0));
    if (mean.isZero(0) && next.angular_velocity[i].isZero(0) && !is_turned_before) return 0;
    next.position[i] += step_size * mean;
    Quat& q = next.orientation[i];
    Vec3& w = next.angular_velocity[i];
    if (is_prescribed(i))
      q = integrate_rotation(q, w, step_size);
    else if (is_turned_before)
      rotate_by_theta(model_->bodies[i].inertia, theta, before, by_contacts, q, w, step_size);
    else if (spin_inertia_[i] >= 0)
      q = integrate_rotation(q, w, theta * step_size);
    else
      rotate_freely(model_->bodies[i].inertia, q, w, theta * step_size);
    return 0 * (next.position[i].sum() + next.velocity[i].sum() + next.angular_velocity[i].sum() +
                next.orientation[i].coeffs().sum());
  };
  const detail::MoveBalls move_balls = detail::move_balls(best_simd());
  const detail::MovingBalls balls = moving_balls(state, solved, length_, step_size, next);
  const auto move_range = [&](Index begin, Index end) {
    Real sum = 0;  // finite exactly if all its terms, numbers times 0, are 0
    for (Index i = begin, last = begin; i < end; i = last) {
      const Index most = std::min(i + kBallsAtOnce, end);
      while (last < most && theta == 1 && spin_inertia_[last] >= 0 && !is_prescribed(last)) ++last;
      if (last > i && move_balls(balls, i, static_cast<int>(last - i))) continue;
      last = std::max(last, i + 1);
      for (Index k = i; k < last; ++k) sum += move_one(k);
    }
    if (sum != 0) is_lost = true;  // or NaN
  };
  next.deal = state.deal;
  if (state.deal != nullptr) {
    state.deal->for_here(move_range);
    return !is_lost;
  }
  distribute::Ranks* const with = count <= kBodiesPerPiece ? nullptr : distribute::ranks();
  if (with == nullptr) {
    parallel::for_ranges(count, kBodiesPerPiece, move_range);
    return !is_lost;
  }
  share(*with, count, move_range, next);
  return !with->any(is_lost);
}

bool RigidBodies::coast(const model::State& state, Real duration, model::State& next) const {
  std::vector<problem::BodyVelocity> own(state.velocity.size());
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = {state.velocity[i], 0, length_[i] * state.angular_velocity[i], 0};
  const bool is_finite = move(state, own, {}, 1, duration, next);
  next.time = state.time + duration;
  return is_finite;
}

/// Energies of a body, each to be added to those of others by itself [J].
struct RigidBodies::BodyEnergy {
  Real moving = 0, turning = 0, potential = 0;
};

// Inlined: half of what it does is to hand three numbers over.
[[gnu::always_inline]] inline RigidBodies::BodyEnergy RigidBodies::energy_of(
    Index body, const model::State& state) const {
  BodyEnergy own;
  if (mass_[body] == 0 || !state.is_present(body)) return own;
  const Vec3& w = state.angular_velocity[body];
  own.moving = 0.5 * mass_[body] * state.velocity[body].squaredNorm();
  if (spin_inertia_[body] >= 0) {
    own.turning = 0.5 * spin_inertia_[body] * w.squaredNorm();
  } else {
    const Vec3 in_body = state.orientation[body].conjugate() * w;
    own.turning = 0.5 * in_body.dot(model_->bodies[body].inertia * in_body);
  }
  own.potential = -mass_[body] * model_->gravity.dot(state.position[body]);
  return own;
}

Energy RigidBodies::energy(const model::State& state) const {
  const Index count = model_->body_count();
  std::vector<Energy> pieces((count + kBodiesPerPiece - 1) / kBodiesPerPiece);
  const auto add_up = [&](Index piece, const auto& energy_of_body) {
    const Index begin = piece * kBodiesPerPiece, end = std::min(begin + kBodiesPerPiece, count);
    Energy sum;
    for (Index i = begin; i < end; ++i) {
      const BodyEnergy own = energy_of_body(i);
      sum.kinetic += own.moving;
      sum.kinetic += own.turning;
      sum.potential += own.potential;
    }
    pieces[piece] = sum;
  };
  if (state.deal == nullptr)
    distribute::write_items(std::span(pieces), 1, [&](Index piece, Index) {
      add_up(piece, [&](Index i) { return energy_of(i, state); });
    });
  else
    add_in_parts(state, pieces, add_up);
  Energy sum;
  for (const Energy& piece : pieces) {
    sum.kinetic += piece.kinetic;
    sum.potential += piece.potential;
  }
  return sum;
}

/// Each rank adds up the pieces that it holds most of; those of bodies that are not here are sent.
template <class AddUp>
void RigidBodies::add_in_parts(const model::State& state, std::vector<Energy>& pieces,
                               const AddUp& add_up) const {
  static_assert(sizeof(BodyEnergy) == 3 * sizeof(Real));
  const distribute::Deal& deal = *state.deal;
  static thread_local std::vector<BodyEnergy> kept;
  std::vector<BodyEnergy>& sent = kept;  // of this thread, in others too
  sent.resize(static_cast<std::size_t>(model_->body_count()));
  deal.to_pieces().exchange(
      3,
      [&](std::uint32_t body, Real* to) {
        const BodyEnergy own = energy_of(body, state);
        std::memcpy(to, &own, sizeof own);
      },
      [&](std::uint32_t body, const Real* from) {
        std::memcpy(static_cast<void*>(&sent[body]), from, sizeof(BodyEnergy));
      });
  constexpr Index kPerPiece = distribute::Deal::kBodiesPerPiece / kBodiesPerPiece;
  static_assert(kPerPiece * kBodiesPerPiece == distribute::Deal::kBodiesPerPiece);
  distribute::DealtLists dealt;
  const distribute::DealtLists& of_deal = deal.pieces();
  for (std::size_t r = 0; r + 1 < of_deal.first.size(); ++r) {
    dealt.first.push_back(dealt.order.size());
    for (std::size_t k = of_deal.first[r]; k < of_deal.first[r + 1]; ++k)
      for (std::size_t piece = of_deal.order[k] * kPerPiece;
           piece < std::min((of_deal.order[k] + 1) * kPerPiece, pieces.size()); ++piece)
        dealt.order.push_back(piece);
  }
  dealt.first.push_back(dealt.order.size());
  const auto rank = static_cast<std::size_t>(deal.ranks().rank());
  const auto begin = static_cast<Index>(dealt.first[rank]);
  parallel::for_each(static_cast<Index>(dealt.first[rank + 1]) - begin, [&](Index i) {
    add_up(static_cast<Index>(dealt.order[static_cast<std::size_t>(begin + i)]), [&](Index body) {
      return deal.is_here(static_cast<std::uint32_t>(body)) ? energy_of(body, state) : sent[body];
    });
  });
  distribute::complete_dealt(deal.ranks(), std::span(pieces), dealt);
}

void RigidBodies::load(const model::State& pose, std::span<const Vec3> velocity,
                       std::span<const Vec3> angular_velocity, const StepDrag& drag,
                       problem::RigidContact& problem) const {
  const Index count = model_->body_count();
  problem.clear();
  problem.bodies.resize(count);
  problem.length = length_;
  for (Index i = 0; i < count; ++i) {
    const bool is_present = pose.is_present(i);
    problem.bodies[i] = {velocity[i], is_present ? drag.linear.yield * inverse_mass_[i] : 0,
                         length_[i] * angular_velocity[i],
                         is_present ? drag.angular.yield * inverse_inertia_[i] : 0};
  }
  if (!needs_general_) return;
  folded(pose.position, problem.place);
  problem.inverse_inertia.resize(count);
  for (Index i = 0; i < count; ++i) problem.inverse_inertia[i] = inverse_inertia(i, pose, drag);
}

void RigidBodies::add(std::span<const collision::Contact> contacts,
                      std::span<const ContactTerm> terms, std::span<const Vec3> position,
                      problem::RigidContact& problem, std::vector<Index>& order) const {
  TALUS_DEMAND_EQ(contacts.size(), terms.size());
  order.clear();
  // A central contact needs its normal along both arms. Fixed bodies neither turn nor are turned,
  // so their arm is free; the other body must be a sphere about its centre of mass.
  const auto is_central = [&](const collision::Contact& contact) {
    return !model_->spatial_machine && is_central_[contact.a] && is_central_[contact.b];
  };
  std::vector<problem::ScheduledPair> pairs;
  std::vector<Real> friction;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!is_central(contacts[c])) continue;
    pairs.push_back({contacts[c].a, contacts[c].b});
    friction.push_back(terms[c].friction);
    order.push_back(static_cast<Index>(c));
  }
  if (!pairs.empty()) {
    std::vector<unsigned char> is_movable;
    for (const Real inverse_mass : inverse_mass_) is_movable.push_back(inverse_mass > 0);
    problem::ContactColouring schedule;
    std::vector<Vec3> place;
    folded(position, place);
    schedule.build(pairs, place, is_movable);
    problem.lay_out_central(schedule, pairs, friction);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      problem.central.set(static_cast<Index>(k), contacts[order[k]].normal, terms[order[k]].bias,
                          terms[order[k]].arm);
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const collision::Contact& contact = contacts[c];
    if (is_central(contact)) continue;
    problem.general.push_back(general_contact(contact, terms[c], position));
    order.push_back(static_cast<Index>(c));
  }
}

problem::GeneralContact RigidBodies::general_contact(const collision::Contact& contact,
                                                     const ContactTerm& term,
                                                     std::span<const Vec3> position) const {
  return {contact.normal,
          term.bias,
          arm(contact, contact.a, position) / length_[contact.a],
          arm(contact, contact.b, position) / length_[contact.b],
          term.friction,
          contact.a,
          contact.b};
}

Vec3 RigidBodies::relative_velocity(const collision::Contact& contact,
                                    std::span<const Vec3> position,
                                    std::span<const problem::BodyVelocity> velocity) const {
  const auto at_contact = [&](std::uint32_t body) -> Vec3 {
    return velocity[body].v + velocity[body].s.cross(arm(contact, body, position) / length_[body]);
  };
  return at_contact(contact.b) - at_contact(contact.a);
}

Vec3 RigidBodies::relative_velocity(const collision::Contact& contact,
                                    std::span<const Vec3> position, std::span<const Vec3> velocity,
                                    std::span<const Vec3> angular_velocity) const {
  const auto at_contact = [&](std::uint32_t body) -> Vec3 {
    return velocity[body] + angular_velocity[body].cross(arm(contact, body, position));
  };
  return at_contact(contact.b) - at_contact(contact.a);
}

void RigidBodies::add_resistance(const collision::Contact& contact,
                                 std::span<const Quat> orientation, Real step_size,
                                 const Vec3& before, bool closes,
                                 problem::RigidContact& problem) const {
  constexpr Real kTouching = 1e-3;  // of the thinner body's half thickness
  constexpr Real kUpright = 1e-6;   // sine of the angle between grain and normal
  const model::InterfaceLaw& law = this->law(contact);
  const model::FrictionModel& friction = law.friction;
  problem::Resistance& resistance = problem.resistance.emplace_back();
  const Vec3& n = contact.normal;
  if (closes)
    resistance.slip_bias = law.impact.tangential_restitution * (before - n.dot(before) * n);
  if (!friction.grain.isZero(0)) {
    const bool is_of_a = material_[contact.a] == friction.grain_of;
    const Vec3 grain = orientation[is_of_a ? contact.a : contact.b] * friction.grain;
    const Vec3 along = grain - n.dot(grain) * n;
    if (along.norm() > kUpright)
      resistance.axis = along.normalized();
    else
      problem.general.back().friction = friction.across;
    resistance.friction_across = friction.across;
  }
  resistance.rolling = friction.rolling;
  resistance.torsion = friction.torsion;
  if (contact.gap <= kTouching * size(contact)) resistance.cohesion = step_size * law.cohesion;
}

void RigidBodies::folded(std::span<const Vec3> position, std::vector<Vec3>& place) const {
  if (!model_->cell.is_periodic()) return parallel::assign(position, place);
  place.resize(position.size());
  parallel::for_ranges(static_cast<Index>(position.size()), kBodiesPerPiece,
                       [&](Index begin, Index end) {
                         for (Index i = begin; i < end; ++i)
                           place[i] = model_->cell.fold(position[i]);
                       });
}

void RigidBodies::store(std::span<const problem::BodyVelocity> solved, std::vector<Vec3>& velocity,
                        std::vector<Vec3>& angular_velocity) const {
  for (std::size_t i = 0; i < solved.size(); ++i) {
    if (inverse_mass_[i] == 0) continue;  // prescribed
    velocity[i] = solved[i].v;
    angular_velocity[i] = solved[i].s / length_[i];
  }
}

}  // namespace talus::dynamics
