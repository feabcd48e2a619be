#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <talus/json/json.hpp>
#include <talus/scene/detail/spec.hpp>
#include <talus/scene/reference.hpp>

// The second walk over the schema.

namespace talus::scene {
namespace {

using namespace detail;

/// A node of a default as JSON: numbers without a unit become numbers.
Json value_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::scalar: {
      if (node.text == "true" || node.text == "false") return node.text == "true";
      const ParsedNumber parsed = parse_number(node.text);
      if (parsed.status == ParsedNumber::Status::ok && !parsed.has_unit) return parsed.value;
      return node.text;
    }
    case Node::Kind::list: {
      Json list = Json::array();
      for (const Node* item : node.children) list.push_back(value_of(*item));
      return list;
    }
    case Node::Kind::map: {
      Json map = Json::object();
      for (std::size_t i = 0; i + 1 < node.children.size(); i += 2)
        map[node.children[i]->text] = value_of(*node.children[i + 1]);
      return map;
    }
  }
  return nullptr;
}

class SchemaWriter {
 public:
  Json write(const Type& root) {
    Json schema;
    schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    schema["title"] = "Talus scene";
    const Json object = object_schema(root);
    for (const auto& [key, value] : object.members()) schema[key] = value;
    schema["definitions"] = definitions_;
    return schema;
  }

 private:
  Json schema_of(const Type& type) {
    switch (type.kind) {
      case Type::Kind::number:
        return number_schema(type);
      case Type::Kind::integer:
        return integer_schema(type);
      case Type::Kind::boolean:
        return {{"type", "boolean"}};
      case Type::Kind::text:
        return {{"type", Json::array({"string", "number"})}};
      case Type::Kind::name:
        return {{"type", "string"}, {"pattern", "^[^\\[\\]/\"]{1,200}$"}};
      case Type::Kind::choice:
        return {{"enum", type.choices}};
      case Type::Kind::vector: {
        const Index fewest = may_be_planar(type, 2) ? 2 : length_of(type, 2);
        const Json list = list_schema(component_schema(type), fewest, type.length);
        return type.scalar_fills || may_be_turn(type, 2)
                   ? Json{{"anyOf", {component_schema(type), list}}}
                   : list;
      }
      case Type::Kind::inertia: {
        const Json component = number_schema(type);
        const Json principal = list_schema(component, 3, 3);
        return {{"anyOf", {component, principal, list_schema(principal, 3, 3)}}};
      }
      case Type::Kind::list: {
        const Json item = schema_of(*type.item);
        const Json list = list_schema(item, type.fewest, type.most);
        return type.single_stands_for_list ? Json{{"anyOf", {item, list}}} : list;
      }
      case Type::Kind::table:
        return {{"type", "object"}, {"additionalProperties", schema_of(*type.item)}};
      case Type::Kind::object:
        return object_reference(type);
    }
    return {};
  }

  static Json list_schema(const Json& item, std::size_t fewest, std::size_t most) {
    Json list = {{"type", "array"}, {"items", item}};
    if (fewest > 0) list["minItems"] = fewest;
    if (most < std::numeric_limits<std::size_t>::max()) list["maxItems"] = most;
    return list;
  }

  static void add_range(const Range& range, Json& schema) {
    if (std::isfinite(range.low))
      schema[range.low_open ? "exclusiveMinimum" : "minimum"] = range.low;
    if (std::isfinite(range.high))
      schema[range.high_open ? "exclusiveMaximum" : "maximum"] = range.high;
  }

  Json component_schema(const Type& type) {
    return type.is_whole ? integer_schema(type) : number_schema(type);
  }

  static Json integer_schema(const Type& type) {
    Json schema = {{"type", "integer"}};
    if (type.range.multiple_of != 1) schema["multipleOf"] = type.range.multiple_of;
    add_range(type.range, schema);
    return schema;
  }

