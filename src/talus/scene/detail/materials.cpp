#include <talus/scene/detail/materials.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <talus/base/text.hpp>
#include <talus/scene/detail/colour.hpp>
#include <talus/scene/detail/shape_maker.hpp>
#include <talus/scene/detail/surfaces.hpp>

namespace talus::scene::detail {
namespace {

constexpr const char* kDefault = "default";

std::string line_of(const Place& place) {
  return fmt::format("{}:{}", place.document->path.string(), place.node->line);
}

}  // namespace

MaterialTable::MaterialTable(const std::vector<const FragmentSpec*>& fragments, model::Model& model,
                             Problems& problems)
    : model_(model), problems_(problems) {
  for (const FragmentSpec* fragment : fragments)
    for (const Entry<MaterialSpec>& entry : fragment->materials) add(entry);
  // The material of bodies that name none; it is there only if someone uses it.
  bool is_used = false;
  for (const FragmentSpec* fragment : fragments) {
    for (const BodySpec& body : fragment->bodies) is_used = is_used || body.material == kDefault;
    if (!fragment->contacts) continue;
    for (const PairSpec& pair : fragment->contacts->pairs)
      for (const std::string& name : pair.between) is_used = is_used || name == kDefault;
  }
  if (is_used && by_name_.emplace(kDefault, model_.materials.size()).second)
    model_.materials.push_back({kDefault, 0, model::kNoColour});
  set_laws(fragments);
}

void MaterialTable::add(const Entry<MaterialSpec>& entry) {
  if (const auto [first, is_new] = places_.emplace(entry.name, entry.place); !is_new)
    return problems_.add(entry.place, fmt::format("there is already a material \"{}\", at {}",
                                                  entry.name, line_of(first->second)));
  if (static_cast<Index>(model_.materials.size()) >= kMostMaterials)
    return problems_.add(entry.place,
                         fmt::format("a scene has at most {} materials", kMostMaterials));
  by_name_.emplace(entry.name, static_cast<model::MaterialIndex>(model_.materials.size()));
  model_.materials.push_back(
      {entry.name, entry.value.density.value_or(0),
       colour_of(entry.value.colour, entry.value.place.at("colour"), problems_)});
}

std::optional<model::MaterialIndex> MaterialTable::find(const std::string& name,
                                                        const Place& place) {
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) return found->second;
  std::vector<std::string_view> names;
  std::string known;
  for (const model::Material& material : model_.materials) {
    names.push_back(material.name);
    if (names.size() <= 20) known += fmt::format("{}{}", known.empty() ? "" : ", ", material.name);
  }
  const std::string nearest = nearest_word(name, names);
  problems_.add(
      place,
      fmt::format("unknown material \"{}\"; defined: {}", name, known.empty() ? "none" : known),
      nearest.empty() ? "define it under materials" : fmt::format("did you mean \"{}\"?", nearest));
  return std::nullopt;
}

void MaterialTable::set_laws(const std::vector<const FragmentSpec*>& fragments) {
  const LawSpec* fallback = nullptr;
  for (const FragmentSpec* fragment : fragments) {
    if (!fragment->contacts || !fragment->contacts->fallback) continue;
    const LawSpec& law = *fragment->contacts->fallback;
    if (fallback != nullptr)
      problems_.add(law.place, fmt::format("the default contact law is already set, at {}",
                                           line_of(fallback->place)));
    fallback = &law;
  }
  std::vector<const LawSpec*> laws;
  if (fallback != nullptr) laws.push_back(fallback);
  const PairSpec* first_grain = nullptr;
  for (const FragmentSpec* fragment : fragments)
    if (fragment->contacts)
      for (const PairSpec& pair : fragment->contacts->pairs) {
        laws.push_back(&pair);
        if (pair.grain && first_grain == nullptr) first_grain = &pair;
      }
  const auto first = [&](auto is_such) {
    const auto found =
        std::find_if(laws.begin(), laws.end(), [&](const LawSpec* law) { return is_such(*law); });
    return found != laws.end() ? *found : nullptr;
  };
  const bool is_planar = model_.dimension == 2;
  const LawSpec* planar = first(is_of_the_plane);
  const LawSpec* spatial = first(is_of_space);
  if (spatial == nullptr) spatial = first_grain;
  if (planar != nullptr && !is_planar)
    problems_.add(planar->place, "impact and the friction law dahl are of planar scenes",
                  "write dimension: 2 at the top of the scene, or remove them");
  if (spatial != nullptr && is_planar)
    problems_.add(spatial->place, "torsional_friction, cohesion and grain are of scenes in space",
                  "remove them; rolling_friction acts in the plane, too");
  const LawSpec nothing;
  const std::size_t count = model_.materials.size();
  model_.laws.assign(count * count,
                     interface_law(fallback != nullptr ? *fallback : nothing, nullptr, problems_));
  given_.assign(count * count, nullptr);
  for (const FragmentSpec* fragment : fragments)
    if (fragment->contacts)
      for (const PairSpec& pair : fragment->contacts->pairs) set_pair(pair, fallback);
}

void MaterialTable::set_pair(const PairSpec& pair, const LawSpec* fallback) {
  if (!pair.is_sound) return;
  const Place place = pair.place.at("between");
  const auto a = find(pair.between[0], place);
  const auto b = find(pair.between[1], place);
  if (!a || !b) return;
  const std::size_t count = model_.materials.size();
  if (const PairSpec* first = given_[*a * count + *b]; first != nullptr)
    return problems_.add(place,
                         fmt::format("the pair of {} and {} is already set, at {}", pair.between[0],
                                     pair.between[1], line_of(first->place)));
  model::InterfaceLaw law = interface_law(pair, fallback, problems_);
  if (pair.grain) set_grain(*pair.grain, *a, *b, law);
  for (const std::size_t entry : {*a * count + *b, *b * count + *a}) {
    model_.laws[entry] = law;
    given_[entry] = &pair;
  }
}

void MaterialTable::set_grain(const GrainSpec& grain, model::MaterialIndex a,
                              model::MaterialIndex b, model::InterfaceLaw& law) {
  const auto of = find(grain.of, grain.place.at("of"));
  if (!of) return;
  if (*of != a && *of != b)
    problems_.add(grain.place.at("of"),
                  fmt::format("\"{}\" is not one of the two materials of this pair", grain.of),
                  "the grain is of one of the materials under between");
  if (!has_direction(grain.direction))
    return problems_.add(grain.place.at("direction"), "expected a direction, got a zero vector");
  law.friction.grain = grain.direction.normalized();
  law.friction.grain_of = *of;
  law.friction.across = grain.friction_across;
}

}  // namespace talus::scene::detail
