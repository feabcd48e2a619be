#include <talus/stepping/assembly.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/joint_terms.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/prescribed_motion.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/math/rotation.hpp>
#include <talus/stepping/detail/machine_step.hpp>

namespace talus::stepping {
namespace {

using model::Freedom;
using model::SpatialJoint;
using model::SpatialMachine;

// Steps of the continuation, of a way from 0 to 1.
constexpr Real kTurnPerStep = 0.2;    // [rad] of any body
constexpr Real kLongestStep = 0.125;  // where displacements are given
constexpr Real kShortestStep = 1e-3, kAtEnd = 1 - 1e-12;
constexpr Index kMostSteps = 20'000;  // of a way: 4000 rad
constexpr Real kRateLeftOpen = 1e-9;
constexpr Real kRounded = 1e-4;  // [m, rad]: left open by positions of few digits
constexpr Real kMet = 1e-12;     // [m, rad]: of a coupling

/// What a row of a drive is reported as.
struct Source {
  OpenConstraint::Kind kind;
  Index index;
};

/// The constraints of a machine at a state.
class Residuals {
 public:
  Residuals(const SpatialMachine& machine, const model::State& state)
      : machine_(machine), terms_(machine, state.body_count()) {
    std::vector<dynamics::BodyMotion> motions;
    dynamics::motions_of(state, motions);
    std::vector<Real> angles(static_cast<std::size_t>(terms_.angle_count()), 0);
    const std::vector<Real>* known = state.internal.find(model::kJointAngles);
    if (known != nullptr && known->size() == angles.size()) angles = *known;
    terms_.count_angles(motions, angles);
    terms_.constraints(state.time, {motions, angles}, constraints_);
  }
  [[nodiscard]] const dynamics::MachineConstraints& constraints() const { return constraints_; }
  [[nodiscard]] Real coupling(std::size_t i) const {
    return constraints_.value[terms_.rows_of_coupling(static_cast<Index>(i)).first];
  }

  /// The one of the largest entry.
  /// @param by one per constraint. @param drives one per drive.
  [[nodiscard]] OpenConstraint worst(const VecX& by, std::span<const Source> drives) const {
    OpenConstraint open;
    const auto look = [&](const Source& source, dynamics::RowRange rows) {
      for (Index row = rows.first; row < rows.first + rows.count; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const bool is_length = at < constraints_.rows.size() && constraints_.rows[at].is_linear();
        if (std::abs(by[row]) > open.by || std::isnan(by[row]))
          open = {source.kind, source.index, std::abs(by[row]), is_length};
      }
    };
    for (Index j = 0; j < static_cast<Index>(machine_.joints.size()); ++j)
      look({OpenConstraint::Kind::joint, j}, terms_.rows_of_joint(j));
    for (Index i = 0; i < static_cast<Index>(machine_.drives.size()); ++i)
      look(drives[static_cast<std::size_t>(i)], terms_.rows_of_drive(i));
    for (Index i = 0; i < static_cast<Index>(machine_.couplings.size()); ++i)
      look({OpenConstraint::Kind::coupling, i}, terms_.rows_of_coupling(i));
    return open;
  }

 private:
  const SpatialMachine& machine_;
  dynamics::MachineTerms terms_;
  dynamics::MachineConstraints constraints_;
};

/// The sets of bodies that joints with constraints connect; what forces do not move is one body.
class Connections {
 public:
  explicit Connections(const model::Model& model)
      : model_(model), joints_(model.spatial_machine->joints) {}

