#include "support/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "support/planar_witness.hpp"
#include "support/witness.hpp"

namespace talus::test {
namespace {

constexpr Real kG = 9.81;

/// How bodies are measured.
struct Measures {
  Real (*apart)(const model::Body&, const Pose&, const model::Body&, const Pose&, Real enough);
  Real (*reach)(const model::Body&);
  Real (*half_thickness)(const model::Body&);
};

Measures measures_of(const model::Model& model) {
  const auto in_the_plane = [](const model::Body& a, const Pose& at_a, const model::Body& b,
                               const Pose& at_b, Real) { return planar_apart(a, at_a, b, at_b); };
  if (model.dimension == 2) return {in_the_plane, planar_reach, planar_half_thickness};
  return {apart, reach, half_thickness};
}

class Watcher {
 public:
  Watcher(World world, const stepping::SchemeOptions& options, Real theta, Real h)
      : world_(std::move(world)),
        measures_(measures_of(world_.model)),
        scheme_(stepping::make_scheme(world_.model, options)),
        options_(options),
        theta_(theta),
        h_(h) {}

  Finding run(int steps) {
    for (int k = 0; k < steps; ++k) {
      before_ = world_.state;
      const stepping::StepReport report = scheme_->step(world_.state, h_);
      if (!report.is_certified()) {
        ++found_.uncertified;
        if (found_.why.empty()) found_.why = fmt::format("step {}: {}", k, report.detail);
        if (report.status == problem::SolveStatus::numerical_error) break;
        continue;
      }
      energy(k);
      for (Index i = 0; i < count(); ++i) {
        if (!is_free(i)) continue;
        for (Index j = 0; j < count(); ++j)
          if (j < i || (j > i && !is_free(j))) overlap(j, i, k);
        touch(i, k);
      }
    }
    return found_;
  }

 private:
  [[nodiscard]] Index count() const { return world_.model.body_count(); }
  [[nodiscard]] const model::Body& body(Index i) const { return world_.model.bodies[i]; }
  [[nodiscard]] bool is_free(Index i) const { return body(i).kind == model::BodyKind::dynamic; }
  [[nodiscard]] Real apart_at(Index i, const Pose& at_i, Index j, const Pose& at_j,
                              Real enough = std::numeric_limits<Real>::infinity()) const {
    return measures_.apart(body(i), at_i, body(j), at_j, enough);
  }

  /// Gravity's work alone may raise the kinetic energy, but of prescribed bodies. What bounces is
  /// where its velocity after the impact takes it, later than it would be: there impacts may leave
  /// no more than there would be without them.
  void energy(int k) {
    Real scale = 0, work = 0, given = 0;
    for (Index i = 0; i < count(); ++i) {
      if (!is_free(i)) continue;
      const Real mass = body(i).mass;
      // What a relative error of the impulses is of.
      scale += mass * ((kG * h_) * (kG * h_) + 1e-3 * before_.velocity[i].squaredNorm());
      // Displacements without velocity lift bodies besides.
      const Vec3 mean = (1 - theta_) * before_.velocity[i] + theta_ * world_.state.velocity[i];
      work += h_ * mass * world_.model.gravity.dot(mean);
      given += mass *
               (h_ * world_.model.gravity).dot(before_.velocity[i] + h_ / 2 * world_.model.gravity);
      for (Index j = 0; j < count(); ++j)
        if (body(j).kind == model::BodyKind::kinematic && is_near(i, j)) return;
    }
    if (world_.model.laws[0].impact.restitution > 0) work = std::max(work, given);
    const Real rise = (kinetic_energy_of(world_.model, world_.state) -
                       kinetic_energy_of(world_.model, before_) - work) /
                      scale;
    if (rise > found_.rise) found_.rise = rise, found_.step_of_rise = k;
  }
  /// Whether two bodies may have met in the step.
  [[nodiscard]] bool is_near(Index i, Index j) const {
    const Real left = std::min(apart_at(i, before_.pose(i), j, before_.pose(j)),
                               apart_at(i, world_.state.pose(i), j, world_.state.pose(j)));
    return left <= 2 * h_ * (speed(i) + speed(j));
  }

  /// Where the two are at the end of the step, and on the straight way there.
  void overlap(Index i, Index j, int k) {
    const Real thin =
        std::min(measures_.half_thickness(body(i)), measures_.half_thickness(body(j)));
    constexpr Real kNone = 3e-3;  // of the half thickness: three slops
    const Real deep =
        -apart_at(i, world_.state.pose(i), j, world_.state.pose(j), -kNone * thin) / thin;
    if (deep > found_.overlap) found_.overlap = deep, found_.step_of_overlap = k;
    if (world_.model.dimension != 2) return;
    const Real way = h_ * (way_speed(i) + way_speed(j));
    if (way < 0.1 * thin) return;
    const Real before = std::max(-apart_at(i, before_.pose(i), j, before_.pose(j)), 0.0);
    if (before > 0.01 * thin) return;  // left by a step that was not certified
    for (Real time = 0; time < h_;) {
      const Real left = apart_at(i, pose_at(i, time, false), j, pose_at(j, time, false));
      const Real passed = (-left - before) / thin;
      if (passed > found_.passage) found_.passage = passed, found_.step_of_passage = k;
      time += std::max(left, 0.05 * thin) / way * h_;
    }
  }

