#pragma once

#include <filesystem>
#include <string>

#include <talus/reproduce/machine_case.hpp>
#include <talus/reproduce/paper_reader.hpp>

namespace talus::reproduce::detail {

/// An entry of `machines:` in expected.yaml.
[[nodiscard]] MachineCase read_machine(const std::string& name, const std::filesystem::path& folder,
                                       Reader& reader);
/// What a row says about a machine.
[[nodiscard]] MachineMeasure read_machine_measure(Reader& reader);

}  // namespace talus::reproduce::detail
