#include <talus/exchange/problem_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/exchange/detail/hdf5_file.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/exchange/fclib_classes.hpp>
#include <talus/exchange/lcp_file.hpp>

namespace talus::exchange {
namespace {

constexpr std::array<std::string_view, 5> kGroups = {
    "fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling", "talus_lcp"};

}  // namespace

bool is_problem_file(const std::string& file) {
  try {
    const detail::Reader reader(file);
    return std::any_of(kGroups.begin(), kGroups.end(),
                       [&](std::string_view group) { return reader.has(std::string(group)); });
  } catch (const InputError&) {
    return false;
  }
}

AnyProblem read_problem(const std::string& file) {
  std::vector<std::string_view> found;
  bool has_constraints = false;
  {
    const detail::Reader reader(file);
    for (const std::string_view group : kGroups)
      if (reader.has(std::string(group))) found.push_back(group);
    has_constraints =
        reader.has("fclib_local/V") || reader.has("fclib_local/R") || reader.has("fclib_global/G");
    if (found.empty()) {
      std::string names;
      for (const std::string& name : reader.root_names())
        names += (names.empty() ? "" : ", ") + name;
      throw file_error(file, fmt::format("expected a group {}, found {}", join_choices(kGroups),
                                         names.empty() ? "an empty file" : names));
    }
  }
  if (found.size() > 1)
    throw file_error(file,
                     fmt::format("holds both {} and {}, expected one problem", found[0], found[1]));
  if (found[0] == "talus_lcp") return read_lcp(file);
  if (found[0] == "fclib_local_rolling") return read_fclib_rolling(file);
  if (found[0] == "fclib_global_rolling") return read_fclib_global_rolling(file);
  if (has_constraints && found[0] == "fclib_global") return read_fclib_global_bilateral(file);
  if (has_constraints) return read_fclib_bilateral(file);
  return std::visit([](auto problem) { return AnyProblem(std::move(problem)); }, read_fclib(file));
}

}  // namespace talus::exchange
