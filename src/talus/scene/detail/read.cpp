#include <talus/scene/detail/read.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <talus/base/text.hpp>
#include <talus/scene/detail/other_words.hpp>

namespace talus::scene::detail {
namespace {

/// Restores the path when a value has been read.
class Step {
 public:
  Step(std::string& path, const std::string& more) : path_(path), length_(path.size()) {
    path_ += more;
  }
  ~Step() { path_.resize(length_); }
  Step(const Step&) = delete;
  Step(Step&&) = delete;
  Step& operator=(const Step&) = delete;
  Step& operator=(Step&&) = delete;

 private:
  std::string& path_;
  std::size_t length_;
};

std::string key_step(const std::string& path, std::string_view key) {
  return fmt::format("{}{}", path.empty() ? "" : " › ", key);
}

/// `[2] "crate"`
std::string item_step(std::size_t index, const Node& item) {
  const Node* title = item.find("name");
  if (title == nullptr || title->kind != Node::Kind::scalar || title->text.size() > 60)
    return fmt::format("[{}]", index);
  return fmt::format("[{}] \"{}\"", index, title->text);
}

std::vector<std::string_view> words_of(const Type& type) {
  return {type.choices.begin(), type.choices.end()};
}

std::string quoted_list(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == words.size() ? last : ", ", words[i]);
  return text;
}

const std::string kDefaults = "write {} for the defaults";

/// What to write where an object was left empty.
std::string what_to_write(const Type& type) {
  for (const Rule& rule : type.rules)
    if (rule.kind == Rule::Kind::exactly_one && type.dimension_of(rule) == 0)
      return "give one of the keys " + quoted_list(rule.keys, " or ");
  std::string required;
  for (const Field& field : type.fields)
    if (field.is_required) append(required, "{}{}: …", required.empty() ? "" : ", ", field.key);
  return required.empty() ? kDefaults : fmt::format("write {{{}}}: what is required", required);
}

/// What to write in place of a node that is no mapping: of a key alone, the key with a value.
std::string instead_of(const Type& type, const Node& node) {
  if (node.kind == Node::Kind::null) return what_to_write(type);
  const Field* key = node.kind == Node::Kind::scalar ? type.find(node.text) : nullptr;
  if (key == nullptr) return "";
  const bool has_defaults =
      key->type->kind == Type::Kind::object && what_to_write(*key->type) == kDefaults;
  return fmt::format("write {{{}: {}}}", key->key, has_defaults ? "{}" : "…");
}

bool is_name_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '[' && c != ']' && c != '/' && c != '"';
}

}  // namespace

void Reader::problem(const Node& node, std::string message, std::string hint) {
  problems_.add(place(node), std::move(message), std::move(hint));
}

void Reader::wrong(const Type& type, const Node& node, std::string hint) {
  problem(node, fmt::format("expected {}, got {}", expected_text(type, dimension_), describe(node)),
          std::move(hint));
}

void Reader::read(const Type& type, const Node& node, void* target) {
  switch (type.kind) {
    case Type::Kind::number:
      return read_number(type, node, *static_cast<Real*>(target));
    case Type::Kind::integer:
      return read_integer(type, node, *static_cast<Index*>(target));
    case Type::Kind::boolean:
      return read_boolean(type, node, *static_cast<bool*>(target));
    case Type::Kind::text:
    case Type::Kind::name:
      return read_text(type, node, *static_cast<std::string*>(target));
    case Type::Kind::choice:
      return read_choice(type, node, target);
    case Type::Kind::vector:
      return read_vector(type, node, type.numbers(target));
    case Type::Kind::inertia:
      return read_inertia(type, node, *static_cast<Mat3*>(target));
    case Type::Kind::list:
      return read_list(type, node, target);
    case Type::Kind::table:
      return read_table(type, node, target);
    case Type::Kind::object:
      return read_object(type, node, target);
  }
}

