#include <talus/laws/surface_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <talus/base/error.hpp>

namespace talus::laws {

namespace {

bool has_memory(const model::FrictionModel& law) {
  return std::holds_alternative<model::DahlFriction>(law.kind) ||
         (model::has_stick(law) && model::static_friction(law) > law.coefficient);
}

bool has_memory(const model::InterfaceLaw& law) {
  return has_memory(law.friction) || std::holds_alternative<model::DampedNormal>(law.normal);
}

}  // namespace

bool has_memory(const model::Model& model, const dynamics::System& machine,
                const FrictionElements& elements) {
  for (Index i = machine.shape_contact_count(); i < machine.contact_count(); ++i)
    if (has_memory(machine.law(i))) return true;
  for (Index i = 0; i < elements.joint_count; ++i)
    if (has_memory(*elements[elements.joint(i)].law)) return true;
  std::set<Index> moving, all;  // materials
  for (const model::Body& body : model.bodies) {
    all.insert(body.material);
    if (body.kind == model::BodyKind::dynamic) moving.insert(body.material);
  }
  return std::any_of(moving.begin(), moving.end(), [&](Index a) {
    return std::any_of(all.begin(), all.end(),
                       [&](Index b) { return has_memory(model.law(a, b)); });
  });
}

void keep(const SparseValues& values, std::string_view name, model::InternalVariables& internal) {
  std::vector<Real> all;
  for (const Index place : values.places())
    if (values[place] != 0) all.insert(all.end(), {static_cast<Real>(place), values[place]});
  internal.add(name, std::move(all));
}

SparseValues kept(const model::InternalVariables& internal, std::string_view owner,
                  std::string_view name, Index count) {
  SparseValues values;
  const std::vector<Real>* all = internal.of_scheme(owner, name);
  if (all == nullptr) return values;
  const auto fail = [&](const std::string& found) {
    throw InputError(Diagnostic{{"state"},
                                "internal variables",
                                fmt::format("{} of {} has {}", name, owner, found),
                                "",
                                "the state is that of another model"});
  };
  if (all->size() % 2 != 0) fail(fmt::format("{} numbers, expected pairs", all->size()));
  for (std::size_t i = 0; i < all->size(); i += 2) {
    const Real place = (*all)[i];
    if (!(place >= 0 && place < static_cast<Real>(count)) || place != std::floor(place))
      fail(fmt::format("a value of place {}, expected 0 to {}", place, count - 1));
    values[static_cast<Index>(place)] = (*all)[i + 1];
  }
  return values;
}

Real potential_energy(const dynamics::System& machine, const FrictionElements& elements, Real time,
                      const VecX& q, const SparseValues& memory) {
  Real sum = machine.potential_energy(time, q);
  std::vector<Index> near;
  machine.near_contacts(q, VecX::Zero(machine.body_count()), near);
  for (const Index i : near)
    if (const model::NormalLaw& law = machine.law(i).normal; !model::is_rigid(law))
      sum += model::stored_energy(law, -machine.gap(i, q));
  for (const Index e : memory.places())
    if (const FrictionElement element = elements[e]; element.dahl >= 0) {
      const Real force = memory[e];
      sum += force * force / (2 * std::get<model::DahlFriction>(element.law->kind).stiffness);
    }
  return sum;
}

}  // namespace talus::laws
