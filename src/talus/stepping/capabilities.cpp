#include <talus/stepping/capabilities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <talus/model/lagrangian.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/stepping/planar_grains.hpp>

namespace talus::stepping {
namespace {

using problem::FrictionLaw;

constexpr std::array<std::string_view, 7> kNames = {
    "moreau_jean",    "moreau_midpoint",           "stewart_trinkle",
    "anitescu_potra", "anitescu_potra_stabilised", "event_driven",
    "index_3"};
/// Sets of schemes: a bit for each of kNames.
constexpr unsigned kMoreauJean = 0b0000001, kMoreau = 0b0000011, kImplicit = 0b0011100,
                   kEventDriven = 0b0100000, kIndex3 = 0b1000000,
                   kMachines = kEventDriven | kIndex3, kSteps = kMoreau | kImplicit,
                   kAll = kSteps | kMachines;

/// A model with its options, and what several features read of it.
struct Asked {
  const model::Model& model;
  const SchemeOptions& options;
  std::span<const model::Joint> joints;
  std::vector<model::InterfaceLaw> laws;  ///< of pairs of materials and of joints with play
};

Asked asked_of(const model::Model& model, const SchemeOptions& options) {
  Asked asked{model, options, {}, model.laws};
  if (model.machine) asked.joints = model.machine->joints;
  for (const model::Joint& joint : asked.joints) {
    if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind))
      asked.laws.push_back(pin->law);
    if (const auto* block = std::get_if<model::TranslationalClearance>(&joint.kind))
      asked.laws.push_back(block->law);
  }
  if (model.spatial_machine)
    for (const model::SpatialJoint& joint : model.spatial_machine->joints)
      if (const model::InterfaceLaw* law = model::play_law(joint.kind)) asked.laws.push_back(*law);
  if (model.own_system)
    for (Index i = 0; i < model.own_system->contact_count(); ++i)
      if (const auto law = model.own_system->law(i)) asked.laws.push_back(*law);
  return asked;
}

/// What is said of a model that has a feature; nothing of one that has not.
using Finding = std::optional<std::string>;

template <class F>
bool any_law(const Asked& asked, F&& is_such) {
  return std::any_of(asked.laws.begin(), asked.laws.end(), is_such);
}
template <class F>
bool any_joint(const Asked& asked, F&& is_such) {
  return std::any_of(asked.joints.begin(), asked.joints.end(), is_such);
}
Finding said_if(bool is_there, const char* text) { return is_there ? Finding(text) : std::nullopt; }

Finding body_contacts(const Asked& asked) {
  const model::Model& model = asked.model;
  if (model.own_system && model.own_system->contact_count() > 0)
    return "does not support contacts (take event_driven, moreau_midpoint or moreau_jean)";
  for (Index a = 0; a < model.body_count(); ++a)
    for (Index b = a + 1; b < model.body_count(); ++b)
      if (can_touch(model, a, b))
        return "does not support contacts, and " + model.body_name(a) + " and " +
               model.body_name(b) +
               (asked.options.scheme == "event_driven"
                    ? " can touch: in space it moves machines whose joints, limits and ropes are "
                      "all that holds them (collides: false)"
                    : " can touch (collides: false)");
  return std::nullopt;
}

/// Joints in space with play.
Finding spatial_play(const Asked& asked) {
  const auto& machine = asked.model.spatial_machine;
  return said_if(machine && std::any_of(machine->joints.begin(), machine->joints.end(),
                                        [](const model::SpatialJoint& joint) {
                                          return model::play_law(joint.kind) != nullptr;
                                        }),
                 "does not support joints with play in space (take moreau_jean)");
}

/// Friction of joints in space with play.
Finding friction_of_play(const Asked& asked) {
  if (!asked.model.spatial_machine) return std::nullopt;
  for (const model::SpatialJoint& joint : asked.model.spatial_machine->joints)
    if (const model::InterfaceLaw* law = model::play_law(joint.kind);
        law != nullptr && (model::static_friction(law->friction) > 0 || law->friction.viscous > 0))
      return "does not support friction in the play of joints in space, which joint " + joint.name +
             " has (take moreau_jean)";
  return std::nullopt;
}