void Reader::read_number(const Type& type, const Node& node, Real& target) {
  if (node.kind != Node::Kind::scalar) return wrong(type, node);
  const ParsedNumber parsed = parse_number(node.text);
  if (type.may_be_infinite && parsed.status == ParsedNumber::Status::not_finite) {
    if (!std::isinf(parsed.value)) return wrong(type, node, "write .inf or -.inf for no bound");
    target = parsed.value;
    return;
  }
  const std::string mistake = scene::mistake_in(parsed, node.text, type.quantity);
  if (!mistake.empty()) return wrong(type, node, mistake);
  const bool is_whole_enough = !type.is_whole || parsed.value == std::floor(parsed.value);
  if (!type.range.contains(parsed.value) || !is_whole_enough) return wrong(type, node);
  target = parsed.value;
}

void Reader::read_integer(const Type& type, const Node& node, Index& target) {
  if (node.kind != Node::Kind::scalar) return wrong(type, node);
  const ParsedNumber parsed = parse_number(node.text);
  if (parsed.status != ParsedNumber::Status::ok || parsed.has_unit ||
      parsed.value != std::floor(parsed.value))
    return wrong(type, node);
  constexpr Real kLargestExact = 9007199254740992.0;  // 2⁵³
  if (!type.range.contains(parsed.value) || std::abs(parsed.value) > kLargestExact)
    return wrong(type, node);
  const auto value = static_cast<Index>(parsed.value);
  if (value % type.range.multiple_of != 0) return wrong(type, node);
  target = value;
}

void Reader::read_boolean(const Type& type, const Node& node, bool& target) {
  if (node.kind == Node::Kind::scalar && (node.text == "true" || node.text == "false"))
    target = node.text == "true";
  else
    wrong(type, node);
}

void Reader::read_text(const Type& type, const Node& node, std::string& target) {
  if (node.kind != Node::Kind::scalar) return wrong(type, node);
  if (type.kind == Type::Kind::name) {
    constexpr std::size_t kLongestName = 200;
    if (node.text.empty() || node.text.size() > kLongestName ||
        !std::all_of(node.text.begin(), node.text.end(), is_name_byte))
      return wrong(type, node, "a name has 1 to 200 characters, none of them [ ] / or \"");
  }
  target = node.text;
}

void Reader::read_choice(const Type& type, const Node& node, void* target) {
  if (node.kind != Node::Kind::scalar) return wrong(type, node);
  const auto found = std::find(type.choices.begin(), type.choices.end(), node.text);
  if (found == type.choices.end())
    return wrong(type, node, meant_by(node.text, words_of(type)).hint);
  if (type.choose == nullptr)
    *static_cast<std::string*>(target) = *found;
  else
    type.choose(target, type.values[found - type.choices.begin()]);
}

void Reader::read_vector(const Type& type, const Node& node, Real* target) {
  Type component = type;
  component.kind = Type::Kind::number;
  // What the plane leaves open: 0 where that is allowed, one in counts and sizes.
  const Real across = type.range.contains(0) ? 0 : 1;
  if (node.kind == Node::Kind::scalar && may_be_turn(type, dimension_)) {
    target[0] = target[1] = 0;
    return read_number(component, node, target[2]);
  }
  if (type.scalar_fills && node.kind == Node::Kind::scalar) {
    read_number(component, node, target[0]);
    std::fill(target + 1, target + type.length, target[0]);
    if (type.is_whole && may_be_planar(type, dimension_)) target[2] = across;
    return;
  }
  Index length = length_of(type, dimension_);
  if (node.kind == Node::Kind::list && node.children.size() == 2 &&
      may_be_planar(type, dimension_)) {
    length = 2;
    target[2] = across;
  }
  if (node.kind != Node::Kind::list || static_cast<Index>(node.children.size()) != length)
    return wrong(type, node);
  for (Index i = 0; i < length; ++i) {
    const Step step(path_, fmt::format("[{}]", i));
    read_number(component, *node.children[i], target[i]);
  }
}

void Reader::read_inertia(const Type& type, const Node& node, Mat3& target) {
  if (node.kind == Node::Kind::scalar) {
    Type moment = type;
    moment.kind = Type::Kind::number;
    moment.range = kPositive;
    Real value = 1;
    read_number(moment, node, value);
    target = value * Mat3::Identity();
    return;
  }
  if (node.kind != Node::Kind::list || node.children.size() != 3) return wrong(type, node);
  const bool is_matrix = node.children[0]->kind == Node::Kind::list;
  if (is_matrix && !std::all_of(node.children.begin(), node.children.end(), [](const Node* row) {
        return row->kind == Node::Kind::list && row->children.size() == 3;
      }))
    return wrong(type, node);
  Type component = type;
  component.kind = Type::Kind::number;
  Mat3 value = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Node& row = *node.children[i];
    const Step step(path_, fmt::format("[{}]", i));
    if (!is_matrix) {
      read_number(component, row, value(i, i));
      continue;
    }
    for (int j = 0; j < 3; ++j) {
      const Step column(path_, fmt::format("[{}]", j));
      read_number(component, *row.children[j], value(i, j));
    }
  }
  target = value;
}

