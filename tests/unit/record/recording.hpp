#pragma once

#include <support/fake_scheme.hpp>
#include <talus/record/recorder.hpp>

namespace talus::test {

inline record::Provenance some_provenance() {
  record::Provenance from;
  from.title = "Balls above a plane";
  from.sources = {{"scene.yaml", "title: balls\n"}, {"balls.csv", "id,x,y,z,r\n"}};
  from.options = "{}";
  from.command_line = "talus run scene.yaml";
  return record::describe_run(from);
}

/// Records `steps` steps of the fake scheme with a frame every `every` steps.
inline model::State record_balls(record::Recorder& recorder, const model::Model& model, Index steps,
                                 Index every, Index flush_every = 0) {
  FakeScheme scheme(model);
  model::State state = balls_at_rest(model.body_count() - 1);
  recorder.record_frame(0, state, {});
  for (Index k = 1; k <= steps; ++k) {
    const stepping::StepReport report = scheme.step(state, 1e-3);
    if (k % every == 0) recorder.record_frame(k, state, scheme.memory());
    const auto& contacts = scheme.contacts();
    recorder.record_step(k, state.time, report, contacts.empty() ? nullptr : &contacts.front(),
                         1e-6);
    if (flush_every > 0 && k % flush_every == 0) recorder.flush();
  }
  return state;
}

}  // namespace talus::test