  /// Whether the joint closes a loop: without it its bodies are still connected.
  [[nodiscard]] bool closes_loop(Index joint) const {
    DisjointSets sets = sets_without(joint);
    const SpatialJoint& one = joints_[static_cast<std::size_t>(joint)];
    return sets.root(node(one.body_a)) == sets.root(node(one.body_b));
  }
  /// The first body of every set that nothing holds and constraints are in.
  [[nodiscard]] std::vector<Index> loose_bodies() const {
    DisjointSets sets = sets_without(-1);
    std::vector<Index> first;
    for (const SpatialJoint& joint : joints_) {
      if (dynamics::constraint_count(joint.kind) == 0) continue;
      const Index root = sets.root(node(joint.body_b));  // the smallest member
      if (root != sets.root(world())) first.push_back(root);
    }
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    return first;
  }
  /// The joints that close loops of the others: of a loop one, without a position if it can be.
  [[nodiscard]] std::vector<Index> closing_joints(std::span<const JointPosition> positions) const {
    std::vector<bool> has_position(joints_.size());
    for (const JointPosition& one : positions)
      has_position[static_cast<std::size_t>(one.joint)] = true;
    DisjointSets sets(model_.body_count() + 1);
    std::vector<Index> closing;
    for (const bool is_given : {true, false})
      for (std::size_t j = 0; j < joints_.size(); ++j) {
        const SpatialJoint& one = joints_[j];
        if (has_position[j] != is_given || dynamics::constraint_count(one.kind) == 0) continue;
        const Index a = node(one.body_a), b = node(one.body_b);
        if (sets.root(a) == sets.root(b)) closing.push_back(static_cast<Index>(j));
        sets.join(a, b);
      }
    return closing;
  }

 private:
  [[nodiscard]] Index world() const { return model_.body_count(); }
  [[nodiscard]] Index node(Index body) const {
    const bool is_held = body < 0 || model_.bodies[body].kind != model::BodyKind::dynamic;
    return is_held ? world() : body;
  }
  [[nodiscard]] DisjointSets sets_without(Index joint) const {
    DisjointSets sets(model_.body_count() + 1);
    for (Index j = 0; j < static_cast<Index>(joints_.size()); ++j) {
      const SpatialJoint& one = joints_[static_cast<std::size_t>(j)];
      if (j != joint && dynamics::constraint_count(one.kind) > 0)
        sets.join(node(one.body_a), node(one.body_b));
    }
    return sets;
  }

  const model::Model& model_;
  const std::vector<SpatialJoint>& joints_;
};

using Coordinate = std::pair<Index, Freedom>;  // of a joint

/// Of every coupling a coordinate of its own that is not given and can follow the others: the first
/// one that other couplings leave to it (augmenting paths of a matching).
template <class IsGiven>
class Followers {
 public:
  /// @param is_given of a coordinate.
  Followers(const SpatialMachine& machine, IsGiven is_given)
      : couplings_(machine.couplings), is_given_(std::move(is_given)) {
    for (std::size_t i = 0; i < couplings_.size(); ++i) {
      std::set<Coordinate> tried;
      (void)match(i, tried);
    }
  }
  [[nodiscard]] std::optional<Coordinate> of(std::size_t coupling) const {
    for (const auto& [coordinate, follows] : follows_)
      if (follows == coupling) return coordinate;
    return std::nullopt;
  }

 private:
  bool match(std::size_t coupling, std::set<Coordinate>& tried) {
    for (const model::CouplingTerm& term : couplings_[coupling].terms) {
      const Coordinate own(term.joint, term.axis);
      if (is_given_(own) || !tried.insert(own).second) continue;
      const auto [at, is_new] = follows_.try_emplace(own, coupling);
      if (!is_new && !match(at->second, tried)) continue;
      at->second = coupling;
      return true;
    }
    return false;
  }

