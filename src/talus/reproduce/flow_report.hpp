#pragma once

#include <string>
#include <utility>
#include <vector>

#include <talus/reproduce/flow_study.hpp>

namespace talus::reproduce {

/// A table for people: a line for each law and value of the parameter, with standard errors and
/// cost; the fits; what is checked of every run.
[[nodiscard]] std::string to_text(const FlowStudy& study);
/// The same as a section of a Markdown report.
[[nodiscard]] std::string to_markdown(const FlowStudy& study);
/// {"flow", "grains", "uncertified", "differing_states", "lines": [{"law", "value", "observables":
/// {name: {"value", "error"}}, "sweeps", "milliseconds", "contacts"}], "fits": {law: {"C", "k"}}};
/// NaN becomes null.
[[nodiscard]] std::string to_json(const FlowStudy& study);
/// A diagram of each observable over the parameter, the laws side by side with error bars, and the
/// fitted lines of Beverloo's law: file name and SVG. None where there is one value only.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> draw(const FlowStudy& study);

}  // namespace talus::reproduce
