#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include <talus/base/error.hpp>

namespace talus::fuzz {

/// What somebody else wrote: bytes of a file or of a request.
using Bytes = std::span<const std::uint8_t>;

// Each reads the bytes as one kind of input and uses all that it can read of them. Wrong input is
// an InputError, which is caught here; anything else that happens is a finding.
void scene(Bytes bytes);
void record(Bytes bytes);        ///< one part of it
void record_whole(Bytes bytes);  ///< all of it
void record_read(Bytes bytes);   ///< without the export to glTF
void state(Bytes bytes);
void problem(Bytes bytes);
void matrix_market(Bytes bytes);
void stl(Bytes bytes);
void obj(Bytes bytes);
void sphere_table(Bytes bytes);
void time_table(Bytes bytes);
void urdf(Bytes bytes);
void mjcf(Bytes bytes);
void request(Bytes bytes);

/// Runs a reader; wrong input is no finding.
template <class Task>
void reading(const Task& task) {
  try {
    task();
  } catch (const InputError&) {
  }
}

[[nodiscard]] inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes as a file, in memory where the system has such a folder. Each target has one file.
std::filesystem::path as_file(Bytes bytes, const char* name);

}  // namespace talus::fuzz
