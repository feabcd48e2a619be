#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/scene/detail/robots/xml_tree.hpp>

// Values of attributes: numbers, vectors, words. What is wrong goes to the problems, and the value
// stays what it was.

namespace talus::scene::detail {

/// The words of a text, parted by space.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// One finite number, or nothing.
[[nodiscard]] std::optional<Real> to_number(std::string_view word);

/// All numbers of an attribute, between `fewest` and `most`; nothing after a mistake, or without
/// the attribute.
[[nodiscard]] std::optional<std::vector<Real>> numbers_of(const XmlAttribute* attribute,
                                                          std::size_t fewest, std::size_t most,
                                                          Problems& problems);

/// Reads one number. @return whether it is there and sound.
bool read_value(const XmlAttribute* attribute, Real& value, Problems& problems);
/// Reads three numbers.
bool read_value(const XmlAttribute* attribute, Vec3& value, Problems& problems);
/// Reads a whole number.
bool read_value(const XmlAttribute* attribute, int& value, Problems& problems);
/// Reads true or false.
bool read_value(const XmlAttribute* attribute, bool& value, Problems& problems);

/// A name as scenes allow it: brackets, slashes and quotes become underscores.
[[nodiscard]] std::string scene_name(std::string_view name);

}  // namespace talus::scene::detail
