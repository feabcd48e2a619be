#pragma once

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/record/reader.hpp>

namespace talus::record::detail {

/// A number of the record that counts rows of something else.
/// @throws InputError if it is not in [0, count).
inline std::size_t checked_index(const RecordReader& record, Real value, std::size_t count,
                                 const char* what) {
  if (!(value >= 0 && value < static_cast<Real>(count)))
    throw file_error(record.path().string(),
                     fmt::format("the record is damaged: {} {:g} of {}", what, value, count));
  return static_cast<std::size_t>(value);
}

}  // namespace talus::record::detail