  /// A number in SI units, or a text with a unit.
  Json number_schema(const Type& type) {
    const QuantityInfo& quantity = info(type.quantity);
    std::string name(quantity.name);
    std::replace(name.begin(), name.end(), ' ', '_');
    const bool has_sign = type.range.low < 0;
    const std::string with_unit = (has_sign ? "" : "unsigned_") + name + "_with_unit";
    if (definitions_.find(with_unit) == nullptr)
      definitions_[with_unit] = {
          {"type", "string"},
          {"description", fmt::format("{} {} with a unit: {}", quantity.article, quantity.name,
                                      quantity.examples)},
          {"pattern", std::string(has_sign ? "^[-+]?" : "^[+]?") +
                          "(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?( *[A-Za-zµ°%²³·*/^0-9 -]+)?$"}};
    Json bare = {{"type", "number"}};
    Range range = type.range;
    if (type.quantity != Quantity::ratio && quantity.largest < kLargestNumber) {
      range.high = std::min(range.high, quantity.largest);
      if (has_sign) range.low = std::max(range.low, -quantity.largest);
    }
    add_range(range, bare);
    Json schema = {{"anyOf", {bare, {{"$ref", "#/definitions/" + with_unit}}}}};
    if (type.may_be_infinite) schema["anyOf"].push_back({{"enum", {".inf", "-.inf"}}});
    return schema;
  }

  Json object_reference(const Type& type) {
    std::string name = type.title;
    std::replace(name.begin(), name.end(), ' ', '_');
    if (definitions_.find(name) == nullptr) {
      definitions_[name] = nullptr;  // keeps its place before what it uses
      Json object = object_schema(type);
      if (!type.shorthand.empty())
        object = {{"anyOf", {schema_of(*type.find(type.shorthand)->type), object}}};
      definitions_[name] = object;
    }
    return {{"$ref", "#/definitions/" + name}};
  }

  Json object_schema(const Type& type) {
    Json schema = {{"type", "object"}, {"description", type.description}};
    Json properties = Json::object();
    Json needed = Json::array();
    for (const Field& field : type.fields) {
      // Next to a $ref other words are not read, so the reference is wrapped.
      Json property = {{"description", field.full_description()}};
      if (field.default_value != nullptr)
        property["default"] = value_of(*field.default_value->root);
      property["allOf"] = Json::array({schema_of(*field.type)});
      properties[field.key] = property;
      if (field.is_required && field.dimension == 0) needed.push_back(field.key);
    }
    schema["properties"] = properties;
    schema["additionalProperties"] = false;
    if (!needed.empty()) schema["required"] = needed;
    Json rules = Json::array();
    for (const Rule& rule : type.rules)
      if (!is_of_one(type, rule)) rules.push_back(rule_schema(type, rule));
    if (!rules.empty()) schema["allOf"] = rules;
    return schema;
  }

  static Json given(const std::string& key) { return {{"required", Json::array({key})}}; }

  /// Whether a key that every scene can have needs others that only some can.
  static bool is_of_one(const Type& type, const Rule& rule) {
    return rule.kind == Rule::Kind::needs && type.dimension_of(rule) != 0 &&
           type.find(rule.keys[0])->dimension == 0;
  }

  /// Whether some key of a rule can stand in every scene.
  static bool is_of_both(const Type& type, const Rule& rule) {
    bool plane = false, space = false;
    for (const std::string& key : rule.keys) {
      plane = plane || type.find(key)->is_of(2);
      space = space || type.find(key)->is_of(3);
    }
    return plane && space;
  }

  static Json rule_schema(const Type& type, const Rule& rule) {
    Json choices = Json::array();
    switch (rule.kind) {
      case Rule::Kind::exactly_one:
        if (is_of_both(type, rule)) {
          for (const std::string& key : rule.keys) choices.push_back(given(key));
          return {{"oneOf", choices}};
        }
        [[fallthrough]];
      case Rule::Kind::at_most_one:
        for (std::size_t i = 0; i < rule.keys.size(); ++i)
          for (std::size_t j = 0; j < i; ++j)
            choices.push_back({{"required", {rule.keys[j], rule.keys[i]}}});
        return {{"not", {{"anyOf", choices}}}};
      case Rule::Kind::needs:
        for (std::size_t i = 1; i < rule.keys.size(); ++i) choices.push_back(given(rule.keys[i]));
        return {{"if", given(rule.keys[0])}, {"then", {{"anyOf", choices}}}};
      case Rule::Kind::option_of: {
        const std::string& selector = rule.keys[1];
        Json allowed = {{"properties", {{selector, {{"enum", rule.values}}}}}};
        const std::string& fallback = type.find(selector)->default_text;
        if (std::find(rule.values.begin(), rule.values.end(), fallback) == rule.values.end())
          allowed["required"] = Json::array({selector});
        return {{"if", given(rule.keys[0])}, {"then", allowed}};
      }
    }
    return {};
  }

  Json definitions_ = Json::object();
};

}  // namespace

std::string json_schema() {
  return json_text(SchemaWriter().write(*scene_schema().type), 2) + '\n';
}

}  // namespace talus::scene
