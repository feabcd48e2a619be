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

/// A JSON value. Objects keep the order in which keys were added. (A type of our own, because
/// nlohmann's costs seconds in every file that includes it; json.cpp writes and reads with it.)
///
/// A braced list whose items are all pairs of a text and a value is an object, any other one an
/// array: `{{"name", "crate"}, {"position", {0, 0, 1}}}`; `Json::array` where that would be
/// mistaken, and for an array of one value x: `{x}` is an array to g++, a copy to clang.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json();  ///< null
  Json(std::nullptr_t);
  Json(const char* text);
  Json(std::string_view text);
  Json(const std::string& text);
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T number)  ///< below 2⁶³
      : value_(static_cast<std::int64_t>(number)) {}
  template <std::floating_point T>
  Json(T number) : value_(static_cast<Real>(number)) {}
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
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] bool is_number() const;  ///< an integer too
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;

  /// The value as what it is.
  /// @throws std::bad_variant_access if it is something else.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] Index integer() const;
  [[nodiscard]] Real number() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Array& items() const;
  [[nodiscard]] Array& items();
  [[nodiscard]] const Object& members() const;
  [[nodiscard]] Object& members();

  /// Items of an array or members of an object; otherwise 0.
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
  std::variant<std::nullptr_t, bool, std::int64_t, Real, std::string, Array, Object> value_;
};

/// A value as text, in one line or, with an indentation ≥ 0, in many. Numbers are written with as
/// many digits as tell them apart, infinite ones and NaN as null; bytes that are not UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_text(const Json& value, int indentation = -1);

/// The value of a text, or nothing if the text is not JSON.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

}  // namespace talus
