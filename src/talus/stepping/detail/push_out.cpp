#include <talus/stepping/detail/push_out.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <talus/math/rotation.hpp>
#include <talus/stepping/detail/machine_step.hpp>

namespace talus::stepping::detail {
namespace {

Mat3 world_inertia(const model::Body& body, const Quat& orientation) {
  const Mat3 rotation = orientation.toRotationMatrix();
  return rotation * body.inertia * rotation.transpose();
}

/// Motion of an island against its centre of mass.
struct Whole {
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), momentum = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  Real energy = 0;
};

Whole whole_of(const model::Model& model, std::span<const Index> members,
               const model::State& state) {
  Whole whole;
  Real mass = 0;
  for (const Index i : members) {
    mass += model.bodies[i].mass;
    whole.centre += model.bodies[i].mass * state.position[i];
    whole.velocity += model.bodies[i].mass * state.velocity[i];
  }
  whole.centre /= mass;
  whole.velocity /= mass;
  for (const Index i : members) {
    const model::Body& body = model.bodies[i];
    const Mat3 inertia = world_inertia(body, state.orientation[i]);
    const Vec3 arm = state.position[i] - whole.centre;
    const Vec3 v = state.velocity[i] - whole.velocity, &w = state.angular_velocity[i];
    whole.momentum += body.mass * arm.cross(v) + inertia * w;
    whole.inertia +=
        inertia + body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    whole.energy += 0.5 * (body.mass * v.squaredNorm() + w.dot(inertia * w));
  }
  return whole;
}

}  // namespace

void PushOut::start(problem::RigidContact& step, std::span<const collision::Pair> pairs) {
  step_ = &step;
  const auto count = static_cast<Index>(step.bodies.size());
  const auto is_movable = [&](std::uint32_t body) { return step.bodies[body].inverse_mass > 0; };
  islands_.start(count);
  for (const collision::Pair pair : pairs)
    if (is_movable(pair.a) && is_movable(pair.b)) islands_.join(pair.a, pair.b);
  is_held_.assign(step.bodies.size(), 0);
  join_rows();
  contacts_.resize(pairs.size());
  for (std::size_t c = 0; c < pairs.size(); ++c) {
    const auto [a, b] = pairs[c];
    contacts_[c].island = static_cast<std::uint32_t>(islands_.root(is_movable(a) ? a : b));
    if (!is_movable(a) || !is_movable(b)) is_held_[contacts_[c].island] = 1;
  }
}

/// Bodies of a row are of one island; one that joins a body to what does not move holds it.
void PushOut::join_rows() {
  const problem::BoundedRows& rows = step_->rows;
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> held;
  for (Index j = 0; j < rows.size(); ++j) {
    std::uint32_t first = kNone, count = 0;
    rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (step_->bodies[of.body].inverse_mass == 0) return;
      ++count;
      if (first == kNone)
        first = of.body;
      else
        islands_.join(first, of.body);
    });
    if (count == 1 && rows.is_constraint(j)) held.push_back(first);
  }
  for (const std::uint32_t body : held) is_held_[islands_.root(body)] = 1;
}

void PushOut::start(const dynamics::RigidBodies& bodies, const model::State& state,
                    const std::vector<collision::Contact>& contacts, Real slop_share,
                    std::span<const Real> most) {
  std::vector<Index> order;
  bodies.load(state, state.velocity, state.angular_velocity, {}, own_step_);
  bodies.add(contacts, std::vector<dynamics::ContactTerm>(contacts.size()), state.position,
             own_step_, order);
  if (machine_ != nullptr) machine_->add_rows_at_rest(state, own_step_);
  std::vector<collision::Pair> pairs;
  pairs.reserve(order.size());
  for (const Index i : order) pairs.push_back({contacts[i].a, contacts[i].b});
  start(own_step_, pairs);
  measure([&](Index k) -> Depth {
    const collision::Contact& contact = contacts[order[k]];
    const Real size = bodies.size(contact);
    return {contact.gap, slop_share * size, std::min(most[contact.a], most[contact.b]) * size};
  });
  for (std::size_t i = 0; i < most.size(); ++i)
    if (std::isinf(most[i])) is_deep_[islands_.root(static_cast<Index>(i))] = 0;
}

