#include <talus/stepping/scheme_registry.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/stepping/capabilities.hpp>
#include <talus/stepping/event_driven.hpp>
#include <talus/stepping/halving.hpp>
#include <talus/stepping/index_3.hpp>
#include <talus/stepping/lagrangian_scheme.hpp>
#include <talus/stepping/lines_without_direction.hpp>
#include <talus/stepping/moreau_jean.hpp>
#include <talus/stepping/parts_at_kinks.hpp>
#include <talus/stepping/passive_machine.hpp>
#include <talus/stepping/planar_grains.hpp>
#include <talus/stepping/planar_moreau_jean.hpp>
#include <talus/stepping/planar_stewart_trinkle.hpp>
#include <talus/stepping/stewart_trinkle.hpp>

namespace talus::stepping {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Scheme> (*make)(const model::Model&, const SchemeOptions&);
  std::unique_ptr<Scheme> (*make_planar)(const model::Model&, const SchemeOptions&);
  /// Where parts of steps begin in which laws of time change fast; none: steps are whole.
  std::optional<PartStart> parts = {};
};

template <Variant kVariant>
std::unique_ptr<Scheme> planar(const model::Model& model, const SchemeOptions& options) {
  if (model.own_system) return make_lagrangian_scheme(model, options, kVariant);
  return make_planar_stewart_trinkle(model, options, kVariant);
}

constexpr std::array kSchemes = {
    Entry{"moreau_jean", make_moreau_jean, make_planar_moreau_jean, PartStart::before_kink},
    Entry{"event_driven", make_event_driven, make_event_driven},
    Entry{"stewart_trinkle", make_stewart_trinkle, planar<Variant::stewart_trinkle>},
    Entry{"moreau_midpoint", make_moreau_midpoint, make_planar_moreau_midpoint,
          PartStart::before_kink},
    Entry{"anitescu_potra", make_anitescu_potra, planar<Variant::anitescu_potra>,
          PartStart::before_kink},
    Entry{"anitescu_potra_stabilised", make_anitescu_potra_stabilised,
          planar<Variant::anitescu_potra_stabilised>, PartStart::before_kink},
    Entry{"index_3", make_index_three, make_index_three, PartStart::at_kink},
};

const Entry* find(std::string_view name) {
  for (const Entry& entry : kSchemes)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

std::vector<std::string_view> scheme_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kSchemes));
  for (const Entry& entry : kSchemes) names.push_back(entry.name);
  return names;
}

std::unique_ptr<Scheme> make_scheme(const model::Model& model, const SchemeOptions& options) {
  const Entry* entry = find(options.scheme);
  TALUS_DEMAND(entry != nullptr);
  // Of scenes their reader sees to it.
  if (const std::string why = model.own_system ? unsupported(model, options) : ""; !why.empty())
    throw InputError(Diagnostic{{"Lagrangian system"}, "scheme", why, "", ""});
  const bool is_in_space = model.dimension == 3 || are_planar_grains(model, options);
  const auto make = is_in_space ? entry->make : entry->make_planar;
  std::unique_ptr<Scheme> scheme = make(model, options);
  const Judged which = options.scheme == "index_3" ? Judged::all : Judged::storing;
  if (options.scheme != "event_driven" && has_passive_machine(model, which))  // that judges its own
    scheme = judge_energy(std::move(scheme), model, which);
  if (has_lines_without_direction(model)) scheme = judge_lines(std::move(scheme), model);
  if (options.max_halvings > 0) scheme = halving(std::move(scheme), options.max_halvings);
  if (entry->parts && has_kinks(model))
    scheme = parts_at_kinks(std::move(scheme), model, *entry->parts);
  return scheme;
}

}  // namespace talus::stepping
