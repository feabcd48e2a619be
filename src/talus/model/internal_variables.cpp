#include <talus/model/internal_variables.hpp>

#include <fmt/format.h>

#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

namespace talus::model {

void InternalVariables::start(std::string_view owner) {
  owner_ = owner;
  variables_.clear();
}

void InternalVariables::add(std::string_view name, std::vector<Real> values) {
  TALUS_DEMAND(find(name) == nullptr);
  variables_.push_back({std::string(name), std::move(values)});
}

void InternalVariables::drop(std::string_view name) {
  std::erase_if(variables_, [&](const Variable& variable) { return variable.name == name; });
}

const std::vector<Real>* InternalVariables::find(std::string_view name) const {
  for (const Variable& variable : variables_)
    if (variable.name == name) return &variable.values;
  return nullptr;
}

void InternalVariables::demand_owner(std::string_view scheme) const {
  if (owner_.empty() || owner_ == scheme) return;
  throw InputError(Diagnostic{
      {"state"},
      "internal variables",
      fmt::format("the state keeps variables of the scheme {}, the step is one of {}", owner_,
                  scheme),
      "",
      fmt::format("resume with the scheme {}, or clear the internal variables to begin without "
                  "memory",
                  owner_)});
}

const std::vector<Real>* InternalVariables::of_scheme(std::string_view owner, std::string_view name,
                                                      Index count) const {
  demand_owner(owner);
  const std::vector<Real>* values = find(name);
  if (values != nullptr && static_cast<Index>(values->size()) != count)
    throw InputError(Diagnostic{
        {"state"},
        "internal variables",
        fmt::format("{} of {} has {} numbers, expected {}", name, owner, values->size(), count),
        "",
        "the state is that of another model"});
  return values;
}

}  // namespace talus::model
