#pragma once

#include <support/fake_scheme.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::test {

/// A scene without a file: balls that fall, stepped by the fake scheme.
inline scene::Scene falling_balls(Index ball_count = 3) {
  scene::Scene scene;
  scene.title = "Falling balls";
  scene.path = "balls/scene.yaml";
  scene.sources = {{"balls/scene.yaml", "title: Falling balls\n"}};
  scene.model = balls_above_plane(ball_count);
  scene.initial = balls_at_rest(ball_count);
  scene.step_size = 1e-3;
  scene.end_time = 0.05;
  return scene;
}

/// The fake scheme; its step `uncertified` misses the tolerance, its step `lost` is not finite.
inline sim::Simulation::MakeScheme fake_scheme(Index uncertified = -1, Index lost = -1) {
  return [=](const model::Model& model, const stepping::SchemeOptions&) {
    return std::make_unique<FakeScheme>(model, uncertified, lost);
  };
}

/// The state of a scene after so many steps of the fake scheme alone, at the time t₀ + k h.
inline model::State state_after(const scene::Scene& scene, Index steps) {
  FakeScheme scheme(scene.model);
  model::State state = scene.initial;
  for (Index k = 0; k < steps; ++k) static_cast<void>(scheme.step(state, scene.step_size));
  state.time = scene.initial.time + static_cast<Real>(steps) * scene.step_size;
  return state;
}

}  // namespace talus::test