/// Laws of axes in space that bring another matrix, or another unknown, with them.
Finding coupled_axes(const Asked& asked) {
  if (!asked.model.spatial_machine) return std::nullopt;
  const model::SpatialMachine& machine = *asked.model.spatial_machine;
  for (const model::SpatialJoint& joint : machine.joints)
    for (const model::AxisLaw& axis : joint.axes) {
      const bool is_half_bounded =
          axis.motor && axis.motor->is_set_valued() &&
          std::isfinite(axis.motor->lower_effort) != std::isfinite(axis.motor->upper_effort);
      const char* what = axis.armature > 0               ? "an armature"
                         : axis.friction_coefficient > 0 ? "dry friction by the joint's reaction"
                         : is_half_bounded ? "a velocity motor with a bound on one side alone"
                                           : nullptr;
      if (what != nullptr)
        return fmt::format(
            "does not support {} of axes in space, which joint {} has (take "
            "moreau_jean or moreau_midpoint)",
            what, joint.name);
    }
  for (const model::Coupling& coupling : machine.couplings) {
    std::vector<Index> moving;
    for (const model::CouplingTerm& term : coupling.terms) {
      const model::SpatialJoint& joint = machine.joints[static_cast<std::size_t>(term.joint)];
      for (const Index body : {joint.body_a, joint.body_b})
        if (body >= 0 && asked.model.bodies[body].kind != model::BodyKind::fixed &&
            std::find(moving.begin(), moving.end(), body) == moving.end())
          moving.push_back(body);
    }
    if (moving.size() > 2)
      return fmt::format(
          "supports couplings of two bodies that move, and {} has {} (take "
          "moreau_jean, moreau_midpoint or index_3)",
          coupling.name, moving.size());
  }
  return std::nullopt;
}

/// Impacts of limits and ropes in space.
Finding spatial_restitution(const Asked& asked) {
  const auto& machine = asked.model.spatial_machine;
  const auto rebounds = [](const model::SpatialJoint& joint) {
    return model::has_restitution(joint);
  };
  return said_if(machine && std::any_of(machine->joints.begin(), machine->joints.end(), rebounds),
                 "supports inelastic impacts only, also of limits and ropes");
}

Finding joint_contacts(const Asked& asked) {
  const auto is_unilateral = [](const model::Joint& joint) {
    return std::holds_alternative<model::RopeJoint>(joint.kind) ||
           std::holds_alternative<model::RevoluteClearance>(joint.kind) ||
           std::holds_alternative<model::TranslationalClearance>(joint.kind);
  };
  const auto is_unilateral_in_space = [](const model::SpatialJoint& joint) {
    return std::holds_alternative<model::Rope>(joint.kind) || model::play_law(joint.kind);
  };
  const auto& machine = asked.model.spatial_machine;
  return said_if(any_joint(asked, is_unilateral) ||
                     (machine && std::any_of(machine->joints.begin(), machine->joints.end(),
                                             is_unilateral_in_space)),
                 "does not support contacts, which ropes and joints with play are");
}

/// Laws of axes of joints in space that are no functions of place and velocity.
Finding set_valued_axes(const Asked& asked) {
  if (!asked.model.spatial_machine) return std::nullopt;
  for (const model::SpatialJoint& joint : asked.model.spatial_machine->joints)
    for (const model::AxisLaw& axis : joint.axes) {
      const bool is_motor_of_rate = axis.motor && axis.motor->is_set_valued();
      const char* what = std::isfinite(axis.lower) || std::isfinite(axis.upper) ? "limits"
                         : axis.friction > 0 || axis.friction_coefficient > 0   ? "dry friction"
                         : is_motor_of_rate ? "a motor with a velocity as its target"
                                            : nullptr;
      if (what != nullptr)
        return fmt::format(
            "does not support {} of axes, which joint {} has: their efforts are no functions of "
            "place and velocity (take moreau_jean or moreau_midpoint)",
            what, joint.name);
    }
  return std::nullopt;
}

bool has_joint_friction(const Asked& asked) {
  return any_joint(asked, [](const model::Joint& joint) { return joint.friction.has_value(); });
}

Finding rope_restitution(const Asked& asked) {
  const auto rebounds = [](const model::Joint& joint) {
    const auto* rope = std::get_if<model::RopeJoint>(&joint.kind);
    return rope != nullptr && rope->restitution > 0;
  };
  return said_if(any_joint(asked, rebounds), "supports inelastic impacts only, also of ropes");
}

