#include <talus/model/model.hpp>

#include <algorithm>
#include <charconv>

#include <talus/model/machine.hpp>

namespace talus::model {

bool Model::has_restitution_of_contacts() const {
  return any_law([](const InterfaceLaw& law) {
    return law.impact.restitution > 0 || law.impact.tangential_restitution > 0;
  });
}

bool Model::has_restitution() const {
  const auto rebounds = [](const SpatialJoint& joint) { return model::has_restitution(joint); };
  return has_restitution_of_contacts() ||
         (spatial_machine &&
          std::any_of(spatial_machine->joints.begin(), spatial_machine->joints.end(), rebounds));
}

bool Model::resists_more() const {
  return any_law([](const InterfaceLaw& law) { return law.resists_more(); });
}

bool Model::has_functions() const {
  return any_law([](const InterfaceLaw& law) { return law.is_function(); });
}

std::string Model::body_name(Index body) const {
  const auto next =
      std::upper_bound(groups.begin(), groups.end(), body,
                       [](Index index, const BodyGroup& group) { return index < group.first; });
  if (next == groups.begin()) return "body " + std::to_string(body);
  const BodyGroup& group = *(next - 1);
  return group.is_set ? group.name + '[' + std::to_string(body - group.first) + ']' : group.name;
}

Index Model::find_body(const std::string& name) const {
  const std::size_t bracket = name.find('[');
  const std::string base = name.substr(0, bracket);
  for (const BodyGroup& group : groups) {
    if (group.name != base || group.is_set != (bracket != std::string::npos)) continue;
    if (!group.is_set) return group.first;
    Index member = -1;
    const char* begin = name.data() + bracket + 1;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(begin, end, member);
    if (error != std::errc{} || rest + 1 != end || *rest != ']') return -1;
    return member >= 0 && member < group.count ? group.first + member : -1;
  }
  return -1;
}

std::vector<unsigned char> held_bodies(const Model& model) {
  std::vector<unsigned char> is_held;
  if (!model.machine && !model.spatial_machine) return is_held;
  is_held.assign(static_cast<std::size_t>(model.body_count()), 0);
  const auto mark = [&](const auto& elements) {
    for (const auto& element : elements)
      for (const Index body : {element.body_a, element.body_b})
        if (body != kWorld) is_held[static_cast<std::size_t>(body)] = 1;
  };
  if (model.machine) {
    mark(model.machine->joints);
    mark(model.machine->drives);
    mark(model.machine->forces);
  }
  if (model.spatial_machine) {
    mark(model.spatial_machine->joints);
    mark(model.spatial_machine->forces);
  }
  return is_held;
}

}  // namespace talus::model
