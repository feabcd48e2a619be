#include <talus/scene/detail/schema.hpp>

#include <cmath>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/base/text.hpp>

namespace talus::scene::detail {
namespace {

Type& number_type(Type::Kind kind, Quantity quantity, const Range& range) {
  Type& type = new_type(kind);
  type.quantity = quantity;
  type.range = range;
  return type;
}

template <class Vector>
Type& vector_type(Quantity quantity, const Range& range = kAny) {
  Type& type = number_type(Type::Kind::vector, quantity, range);
  type.length = Vector::SizeAtCompileTime;
  type.numbers = [](void* vector) { return static_cast<Vector*>(vector)->data(); };
  return type;
}

/// Parses the YAML of a default once, when the schema is made.
std::shared_ptr<const Document> parse_default(std::string_view yaml) {
  auto document = std::make_shared<Document>();
  document->path = "default";
  document->text = yaml;
  Problems problems;
  parse(*document, problems);
  TALUS_DEMAND(problems.empty() && document->root != nullptr);
  return document;
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

std::string keys_text(const Type& object, int dimension) {
  std::vector<std::string_view> keys;
  for (const Field& field : object.fields)
    if (dimension == 0 || field.is_of(dimension)) keys.push_back(field.key);
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

int Type::dimension_of(const Rule& rule) const {
  int common = 0;
  const bool needs = rule.kind == Rule::Kind::needs;  // where the others can stand
  for (std::size_t i = needs ? 1 : 0; i < rule.keys.size(); ++i) {
    const int own = find(rule.keys[i])->dimension;
    if (own == 0 || (common != 0 && own != common)) return 0;
    common = own;
  }
  return common;
}

std::string Field::full_description() const {
  return dimension == 0 ? description
                        : (dimension == 2 ? "In planar scenes: " : "In space: ") + description;
}

Type& new_type(Type::Kind kind) {
  static std::mutex mutex;
  static std::deque<Type> types;
  const std::lock_guard lock(mutex);
  types.emplace_back().kind = kind;
  return types.back();
}

Typed<Real> number(Quantity quantity, const Range& range) {
  return {&number_type(Type::Kind::number, quantity, range)};
}
Typed<Index> integer(const Range& range) {
  return {&number_type(Type::Kind::integer, Quantity::ratio, range)};
}
Typed<bool> boolean() { return {&new_type(Type::Kind::boolean)}; }
Typed<std::string> text() { return {&new_type(Type::Kind::text)}; }
Typed<std::string> name() { return {&new_type(Type::Kind::name)}; }
Typed<std::string> choice(const std::vector<std::string_view>& words) {
  Type& type = new_type(Type::Kind::choice);
  type.choices.assign(words.begin(), words.end());
  return {&type};
}
Typed<Vec2> vector2(Quantity quantity) { return {&vector_type<Vec2>(quantity)}; }
Typed<Vec3> vector3(Quantity quantity, const Range& range, bool scalar_fills) {
  Type& type = vector_type<Vec3>(quantity, range);
  type.scalar_fills = scalar_fills;
  return {&type};
}
Typed<Vec3> spatial_vector(Quantity quantity) {
  Type& type = vector_type<Vec3>(quantity);
  type.is_of_space = true;
  return {&type};
}
Typed<Eigen::Matrix<Real, 4, 1>> vector4(Quantity quantity) {
  return {&vector_type<Eigen::Matrix<Real, 4, 1>>(quantity)};
}
Typed<Vec3> bounds3(Quantity quantity) {
  Type& type = vector_type<Vec3>(quantity);
  type.may_be_infinite = true;
  return {&type};
}
Typed<Vec2> bounds2(Quantity quantity) {
  Type& type = vector_type<Vec2>(quantity);
  type.may_be_infinite = true;
  return {&type};
}
Typed<Vec3> counts3(const Range& range) {
  Type& type = vector_type<Vec3>(Quantity::ratio, range);
  type.scalar_fills = true;
  type.is_whole = true;
  return {&type};
}
Typed<Mat3> inertia() { return {&number_type(Type::Kind::inertia, Quantity::inertia, kAny)}; }

Type& list_type(const Type& item, std::size_t fewest, std::size_t most,
                bool single_stands_for_list) {
  Type& type = new_type(Type::Kind::list);
  type.item = &item;
  type.fewest = fewest;
  type.most = most;
  type.single_stands_for_list = single_stands_for_list;
  return type;
}

ObjectType::ObjectType(std::string_view title, std::string_view description, Spec& (*spec)(void*))
    : type_(&new_type(Type::Kind::object)) {
  type_->title = title;
  type_->description = description;
  type_->spec = spec;
}

void ObjectType::add_field(std::string_view key, Slot slot, const Type& type, Presence presence,
                           std::string_view description) {
  std::shared_ptr<const Document> default_value;
  if (!presence.default_text.empty()) default_value = parse_default(presence.default_text);
  type_->fields.push_back({std::string(key), &type, slot, presence.is_required,
                           std::string(presence.default_text), std::move(default_value),
                           presence.dimension, std::string(description)});
}

void ObjectType::add_rule(Rule::Kind kind, Words keys, Words more_keys, Words values) {
  Rule& rule = type_->rules.emplace_back(Rule{kind, {keys.begin(), keys.end()}, {}});
  rule.keys.insert(rule.keys.end(), more_keys.begin(), more_keys.end());
  rule.values.assign(values.begin(), values.end());
}

std::string expected_text(const Type& type, int dimension) {
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
      const Index length = may_be_planar(type, dimension) ? 2 : length_of(type, dimension);
      const std::string several = fmt::format(
          "{} {}{}{}{}", type.is_of_space && dimension == 0 ? "2 or 3" : std::to_string(length),
          adjective(type.range), type.is_whole ? "whole numbers" : info(type.quantity).plural,
          unit_text(type.quantity), bounds_text(type.range));
      if (type.may_be_infinite) return several + ", .inf or -.inf for no bound";
      return type.scalar_fills || may_be_turn(type, dimension)
                 ? fmt::format("{} or {}", one_number(type), several)
                 : several;
    }
    case Type::Kind::inertia:
      return "3 principal moments of inertia [kg m^2] or a symmetric 3×3 matrix of them";
    case Type::Kind::list:
      return type.item->kind == Type::Kind::object
                 ? "a list of mappings"
                 : "a list, each item " + expected_text(*type.item, dimension);
    case Type::Kind::table:
      return "a mapping from names to mappings";
    case Type::Kind::object:
      return fmt::format("a mapping with the keys {}", keys_text(type, dimension));
  }
  return "";
}

}  // namespace talus::scene::detail
