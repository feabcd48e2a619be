#pragma once

#include <talus/record/detail/datasets.hpp>

namespace talus::record::detail {

/// Checks a record before anything of it is read: every dataset of layout.hpp and of the fixed part
/// that is there has the shape that its readers rely on, and datasets of one clock have as many
/// rows. Costs one look at each dataset's header.
/// @throws Hdf5Error naming the dataset.
void check_layout(Datasets& datasets);

}  // namespace talus::record::detail
