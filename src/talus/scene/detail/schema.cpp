#include <talus/scene/detail/schema.hpp>

#include <cmath>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/base/text.hpp>

namespace talus::scene::detail {
namespace {

template <class V>
Typed<V> made(Type type) {
  return {std::make_shared<Type>(std::move(type))};
}

template <class Vector>
Typed<Vector> number_vector(Quantity quantity, Range range, bool scalar_fills) {
  Type type{.kind = Type::Kind::vector, .quantity = quantity, .range = range};
  type.length = Vector::SizeAtCompileTime;
  type.scalar_fills = scalar_fills;
  type.numbers = [](void* target) { return static_cast<Vector*>(target)->data(); };
  return made<Vector>(std::move(type));
}

/// "positive ", "non-negative " before the noun, or "" with the bounds to be said after it.
std::string adjective(const Range& range) {
  if (range.low == 0 && range.high == kAny.high)
    return range.low_open ? "positive " : "non-negative ";
  return "";
}

std::string bounds_text(const Range& range) {
  const bool has_low = std::isfinite(range.low);
  const bool has_high = std::isfinite(range.high);
  if (!adjective(range).empty() || (!has_low && !has_high)) return "";
  if (has_low && has_high)
    return fmt::format(" in {}{}, {}{}", range.low_open ? '(' : '[', range.low, range.high,
                       range.high_open ? ')' : ']');
  if (has_low) return fmt::format(" {} {}", range.low_open ? "above" : "of at least", range.low);
  return fmt::format(" {} {}", range.high_open ? "below" : "of at most", range.high);
}

std::string unit_text(Quantity quantity) {
  return info(quantity).unit.empty() ? "" : fmt::format(" [{}]", info(quantity).unit);
}

std::string one_number(const Type& type) {
  const QuantityInfo& quantity = info(type.quantity);
  const std::string before = adjective(type.range);
  if (type.is_whole) return fmt::format("a whole {}number{}", before, bounds_text(type.range));
  return fmt::format("{} {}{}{}{}", before.empty() ? quantity.article : "a", before, quantity.name,
                     unit_text(type.quantity), bounds_text(type.range));
}

std::string keys_text(const Type& object) {
  std::vector<std::string_view> keys;
  for (const Field& field : object.fields) keys.push_back(field.key);
  std::string text;
  for (const std::string_view key : keys)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", key);
  return text;
}

}  // namespace

const Field* Type::find(std::string_view key) const {
  for (const Field& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

Typed<Vec2> vector2(Quantity quantity) { return number_vector<Vec2>(quantity, kAny, false); }
Typed<Real> number(Quantity quantity, Range range) {
  return made<Real>({.kind = Type::Kind::number, .quantity = quantity, .range = range});
}
Typed<Index> integer(Range range) {
  return made<Index>({.kind = Type::Kind::integer, .range = range});
}
Typed<bool> boolean() { return made<bool>({.kind = Type::Kind::boolean}); }
Typed<std::string> text() { return made<std::string>({.kind = Type::Kind::text}); }
Typed<std::string> name() { return made<std::string>({.kind = Type::Kind::name}); }
Typed<std::string> choice(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(words.size());
  for (const std::string& word : words) pairs.emplace_back(word, word);
  return choice<std::string>(std::move(pairs));
}
Typed<Vec3> vector3(Quantity quantity, Range range, bool scalar_fills) {
  return number_vector<Vec3>(quantity, range, scalar_fills);
}
Typed<Eigen::Matrix<Real, 4, 1>> vector4(Quantity quantity) {
  return number_vector<Eigen::Matrix<Real, 4, 1>>(quantity, kAny, false);
}
Typed<Vec3> bounds3(Quantity quantity) {
  auto type = std::make_shared<Type>(*vector3(quantity).type);
  type->may_be_infinite = true;
  return {type};
}
Typed<Vec3> counts3(Range range) {
  Typed<Vec3> typed = number_vector<Vec3>(Quantity::ratio, range, true);
  auto type = std::make_shared<Type>(*typed.type);
  type->is_whole = true;
  return {type};
}
Typed<Mat3> inertia() {
  return made<Mat3>({.kind = Type::Kind::inertia, .quantity = Quantity::inertia});
}

std::shared_ptr<const Document> parse_default(const std::string& yaml) {
  auto document = std::make_shared<Document>();
  document->path = "default";
  document->text = yaml;
  Problems problems;
  parse(*document, problems);
  TALUS_DEMAND(problems.empty() && document->root != nullptr);
  return document;
}

std::string expected_text(const Type& type) {
  switch (type.kind) {
    case Type::Kind::number:
      return one_number(type);
    case Type::Kind::integer:
      return fmt::format("{} {}{}", type.range.multiple_of == 2 ? "an even" : "a whole",
                         adjective(type.range) + "number", bounds_text(type.range));
    case Type::Kind::boolean:
      return "true or false";
    case Type::Kind::text:
      return "a text";
    case Type::Kind::name:
      return "a name";
    case Type::Kind::choice: {
      const std::vector<std::string_view> words(type.choices.begin(), type.choices.end());
      return join_choices(words);
    }
    case Type::Kind::vector: {
      const std::string several =
          fmt::format("{} {}{}{}{}", type.length, adjective(type.range),
                      type.is_whole ? "whole numbers" : info(type.quantity).plural,
                      unit_text(type.quantity), bounds_text(type.range));
      if (type.may_be_infinite) return several + ", .inf or -.inf for no bound";
      return type.scalar_fills ? fmt::format("{} or {}", one_number(type), several) : several;
    }
    case Type::Kind::inertia:
      return "3 principal moments of inertia [kg m^2] or a symmetric 3×3 matrix of them";
    case Type::Kind::list:
      return type.item->kind == Type::Kind::object
                 ? "a list of mappings"
                 : "a list, each item " + expected_text(*type.item);
    case Type::Kind::table:
      return "a mapping from names to mappings";
    case Type::Kind::object:
      return fmt::format("a mapping with the keys {}", keys_text(type));
  }
  return "";
}

}  // namespace talus::scene::detail
