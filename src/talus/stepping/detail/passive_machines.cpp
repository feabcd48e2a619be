#include <talus/stepping/detail/passive_machines.hpp>

#include <algorithm>
#include <variant>

#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/model/lagrangian.hpp>

namespace talus::stepping::detail {
namespace {

/// Whether a law of surfaces stores energy.
bool stores(const model::InterfaceLaw& law) {
  return !model::is_rigid(law.normal) ||
         std::holds_alternative<model::DahlFriction>(law.friction.kind);
}

bool stores(const model::Joint& joint) {
  if (joint.friction && std::holds_alternative<model::DahlFriction>(joint.friction->law.kind))
    return true;
  if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind)) return stores(pin->law);
  const auto* guide = std::get_if<model::TranslationalClearance>(&joint.kind);
  return guide != nullptr && stores(guide->law);
}

/// Whether a force element has a law of time.
bool has_law_of_time(const model::ForceElement& element) {
  if (const auto* line = std::get_if<model::LineForce>(&element.kind)) return !is_zero(line->force);
  if (const auto* torque = std::get_if<model::Torque>(&element.kind))
    return !is_zero(torque->moment);
  return !is_zero(std::get<model::PointForce>(element.kind).force);
}

bool has_drag(const model::Model& model) {
  return model.linear_damping > 0 || model.angular_damping > 0;
}

bool is_moved(const model::Body& body) { return body.kind == model::BodyKind::kinematic; }

/// All of a model in the plane, or a system of its own that says so: with springs, dampers or drag;
/// of all machines, with joints.
bool is_passive_in_the_plane(const model::Model& model, Judged which) {
  if (model.own_system) return model.own_system->is_passive();
  if (model.has_changing_population() ||
      model.any_law([](const model::InterfaceLaw& law) { return stores(law); }) ||
      std::any_of(model.bodies.begin(), model.bodies.end(), is_moved))
    return false;
  if (!model.machine) return has_drag(model);
  const model::Machine& machine = *model.machine;
  const bool is_judged = has_drag(model) || !machine.forces.empty() ||
                         (which == Judged::all && !machine.joints.empty());
  return machine.drives.empty() && is_judged &&
         std::none_of(machine.forces.begin(), machine.forces.end(), has_law_of_time) &&
         std::none_of(machine.joints.begin(), machine.joints.end(),
                      [](const model::Joint& joint) { return stores(joint); });
}

}  // namespace

PassiveMachines find_passive(const model::Model& model, Judged which) {
  PassiveMachines found;
  if (model.dimension == 2 && is_passive_in_the_plane(model, which)) {
    PassiveMachine& all = found.list.emplace_back();
    all.stores = has_drag(model) || (model.machine && !model.machine->forces.empty());
    for (Index i = 0; i < model.body_count(); ++i)
      if (model.bodies[i].kind == model::BodyKind::dynamic) all.bodies.push_back(i);
    found.of_body.assign(model.bodies.size(), 0);
    return found;
  }
  if (!model.spatial_machine || model.dimension != 3 || model.has_changing_population())
    return found;
  const model::SpatialMachine& machine = *model.spatial_machine;
  const dynamics::MachineTerms terms(machine, model.body_count());
  const auto moves = [&](Index body) {
    return body >= 0 && model.bodies[body].kind == model::BodyKind::dynamic;
  };
  DisjointSets connected(model.body_count());
  const auto connect = [&](Index a, Index b) {
    if (moves(a) && moves(b)) connected.join(a, b);
  };
  const auto body_of = [&](Index a, Index b) { return moves(b) ? b : moves(a) ? a : Index(-1); };
  const auto body_of_joint = [&](Index j) {
    return body_of(machine.joints[j].body_a, machine.joints[j].body_b);
  };
  for (const model::SpatialJoint& joint : machine.joints) connect(joint.body_a, joint.body_b);
  for (const model::SpatialForce& force : machine.forces) connect(force.body_a, force.body_b);
  for (const model::Coupling& coupling : machine.couplings)
    for (const model::CouplingTerm& term : coupling.terms)
      connect(body_of_joint(coupling.terms.front().joint), body_of_joint(term.joint));

  std::vector<bool> is_driven(model.bodies.size(), false), stores(is_driven), is_jointed(stores);
  const auto mark = [&](std::vector<bool>& marks, Index body) {
    if (body >= 0) marks[connected.root(body)] = true;
  };
  const auto see_pair = [&](Index a, Index b) {
    for (const Index body : {a, b})
      if (body >= 0 && model.bodies[body].kind == model::BodyKind::kinematic)
        mark(is_driven, body_of(a, b));
  };
  for (const model::SpatialJoint& joint : machine.joints) {
    see_pair(joint.body_a, joint.body_b);
    const Index body = body_of(joint.body_a, joint.body_b);
    mark(is_jointed, body);
    for (const model::AxisLaw& axis : joint.axes) {
      if (axis.motor && which == Judged::all) mark(is_driven, body);
      if (axis.stiffness > 0 || axis.armature > 0) mark(stores, body);
    }
  }
  for (const model::SpatialDrive& drive : machine.drives)
    mark(is_driven, body_of_joint(drive.joint));
  for (const model::SpatialForce& force : machine.forces) {
    see_pair(force.body_a, force.body_b);
    const Index body = body_of(force.body_a, force.body_b);
    mark(stores, body);
    if (const model::TimeLaw* law = model::law_of(force.kind); law != nullptr && !is_zero(*law))
      mark(is_driven, body);
  }

  found.of_body.assign(model.bodies.size(), -1);
  for (Index i = 0; i < model.body_count(); ++i) {
    const Index root = connected.root(i);
    const bool is_judged = stores[root] || (which == Judged::all && is_jointed[root]);
    if (!moves(i) || !is_judged || is_driven[root]) continue;
    if (found.of_body[root] < 0) {  // the smallest of its set
      found.of_body[root] = static_cast<Index>(found.list.size());
      found.list.emplace_back().stores = stores[root];
    }
    found.of_body[i] = found.of_body[root];
    found.list[found.of_body[i]].bodies.push_back(i);
  }
  const auto machine_of = [&](Index body) { return body < 0 ? Index(-1) : found.of_body[body]; };
  for (Index j = 0; j < static_cast<Index>(machine.joints.size()); ++j) {
    const Index own = found.of_joint.emplace_back(machine_of(body_of_joint(j)));
    if (own >= 0 && found.list[own].name.empty())
      found.list[own].name = "joint " + machine.joints[j].name;
  }
  for (Index i = 0; i < terms.axis_count(); ++i)
    if (const Index own = found.of_joint[terms.axis_name(i).joint]; own >= 0)
      found.list[own].axes.push_back(i);
  for (Index i = 0; i < terms.element_count(); ++i) {
    const model::SpatialForce& force = machine.forces[i];
    const Index own = machine_of(body_of(force.body_a, force.body_b));
    if (own < 0) continue;
    found.list[own].elements.push_back(i);
    if (found.list[own].name.empty()) found.list[own].name = "force element " + force.name;
  }
  return found;
}

}  // namespace talus::stepping::detail
