#include <talus/model/own_model.hpp>

#include <fmt/format.h>

#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

namespace talus::model {
namespace {

VecX numbers_of(const State& state, std::string_view name) {
  const std::vector<Real>* numbers = state.internal.find(name);
  if (numbers == nullptr)
    throw InputError(Diagnostic{{"state"},
                                "internal variables",
                                fmt::format("there is no {}", name),
                                "",
                                "model::make_own_state makes the state of such a system"});
  return VecX::Map(numbers->data(), std::ssize(*numbers));
}

}  // namespace

Model make_own_model(std::shared_ptr<const LagrangianSystem> system) {
  TALUS_DEMAND(system != nullptr);
  Model model;
  model.dimension = 2;
  model.own_system = std::move(system);
  model.gravity.setZero();  // part of the system's forces
  model.materials.emplace_back().name = "system";
  model.laws.emplace_back();
  model.bodies.emplace_back();
  model.groups.push_back({"system", 0, 1});
  return model;
}

State make_own_state(const VecX& q, const VecX& v, Real time) {
  demand_shape("rates of the state", q.size(), 1, v);
  State state;
  state.time = time;
  state.resize(1);
  state.internal.add(kCoordinates, {q.begin(), q.end()});
  state.internal.add(kRates, {v.begin(), v.end()});
  return state;
}

VecX coordinates_of(const State& state) { return numbers_of(state, kCoordinates); }
VecX rates_of(const State& state) { return numbers_of(state, kRates); }

}  // namespace talus::model
