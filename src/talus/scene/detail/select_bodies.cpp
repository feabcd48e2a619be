#include <talus/scene/detail/select_bodies.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <talus/base/text.hpp>

namespace talus::scene::detail {

std::vector<Index> all_dynamic(const model::Model& model) {
  std::vector<Index> bodies;
  for (Index i = 0; i < model.body_count(); ++i)
    if (model.bodies[i].kind == model::BodyKind::dynamic) bodies.push_back(i);
  return bodies;
}

std::vector<Index> select_bodies(const model::Model& model, const std::vector<std::string>& names,
                                 const Place& place, const char* because, Problems& problems) {
  std::vector<Index> bodies;
  for (const std::string& name : names) {
    const auto group =
        std::find_if(model.groups.begin(), model.groups.end(),
                     [&](const model::BodyGroup& known) { return known.name == name; });
    if (group == model.groups.end()) {
      std::vector<std::string_view> known;
      for (const model::BodyGroup& one : model.groups) known.push_back(one.name);
      const std::string nearest = nearest_word(name, known);
      problems.add(place, fmt::format("there is no body or set \"{}\"", name),
                   nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
      continue;
    }
    for (Index i = group->first; i < group->first + group->count; ++i) {
      if (model.bodies[i].kind == model::BodyKind::dynamic) {
        bodies.push_back(i);
      } else {
        problems.add(place, fmt::format("\"{}\" is not dynamic: {}", name, because));
        break;
      }
    }
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace talus::scene::detail
