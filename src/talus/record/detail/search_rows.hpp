#pragma once

#include <string_view>
#include <vector>

#include <talus/stepping/step_report.hpp>

namespace talus::record::detail {

/// The search of a scheme's memory as rows of numbers, one per body: position, orientation
/// (w, x, y, z), reach.
inline constexpr std::size_t kSearchValues = 8;
inline constexpr const char* kSearchMeaning =
    "where the last search for contacts saw each body (position, quaternion w, x, y, z) and how "
    "far from there it holds";
inline constexpr const char* kInternalMeaning =
    "what else the scheme keeps in the state, variable after variable as the attribute 'variables' "
    "says";

/// Where records of before have them; in the attribute `step` the frame that they are of.
inline constexpr std::string_view kSearchDataset = "resume/search";
inline constexpr std::string_view kInternalDataset = "resume/internal";

[[nodiscard]] inline std::vector<double> search_rows(const stepping::SchemeMemory& memory) {
  std::vector<double> rows;
  rows.reserve(kSearchValues * memory.search_reach.size());
  for (std::size_t i = 0; i < memory.search_reach.size(); ++i) {
    const Pose& pose = memory.search_pose[i];
    rows.insert(rows.end(), {pose.p.x(), pose.p.y(), pose.p.z(), pose.q.w(), pose.q.x(), pose.q.y(),
                             pose.q.z(), memory.search_reach[i]});
  }
  return rows;
}

inline void take_search_rows(const std::vector<double>& rows, stepping::SchemeMemory& memory) {
  for (std::size_t i = 0; i + kSearchValues <= rows.size(); i += kSearchValues) {
    const double* row = rows.data() + i;
    memory.search_pose.push_back({Vec3(row), Quat(row[3], row[4], row[5], row[6])});
    memory.search_reach.push_back(row[7]);
  }
}

}  // namespace talus::record::detail