void Reader::read_list(const Type& type, const Node& node, void* target) {
  if (type.single_stands_for_list && node.kind == Node::Kind::scalar)
    return read(*type.item, node, type.append(target));
  if (node.kind != Node::Kind::list) return wrong(type, node);
  if (node.children.size() < type.fewest || node.children.size() > type.most)
    return problem(node,
                   type.fewest == type.most
                       ? fmt::format("expected {} items, got {}", type.most, node.children.size())
                       : fmt::format("expected {} to {} items, got {}", type.fewest, type.most,
                                     node.children.size()));
  for (std::size_t i = 0; i < node.children.size() && !problems_.full(); ++i) {
    const Step step(path_, item_step(i, *node.children[i]));
    read(*type.item, *node.children[i], type.append(target));
  }
}

void Reader::read_table(const Type& type, const Node& node, void* target) {
  if (node.kind != Node::Kind::map) return wrong(type, node);
  if (node.children.size() / 2 > type.most)
    return problem(node, fmt::format("expected at most {} entries, got {}", type.most,
                                     node.children.size() / 2));
  static const Typed<std::string> key_type = name();
  for (std::size_t i = 0; i + 1 < node.children.size() && !problems_.full(); i += 2) {
    const Node& key = *node.children[i];
    const Step step(path_, key_step(path_, key.text));
    std::string key_text;
    read_text(*key_type.type, key, key_text);
    read(*type.item, *node.children[i + 1], type.insert(target, place(key), key_text));
  }
}

void Reader::read_object(const Type& type, const Node& node, void* target) {
  const std::size_t mistakes_before = problems_.count();
  read_fields(type, node, target);
  Spec& spec = type.spec(target);
  spec.place = place(node);
  spec.is_sound = problems_.count() == mistakes_before;
}

void Reader::read_fields(const Type& type, const Node& node, void* target) {
  std::vector<bool> is_given(type.fields.size(), false);
  std::vector<std::string> meant;  // what misspelt keys were probably meant to be
  const Field* bare = type.shorthand.empty() ? nullptr : type.find(type.shorthand);
  if (bare != nullptr && !bare->is_of(dimension_)) bare = nullptr;
  const bool is_shorthand =
      bare != nullptr &&
      (node.kind == Node::Kind::scalar ||
       (node.kind == Node::Kind::list && bare->type->kind == Type::Kind::vector));
  if (node.kind == Node::Kind::map) {
    for (std::size_t i = 0; i + 1 < node.children.size() && !problems_.full(); i += 2) {
      const Node& key = *node.children[i];
      const Field* field = type.find(key.text);
      if (field == nullptr) {
        std::vector<std::string_view> keys;
        std::string allowed;
        for (const Field& known : type.fields) {
          if (!known.is_of(dimension_)) continue;
          keys.push_back(known.key);
          allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", known.key);
        }
        const Meant word = meant_by(key.text, keys);
        meant.push_back(word.word);
        problem(key, fmt::format("unknown key {}; allowed: {}", describe(key), allowed), word.hint);
        continue;
      }
      is_given[field - type.fields.data()] = true;
      if (field->is_of(dimension_)) {
        read_field(*field, *node.children[i + 1], target);
        continue;
      }
      const Meant there = counterpart(key.text, dimension_);
      if (!there.word.empty()) meant.push_back(there.word);
      problem(key,
              fmt::format("{} is of {}", key.text,
                          dimension_ == 3 ? "planar scenes" : "scenes in space"),
              !there.hint.empty() ? there.hint
              : dimension_ == 3   ? "write dimension: 2 at the top of the scene, or remove it"
                                  : "remove dimension: 2 at the top of the scene, or this key");
    }
    check_rules(type, node, meant);
  } else if (is_shorthand) {
    is_given[bare - type.fields.data()] = true;
    read(*bare->type, node, bare->slot.of(target));
  } else {
    return wrong(type, node, instead_of(type, node));
  }
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const Field& field = type.fields[i];
    if (is_given[i] || !field.is_of(dimension_)) continue;
    const bool is_misspelt = std::find(meant.begin(), meant.end(), field.key) != meant.end();
    if (field.is_required && !is_misspelt)
      problem(node, fmt::format("the key \"{}\" is missing: expected {}", field.key,
                                expected_text(*field.type, dimension_)));
    else if (field.default_value != nullptr)
      read_field(field, *field.default_value->root, target);
  }
}

