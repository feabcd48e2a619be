#include <talus/cli/plot_words.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace talus::cli {
namespace {

using WordPair = std::pair<std::string_view, std::string_view>;

/// Series of which the name says too little.
constexpr auto kNames = std::to_array<WordPair>({
    {"energies/kinetic", "kinetic energy"},
    {"energies/potential", "potential energy"},
    {"energies/total", "total energy"},
    {"steps/contact_count", "contacts"},
    {"steps/max_penetration", "deepest penetration"},
    {"certificates/excess", "residual over what is allowed"},
    {"certificates/worst_velocity", "largest violation"},
    {"solver/iterations", "iterations of the solver"},
    {"timings/step", "wall time of a step"},
});

/// Components of bodies.
constexpr auto kComponents = std::to_array<WordPair>({
    {"vx", "velocity x"},
    {"vy", "velocity y"},
    {"vz", "velocity z"},
    {"wx", "angular velocity x"},
    {"wy", "angular velocity y"},
    {"wz", "angular velocity z"},
});

constexpr auto kQuantities = std::to_array<WordPair>({
    {"J", "energy"},
    {"N", "force"},
    {"N m", "moment"},
    {"N s", "impulse"},
    {"Pa", "pressure"},
    {"W", "power"},
    {"m", "length"},
    {"m/s", "velocity"},
    {"rad", "angle"},
    {"rad/s", "angular velocity"},
    {"kg", "mass"},
    {"kg/s", "mass flow"},
    {"kg m/s", "linear momentum"},
    {"kg m^2/s", "angular momentum"},
    {"s", "time"},
});

template <std::size_t n>
std::string look_up(const std::array<WordPair, n>& table, std::string_view key,
                    std::string_view fallback) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const WordPair& words) { return words.first == key; });
  return std::string(found == table.end() ? fallback : found->second);
}

std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

std::string readable(const std::string& series) {
  if (std::string known = look_up(kNames, series, ""); !known.empty()) return known;
  if (series.starts_with("body.")) {
    const std::size_t dot = series.rfind('.');
    const std::string component = series.substr(dot + 1);
    return fmt::format("{} of {}", look_up(kComponents, component, component),
                       series.substr(5, dot - 5));
  }
  const std::size_t slash = series.rfind('/'), first = series.find('/');
  if (slash == std::string::npos) return spaced(series);
  std::string last = series.substr(slash + 1);
  std::string component;  // ".x" of a vector
  if (const std::size_t dot = last.find('.'); dot != std::string::npos) {
    component = " " + last.substr(dot + 1);
    last.resize(dot);
  }
  last = spaced(last);
  if (series.starts_with("momentum/")) return last + " momentum" + component;
  if (slash == first) return last + component;
  return fmt::format("{}{} of {}", last, component, series.substr(first + 1, slash - first - 1));
}

std::string readable_unit(const std::string& unit) {
  if (unit == "1") return "";
  constexpr std::array<const char*, 10> kRaised = {"⁰", "¹", "²", "³", "⁴",
                                                   "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  bool is_raised = false;
  for (const char c : unit) {
    if (c == '^') {
      is_raised = true;
    } else if (is_raised && c == '-') {
      text += "⁻";
    } else if (is_raised && c >= '0' && c <= '9') {
      text += kRaised[static_cast<std::size_t>(c - '0')];
    } else {
      is_raised = false;
      text += c;
    }
  }
  return text;
}

std::string quantity_of(const std::vector<std::string>& names, const std::string& unit) {
  if (names.size() == 1) return names.front();
  return look_up(kQuantities, unit, "");
}

}  // namespace talus::cli
