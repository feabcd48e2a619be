#include <talus/sim/probe.hpp>

#include <array>

#include <talus/sim/detail/meters.hpp>

namespace talus::sim {

std::unique_ptr<Meter> make_meter(const model::Probe& probe, const model::Model& model,
                                  const model::State& initial) {
  return std::visit(
      [&](const auto& measure) { return detail::make_meter_of(probe, measure, model, initial); },
      probe.measure);
}

std::string kind_of(const model::Measure& measure) {
  constexpr std::array<const char*, std::variant_size_v<model::Measure>> kNames = {
      "mass_flow", "solid_fraction", "coordination", "forces", "fabric",
      "stress",    "repose",         "mixing",       "energy", "centre"};
  return kNames[measure.index()];
}

record::ProbeTable table_of(const model::Probe& probe, const Meter& meter) {
  return {probe.name, kind_of(probe.measure), meter.columns()};
}

}  // namespace talus::sim