  const std::vector<model::Coupling>& couplings_;
  IsGiven is_given_;
  std::map<Coordinate, std::size_t> follows_;  // a coupling
};

/// A coordinate that is moved, or held where it is.
struct Pin {
  Index joint;
  Freedom axis;
  Real start, end;
  OpenConstraint::Kind kind;  // that asks for it
  Index index;
};

class Assembler {
 public:
  Assembler(const model::Model& model, std::span<const JointPosition> positions,
            const model::State& state)
      : machine_(std::make_shared<SpatialMachine>(*model.spatial_machine)), model_(model) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      add(model, state, positions[i].joint, positions[i].axis, positions[i].value,
          OpenConstraint::Kind::position, static_cast<Index>(i));
    for (std::size_t i = 0; i < machine_->drives.size(); ++i) {
      const model::SpatialDrive& drive = machine_->drives[i];
      if (!drive.is_rate && !is_pinned(drive.joint, drive.axis))
        add(model, state, drive.joint, drive.axis, evaluate(drive.law, state.time).value,
            OpenConstraint::Kind::drive, static_cast<Index>(i));
    }
    if (!pins_.empty() || is_open(state)) hold_the_rest(model, state);
    lift_limits(model, state);
    machine_->drives.clear();
    for (const Pin& pin : pins_)
      machine_->drives.push_back(
          {"", pin.joint, pin.axis, model::RampLaw{pin.start, pin.end - pin.start}, false, 0});
    model_.spatial_machine = machine_;
  }

