#include <talus/json/json.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <talus/base/contract.hpp>

namespace talus {
namespace {

using Library = nlohmann::ordered_json;

Library to_library(const Json& value) {
  if (value.is_object()) {
    Library::object_t members;
    members.reserve(value.size());
    for (const auto& [key, member] : value.members()) members.emplace_back(key, to_library(member));
    return members;
  }
  if (value.is_array()) {
    Library::array_t items;
    items.reserve(value.size());
    for (const Json& item : value.items()) items.push_back(to_library(item));
    return items;
  }
  if (value.is_text()) return value.text();
  if (value.is_boolean()) return value.boolean();
  if (value.is_integer()) return value.integer();
  if (value.is_null()) return nullptr;
  return value.number();
}

Json from_library(const Library& value) {
  Json made;
  if (value.is_object()) {
    made = Json::object();
    for (const auto& [key, member] : value.items()) made[key] = from_library(member);
  } else if (value.is_array()) {
    made = Json::array();
    for (const Library& item : value) made.push_back(from_library(item));
  } else if (value.is_string()) {
    made = value.get_ref<const std::string&>();
  } else if (value.is_boolean()) {
    made = value.get<bool>();
  } else if (value.is_number_integer()) {
    made = value.get<std::int64_t>();
  } else if (value.is_number()) {
    made = value.get<Real>();
  }
  return made;
}

bool is_member(const Json& item) {
  return item.is_array() && item.size() == 2 && item.items().front().is_text();
}

}  // namespace

Json::Json() : Json(nullptr) {}
Json::Json(std::nullptr_t) : value_(nullptr) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const std::string& text) : value_(text) {}
Json::Json(std::initializer_list<Json> items) {
  if (!std::all_of(items.begin(), items.end(), is_member)) {
    value_ = Array(items);
    return;
  }
  for (const Json& item : items) (*this)[item.items()[0].text()] = item.items()[1];
  if (items.size() == 0) value_ = nullptr;
}
Json::~Json() = default;
// Not the variant's own copy: where that runs out of memory, libstdc++ 12 destroys an alternative
// that it has not made yet.
Json::Json(const Json& other) : Json(nullptr) { value_ = other.value_; }
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;

Json Json::array(std::initializer_list<Json> items) {
  Json made;
  made.value_ = Array(items);
  return made;
}
Json Json::object() {
  Json made;
  made.value_ = Object();
  return made;
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
bool Json::is_boolean() const { return std::holds_alternative<bool>(value_); }
bool Json::is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
bool Json::is_number() const { return is_integer() || std::holds_alternative<Real>(value_); }
bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }
bool Json::is_array() const { return std::holds_alternative<Array>(value_); }
bool Json::is_object() const { return std::holds_alternative<Object>(value_); }

bool Json::boolean() const { return std::get<bool>(value_); }
Index Json::integer() const { return std::get<std::int64_t>(value_); }
Real Json::number() const {
  return is_integer() ? static_cast<Real>(integer()) : std::get<Real>(value_);
}
const std::string& Json::text() const { return std::get<std::string>(value_); }
const Json::Array& Json::items() const { return std::get<Array>(value_); }
Json::Array& Json::items() { return std::get<Array>(value_); }
const Json::Object& Json::members() const { return std::get<Object>(value_); }
Json::Object& Json::members() { return std::get<Object>(value_); }

std::size_t Json::size() const {
  if (is_array()) return items().size();
  return is_object() ? members().size() : 0;
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, member] : members())
    if (name == key) return &member;
  return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* found = find(key);
  TALUS_DEMAND(found != nullptr);
  return *found;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  for (auto& [name, member] : members())
    if (name == key) return member;
  return members().emplace_back(key, Json()).second;
}

void Json::push_back(Json item) {
  if (is_null()) value_ = Array();
  items().push_back(std::move(item));
}

bool Json::operator==(const Json& other) const {
  if (is_number() && other.is_number() && is_integer() != other.is_integer())
    return number() == other.number();
  return value_ == other.value_;
}

std::string json_text(const Json& value, int indentation) {
  return to_library(value).dump(indentation, ' ', false, Library::error_handler_t::replace);
}

std::optional<Json> parse_json(std::string_view text) {
  const Library value = Library::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return from_library(value);
}

}  // namespace talus
