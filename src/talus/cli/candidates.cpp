#include <talus/cli/candidates.hpp>

#include <filesystem>
#include <optional>
#include <set>

#include <talus/driver/solve.hpp>
#include <talus/record/distribution.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::cli {
namespace {

using Words = std::vector<std::string>;

/// What is found in the first record among the words; nothing without one.
Candidates in_record(
    std::function<Words(const record::RecordReader& reader, const std::string& last)> find) {
  return [find = std::move(find)](const Words& words) -> Words {
    std::error_code ignored;
    for (const std::string& word : words)
      if (word.ends_with(".h5") && std::filesystem::is_regular_file(word, ignored)) try {
          return find(record::RecordReader(word), words.back());
        } catch (const InputError&) {
          return {};  // a shell waits for words, not for messages
        }
    return {};
  };
}

}  // namespace

Candidates series_candidates() {
  return in_record([](const record::RecordReader& reader, const std::string& last) {
    Words found;
    if (!last.starts_with("body.")) {
      for (const record::SeriesName& series : record::series_names(reader))
        found.push_back(series.name);
      for (const record::SeriesName& series : record::distribution_names())
        found.push_back(series.name);
      found.emplace_back("body.");
      return found;
    }
    for (const std::string& name : reader.body_names()) {
      const std::string body = "body." + name + '.';
      if (!body.starts_with(last) && !last.starts_with(body)) continue;
      for (const record::SeriesName& series : record::body_series_names())
        found.push_back(body + series.name);
    }
    return found;
  });
}

Candidates dataset_candidates() {
  return in_record([](const record::RecordReader& reader, const std::string&) {
    std::set<std::string> names;
    for (const std::string& path : reader.datasets()) {
      names.insert(path);
      names.insert(path.substr(0, path.find('/')));
      const std::string second = record::second_series_name(path);
      if (!second.empty()) names.insert(second);
    }
    return Words(names.begin(), names.end());
  });
}

Candidates body_candidates() {
  return in_record(
      [](const record::RecordReader& reader, const std::string&) { return reader.body_names(); });
}

Candidates probe_candidates() {
  return in_record([](const record::RecordReader& reader, const std::string&) {
    std::set<std::string> names;
    for (const std::string& path : reader.datasets())
      if (path.starts_with("probes/")) names.insert(path.substr(7, path.rfind('/') - 7));
    return Words(names.begin(), names.end());
  });
}

Candidates scheme_candidates() {
  const auto names = stepping::scheme_names();
  return candidates({names.begin(), names.end()});
}

Candidates solver_candidates() {
  const auto names = driver::friction_contact_solver_names();
  return candidates({names.begin(), names.end()});
}

Candidates candidates(Words words) {
  return [words = std::move(words)](const Words&) { return words; };
}

}  // namespace talus::cli
