// A crane: a cart on a rail with a hanging rod, a buffer at x = 1 and dry friction in the hinge.

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <talus/model/own_model.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

using talus::Index;
using talus::MatX;
using talus::Real;
using talus::Vec2;
using talus::VecX;

struct Crane final : talus::model::LagrangianSystem {
  Real cart = 2, load = 1, length = 0.5, g = 9.81, hinge_friction = 0.2;

  // q = (x, θ): the cart's place and the rod's angle from the vertical.
  Index coordinate_count() const override { return 2; }

  MatX mass(const VecX& q) const override {
    const Real coupling = load * length * std::cos(q[1]);
    MatX M(2, 2);
    M << cart + load, coupling, coupling, load * length * length;
    return M;
  }

  // Everything but constraints and friction; the first entry has the term of the varying mass.
  VecX force(const VecX& q, const VecX& v, Real /*time*/) const override {
    return Vec2(load * length * std::sin(q[1]) * v[1] * v[1], -load * g * length * std::sin(q[1]));
  }

  // The buffer: f(q) = 1 − x ≥ 0, no friction.
  Index contact_count() const override { return 1; }
  talus::model::LagrangianContact contact(Index /*i*/, const VecX& q) const override {
    return {1 - q[0], Vec2(-1, 0), {}, {}, 0};
  }

  // The hinge: a moment of at most hinge_friction against θ̇.
  std::vector<talus::model::LagrangianJoint> joints(const VecX& /*q*/) const override {
    return {{Vec2(0, 1), {}, hinge_friction}};
  }

  Real potential(const VecX& q) const override { return -load * g * length * std::cos(q[1]); }
};

int main() {
  const talus::model::Model model = talus::model::make_own_model(std::make_shared<Crane>());
  talus::model::State state = talus::model::make_own_state(Vec2(0, 0), Vec2(2, 0));
  talus::stepping::SchemeOptions options;
  options.scheme = "moreau_midpoint";
  const auto scheme = talus::stepping::make_scheme(model, options);
  const Real h = 1e-3;
  talus::stepping::StepReport report;
  for (int step = 1; step <= 3000; ++step) {
    report = scheme->step(state, h);
    if (!report.is_certified()) {
      std::printf("step %d: %s\n", step, report.detail.c_str());
      return 1;
    }
    for (const auto& contact : scheme->contacts())
      if (contact.impulse.y() > 0.01)
        std::printf("t = %.3f: the buffer takes %.2f N s\n", state.time, contact.impulse.y());
  }
  const VecX q = talus::model::coordinates_of(state);
  std::printf("t = %.1f: x = %.2f, angle = %.2f, energy = %.2f J\n", state.time, q[0], q[1],
              report.energy.total());
}
