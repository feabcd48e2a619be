#pragma once

#include <cmath>
#include <limits>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::test {

/// A model of `ball_count` balls above a plane, without a scene file.
inline model::Model balls_above_plane(Index ball_count) {
  model::Model model;
  model.materials = {{"stone", 2500}, {"ice", 900}};
  model.laws = {model::coulomb_law(0.9, 0.5), model::coulomb_law(0.1, 0.2),
                model::coulomb_law(0.1, 0.2), model::coulomb_law(0.05)};
  model.bodies.resize(ball_count + 1);
  model.bodies[0].kind = model::BodyKind::fixed;
  model.bodies[0].shape = geometry::Plane{};
  model.groups.push_back({"floor", 0, 1, false});
  for (Index i = 0; i < ball_count; ++i) {
    model::Body& ball = model.bodies[i + 1];
    ball.mass = 1 + static_cast<Real>(i);
    ball.inertia = Mat3::Identity();
    ball.shape = geometry::Sphere{0.5};
    ball.material = static_cast<model::MaterialIndex>(i % 2);
  }
  model.groups.push_back({"ball", 1, ball_count, true});
  return model;
}

inline model::State balls_at_rest(Index ball_count) {
  model::State state;
  state.resize(ball_count + 1);
  for (Index i = 1; i <= ball_count; ++i) state.position[i] = Vec3(static_cast<Real>(i), 0, 10);
  return state;
}

/// Free fall with a made-up contact between floor and each ball in every other step; ends
/// uncertified or not finite in the step that is asked for.
class FakeScheme : public stepping::Scheme {
 public:
  explicit FakeScheme(const model::Model& model, Index uncertified_step = -1, Index nan_step = -1)
      : model_(model), uncertified_step_(uncertified_step), nan_step_(nan_step) {}

  stepping::StepReport step(model::State& state, Real h) override {
    ++step_;
    stepping::StepReport report;
    report.status = problem::SolveStatus::converged;
    contacts_.clear();
    if (step_ % 2 == 0)
      for (Index i = 1; i < state.body_count(); ++i)
        contacts_.push_back({0, i, Vec3(1, 2, static_cast<Real>(step_)), Vec3::UnitZ(), -1e-4 * i,
                             Vec3(0, 0, static_cast<Real>(step_))});
    report.contact_count = static_cast<Index>(contacts_.size());
    report.max_penetration = contacts_.empty() ? 0 : 1e-4 * static_cast<Real>(contacts_.size());
    report.iterations = 3 + step_ % 4;
    report.certificate.is_finite = true;
    report.certificate.natural_map = 1e-9 / static_cast<Real>(step_);
    report.certificate.worst_contact = contacts_.empty() ? -1 : 0;
    if (step_ == nan_step_) {
      report.status = problem::SolveStatus::numerical_error;
      report.certificate.natural_map = std::numeric_limits<Real>::quiet_NaN();
      report.certificate.is_finite = false;
      report.detail = "a velocity is not finite";
      return report;  // the state is left as it was
    }
    if (step_ == uncertified_step_) {
      report.status = problem::SolveStatus::max_iterations;
      report.certificate.natural_map = 3.1e-4;
      report.iterations = 10000;
    }
    state.time += h;
    for (Index i = 0; i < state.body_count(); ++i) {
      if (model_.bodies[i].kind == model::BodyKind::fixed) continue;
      state.velocity[i] += h * model_.gravity;
      state.position[i] += h * state.velocity[i];
      report.energy.kinetic += model_.bodies[i].mass * state.velocity[i].squaredNorm() / 2;
      report.energy.potential -= model_.bodies[i].mass * model_.gravity.dot(state.position[i]);
    }
    return report;
  }

  const std::vector<stepping::StepContact>& contacts() const override { return contacts_; }

  stepping::SchemeMemory memory() const override { return {contacts_, 0, {}, {}}; }
  void recall(const stepping::SchemeMemory& memory) override { contacts_ = memory.contacts; }

  std::optional<problem::GlobalFrictionContact> last_problem() const override {
    if (step_ == 0) return std::nullopt;
    problem::GlobalFrictionContact problem;
    const Index m = contacts_.empty() ? 1 : static_cast<Index>(contacts_.size());
    const Index n = 6;
    problem.M.resize(n, n);
    problem.M.setIdentity();
    problem.H.resize(n, 3 * m);
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < 3; ++k) problem.H.insert(k == 0 ? 2 : k - 1, 3 * i + k) = 1;
    problem.H.makeCompressed();
    problem.f = VecX::Constant(n, -0.1);
    problem.w = VecX::Zero(3 * m);
    problem.friction = VecX::Constant(m, 0.9);
    return problem;
  }

 private:
  const model::Model& model_;
  Index uncertified_step_, nan_step_;
  Index step_ = 0;
  std::vector<stepping::StepContact> contacts_;
};

}  // namespace talus::test