  /// Follows the pins from the time 0 to 1.
  /// @param counting of another machine of these bodies, whose angles the state gets; else its own.
  std::optional<OpenConstraint> run(model::State& state, detail::MachineStep* counting = nullptr) {
    const dynamics::RigidBodies bodies(model_);
    detail::MachineStep step(model_, bodies, detail::MoreauRule::jean, 1);
    model::State at = state;
    at.time = 0;  // of the way, on which the velocities of the start are not the rates
    std::fill(at.velocity.begin(), at.velocity.end(), Vec3::Zero());
    std::fill(at.angular_velocity.begin(), at.angular_velocity.end(), Vec3::Zero());
    if (counting != nullptr) counting->start(at, 1);
    for (Index k = 0; at.time < 1; ++k) {
      step.start(at, 1);
      if (k == kMostSteps) return longest_way(at.time);
      if (const auto open = advance(step, at)) return open;
      if (!pins_.empty()) (counting != nullptr ? *counting : step).store(at, {});
    }
    state.position = std::move(at.position);
    state.orientation = std::move(at.orientation);
    if (!pins_.empty()) state.internal = std::move(at.internal);
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_pinned(Index joint, Freedom axis) const {
    return std::any_of(pins_.begin(), pins_.end(),
                       [&](const Pin& pin) { return pin.joint == joint && pin.axis == axis; });
  }
  void add(const model::Model& model, const model::State& state, Index joint, Freedom axis,
           Real value, OpenConstraint::Kind kind, Index index) {
    pins_.push_back({joint, axis, joint_coordinate(model, state, joint, axis), value, kind, index});
  }

  /// On their way from where the bodies are given, coordinates may be beyond their limits: those
  /// that are pinned, and those that are there.
  void lift_limits(const model::Model& model, const model::State& state) {
    for (std::size_t j = 0; j < machine_->joints.size(); ++j)
      for (model::AxisLaw& law : machine_->joints[j].axes) {
        const auto joint = static_cast<Index>(j);
        const Real given = joint_coordinate(model, state, joint, law.axis);
        if (!is_pinned(joint, law.axis) && given >= law.lower && given <= law.upper) continue;
        law.lower = -std::numeric_limits<Real>::infinity();
        law.upper = std::numeric_limits<Real>::infinity();
      }
  }

  /// Whether a coupling is open by more than numbers of few digits leave.
  [[nodiscard]] bool is_open(const model::State& state) const {
    if (machine_->couplings.empty()) return false;
    const Residuals residuals(*machine_, state);
    for (std::size_t i = 0; i < machine_->couplings.size(); ++i)
      if (std::abs(residuals.coupling(i)) > kRounded) return true;
    return false;
  }

  /// The coordinates that follow in couplings that are open or that something moves: their first
  /// one, or, where that is given or follows in another, all that are not given.
  /// @param closes_loop of every joint: its coordinates follow the loop.
  [[nodiscard]] std::set<Coordinate> following(const model::State& state,
                                               const std::vector<bool>& closes_loop) const {
    const auto closes = [&](Index joint) { return closes_loop[static_cast<std::size_t>(joint)]; };
    const auto is_given = [&](const Coordinate& one) {
      return is_pinned(one.first, one.second) || closes(one.first);
    };
    const Followers followers(*machine_, is_given);
    std::set<Coordinate> moving, free;
    for (const Pin& pin : pins_)
      if (pin.start != pin.end) moving.emplace(pin.joint, pin.axis);
    const Residuals residuals(*machine_, state);
    const auto moves = [&](const model::CouplingTerm& term) {
      return closes(term.joint) || moving.contains({term.joint, term.axis});
    };
    std::vector<bool> is_met(machine_->couplings.size(), false);
    for (bool has_new = true; std::exchange(has_new, false);)
      for (std::size_t i = 0; i < machine_->couplings.size(); ++i) {
        const std::vector<model::CouplingTerm>& terms = machine_->couplings[i].terms;
        if (is_met[i] || (std::abs(residuals.coupling(i)) <= kMet &&
                          std::none_of(terms.begin(), terms.end(), moves)))
          continue;
        is_met[i] = has_new = true;
        const auto own = followers.of(i);
        for (const model::CouplingTerm& term : terms) {
          const Coordinate one(term.joint, term.axis);
          if (is_given(one)) continue;
          free.insert(one);
          moving.insert(one);
          if (own == one && &term == &terms.front()) break;
        }
      }
    return free;
  }

  /// Pins the other coordinates of joints that close no loop and do not follow.
  void hold_the_rest(const model::Model& model, const model::State& state) {
    const Connections connections(model);
    std::vector<bool> closes_loop;
    for (Index j = 0; j < static_cast<Index>(machine_->joints.size()); ++j)
      closes_loop.push_back(connections.closes_loop(j));
    const std::set<Coordinate> free = following(state, closes_loop);
    for (Index j = 0; j < static_cast<Index>(machine_->joints.size()); ++j) {
      const model::SpatialJointKind& kind = machine_->joints[static_cast<std::size_t>(j)].kind;
      const bool is_screw = std::holds_alternative<model::Screw>(kind);
      if (!is_screw && !std::holds_alternative<model::LowerPair>(kind)) continue;
      if (closes_loop[static_cast<std::size_t>(j)]) continue;
      const auto moves = [&](Freedom axis) {
        return is_pinned(j, axis) || free.contains({j, axis});
      };
      if (is_screw && (moves(Freedom::turn_z) || moves(Freedom::z))) continue;
      for (int i = 0; i < 6; ++i) {
        const auto axis = static_cast<Freedom>(i);
        const bool is_free =
            is_screw ? axis == Freedom::turn_z : !std::get<model::LowerPair>(kind).held.has(axis);
        if (is_free && !moves(axis))
          add(model, state, j, axis, joint_coordinate(model, state, j, axis),
              OpenConstraint::Kind::joint, j);
      }
    }
    for (const Index body : connections.loose_bodies())
      model_.bodies[body].kind = model::BodyKind::fixed;
  }

  /// A step along the tangent of the way, and back to the constraints; shorter where that fails.
  std::optional<OpenConstraint> advance(detail::MachineStep& step, model::State& at) const {
    Real h = 1 - at.time;
    if (!pins_.empty()) {
      std::fill(at.velocity.begin(), at.velocity.end(), Vec3::Zero());
      std::fill(at.angular_velocity.begin(), at.angular_velocity.end(), Vec3::Zero());
      (void)step.project_velocity(at);
      for (const Vec3& w : at.angular_velocity)
        if (w.norm() * h > kTurnPerStep) h = kTurnPerStep / w.norm();
      const auto slides = [](const Pin& pin) { return !is_turn(pin.axis) && pin.start != pin.end; };
      if (std::any_of(pins_.begin(), pins_.end(), slides)) h = std::min(h, kLongestStep);
    }
    const model::State start = at;
    for (;; h /= 2) {
      move(h, at);
      at.time = start.time + h < kAtEnd ? start.time + h : Real(1);
      if (step.project(at, true).status == problem::SolveStatus::converged) break;
      at = start;
      if (pins_.empty() || h < kShortestStep) return left_open(step, at);
    }
    return std::nullopt;
  }

  void move(Real h, model::State& at) const {
    if (pins_.empty()) return;
    for (Index i = 0; i < model_.body_count(); ++i) {
      if (model_.bodies[i].kind != model::BodyKind::dynamic) continue;
      at.position[i] += h * at.velocity[i];
      at.orientation[i] =
          (rotation_exp(h * at.angular_velocity[i]) * at.orientation[i]).normalized();
    }
  }

  /// The pin that has most of its way before it.
  [[nodiscard]] OpenConstraint longest_way(Real time) const {
    const auto way = [](const Pin& pin) { return std::abs(pin.end - pin.start); };
    const Pin& pin = *std::max_element(pins_.begin(), pins_.end(),
                                       [&](const Pin& a, const Pin& b) { return way(a) < way(b); });
    return {pin.kind, pin.index, (1 - time) * way(pin), !is_turn(pin.axis)};
  }

  /// The constraint that is open by most where all are as near as they can be at the end of the
  /// way.
  [[nodiscard]] OpenConstraint left_open(detail::MachineStep& step, model::State& at) const {
    at.time = 1;
    const OpenConstraint before = open_at(at);
    (void)step.project(at, true);
    const OpenConstraint after = open_at(at);
    return after.by < before.by ? after : before;  // where it diverges
  }

  [[nodiscard]] OpenConstraint open_at(const model::State& at) const {
    std::vector<Source> sources;
    for (const Pin& pin : pins_) sources.push_back({pin.kind, pin.index});
    const Residuals residuals(*machine_, at);
    return residuals.worst(residuals.constraints().value, sources);
  }

  std::shared_ptr<SpatialMachine> machine_;
  model::Model model_;
  std::vector<Pin> pins_;
};

/// Moves the bodies to positions that are given all around a loop, or of all that is coupled. They
/// agree at the end of the way and not on it: there a tree of joints holds alone, with the
/// couplings that others follow, and what stays open at the end is closed by the least
/// displacement.
/// @return the largest change of a position by that [m, rad]; nothing where more stays open than
/// rounding leaves.
std::optional<Real> close_at_end(const model::Model& model, std::vector<JointPosition> positions,
                                 model::State& state) {
  const auto whole = std::make_shared<SpatialMachine>(*model.spatial_machine);
  for (const model::SpatialDrive& drive : std::exchange(whole->drives, {})) {
    const bool is_given = std::any_of(positions.begin(), positions.end(), [&](const auto& one) {
      return one.joint == drive.joint && one.axis == drive.axis;
    });
    if (!drive.is_rate && !is_given)
      positions.push_back({drive.joint, drive.axis, evaluate(drive.law, state.time).value});
  }
  const auto tree = std::make_shared<SpatialMachine>(*whole);
  std::vector<JointPosition> of_tree = positions;
  const std::vector<Index> closing_joints = Connections(model).closing_joints(positions);
  const Followers followers(*whole, [&](const Coordinate& own) {
    const auto is_own = [&](const JointPosition& one) {
      return Coordinate(one.joint, one.axis) == own;
    };
    return std::any_of(positions.begin(), positions.end(), is_own) ||
           std::find(closing_joints.begin(), closing_joints.end(), own.first) !=
               closing_joints.end();
  });
  tree->couplings.clear();  // those that no coordinate follows are not met on the way
  for (std::size_t i = 0; i < whole->couplings.size(); ++i)
    if (followers.of(i)) tree->couplings.push_back(whole->couplings[i]);
  for (const Index closing : closing_joints) {
    SpatialJoint& joint = tree->joints[static_cast<std::size_t>(closing)];
    joint.kind = model::LowerPair{};
    joint.axes.clear();
    std::erase_if(of_tree, [&](const JointPosition& one) { return one.joint == closing; });
  }
  model::Model moved = model;
  moved.spatial_machine = tree;
  model::State at = state;
  const dynamics::RigidBodies bodies(model);
  detail::MachineStep counting(model, bodies, detail::MoreauRule::jean, 1);
  if (Assembler(moved, of_tree, state).run(at, &counting)) return std::nullopt;
  moved.spatial_machine = whole;
  const Residuals residuals(*whole, at);
  if (!(residuals.worst(residuals.constraints().value, {}).by <= kRounded)) return std::nullopt;
  if (Assembler(moved, {}, at).run(at)) return std::nullopt;
  Real change = 0;
  for (const JointPosition& one : positions)
    change = std::max(
        change, std::abs(joint_coordinate(model, at, one.joint, one.axis, one.value) - one.value));
  if (!(change <= kRounded)) return std::nullopt;
  state = std::move(at);
  return change;
}

/// Of a machine in the plane.
void assemble_planar_velocities(const model::Model& model, model::State& state) {
  const auto system = dynamics::make_system(model, state);
  VecX q, v;
  system->load(state, q, v);
  VecX acceleration = VecX::Zero(q.size());
  system->prescribe(state.time, q, v, acceleration);
  const VecX given = v;
  (void)dynamics::ConstraintProjection().velocity(*system, state.time, q, v);
  const Real change = (v - given).lpNorm<Eigen::Infinity>();
  if (change <= tolerance::kStateSpeedNoise * v.lpNorm<Eigen::Infinity>()) return;
  for (Index i = 0; i < model.body_count(); ++i) {
    if (!system->mass().moves(i)) continue;
    state.velocity[i].head<2>() = v.segment<2>(3 * i);
    state.angular_velocity[i].z() = v[3 * i + 2];
  }
}

}  // namespace

std::optional<OpenConstraint> assemble(const model::Model& model,
                                       std::span<const JointPosition> positions,
                                       model::State& state, Real* change) {
  if (change != nullptr) *change = 0;
  model::State given = state;
  const auto open = Assembler(model, positions, state).run(state);
  if (!open || positions.empty()) return open;
  const auto changed = close_at_end(model, {positions.begin(), positions.end()}, given);
  if (!changed) return open;
  state = std::move(given);
  if (change != nullptr) *change = *changed;
  return std::nullopt;
}

std::optional<OpenConstraint> assemble_velocities(const model::Model& model, model::State& state) {
  if (model.machine) {
    assemble_planar_velocities(model, state);
    return std::nullopt;
  }
  const dynamics::RigidBodies bodies(model);
  detail::MachineStep step(model, bodies, detail::MoreauRule::jean, 1);
  for (const model::Motion& motion : model.motions) {
    const dynamics::PrescribedMotion at =
        dynamics::prescribed_motion(motion.terms, motion.rest, state.time);
    state.velocity[motion.body] = at.v;
    state.angular_velocity[motion.body] = at.w;
  }
  step.start(state, 1);
  (void)step.project_velocity(state);

  Real speed = 1;
  for (Index i = 0; i < model.body_count(); ++i)
    speed = std::max({speed, state.velocity[i].norm(), state.angular_velocity[i].norm()});
  std::vector<Source> drives;
  for (std::size_t i = 0; i < model.spatial_machine->drives.size(); ++i)
    drives.push_back({OpenConstraint::Kind::drive, static_cast<Index>(i)});
  const Residuals residuals(*model.spatial_machine, state);
  const OpenConstraint open = residuals.worst(residuals.constraints().rate, drives);
  if (open.by <= kRateLeftOpen * speed) return std::nullopt;
  return open;
}

Real joint_coordinate(const model::Model& model, const model::State& state, Index joint,
                      Freedom axis, Real near) {
  const SpatialJoint& one = model.spatial_machine->joints[static_cast<std::size_t>(joint)];
  return dynamics::axis_terms(one, axis, dynamics::motion_of(state, one.body_a),
                              dynamics::motion_of(state, one.body_b), near)
      .value;
}

}  // namespace talus::stepping
