#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <talus/base/types.hpp>

namespace talus {

/// A JSON value. Objects keep the order in which keys were added.
///
/// A braced list whose items are all pairs of a text and a value is an object, any other one an
/// array: `{{"name", "crate"}, {"position", {0, 0, 1}}}`; `Json::array` where that would be
/// mistaken. So `Json{x}` is an array of one item: copies are written with = or ().
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json();  ///< null
  Json(std::nullptr_t);
  Json(const char* text);
  Json(std::string_view text);
  Json(const std::string& text);
  template <std::integral T>
  Json(T number) : Json(std::in_place, number) {}
  template <std::floating_point T>
  Json(T number) : Json(std::in_place, static_cast<Real>(number)) {}
  template <class T>
  Json(const std::vector<T>& items) : Json(array()) {
    for (const T& item : items) push_back(Json(item));
  }
  Json(std::initializer_list<Json> items);
  ~Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;

  [[nodiscard]] static Json array(std::initializer_list<Json> items = {});
  [[nodiscard]] static Json object();

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;

  /// The value as what it must be; integers are numbers too.
  /// @throws std::bad_variant_access if it is something else.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] Index integer() const;
  [[nodiscard]] Real number() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Array& items() const;    ///< of an array; of null none
  [[nodiscard]] const Object& members() const;  ///< of an object; of null none
  [[nodiscard]] Object& members();

  /// Items or members.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  /// The value of a key, null if the object does not have it; O(members).
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The value of a key, which the object has.
  [[nodiscard]] const Json& operator[](std::string_view key) const;
  /// The value of a key, which is added; null becomes an object.
  [[nodiscard]] Json& operator[](std::string_view key);

  /// Adds an item; null becomes an array.
  void push_back(Json item);

  /// Equal values; of objects also in equal order.
  [[nodiscard]] bool operator==(const Json& other) const;

 private:
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, Real, std::string, Array, Object>;

  Json(std::in_place_t, bool value);
  Json(std::in_place_t, Real value);
  template <class T>
  Json(std::in_place_t, T value) : Json(std::in_place_type<std::int64_t>, static_cast<std::int64_t>(value)) {}
  Json(std::in_place_type_t<std::int64_t>, std::int64_t value);

  Value value_;
};

/// A value as text, in one line or, with an indentation ≥ 0, in many. Numbers are written with as
/// many digits as tell them apart, infinite ones and NaN as null; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const Json& value, int indentation = -1);

/// The value of a text, or nothing if the text is not JSON.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

}  // namespace talus
