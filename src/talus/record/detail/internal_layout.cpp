#include <talus/record/detail/internal_layout.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <sstream>

#include <talus/hdf5/hdf5.hpp>

namespace talus::record::detail {

std::vector<double> values_of(const model::InternalVariables& internal) {
  std::vector<double> values;
  for (const auto& [name, numbers] : internal.list())
    values.insert(values.end(), numbers.begin(), numbers.end());
  return values;
}

std::string layout_of(const model::InternalVariables& internal) {
  std::string layout = internal.owner() + "\n";
  for (const auto& [name, numbers] : internal.list())
    layout += fmt::format("{} {}\n", name, numbers.size());
  return layout;
}

model::InternalVariables internal_variables(const std::vector<double>& values,
                                            const std::string& layout) {
  const auto refuse = [] {
    throw hdf5::Hdf5Error("internal: the attribute 'variables' is not of these numbers");
  };
  model::InternalVariables internal;
  std::istringstream lines(layout);
  std::string owner, name;
  std::getline(lines, owner);
  internal.start(owner);
  std::size_t next = 0;
  std::uint64_t count = 0;
  while (lines >> name >> count) {
    if (count > values.size() - next || internal.find(name) != nullptr) refuse();
    internal.add(name, {values.begin() + static_cast<std::ptrdiff_t>(next),
                        values.begin() + static_cast<std::ptrdiff_t>(next + count)});
    next += count;
  }
  if (!lines.eof() || next != values.size()) refuse();
  return internal;
}

}  // namespace talus::record::detail
