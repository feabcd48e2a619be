#include <talus/scene/detail/machine_context.hpp>

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include <talus/base/text.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/scene/detail/data_file.hpp>
#include <talus/scene/detail/time_table.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::string_view kWorldName = "world";

}  // namespace

void MachineContext::add_name(const std::string& name, const Place& place, const char* what,
                              NamePlaces& names) {
  if (const auto [first, is_new] = names.emplace(name, place); !is_new)
    problems.add(place.at("name"),
                 fmt::format("there is already a {} \"{}\", at {}:{}", what, name,
                             first->second.document->path.string(), first->second.node->line));
  if (name == "." || name == "..")
    problems.add(place.at("name"), fmt::format("a {} cannot have this name", what));
}

std::optional<BodyPair> MachineContext::bodies_of(const std::vector<std::string>& between,
                                                  const Place& place) {
  const bool is_planar = model.dimension == 2;
  if (is_planar && between.size() < 2) {
    problems.add(place, "expected 2 items, got 1");
    return std::nullopt;
  }
  const auto a =
      between.size() < 2 ? std::optional(model::kWorld) : find(between.front(), !is_planar, place);
  const auto b = find(between.back(), false, place);
  if (!a || !b) return std::nullopt;
  if (*a == *b) {
    problems.add(place, "expected two different bodies");
    return std::nullopt;
  }
  const auto moves = [&](Index i) {
    return i >= 0 && model.bodies[i].kind == model::BodyKind::dynamic;
  };
  if (!moves(*a) && !moves(*b)) {
    problems.add(place, "forces move neither of the two bodies", "one of them must be dynamic");
    return std::nullopt;
  }
  return BodyPair{*a, *b};
}

std::optional<Index> MachineContext::find(const std::string& name, bool may_be_world,
                                          const Place& place) {
  const Index body = model.find_body(name);
  if (body >= 0) return body;
  if (may_be_world && name == kWorldName) return model::kWorld;
  std::vector<std::string_view> known;
  for (const model::BodyGroup& group : model.groups) known.push_back(group.name);
  const std::string nearest = nearest_word(name, known);
  problems.add(place, fmt::format("there is no body \"{}\"", name),
               model.dimension == 3 && name == kWorldName ? "the world stands first: [world, BODY]"
               : nearest.empty()                          ? ""
                                                          : "did you mean \"" + nearest + "\"?");
  return std::nullopt;
}

model::TimeLaw MachineContext::time_law(const TimeLawSpec& spec, Quantity value) {
  if (spec.slope) return model::RampLaw{spec.start, *spec.slope};
  if (spec.amplitude)
    return model::HarmonicLaw{spec.mean, *spec.amplitude, spec.frequency.value_or(0), spec.phase};
  if (spec.table) return law_of_file(spec, value);
  if (!spec.times) return model::ConstantLaw{spec.constant.value_or(0)};
  if (spec.values.size() != spec.times->size()) {
    problems.add(spec.place.at("values"),
                 fmt::format("expected one of the values for each of the {} times, got {}",
                             spec.times->size(), spec.values.size()));
    return model::ConstantLaw{};
  }
  for (std::size_t i = 1; i < spec.times->size(); ++i)
    if (!((*spec.times)[i - 1] < (*spec.times)[i])) {
      problems.add(spec.place.at("times"),
                   fmt::format("expected increasing times, got {:g} after {:g}", (*spec.times)[i],
                               (*spec.times)[i - 1]));
      return model::ConstantLaw{};
    }
  return model::make_table(*spec.times, spec.values, spec.smooth);
}

model::TimeLaw MachineContext::time_law(const DriveSpec& spec) {
  if (spec.angle) return time_law(*spec.angle, Quantity::angle);
  if (spec.angular_speed) return time_law(*spec.angular_speed, Quantity::angular_velocity);
  if (spec.displacement) return time_law(*spec.displacement, Quantity::length);
  return time_law(*spec.speed, Quantity::velocity);
}

model::TimeLaw MachineContext::law_of_file(const TimeLawSpec& spec, Quantity value) {
  const SourceFile* file = read_data_file(*spec.table, spec.place.at("table"), scene_, problems);
  if (file == nullptr) return model::ConstantLaw{};
  TimeTable table = parse_time_table(file->path, file->text, spec.column, value, problems);
  if (table.times.empty()) return model::ConstantLaw{};
  return model::make_table(std::move(table.times), std::move(table.values), spec.smooth);
}

}  // namespace talus::scene::detail