Finding restitution(const Asked& asked) {
  for (const model::InterfaceLaw& law : asked.laws)
    if (law.impact.restitution > 0)
      return fmt::format("supports inelastic impacts only, the scene has a restitution of {:g}",
                         law.impact.restitution);
  return std::nullopt;
}

bool turns(const Asked& asked) {
  return any_law(
      asked, [](const auto& law) { return law.friction.rolling > 0 || law.friction.torsion > 0; });
}
bool has_one_axis(const Asked& asked) {
  return any_law(asked, [](const auto& law) {
    return !law.friction.grain.isZero(0) &&
           std::min(law.friction.coefficient, law.friction.across) == 0;
  });
}

Finding other_law(const Asked& asked) {
  if (asked.options.law == FrictionLaw::coulomb) return std::nullopt;
  return "has a contact law of its own, not " + std::string(to_string(asked.options.law));
}

Finding solver_of_resistance(const Asked& asked) {
  const std::string& solver = asked.options.solver.solver;
  if (!asked.model.resists_more() || !(turns(asked) || has_one_axis(asked)) || solver == "auto" ||
      solver == "nsgs")
    return std::nullopt;
  return "solves rolling and torsional friction, and friction along one axis alone, by nsgs, not "
         "by " +
         solver;
}
Finding law_of_resistance(const Asked& asked) {
  if (!asked.model.resists_more() || !turns(asked) || asked.options.law == FrictionLaw::coulomb)
    return std::nullopt;
  return "supports rolling and torsional friction with the law coulomb, not with " +
         std::string(to_string(asked.options.law));
}

/// Laws that are functions of place and velocity, in space.
Finding combination_of_functions(const Asked& asked) {
  if (!asked.model.has_functions()) return std::nullopt;
  const FrictionLaw law = asked.options.law;
  if (law != FrictionLaw::coulomb && law != FrictionLaw::frictionless)
    return "supports compliant surfaces and friction laws of their own with the laws coulomb and "
           "frictionless, not with " +
           std::string(to_string(law));
  if (asked.options.sleeping)
    return "does not support sleeping with compliant surfaces, friction laws of their own and "
           "static friction: at rest they creep, or remember";
  if (asked.options.machine.restitution == "bounded" &&
      any_law(asked, [](const auto& one) { return one.impact.restitution > 0; }))
    return "bounds restitution only where no pair is compliant or has a friction law or static "
           "friction of its own";
  for (const model::InterfaceLaw& one : asked.laws) {
    if (!one.is_function()) continue;
    if (one.cohesion > 0 || !one.friction.grain.isZero(0))
      return "does not support cohesion and grain of pairs that are compliant or have a friction "
             "law or static friction of their own";
  }
  return std::nullopt;
}

/// What the solver of jointed bodies has no Newton step for.
Finding law_of_machine(const Asked& asked) {
  if (!asked.model.spatial_machine) return std::nullopt;
  const FrictionLaw law = asked.options.law;
  if (law == FrictionLaw::maximum_dissipation || law == FrictionLaw::polyhedral)
    return "supports machines in space with the laws coulomb, frictionless and "
           "cone_complementarity, not with " +
           std::string(to_string(law));
  return std::nullopt;
}

/// What works with dense matrices over all bodies, or numbers all contacts of all pairs.
Finding many_bodies(const Asked& asked) {
  constexpr Index kMany = 1000;
  if (asked.model.body_count() <= kMany) return std::nullopt;
  return fmt::format("supports {}scenes of {} bodies at most, the scene has {} (take moreau_jean)",
                     asked.model.dimension == 2 ? "planar " : "", kMany, asked.model.body_count());
}

/// Constraints of all bodies as one dense matrix.
Finding many_bodies_with_joints(const Asked& asked) {
  return asked.joints.empty() ? std::nullopt : many_bodies(asked);
}

Finding planar_solver(const Asked& asked) {
  const std::string& solver = asked.options.solver.solver;
  if (solver == "auto" || solver == "lemke") return std::nullopt;
  return std::string("solves ") + (asked.model.dimension == 2 ? "planar scenes" : "machines") +
         " by lemke, not by " + solver;
}

