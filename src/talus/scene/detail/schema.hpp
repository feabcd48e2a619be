#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/scene/detail/document.hpp>
#include <talus/scene/quantity.hpp>

// A schema is data: a tree of types and fields. The reader (read.hpp), the JSON schema and the
// reference page are three walks over it; none of them names a key. The templates below
// only check types and forget them: the work is done by functions that are compiled once.

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
struct Spec;

/// A member of an object, its types forgotten: a pointer to member, and the function that takes it.
class Slot {
 public:
  template <class T, class M>
  explicit Slot(M T::*member)
      : member_(std::bit_cast<std::ptrdiff_t>(member)), find_(&find<T, M>) {}

  /// From the object to the member; of an optional one to its value, which is made.
  [[nodiscard]] void* of(void* object) const { return find_(object, member_); }

 private:
  template <class T, class M>
  static void* find(void* object, std::ptrdiff_t member) {
    return value_of(static_cast<T*>(object)->*std::bit_cast<M T::*>(member));
  }
  template <class V>
  static void* value_of(V& member) {
    return &member;
  }
  template <class V>
  static void* value_of(std::optional<V>& member) {
    return &member.emplace();
  }

  std::ptrdiff_t member_;
  void* (*find_)(void* object, std::ptrdiff_t member);
};

/// One key of an object.
struct Field {
  std::string key;
  const Type* type;
  Slot slot;
  bool is_required = false;
  std::string default_text;  ///< YAML; empty: the key stays unset
  std::shared_ptr<const Document> default_value;
  int dimension = 0;        ///< of the scenes that may have it, 2 or 3; 0: of both
  std::string description;  ///< one sentence

  [[nodiscard]] bool is_of(int scene) const { return dimension == 0 || dimension == scene; }
  /// The description, with the scenes that may have it.
  [[nodiscard]] std::string full_description() const;
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

/// What a value may be, and where to put it. Lives until the program ends.
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

  Quantity quantity = Quantity::ratio;  // number, vector, inertia
  Range range{};                        // number, integer, vector: of each component
  Index length = 0;                     // vector
  bool is_of_space = false;             // vector: of the scene's dimension, `length` at most
  bool is_whole = false;                // vector: of whole numbers
  bool may_be_infinite = false;         // vector: .inf and -.inf are numbers too
  bool scalar_fills = false;            // vector: one number stands for all components
  Real* (*numbers)(void* vector) = nullptr;

  std::vector<std::string> choices{};                 // choice
  std::vector<int> values{};                          // choice: what the words stand for
  void (*choose)(void* target, int value) = nullptr;  // choice; null where it is the word itself

  const Type* item = nullptr;  // list, table
  bool single_stands_for_list = false;
  std::size_t fewest = 0;                                      // list: items
  std::size_t most = std::numeric_limits<std::size_t>::max();  // list, table: items
  void* (*append)(void* list) = nullptr;
  void* (*insert)(void* table, const Place&, std::string_view name) = nullptr;

  std::string title{};        // object: what it is called in the reference
  std::string description{};  // object
  std::vector<Field> fields{};
  std::vector<Rule> rules{};
  std::string shorthand{};  // object: a bare value stands for this key
  Spec& (*spec)(void* object) = nullptr;

  [[nodiscard]] const Field* find(std::string_view key) const;
  /// The dimension of the only scenes in which a rule can be broken; 0: both.
  [[nodiscard]] int dimension_of(const Rule& rule) const;
};

/// A type that fills a V: lets the compiler check the schema against the structs it fills.
template <class V>
struct Typed {
  const Type* type;
};

/// A type of a kind, to be filled.
[[nodiscard]] Type& new_type(Type::Kind kind);

[[nodiscard]] Typed<Real> number(Quantity quantity, const Range& range = kAny);
[[nodiscard]] Typed<Index> integer(const Range& range);
[[nodiscard]] Typed<bool> boolean();
[[nodiscard]] Typed<std::string> text();
[[nodiscard]] Typed<std::string> name();
[[nodiscard]] Typed<std::string> choice(const std::vector<std::string_view>& words);
[[nodiscard]] Typed<Vec2> vector2(Quantity quantity);
/// As many numbers as the scene has dimensions; in the plane the third one is 0.
[[nodiscard]] Typed<Vec3> spatial_vector(Quantity quantity);
[[nodiscard]] Typed<Vec3> vector3(Quantity quantity, const Range& range = kAny,
                                  bool scalar_fills = false);
[[nodiscard]] Typed<Eigen::Matrix<Real, 4, 1>> vector4(Quantity quantity);
/// Three numbers, each of which may be .inf or -.inf: no bound.
[[nodiscard]] Typed<Vec3> bounds3(Quantity quantity);
/// The same of two.
[[nodiscard]] Typed<Vec2> bounds2(Quantity quantity);
/// Three whole numbers; one stands for all three.
[[nodiscard]] Typed<Vec3> counts3(const Range& range);
[[nodiscard]] Typed<Mat3> inertia();

