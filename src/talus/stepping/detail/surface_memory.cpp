#include <talus/stepping/detail/surface_memory.hpp>

#include <variant>

namespace talus::stepping::detail {

bool has_memory(const dynamics::System& machine, const event_driven::FrictionElements& elements) {
  for (const event_driven::FrictionElement& element : elements.list)
    if (element.dahl >= 0 ||
        (element.has_stick && element.static_friction > element.kinetic_friction))
      return true;
  for (Index i = 0; i < machine.contact_count(); ++i)
    if (std::holds_alternative<model::DampedNormal>(machine.law(i).normal)) return true;
  return false;
}

Real potential_energy(const dynamics::System& machine,
                      const event_driven::FrictionElements& elements, Real time, const VecX& q,
                      const VecX& memory) {
  Real sum = machine.potential_energy(time, q);
  std::vector<Index> near;
  machine.near_contacts(q, VecX::Zero(machine.body_count()), near);
  for (const Index i : near)
    if (const model::NormalLaw& law = machine.law(i).normal; !model::is_rigid(law))
      sum += model::stored_energy(law, -machine.gap(i, q));
  for (std::size_t e = 0; e < elements.list.size(); ++e)
    if (const event_driven::FrictionElement& element = elements.list[e]; element.dahl >= 0) {
      const Real force = memory[static_cast<Index>(e)];
      sum += force * force / (2 * std::get<model::DahlFriction>(element.law->kind).stiffness);
    }
  return sum;
}

}  // namespace talus::stepping::detail
