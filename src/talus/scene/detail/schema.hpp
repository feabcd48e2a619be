#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/detail/quantity.hpp>

// A schema is data: a tree of types and fields. The reader (read.hpp), the JSON schema and the
// reference page are three walks over it; none of them knows a key by name.

namespace talus::scene::detail {

/// Allowed values of a number, in SI units.
struct Range {
  Real low = -std::numeric_limits<Real>::infinity();
  Real high = std::numeric_limits<Real>::infinity();
  bool low_open = false;  ///< the bound itself is not allowed
  bool high_open = false;
  Index multiple_of = 1;  ///< of integers
  [[nodiscard]] bool contains(Real value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
};

inline constexpr Range kAny{};
inline constexpr Range kPositive{.low = 0, .low_open = true};
inline constexpr Range kNonNegative{.low = 0};

struct Type;

/// One key of an object.
struct Field {
  std::string key;
  std::shared_ptr<const Type> type;
  bool is_required = false;
  std::string default_text;  ///< YAML; empty: the key stays unset
  std::shared_ptr<const Document> default_value;
  std::string description;           ///< one sentence
  std::function<void*(void*)> slot;  ///< from the object to the member, which it makes if optional
};

/// A condition on which keys of an object stand together.
struct Rule {
  enum class Kind : unsigned char {
    exactly_one,  ///< of the keys
    at_most_one,  ///< of the keys
    needs,        ///< keys[0] only together with one of the others
    option_of,    ///< keys[0] only where keys[1] has one of the values
  };
  Kind kind;
  std::vector<std::string> keys;
  std::vector<std::string> values;
};

/// What a value may be, and where to put it.
struct Type {
  enum class Kind : unsigned char {
    number,
    integer,
    boolean,
    text,
    name,     ///< text that can stand in a path: no brackets, slashes, quotes
    choice,   ///< one of some words
    vector,   ///< so many numbers
    inertia,  ///< three principal moments or a symmetric 3×3 matrix
    list,
    table,  ///< names that the user chooses, all with one type of value
    object,
  };
  Kind kind = Kind::text;

  Quantity quantity = Quantity::ratio;    // number, vector, inertia
  Range range{};                          // number, integer, vector: of each component
  Index length = 0;                       // vector
  bool is_whole = false;                  // vector: of whole numbers
  bool may_be_infinite = false;           // vector: .inf and -.inf are numbers too
  bool scalar_fills = false;              // vector: one number stands for all components
  std::function<Real*(void*)> numbers{};  // vector

  std::vector<std::string> choices{};                      // choice
  std::function<void(void*, std::size_t index)> choose{};  // choice

  std::shared_ptr<const Type> item{};  // list, table
  bool single_stands_for_list = false;
  std::size_t fewest = 0;                                                // list: items
  std::size_t most = std::numeric_limits<std::size_t>::max();            // list, table: items
  std::function<void*(void*)> append{};                                  // list
  std::function<void*(void*, const Place&, std::string_view)> insert{};  // table

  std::string title{};        // object: what it is called in the reference
  std::string description{};  // object
  std::vector<Field> fields{};
  std::vector<Rule> rules{};
  std::string shorthand{};  // object: a bare value stands for this key
  std::function<void(void*, const Place&, bool is_sound)> finish{};