/// A feature of models and the schemes that support it, in the plane and in space.
struct Capability {
  const char* what;
  unsigned plane, space;
  Finding (*find)(const Asked& asked);
};

// In the order in which a scheme's user is told.
constexpr Capability kTable[] = {
    {"periodic directions", 0, kSteps,
     [](const Asked& asked) {
       return said_if(asked.model.cell.is_periodic(),
                      asked.model.dimension == 2
                          ? "supports no periodic directions in planar scenes (but "
                            "moreau_jean of discs without joints)"
                          : "supports no periodic directions");
     }},
    {"more than 1000 bodies", kSteps, kSteps, many_bodies},
    {"more than 1000 bodies, some with joints", kMoreau, kSteps, many_bodies_with_joints},
    {"solvers other than auto and lemke", 0, kSteps | kIndex3, planar_solver},
    {"sources and sinks", 0, kSteps,
     [](const Asked& asked) {
       return said_if(asked.model.has_changing_population(),
                      asked.model.dimension == 2
                          ? "supports no sources and no sinks in planar scenes (but moreau_jean of "
                            "discs without joints)"
                          : "supports no sources and no sinks");
     }},
    {"sleeping", 0, kMoreauJean,
     [](const Asked& asked) {
       return said_if(asked.options.sleeping,
                      asked.model.dimension == 2
                          ? "does not support sleeping in planar scenes (but moreau_jean of "
                            "discs without joints)"
                          : "does not support sleeping");
     }},
    {"contacts of bodies", kAll & ~kIndex3, kSteps, body_contacts},
    {"friction in joints", kMoreau | kEventDriven, 0,
     [](const Asked& asked) {
       return said_if(
           has_joint_friction(asked),
           asked.options.scheme == "index_3"
               ? "does not support joint friction"
               : "does not support joint friction: its normal force is an unknown of the same LCP "
                 "(take moreau_midpoint)");
     }},
    {"ropes, in the plane joints with play", kAll & ~kIndex3, kAll & ~kIndex3, joint_contacts},
    {"joints with play in space", 0, kAll & ~kIndex3, spatial_play},
    {"friction in them", 0, kSteps, friction_of_play},
    {"limits, dry friction, velocity motors of axes in space", 0, kAll & ~kIndex3, set_valued_axes},
    {"armatures, friction by reactions, couplings of many bodies in space", 0, kAll & ~kEventDriven,
     coupled_axes},
    {"restitution of limits and ropes in space", 0, kMoreau | kEventDriven, spatial_restitution},
    {"prescribed motions of bodies", kMoreau | kMachines, kAll,
     [](const Asked& asked) {
       const auto& bodies = asked.model.bodies;
       return said_if(std::any_of(bodies.begin(), bodies.end(),
                                  [](const model::Body& body) {
                                    return body.kind == model::BodyKind::kinematic;
                                  }),
                      "supports dynamic and fixed bodies only");
     }},
    {"friction that is a function of velocity", kMoreau | kMachines, kMoreauJean,
     [](const Asked& asked) {
       return said_if(any_law(asked,
                              [](const auto& law) {
                                return !model::has_stick(law.friction) || law.friction.viscous > 0;
                              }),
                      "supports friction of Coulomb and Stribeck only: a force that is a function "
                      "of the velocity is no part of an LCP (take moreau_jean)");
     }},
    {"Dahl's friction", kMoreau | kMachines, 0,
     [](const Asked& asked) {
       return said_if(
           any_law(asked,
                   [](const auto& law) {
                     return std::holds_alternative<model::DahlFriction>(law.friction.kind);
                   }),
           "does not support Dahl's friction: its force is a state of its own");
     }},
    {"static friction above that of slip", kAll, kMoreauJean,
     [](const Asked& asked) {
       return said_if(any_law(asked,
                              [](const auto& law) {
                                return model::static_friction(law.friction) >
                                       law.friction.coefficient;
                              }),
                      "supports one coefficient of friction, in stick and slip (take moreau_jean)");
     }},
    {"rolling resistance", kMoreau | kMachines, kMoreau | kMachines,
     [](const Asked& asked) {
       return said_if(asked.model.dimension == 2 &&
                          any_law(asked, [](const auto& law) { return law.friction.rolling > 0; }),
                      "does not support rolling resistance (take moreau_midpoint)");
     }},
    {"compliant contacts", kMoreau | kMachines, kMoreauJean,
     [](const Asked& asked) {
       return said_if(any_law(asked,
                              [](const auto& law) {
                                return !std::holds_alternative<model::RigidNormal>(law.normal);
                              }),
                      "supports rigid contacts only: gaps are enforced at the end of the step "
                      "(take moreau_jean)");
     }},
    {"restitution of ropes", kMoreau | kEventDriven, 0, rope_restitution},
    {"friction laws other than coulomb and frictionless", 0, kMoreau, other_law},
    {"rolling, torsional, directed friction, cohesion", kMoreau | kMachines, kMoreau | kMachines,
     [](const Asked& asked) {
       return said_if(asked.model.resists_more(),
                      "supports friction and restitution alone: rolling, torsional and directed "
                      "friction, cohesion and tangential restitution are of moreau_jean");
     }},
    {"restitution", kMoreau | kMachines, kMoreau | kMachines, restitution},
    {"tangential restitution", kMoreau | kMachines, kMoreau | kMachines,
     [](const Asked& asked) {
       return said_if(
           any_law(asked, [](const auto& law) { return law.impact.tangential_restitution > 0; }),
           "does not support tangential restitution");
     }},
    {"Poisson's impact law", kMachines, 0,
     [](const Asked& asked) {
       return said_if(any_law(asked, [](const auto& law) { return law.impact.is_poisson; }),
                      "supports Newton's impact law only: Poisson's needs two problems per impact");
     }},
};