bool PushOut::has_deep() const {
  return std::any_of(is_deep_.begin(), is_deep_.end(),
                     [](unsigned char deep) { return deep != 0; });
}

/// The step's central contacts, most of what a problem of grains is in memory, are lent to the
/// push-out as long as this lives.
class PushOut::Loan {
 public:
  explicit Loan(PushOut& own) : own_(own) {
    std::swap(own.step_->central, own.problem_.central);
    const std::vector<problem::CentralBatch>& batches = own.problem_.central.batches;
    own.lent_.resize(batches.size());
    for (std::size_t k = 0; k < batches.size(); ++k) {
      std::copy_n(batches[k].bias, problem::kLanes, own.lent_[k].bias);
      std::copy_n(batches[k].friction, problem::kLanes, own.lent_[k].friction);
    }
  }
  ~Loan() {
    std::vector<problem::CentralBatch>& batches = own_.problem_.central.batches;
    for (std::size_t k = 0; k < batches.size(); ++k) {
      std::copy_n(own_.lent_[k].bias, problem::kLanes, batches[k].bias);
      std::copy_n(own_.lent_[k].friction, problem::kLanes, batches[k].friction);
    }
    std::swap(own_.step_->central, own_.problem_.central);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

 private:
  PushOut& own_;
};

/// The step's bodies at rest, its contacts without friction, its joints held; central ones are
/// there. Armatures that displacements are to move have their inertia.
void PushOut::load() {
  problem_.bodies = step_->bodies;
  problem_.inverse_inertia = step_->inverse_inertia;
  problem_.length = step_->length;
  problem_.place = step_->place;
  problem_.general = step_->general;
  problem_.rows = step_->rows;
  problem_.directions = step_->directions;
  problem_.force_speed = step_->force_speed;
  problem_.law = problem::FrictionLaw::coulomb;
  problem_.resistance.clear();
  for (problem::BodyVelocity& body : problem_.bodies) body.v = body.s = Vec3::Zero();
  for (problem::CentralBatch& batch : problem_.central.batches)
    std::fill(std::begin(batch.friction), std::end(batch.friction), Real(0));
  for (problem::GeneralContact& contact : problem_.general) contact.friction = 0;
  problem::BoundedRows& rows = problem_.rows;
  for (Index j = 0; j < rows.size(); ++j) {
    const bool is_inertia = machine_ != nullptr && (step_ == &own_step_ || machine_->is_inertia(j));
    if (!rows.is_constraint(j) && !is_inertia) rows.lower[j] = rows.upper[j] = 0;  // no law acts
    rows.bias[j] = 0;
  }
}

/// Leaves islands where they are that have no answer. Bodies that nothing can push apart press on
/// each other more and more, and less is missed against that: what is missed is looked at, too.
/// @return whether there are any.
bool PushOut::leave_stuck() {
  constexpr Real kMissed = 0.5;  // of the largest w that is asked for
  bool is_any = false;
  const auto leave = [&](Index island) {
    share_[island] = 0;
    is_stuck_[island] = 1;
    is_any = true;
  };
  for (const Index body : solution_.unanswered)
    if (const Index root = islands_.root(body); is_deep_[root] != 0) leave(root);
  std::vector<Real> largest(2 * share_.size(), 0);  // [m/s]
  const auto asked = std::span(largest).first(share_.size());
  const auto missed = std::span(largest).last(share_.size());
  const auto look_at = [&](Index c) {
    const std::uint32_t island = contacts_[c].island;
    const problem::ContactView contact = problem::view(problem_, c);
    const problem::BodyVelocity &a = solution_.velocity[contact.body_a],
                                &b = solution_.velocity[contact.body_b];
    const Vec3 u = b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a);
    asked[island] = std::max(asked[island], -contact.bias);
    missed[island] = std::max(missed[island], -contact.normal.dot(u) - contact.bias);
  };
  distribute::raise_all(std::ssize(contacts_), kContactsPerPiece, std::span(largest), look_at);
  for (std::size_t i = 0; i < share_.size(); ++i)
    if (is_deep_[i] != 0 && !(missed[i] <= kMissed * asked[i])) leave(static_cast<Index>(i));
  return is_any;
}