void Reader::read_field(const Field& field, const Node& node, void* object) {
  const Step step(path_, key_step(path_, field.key));
  read(*field.type, node, field.slot.of(object));
}

void Reader::check_rules(const Type& type, const Node& map, const std::vector<std::string>& meant) {
  const auto is_meant = [&](const std::string& key) {
    return std::find(meant.begin(), meant.end(), key) != meant.end();
  };
  for (const Rule& rule : type.rules) {
    std::vector<std::string> possible, given;  // in a scene of this dimension
    bool is_any_given = false;
    for (const std::string& key : rule.keys) {
      const bool is_given = map.find(key) != nullptr;
      is_any_given = is_any_given || is_given;
      if (!type.find(key)->is_of(dimension_)) continue;
      possible.push_back(key);
      if (is_given) given.push_back(key);
    }
    const auto key_of = [&](const std::string& key) -> const Node& {
      for (std::size_t i = 0; i + 1 < map.children.size(); i += 2)
        if (map.children[i]->text == key) return *map.children[i];
      return map;
    };
    switch (rule.kind) {
      case Rule::Kind::exactly_one:
        if (!is_any_given && possible.size() == 1 && !is_meant(possible[0]))
          problem(map, fmt::format("the key \"{}\" is missing: expected {}", possible[0],
                                   expected_text(*type.find(possible[0])->type, dimension_)));
        else if (!is_any_given && !possible.empty() &&
                 std::none_of(rule.keys.begin(), rule.keys.end(), is_meant))
          problem(map, fmt::format("one of the keys {} is missing", quoted_list(possible, " or ")));
        [[fallthrough]];
      case Rule::Kind::at_most_one:
        if (given.size() > 1)
          problem(key_of(given[1]), fmt::format("{} contradict each other: give only one of them",
                                                quoted_list(given, " and ")));
        break;
      case Rule::Kind::needs:
        if (given.size() == 1 && given[0] == rule.keys[0] && possible.size() > 1)
          problem(key_of(given[0]),
                  fmt::format("{} can only stand together with {}", given[0],
                              quoted_list({rule.keys.begin() + 1, rule.keys.end()}, " or ")));
        break;
      case Rule::Kind::option_of: {
        if (given.empty() || given[0] != rule.keys[0]) break;
        const Node* selector = map.find(rule.keys[1]);
        const Field& field = *type.find(rule.keys[1]);
        const std::string chosen = selector != nullptr ? selector->text : field.default_text;
        const bool is_known = std::find(field.type->choices.begin(), field.type->choices.end(),
                                        chosen) != field.type->choices.end();
        if (is_known &&
            std::find(rule.values.begin(), rule.values.end(), chosen) == rule.values.end())
          problem(key_of(given[0]), fmt::format("{} is an option of {}, not of {}", given[0],
                                                quoted_list(rule.values, " and "), chosen));
        break;
      }
    }
  }
}

std::string mistake_in(const Type& type, Real value) {
  if (std::isfinite(value) && type.range.contains(value))
    return mistake_in_size(value, type.quantity);
  return fmt::format("expected {}, got {}", expected_text(type), value);
}

std::string mistake_in(const Type& type, const std::string& word) {
  if (std::find(type.choices.begin(), type.choices.end(), word) != type.choices.end()) return "";
  const std::string hint = meant_by(word, words_of(type)).hint;
  return fmt::format("expected {}, got \"{}\"{}", expected_text(type), word,
                     hint.empty() ? "" : "; " + hint);
}

}  // namespace talus::scene::detail