/// The fixed point looks at the gaps of contacts alone.
Finding fixed_point_of_machine(const Asked& asked) {
  return said_if(asked.model.spatial_machine && asked.options.fixed_point,
                 "does not support fixed_point with machines in space");
}

/// What of the options does not go with a model, whatever the table says.
constexpr Finding (*kCombinations[])(const Asked& asked) = {solver_of_resistance, law_of_resistance,
                                                            combination_of_functions,
                                                            law_of_machine, fixed_point_of_machine};

unsigned bit_of(std::string_view scheme) {
  const auto at = std::find(kNames.begin(), kNames.end(), scheme);
  return at == kNames.end() ? 0 : 1U << (at - kNames.begin());
}

/// The first feature that a scheme does not support, of a column of the table.
std::string unsupported_by(unsigned Capability::*column, const Asked& asked) {
  const std::string& scheme = asked.options.scheme;
  for (const Capability& capability : kTable) {
    if ((capability.*column & bit_of(scheme)) != 0) continue;
    if (const Finding found = capability.find(asked)) return scheme + " " + *found;
  }
  return "";
}

}  // namespace

std::string unsupported(const model::Model& model, const SchemeOptions& options) {
  if (model.dimension == 3 || are_planar_grains(model, options))
    return unsupported_in_space(model, options);
  return unsupported_by(&Capability::plane, asked_of(model, options));
}

std::string unsupported_in_space(const model::Model& model, const SchemeOptions& options) {
  const Asked asked = asked_of(model, options);
  if (std::string why = unsupported_by(&Capability::space, asked); !why.empty()) return why;
  for (const auto find : kCombinations)
    if (const Finding found = find(asked)) return options.scheme + " " + *found;
  return "";
}

std::string capability_page() {
  std::string page =
      "# What each scheme supports\n\n"
      "In the plane, in space, or in both. A scene that has what its scheme does not support is "
      "refused, with the\nreason. This page is what `talus check --schemes` prints.\n\n"
      "In the plane `moreau_jean` steps scenes of discs and walls without joints as bodies "
      "in "
      "space:\nof these it supports what it supports in space.\n\n| |";
  for (const std::string_view name : kNames) page += fmt::format(" `{}` |", name);
  page += "\n|---|";
  for (std::size_t i = 0; i < kNames.size(); ++i) page += "---|";
  page += "\n";
  for (const Capability& capability : kTable) {
    page += fmt::format("| {} |", capability.what);
    for (const std::string_view name : kNames) {
      const bool plane = (capability.plane & bit_of(name)) != 0;
      const bool space = (capability.space & bit_of(name)) != 0;
      page += plane && space ? " both |" : plane ? " plane |" : space ? " space |" : " no |";
    }
    page += "\n";
  }
  return page;
}

}  // namespace talus::stepping
