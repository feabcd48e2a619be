#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/base/types.hpp>
#include <talus/scene/scene.hpp>

namespace talus::reproduce::detail {

/// One mapping of the file: every key is asked for once, what is left over is a mistake.
class Reader {
 public:
  Reader(const YAML::Node& node, std::string file, std::string path)
      : node_(node), file_(std::move(file)), path_(std::move(path)) {
    if (!node_.IsMap()) fail(node_, "expected a mapping");
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& message,
                         const std::string& hint = "") const {
    throw InputError(
        Diagnostic{{file_, at.Mark().line + 1, at.Mark().column + 1}, path_, message, "", hint});
  }

  template <class T>
  T get(const std::string& key) {
    const YAML::Node value = node_[key];
    if (!value) fail(node_, "the key " + key + " is missing");
    return convert<T>(key, value);
  }
  template <class T>
  T get(const std::string& key, T otherwise) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    return value ? convert<T>(key, value) : otherwise;
  }
  /// Step sizes: one number or a list.
  std::vector<Real> numbers(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    if (!value) return {};
    if (value.IsSequence()) return convert<std::vector<Real>>(key, value);
    return {convert<Real>(key, value)};
  }
  /// The entries of a list of mappings; empty where the key is not there.
  std::vector<Reader> list(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    std::vector<Reader> entries;
    if (!value) return entries;
    if (!value.IsSequence()) fail(value, key + ": expected a list");
    for (std::size_t i = 0; i < value.size(); ++i)
      entries.emplace_back(value[i], file_, fmt::format("{}[{}]", key, i));
    return entries;
  }
  /// The entries of a mapping of mappings.
  std::vector<std::pair<std::string, Reader>> table(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    std::vector<std::pair<std::string, Reader>> entries;
    if (!value) return entries;
    if (!value.IsMap()) fail(value, key + ": expected a mapping");
    for (const auto& entry : value)
      entries.emplace_back(entry.first.as<std::string>(),
                           Reader(entry.second, file_, key + "." + entry.first.as<std::string>()));
    return entries;
  }
  /// A mapping that may be left out.
  std::optional<Reader> mapping(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    if (!value) return std::nullopt;
    return Reader(value, file_, path_.empty() ? key : path_ + "." + key);
  }
  [[nodiscard]] bool has(const std::string& key) const { return static_cast<bool>(node_[key]); }
  /// The key `set`: a mapping from paths in the scene to what is put there.
  std::vector<scene::Setting> settings() {
    const YAML::Node values = get<YAML::Node>("set", YAML::Node(YAML::NodeType::Map));
    if (!values.IsMap()) fail(values, "set: expected a mapping from paths to values");
    std::vector<scene::Setting> settings;
    for (const auto& entry : values)
      settings.push_back({entry.first.as<std::string>(), YAML::Dump(entry.second)});
    return settings;
  }
  void finish() const {
    for (const auto& entry : node_) {
      const auto key = entry.first.as<std::string>();
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        fail(entry.first, "unknown key " + key);
    }
  }
  [[nodiscard]] const YAML::Node& node() const { return node_; }

 private:
  template <class T>
  T convert(const std::string& key, const YAML::Node& value) {
    known_.push_back(key);
    try {
      return value.as<T>();
    } catch (const YAML::Exception& error) {
      fail(value, key + ": " + error.msg);
    }
  }

  YAML::Node node_;
  std::string file_, path_;
  std::vector<std::string> known_;
};

}  // namespace talus::reproduce::detail
