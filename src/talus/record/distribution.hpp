#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/record/series.hpp>

namespace talus::record {

/// What a record has many of in every frame: forces and gaps of contacts, speeds and spins of
/// bodies.
[[nodiscard]] std::vector<SeriesName> distribution_names();

/// The values of a name of distribution_names in all frames, each with the time of its frame: of
/// the contacts that bear in it, of the dynamic bodies that are there. A force is the impulse of
/// the step that ended at the frame over its duration. Nothing for another name.
/// Cost: reads all contacts or all velocities.
[[nodiscard]] std::optional<SeriesData> read_distribution(const RecordReader& record,
                                                          const std::string& name);

}  // namespace talus::record
