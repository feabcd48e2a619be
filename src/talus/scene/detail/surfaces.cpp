#include <talus/scene/detail/surfaces.hpp>

#include <fmt/format.h>

namespace talus::scene::detail {
namespace {

model::NormalLaw normal_law(const NormalSpec& spec) {
  using Kind = model::DampedNormal::Kind;
  const auto damped = [](Kind kind, const DampedSpec& s) {
    return model::DampedNormal{kind, s.stiffness, s.exponent, s.restitution};
  };
  if (spec.hertz) return model::HertzNormal{spec.hertz->stiffness, spec.hertz->exponent};
  if (spec.hunt_crossley) return damped(Kind::hunt_crossley, *spec.hunt_crossley);
  if (spec.lankarani_nikravesh) return damped(Kind::lankarani_nikravesh, *spec.lankarani_nikravesh);
  if (spec.flores) return damped(Kind::flores, *spec.flores);
  if (spec.viscous)
    return model::ViscousNormal{spec.viscous->stiffness, spec.viscous->exponent,
                                spec.viscous->damping};
  return model::RigidNormal{};
}

/// The key of the law's kind; "" for Coulomb's.
const char* kind_of(const FrictionLawSpec& law) {
  return law.stribeck           ? "stribeck"
         : law.tanh             ? "tanh"
         : law.atan             ? "atan"
         : law.piecewise_linear ? "piecewise_linear"
         : law.dahl             ? "dahl"
                                : "";
}

/// What of a surface is given where the surface says it, else by the fallback.
template <class T, class Law>
const std::optional<T>& given(const std::optional<T>& own, const Law* fallback,
                              std::optional<T> Law::*member) {
  return own || fallback == nullptr ? own : fallback->*member;
}

}  // namespace

bool is_of_the_plane(const SurfaceSpec& spec) {
  return spec.is_poisson || (spec.friction_law && spec.friction_law->dahl);
}

bool is_of_space(const LawSpec& spec) { return spec.torsional_friction || spec.cohesion; }

model::FrictionModel friction_law(Real friction, const std::optional<Real>& static_friction,
                                  const std::optional<FrictionLawSpec>& law, const Place& place,
                                  Problems& problems) {
  model::FrictionModel result;
  result.coefficient = friction;
  if (static_friction && *static_friction < friction)
    problems.add(place.at("static_friction"),
                 fmt::format("expected at least the coefficient of friction, {:g}, got {:g}",
                             friction, *static_friction));
  const Real mu_0 = static_friction.value_or(friction);
  result.kind = model::CoulombFriction{mu_0};
  if (!law) return result;
  result.viscous = law->viscous;
  result.rolling = law->rolling;
  const std::string kind = kind_of(*law);
  if (static_friction && !kind.empty() && kind != "stribeck")
    problems.add(place.at("static_friction"),
                 fmt::format("the law {} does not stick: it has no static friction", kind),
                 "remove it, or take stribeck or no friction_law");
  if (law->stribeck) {
    result.kind = model::StribeckFriction{mu_0, law->stribeck->velocity, law->stribeck->exponent};
    if (mu_0 == friction)
      problems.add(law->place.at("stribeck"),
                   "Stribeck friction needs static_friction above friction",
                   "give static_friction, or remove stribeck");
  } else if (law->tanh) {
    result.kind = model::TanhFriction{law->tanh->velocity};
  } else if (law->atan) {
    result.kind = model::AtanFriction{law->atan->velocity};
  } else if (law->piecewise_linear) {
    const PiecewiseLinearSpec& linear = *law->piecewise_linear;
    result.kind = model::PiecewiseLinearFriction{linear.from, linear.to};
    if (linear.from >= linear.to)
      problems.add(linear.place, fmt::format("expected from below to, got {:g} and {:g} m/s",
                                             linear.from, linear.to));
  } else if (law->dahl) {
    result.kind = model::DahlFriction{law->dahl->stiffness, law->dahl->exponent};
  }
  return result;
}

model::InterfaceLaw surface_law(const SurfaceSpec& spec, const SurfaceSpec* fallback,
                                Problems& problems) {
  model::InterfaceLaw surface;
  const auto& normal = given(spec.normal, fallback, &SurfaceSpec::normal);
  if (normal) surface.normal = normal_law(*normal);
  if (normal && !normal->is_rigid) {
    for (const char* key : {"restitution", "impact", "tangential_restitution"})
      if (spec.has(key))
        problems.add(spec.place.at(key),
                     fmt::format("{} is of rigid surfaces, this one is compliant", key),
                     "its law of the normal force has the loss in it; or write normal: rigid");
  } else {
    surface.impact.restitution =
        given(spec.restitution, fallback, &SurfaceSpec::restitution).value_or(0);
    surface.impact.is_poisson =
        given(spec.is_poisson, fallback, &SurfaceSpec::is_poisson).value_or(false);
    surface.impact.tangential_restitution =
        given(spec.tangential_restitution, fallback, &SurfaceSpec::tangential_restitution)
            .value_or(0);
  }
  // μ₀ goes with the μ and the law that it was given for.
  const bool is_own = spec.friction || spec.static_friction || spec.friction_law;
  surface.friction = friction_law(
      given(spec.friction, fallback, &SurfaceSpec::friction).value_or(0),
      given(spec.static_friction, is_own ? nullptr : fallback, &SurfaceSpec::static_friction),
      given(spec.friction_law, fallback, &SurfaceSpec::friction_law),
      is_own || fallback == nullptr ? spec.place : fallback->place, problems);
  return surface;
}

model::InterfaceLaw interface_law(const LawSpec& spec, const LawSpec* fallback,
                                  Problems& problems) {
  model::InterfaceLaw law = surface_law(spec, fallback, problems);
  const auto& rolling = given(spec.rolling_friction, fallback, &LawSpec::rolling_friction);
  if (rolling && law.friction.rolling > 0)
    problems.add(spec.place, "rolling resistance is given twice",
                 "rolling_friction and friction_law: {rolling: ...} are the same: give one");
  if (rolling) law.friction.rolling = *rolling;
  law.friction.torsion =
      given(spec.torsional_friction, fallback, &LawSpec::torsional_friction).value_or(0);
  law.cohesion = given(spec.cohesion, fallback, &LawSpec::cohesion).value_or(0);
  return law;
}

}  // namespace talus::scene::detail