/// One of some words, each standing for a value.
template <class E>
[[nodiscard]] Typed<E> choice(const std::vector<std::pair<std::string_view, E>>& words) {
  Type& type = new_type(Type::Kind::choice);
  for (const auto& [word, value] : words) {
    type.choices.emplace_back(word);
    type.values.push_back(static_cast<int>(value));
  }
  type.choose = [](void* target, int value) { *static_cast<E*>(target) = static_cast<E>(value); };
  return {&type};
}

[[nodiscard]] Type& list_type(const Type& item, std::size_t fewest, std::size_t most,
                              bool single_stands_for_list);

template <class V>
[[nodiscard]] Typed<std::vector<V>> list(Typed<V> item, std::size_t fewest = 0,
                                         std::size_t most = std::numeric_limits<std::size_t>::max(),
                                         bool single_stands_for_list = false) {
  Type& type = list_type(*item.type, fewest, most, single_stands_for_list);
  type.append = [](void* target) -> void* {
    return &static_cast<std::vector<V>*>(target)->emplace_back();
  };
  return {&type};
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
  Type& type = new_type(Type::Kind::table);
  type.item = item.type;
  type.most = most;
  type.insert = [](void* target, const Place& place, std::string_view key) -> void* {
    auto& entries = *static_cast<std::vector<Entry<V>>*>(target);
    return &entries.emplace_back(Entry<V>{std::string(key), place, {}}).value;
  };
  return {&type};
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

/// Whether a key must be given. The text is read when the field is made, not later.
struct Presence {
  bool is_required = false;
  std::string_view default_text;
  int dimension = 0;  ///< Field::dimension
};
[[nodiscard]] constexpr Presence required() { return {true, ""}; }
[[nodiscard]] constexpr Presence optional() { return {false, ""}; }
/// Optional with a default, written as in a scene.
[[nodiscard]] constexpr Presence with_default(std::string_view yaml) { return {false, yaml}; }
/// In planar scenes only.
[[nodiscard]] constexpr Presence in_plane(Presence presence) {
  presence.dimension = 2;
  return presence;
}
/// In scenes in space only.
[[nodiscard]] constexpr Presence in_space(Presence presence) {
  presence.dimension = 3;
  return presence;
}

using Words = std::initializer_list<std::string_view>;

/// What the table of an object consists of, whatever the struct that it fills.
class ObjectType {
 protected:
  ObjectType(std::string_view title, std::string_view description, Spec& (*spec)(void*));
  void add_field(std::string_view key, Slot slot, const Type& type, Presence presence,
                 std::string_view description);
  void add_rule(Rule::Kind kind, Words keys, Words more_keys, Words values);
  Type* type_;  ///< copies of an object write to the same type
};

/// Describes how a T is written: `Object<BoxSpec>("box", "…").field(…).field(…)`.
template <std::derived_from<Spec> T>
class Object : private ObjectType {
 public:
  Object(std::string_view title, std::string_view description)
      : ObjectType(title, description,
                   [](void* object) -> Spec& { return *static_cast<T*>(object); }) {}

  template <class C, class M, class V>
  requires std::derived_from<T, C> &&(std::same_as<M, V> || std::same_as<M, std::optional<V>>)
      Object& field(std::string_view key, M C::*member, Typed<V> type, Presence presence,
                    std::string_view description) {
    M T::*member_of_T = member;
    add_field(key, Slot(member_of_T), *type.type, presence, description);
    return *this;
  }
  Object& exactly_one(Words keys) { return rule(Rule::Kind::exactly_one, keys); }
  Object& at_most_one(Words keys) { return rule(Rule::Kind::at_most_one, keys); }
  Object& needs(std::string_view key, Words one_of) {
    return rule(Rule::Kind::needs, {key}, one_of);
  }
  Object& option_of(std::string_view key, std::string_view selector, Words values) {
    return rule(Rule::Kind::option_of, {key, selector}, {}, values);
  }
  Object& shorthand(std::string_view key) {
    type_->shorthand = key;
    return *this;
  }
  [[nodiscard]] Typed<T> done() const { return {type_}; }

 private:
  Object& rule(Rule::Kind kind, Words keys, Words more_keys = {}, Words values = {}) {
    add_rule(kind, keys, more_keys, values);
    return *this;
  }
};

/// How many numbers a vector has in a scene of a dimension.
[[nodiscard]] constexpr Index length_of(const Type& vector, int dimension) {
  return vector.is_of_space ? dimension : vector.length;
}
/// Whether two numbers do for a vector in a scene of a dimension: of three, in the plane.
[[nodiscard]] constexpr bool may_be_planar(const Type& vector, int dimension) {
  return dimension == 2 && vector.length == 3;
}
/// Whether one number does there: an angular velocity, about z.
[[nodiscard]] constexpr bool may_be_turn(const Type& vector, int dimension) {
  return may_be_planar(vector, dimension) && vector.quantity == Quantity::angular_velocity;
}

/// "a positive length [m]", "3 lengths [m]", "true or false": what a type allows, for messages.
/// @param dimension of the scene; 0: of any.
[[nodiscard]] std::string expected_text(const Type& type, int dimension = 0);

}  // namespace talus::scene::detail