  [[nodiscard]] const Field* find(std::string_view key) const;
};

/// A type that fills a V: lets the compiler check the schema against the structs it fills.
template <class V>
struct Typed {
  std::shared_ptr<const Type> type;
};

[[nodiscard]] Typed<Real> number(Quantity quantity, Range range = kAny);
[[nodiscard]] Typed<Index> integer(Range range);
[[nodiscard]] Typed<bool> boolean();
[[nodiscard]] Typed<std::string> text();
[[nodiscard]] Typed<std::string> name();
[[nodiscard]] Typed<std::string> choice(const std::vector<std::string>& words);
[[nodiscard]] Typed<Vec2> vector2(Quantity quantity);
[[nodiscard]] Typed<Vec3> vector3(Quantity quantity, Range range = kAny, bool scalar_fills = false);
[[nodiscard]] Typed<Eigen::Matrix<Real, 4, 1>> vector4(Quantity quantity);
/// Three numbers, each of which may be .inf or -.inf: no bound.
[[nodiscard]] Typed<Vec3> bounds3(Quantity quantity);
/// Three whole numbers; one stands for all three.
[[nodiscard]] Typed<Vec3> counts3(Range range);
[[nodiscard]] Typed<Mat3> inertia();

/// One of some words, each standing for a value.
template <class E>
[[nodiscard]] Typed<E> choice(std::vector<std::pair<std::string, E>> words) {
  Type type{.kind = Type::Kind::choice};
  for (const auto& [word, value] : words) type.choices.push_back(word);
  type.choose = [words](void* target, std::size_t i) {
    *static_cast<E*>(target) = words[i].second;
  };
  return {std::make_shared<Type>(std::move(type))};
}

template <class V>
[[nodiscard]] Typed<std::vector<V>> list(Typed<V> item, std::size_t fewest = 0,
                                         std::size_t most = std::numeric_limits<std::size_t>::max(),
                                         bool single_stands_for_list = false) {
  Type type{.kind = Type::Kind::list};
  type.item = item.type;
  type.fewest = fewest;
  type.most = most;
  type.single_stands_for_list = single_stands_for_list;
  type.append = [](void* target) -> void* {
    return &static_cast<std::vector<V>*>(target)->emplace_back();
  };
  return {std::make_shared<Type>(std::move(type))};
}

/// An entry of a table: its name, where the name stands, its value.
template <class V>
struct Entry {
  std::string name;
  Place place;
  V value;
};

template <class V>
[[nodiscard]] Typed<std::vector<Entry<V>>> table(Typed<V> item, std::size_t most) {
  Type type{.kind = Type::Kind::table};
  type.item = item.type;
  type.most = most;
  type.insert = [](void* target, const Place& place, std::string_view key) -> void* {
    auto& entries = *static_cast<std::vector<Entry<V>>*>(target);
    return &entries.emplace_back(Entry<V>{std::string(key), place, {}}).value;
  };
  return {std::make_shared<Type>(std::move(type))};
}

/// What every struct that an object fills starts with: where it was written, and whether all of it
/// could be read.
struct Spec {
  Place place;
  bool is_sound = false;
  /// Whether the user gave the key (a default is not given).
  [[nodiscard]] bool has(std::string_view key) const {
    return place.node != nullptr && place.node->find(key) != nullptr;
  }
};

struct Presence {
  bool is_required = false;
  std::string default_text;
};
[[nodiscard]] inline Presence required() { return {true, ""}; }
[[nodiscard]] inline Presence optional() { return {false, ""}; }
/// Optional with a default, written as in a scene.
[[nodiscard]] inline Presence otherwise(std::string yaml) { return {false, std::move(yaml)}; }

/// Parses the YAML of a default once, when the schema is made.
[[nodiscard]] std::shared_ptr<const Document> parse_default(const std::string& yaml);

/// Describes how a T is written: `Object<BoxSpec>("box", "…").field(…).field(…)`.
template <std::derived_from<Spec> T>
class Object {
 public:
  Object(std::string title, std::string description) {
    type_.kind = Type::Kind::object;
    type_.title = std::move(title);
    type_.description = std::move(description);
    type_.finish = [](void* target, const Place& place, bool is_sound) {
      static_cast<T*>(target)->place = place;
      static_cast<T*>(target)->is_sound = is_sound;
    };
  }
  template <class C, class M, class V>
  requires std::derived_from<T, C> &&
      (std::same_as<M, V> ||
       std::same_as<M, std::optional<V>>)Object& field(std::string key, M C::*member, Typed<V> type,
                                                       Presence presence, std::string description) {
    Field made;
    made.key = std::move(key);
    made.type = type.type;
    made.is_required = presence.is_required;
    made.default_text = std::move(presence.default_text);
    if (!made.default_text.empty()) made.default_value = parse_default(made.default_text);
    made.description = std::move(description);
    made.slot = [member](void* target) -> void* {
      M& place = static_cast<T*>(target)->*member;
      if constexpr (std::same_as<M, V>)
        return &place;
      else
        return &place.emplace();
    };
    type_.fields.push_back(std::move(made));
    return *this;
  }
  Object& exactly_one(std::vector<std::string> keys) {
    return rule({Rule::Kind::exactly_one, std::move(keys), {}});
  }
  Object& at_most_one(std::vector<std::string> keys) {
    return rule({Rule::Kind::at_most_one, std::move(keys), {}});
  }
  Object& needs(std::string key, std::vector<std::string> one_of) {
    one_of.insert(one_of.begin(), std::move(key));
    return rule({Rule::Kind::needs, std::move(one_of), {}});
  }
  Object& option_of(std::string key, std::string selector, std::vector<std::string> values) {
    return rule({Rule::Kind::option_of, {std::move(key), std::move(selector)}, std::move(values)});
  }
  Object& shorthand(std::string key) {
    type_.shorthand = std::move(key);
    return *this;
  }
  [[nodiscard]] Typed<T> done() const { return {std::make_shared<Type>(type_)}; }

 private:
  Object& rule(Rule rule) {
    type_.rules.push_back(std::move(rule));
    return *this;
  }
  Type type_;
};

/// "a positive length [m]", "3 lengths [m]", "true or false": what a type allows, for messages.
[[nodiscard]] std::string expected_text(const Type& type);

}  // namespace talus::scene::detail