  [[nodiscard]] Pose pose_at(Index i, Real time, bool freely) const {
    if (freely && is_free(i))
      return moved_freely(before_.pose(i), before_.velocity[i], before_.angular_velocity[i],
                          world_.model.gravity, h_, time / h_);
    const model::State& after = world_.state;
    const Vec3 at = before_.position[i] + time / h_ * (after.position[i] - before_.position[i]);
    if (world_.model.dimension != 2)
      return {at, before_.orientation[i].slerp(time / h_, after.orientation[i])};
    return {at, Quat(Eigen::AngleAxis<Real>(time / h_ * turn_of(i), Vec3::UnitZ())) *
                    before_.orientation[i]};
  }
  /// The angle by which a body of the plane turns in the step: more than half a turn where its
  /// velocities say so.
  [[nodiscard]] Real turn_of(Index i) const {
    constexpr Real kTurn = 2 * std::numbers::pi;
    const Quat turn = world_.state.orientation[i] * before_.orientation[i].conjugate();
    const Real angle = 2 * std::atan2(turn.z(), turn.w());
    const Real expected = h_ * ((1 - theta_) * before_.angular_velocity[i].z() +
                                theta_ * world_.state.angular_velocity[i].z());
    return angle + kTurn * std::round((expected - angle) / kTurn);
  }
  /// No point of a body is faster.
  [[nodiscard]] Real speed(Index i) const {
    Real fastest = 0;
    for (const model::State* state : {&before_, static_cast<const model::State*>(&world_.state)})
      fastest = std::max(fastest, speed_of(i, state->velocity[i], state->angular_velocity[i]));
    return fastest + kG * h_;
  }
  [[nodiscard]] Real way_speed(Index i) const {
    const Real turn = world_.model.dimension == 2
                          ? std::abs(turn_of(i))
                          : before_.orientation[i].angularDistance(world_.state.orientation[i]);
    return speed_of(i, (world_.state.position[i] - before_.position[i]) / h_,
                    Vec3(0, 0, turn / h_));
  }
  [[nodiscard]] Real speed_of(Index i, const Vec3& v, const Vec3& w) const {
    const Real turning = w.norm();
    return v.norm() + (turning > 0 ? turning * measures_.reach(body(i)) : 0);
  }

  void touch(Index i, int k) {
    const Vec3 change = world_.state.velocity[i] - before_.velocity[i] - h_ * world_.model.gravity;
    const Real touch = change.norm() / (h_ * kG);
    if (touch > std::max(1e-9, found_.touch) && passes(i))
      found_.touch = touch, found_.step_of_touch = k;
  }
  /// Whether a body that nothing touches would stay clear of all others in a step: of where these
  /// are in it, of where they would be if nothing touched them either, and of where they would be
  /// without the body (what an impact stops short of it is no witness that there was none).
  [[nodiscard]] bool passes(Index i) const {
    for (Index j = 0; j < count(); ++j)
      if (j != i && !(stays_clear(i, j, [&](Real time) { return pose_at(j, time, false); }) &&
                      stays_clear(i, j, [&](Real time) { return pose_at(j, time, true); })))
        return false;
    World others = without(i);
    const auto scheme = stepping::make_scheme(others.model, options_);
    const model::State start = others.state;
    if (!scheme->step(others.state, h_).is_certified()) return false;
    for (Index j = 0; j < count(); ++j) {
      if (j == i || !is_free(j)) continue;  // the others move as they did
      const Index at = j < i ? j : j - 1;
      const Pose from = start.pose(at), to = others.state.pose(at);
      const auto pose = [&](Real time) {
        return Pose{from.p + time / h_ * (to.p - from.p), from.q.slerp(time / h_, to.q)};
      };
      if (!stays_clear(i, j, pose)) return false;
    }
    return true;
  }
  /// Whether a body that nothing touches stays clear of one that moves on a given way.
  template <class PoseAt>
  [[nodiscard]] bool stays_clear(Index i, Index j, const PoseAt& pose_of_j) const {
    const Real relative = speed(j) + speed(i);
    // Conservative advancement: time goes on by no more than the way that is left.
    for (Real time = 0; time < h_;) {
      const Real left =
          apart_at(j, pose_of_j(time), i, pose_at(i, time, true), relative * (h_ - time) + 1e-5);
      if (left < 1e-5) return false;
      time += left / relative;
    }
    return true;
  }
  /// The start of the step without a body.
  [[nodiscard]] World without(Index i) const {
    World others = world_;
    others.state = before_;
    const auto at = static_cast<std::ptrdiff_t>(i);
    others.model.bodies.erase(others.model.bodies.begin() + at);
    others.model.groups.pop_back();
    const auto drop = [&](auto& of_bodies) { of_bodies.erase(of_bodies.begin() + at); };
    drop(others.state.position);
    drop(others.state.orientation);
    drop(others.state.velocity);
    drop(others.state.angular_velocity);
    others.state.internal = {};  // angles of the plane: turns that are whole do not matter
    return others;
  }

  World world_;
  const Measures measures_;
  const std::unique_ptr<stepping::Scheme> scheme_;
  const stepping::SchemeOptions options_;
  const Real theta_, h_;
  model::State before_;
  Finding found_;
};

}  // namespace

Finding watch(World world, const stepping::SchemeOptions& options, Real theta, Real h, int steps) {
  return Watcher(std::move(world), options, theta, h).run(steps);
}

}  // namespace talus::test
