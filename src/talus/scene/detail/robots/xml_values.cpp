#include <talus/scene/detail/robots/xml_values.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace talus::scene::detail {

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n,";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
  return words;
}

std::optional<Real> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Real value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::vector<Real>> numbers_of(const XmlAttribute* attribute, std::size_t fewest,
                                            std::size_t most, Problems& problems) {
  if (attribute == nullptr) return std::nullopt;
  const std::vector<std::string_view> words = words_of(attribute->value);
  const std::string wanted =
      fewest == most ? fmt::format("{}", fewest) : fmt::format("{} to {}", fewest, most);
  if (words.size() < fewest || words.size() > most) {
    add_problem(problems, attribute->place,
                fmt::format("{}: expected {} number{}, got {}", attribute->name, wanted,
                            most == 1 ? "" : "s", words.size()));
    return std::nullopt;
  }
  std::vector<Real> numbers;
  for (const std::string_view word : words) {
    const auto number = to_number(word);
    if (!number) {
      add_problem(problems, attribute->place,
                  fmt::format("{}: expected a finite number, got \"{}\"", attribute->name,
                              word.substr(0, 60)));
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

bool read_value(const XmlAttribute* attribute, Real& value, Problems& problems) {
  const auto numbers = numbers_of(attribute, 1, 1, problems);
  if (numbers) value = numbers->front();
  return numbers.has_value();
}

bool read_value(const XmlAttribute* attribute, Vec3& value, Problems& problems) {
  const auto numbers = numbers_of(attribute, 3, 3, problems);
  if (numbers) value = Vec3(numbers->data());
  return numbers.has_value();
}

bool read_value(const XmlAttribute* attribute, int& value, Problems& problems) {
  Real number = 0;
  if (!read_value(attribute, number, problems)) return false;
  constexpr Real kMost = 2147483647;
  if (number != std::floor(number) || std::abs(number) > kMost) {
    add_problem(problems, attribute->place,
                fmt::format("{}: expected a whole number, got {}", attribute->name,
                            attribute->value.substr(0, 60)));
    return false;
  }
  value = static_cast<int>(number);
  return true;
}

bool read_value(const XmlAttribute* attribute, bool& value, Problems& problems) {
  if (attribute == nullptr) return false;
  if (attribute->value != "true" && attribute->value != "false") {
    add_problem(problems, attribute->place,
                fmt::format("{}: expected true or false, got \"{}\"", attribute->name,
                            attribute->value.substr(0, 60)));
    return false;
  }
  value = attribute->value == "true";
  return true;
}

std::string scene_name(std::string_view name) {
  constexpr std::size_t kLongest = 150;
  std::string text(name.substr(0, kLongest));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 ||
        std::string_view("[]/\"").find(c) != std::string_view::npos)
      c = '_';
  // A letter of several bytes that was cut in two is left out.
  while (text.size() < name.size() && !text.empty() &&
         (static_cast<unsigned char>(text.back()) & 0x80U) != 0)
    text.pop_back();
  return text == "." || text == ".." || text.empty() ? "_" : text;
}

}  // namespace talus::scene::detail
