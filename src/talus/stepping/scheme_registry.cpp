#include <talus/stepping/scheme_registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <talus/base/contract.hpp>
#include <talus/stepping/event_driven.hpp>
#include <talus/stepping/halving.hpp>
#include <talus/stepping/index_three.hpp>
#include <talus/stepping/moreau_jean.hpp>
#include <talus/stepping/planar_moreau.hpp>
#include <talus/stepping/planar_scheme.hpp>
#include <talus/stepping/stewart_trinkle.hpp>

namespace talus::stepping {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Scheme> (*make)(const model::Model&, const SchemeOptions&);  // null: planar only
  std::unique_ptr<Scheme> (*make_planar)(const model::Model&, const SchemeOptions&);
};

template <Variant kVariant>
std::unique_ptr<Scheme> planar(const model::Model& model, const SchemeOptions& options) {
  return make_planar_scheme(model, options, kVariant);
}

constexpr std::array kSchemes = {
    Entry{"moreau_jean", make_moreau_jean, make_planar_moreau_jean},
    Entry{"event_driven", nullptr, make_event_driven},
    Entry{"stewart_trinkle", make_stewart_trinkle, planar<Variant::stewart_trinkle>},
    Entry{"moreau_midpoint", make_moreau_midpoint, make_planar_moreau_midpoint},
    Entry{"anitescu_potra", make_anitescu_potra, planar<Variant::anitescu_potra>},
    Entry{"anitescu_potra_stabilised", make_anitescu_potra_stabilised,
          planar<Variant::anitescu_potra_stabilised>},
    Entry{"index_3", nullptr, make_index_three},
};

const Entry* find(std::string_view name) {
  for (const Entry& entry : kSchemes)
    if (entry.name == name) return &entry;
  return nullptr;
}

/// What Moreau–Jean stepping cannot do of contacts that resist more than friction; "" if nothing.
std::string unsupported_resistance(const model::Model& model, const SchemeOptions& options) {
  if (!model.resists_more()) return "";
  const std::string& solver = options.solver.solver;
  const auto is_any = [&](const auto& is_such) {
    return std::any_of(model.laws.begin(), model.laws.end(), is_such);
  };
  const bool turns =
      is_any([](const auto& law) { return law.friction.rolling > 0 || law.friction.torsion > 0; });
  const bool has_one_axis = is_any([](const auto& law) {
    return !law.friction.grain.isZero(0) &&
           std::min(law.friction.coefficient, law.friction.across) == 0;
  });
  if ((turns || has_one_axis) && solver != "auto" && solver != "nsgs")
    return "rolling and torsional friction, and friction along one axis alone, are solved by nsgs, "
           "not by " +
           solver;
  if (turns && options.law != problem::FrictionLaw::coulomb)
    return "rolling and torsional friction go with the law coulomb, not with " +
           std::string(to_string(options.law));
  return "";
}

}  // namespace

std::vector<std::string_view> scheme_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kSchemes));
  for (const Entry& entry : kSchemes) names.push_back(entry.name);
  return names;
}

std::string unsupported(const model::Model& model, const SchemeOptions& options) {
  if (model.dimension == 2) {
    if (model.cell.is_periodic()) return "planar scenes have no periodic directions";
    if (options.solver.solver != "auto" && options.solver.solver != "lemke")
      return "planar scenes are solved by lemke, not by " + options.solver.solver;
    if (model.has_changing_population()) return "planar scenes support no sources and no sinks";
    if (options.sleeping) return "planar scenes do not support sleeping";
    if (options.scheme == "event_driven") return "";
    if (options.scheme == "index_3") {
      const std::string reason = unsupported_by_index_three(model);
      return reason.empty() ? "" : std::string(options.scheme).append(" ").append(reason);
    }
    if (options.scheme == "moreau_midpoint" || options.scheme == "moreau_jean") {
      if (options.law != problem::FrictionLaw::coulomb)
        return options.scheme + " has a contact law of its own, not " +
               std::string(to_string(options.law));
      const std::string reason = unsupported_by_moreau(model);
      return reason.empty() ? "" : std::string(options.scheme).append(" ").append(reason);
    }
    for (const model::Body& body : model.bodies)
      if (body.kind == model::BodyKind::kinematic)
        return options.scheme + " supports dynamic and fixed bodies only";
    const std::string reason = unsupported_machine(model);
    if (!reason.empty()) return std::string(options.scheme).append(" ").append(reason);
  } else if (const Entry* entry = find(options.scheme);
             entry != nullptr && entry->make == nullptr) {
    return options.scheme + " supports planar scenes only (dimension: 2)";
  }
  if (options.scheme == "moreau_jean" || options.scheme == "moreau_midpoint")
    return unsupported_resistance(model, options);
  if (options.law != problem::FrictionLaw::coulomb)
    return options.scheme + " has a contact law of its own, not " +
           std::string(to_string(options.law));
  if (model.resists_more())
    return options.scheme +
           " supports friction and restitution alone: rolling, torsional and "
           "directed friction, cohesion and tangential restitution are of moreau_jean";
  for (const model::InterfaceLaw& law : model.laws)
    if (law.impact.restitution > 0)
      return options.scheme +
             fmt::format(" supports inelastic impacts only, the scene has a restitution of {:g}",
                         law.impact.restitution);
  return "";
}

std::unique_ptr<Scheme> make_scheme(const model::Model& model, const SchemeOptions& options) {
  const Entry* entry = find(options.scheme);
  TALUS_DEMAND(entry != nullptr);
  const auto make = model.dimension == 2 ? entry->make_planar : entry->make;
  TALUS_DEMAND(make != nullptr);
  std::unique_ptr<Scheme> scheme = make(model, options);
  return options.max_halvings > 0 ? halving(std::move(scheme), options.max_halvings)
                                  : std::move(scheme);
}

}  // namespace talus::stepping