problem::SolveReport PushOut::solve(const dynamics::BiasLaw& law, const driver::Options& options) {
  constexpr Real kLooser = 100, kMost = 1e-2;
  if (!has_deep()) return {};
  const Loan loan(*this);
  load();
  share_.assign(is_deep_.begin(), is_deep_.end());
  is_stuck_.assign(is_deep_.size(), 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    const bool is_pushed = is_deep_[contact.island] != 0;
    const Real left = is_pushed ? contact.slop / 2 : std::numeric_limits<Real>::infinity();
    const Real bias = push_bias(law, contact.gap, left);
    problem::set_bias(problem_, static_cast<Index>(c), bias);
  }
  driver::Options own = options;
  own.solver = "auto";
  own.tolerance = std::min(kLooser * options.tolerance, kMost);
  driver::solve(problem_, own, {}, solution_);
  problem::SolveReport report = solution_.report;
  if (leave_stuck())
    report.status = problem::SolveStatus::stalled;
  else if (solution_.certificate.is_finite)
    report.status = problem::SolveStatus::converged;  // islands that are not pushed are at rest
  return report;
}

void PushOut::keep_momentum(const model::Model& model, std::span<const Index> members,
                            const model::State& before, model::State& state) const {
  const Whole old = whole_of(model, members, before);
  Whole now = whole_of(model, members, state);
  const Eigen::FullPivLU<Mat3> inertia(now.inertia);
  const Vec3 turn = inertia.solve(old.momentum - now.momentum);
  for (const Index i : members) {
    state.velocity[i] += turn.cross(state.position[i] - now.centre);
    state.angular_velocity[i] += turn;
  }
  now = whole_of(model, members, state);
  if (now.energy <= old.energy) return;
  const Vec3 common = inertia.solve(old.momentum);  // rate of the island as one rigid body
  const Real rigid = old.momentum.dot(common) / 2, inner = now.energy - rigid;
  const Real share = inner > 0 ? std::sqrt(std::max(Real(0), old.energy - rigid) / inner) : 1;
  const Real whole = rigid > old.energy ? std::sqrt(old.energy / rigid) : 1;
  for (const Index i : members) {
    const Vec3 v = now.velocity + common.cross(state.position[i] - now.centre);
    state.velocity[i] = now.velocity + whole * (v - now.velocity) + share * (state.velocity[i] - v);
    state.angular_velocity[i] = whole * common + share * (state.angular_velocity[i] - common);
  }
}

Real PushOut::way(Real reach, Index body, Real duration) const {
  const problem::BodyVelocity& push = solution_.velocity[body];
  return duration * (push.v.norm() + push.s.norm() / problem_.length[body] * reach);
}

void PushOut::hold_back(Index body, Real share) {
  Real& own = share_[islands_.root(body)];
  own = std::min(own, share);
}

bool PushOut::apply(const model::Model& model, Real duration, model::State& state) {
  const std::span<const problem::BodyVelocity> push = velocity();
  std::map<Index, std::vector<Index>> free;  // islands that are pushed and hang on nothing
  for (Index i = 0; i < state.body_count() && !model.cell.is_periodic(); ++i)
    if (const Index root = islands_.root(i);
        share_[root] > 0 && is_held_[root] == 0 && push[i].inverse_mass > 0)
      free[root].push_back(i);
  const model::State before = free.empty() ? model::State{} : state;
  for (Index i = 0; i < state.body_count(); ++i) {
    const Real time = duration * share_[islands_.root(i)];
    if (time == 0 || (push[i].v.isZero(0) && push[i].s.isZero(0))) continue;
    state.position[i] += time * push[i].v;
    const Quat turn = rotation_exp(time / problem_.length[i] * push[i].s);
    state.orientation[i] = (turn * state.orientation[i]).normalized();
    state.angular_velocity[i] = turn * state.angular_velocity[i];
  }
  for (const auto& [root, members] : free) keep_momentum(model, members, before, state);
  return std::any_of(share_.begin(), share_.end(), [](Real share) { return share > 0; });
}

}  // namespace talus::stepping::detail
