#include <talus/problem/friction_law.hpp>
#include <talus/scene/detail/spec.hpp>

// How the laws of contacts, and of friction in joints, are written.

namespace talus::scene::detail {
namespace {

constexpr Range kAtLeastOne{.low = 1};

template <class T>
Object<T> with_stiffness(Object<T> object) {
  return object
      .field("stiffness", &T::stiffness, number(Quantity::ratio, kPositive), required(),
             "K of K δⁿ [N/mⁿ], a bare number in SI units.")
      .field("exponent", &T::exponent, number(Quantity::ratio, kAtLeastOne), with_default("1.5"),
             "n.");
}

Typed<DampedSpec> damped_type(const char* title, const char* description, const Range& range) {
  return with_stiffness(Object<DampedSpec>(title, description))
      .field("restitution", &DampedSpec::restitution, number(Quantity::ratio, range), required(),
             "e, what the damping is made for.")
      .done();
}

Typed<NormalSpec> normal_type() {
  const auto hertz =
      with_stiffness(Object<HertzSpec>("hertz", "An elastic normal force K δⁿ, δ the penetration."))
          .done();
  const auto viscous =
      with_stiffness(Object<ViscousSpec>("viscous normal force", "K δⁿ + c δ δ̇, never below zero."))
          .field("damping", &ViscousSpec::damping, number(Quantity::contact_damping, kNonNegative),
                 required(), "c.")
          .done();
  return Object<NormalSpec>("normal force",
                            "How surfaces resist penetration: the word rigid (no penetration, and "
                            "impacts), or a law of a compliant surface.")
      .field("kind", &NormalSpec::is_rigid, choice<bool>({{"rigid", true}}), optional(),
             "rigid: no penetration, impacts by restitution.")
      .field("hertz", &NormalSpec::hertz, hertz, optional(), "Without loss.")
      .field(
          "hunt_crossley", &NormalSpec::hunt_crossley,
          damped_type("hunt-crossley",
                      "K δⁿ (1 + χ δ̇), χ = 3 (1 − e)/(2 v), v the velocity of approach.", kShare),
          optional(), "Hunt and Crossley's damping.")
      .field("lankarani_nikravesh", &NormalSpec::lankarani_nikravesh,
             damped_type("lankarani-nikravesh", "K δⁿ (1 + χ δ̇), χ = 3 (1 − e²)/(4 v).", kShare),
             optional(), "Lankarani and Nikravesh's damping.")
      .field("flores", &NormalSpec::flores,
             damped_type("flores", "K δⁿ (1 + χ δ̇), χ = 8 (1 − e)/(5 e v).",
                         {.low = 0, .high = 1, .low_open = true}),
             optional(), "Flores' damping.")
      .field("viscous", &NormalSpec::viscous, viscous, optional(),
             "Damping proportional to the penetration.")
      .exactly_one({"kind", "hertz", "hunt_crossley", "lankarani_nikravesh", "flores", "viscous"})
      .shorthand("kind")
      .done();
}

}  // namespace

Typed<FrictionLawSpec> friction_law_type() {
  const Typed<Real> velocity = number(Quantity::velocity, kPositive);
  const auto smoothed = [&](const char* title, const char* description) {
    return Object<SmoothedSpec>(title, description)
        .field("velocity", &SmoothedSpec::velocity, velocity, required(), "v_d.")
        .shorthand("velocity")
        .done();
  };
  return Object<FrictionLawSpec>(
             "friction law",
             "How friction depends on the slip velocity v: at most one of the "
             "laws, Coulomb's without one, and what comes on top of it. Laws without a state of "
             "stick creep under load.")
      .field("stribeck", &FrictionLawSpec::stribeck,
             Object<StribeckSpec>("stribeck", "[μ + (μ₀ − μ) exp(−|v/v_s|^δ)] F_N; sticks.")
                 .field("velocity", &StribeckSpec::velocity, velocity, required(), "v_s.")
                 .field("exponent", &StribeckSpec::exponent, number(Quantity::ratio, kPositive),
                        with_default("2"), "δ.")
                 .done(),
             optional(), "Friction that falls with the velocity.")
      .field("tanh", &FrictionLawSpec::tanh, smoothed("tanh", "μ F_N tanh(v/v_d); without stick."),
             optional(), "Smoothed Coulomb friction.")
      .field("atan", &FrictionLawSpec::atan,
             smoothed("atan", "(2/π) μ F_N atan(v/v_d); without stick."), optional(),
             "Smoothed Coulomb friction.")
      .field(
          "piecewise_linear", &FrictionLawSpec::piecewise_linear,
          Object<PiecewiseLinearSpec>("piecewise linear",
                                      "c_d μ F_N, c_d rising from 0 to 1; without stick.")
              .field("from", &PiecewiseLinearSpec::from, number(Quantity::velocity, kNonNegative),
                     with_default("0"), "Velocity up to which there is no friction.")
              .field("to", &PiecewiseLinearSpec::to, velocity, required(),
                     "Velocity from which on friction is μ F_N.")
              .done(),
          optional(), "Friction that rises linearly.")
      .field("dahl", &FrictionLawSpec::dahl,
             Object<DahlSpec>("dahl", "dF/dx = σ (1 − (F/μF_N) sgn v)^a; F is a state of its own.")
                 .field("stiffness", &DahlSpec::stiffness, number(Quantity::stiffness, kPositive),
                        required(), "σ.")
                 .field("exponent", &DahlSpec::exponent, number(Quantity::ratio, kAtLeastOne),
                        with_default("1"), "a.")
                 .done(),
             optional(), "Friction with an elastic start, in planar scenes.")
      .field("viscous", &FrictionLawSpec::viscous, number(Quantity::damping, kNonNegative),
             with_default("0"), "c of a force −c v more, in slip.")
      .field("rolling", &FrictionLawSpec::rolling, number(Quantity::length, kNonNegative),
             with_default("0"),
             "ρ: a moment of at most ρ F_N against rolling, at contacts of discs.")
      .at_most_one({"stribeck", "tanh", "atan", "piecewise_linear", "dahl"})
      .done();
}

namespace {

/// The keys of a surface law, in an object that derives from SurfaceSpec.
/// @param fallback default of friction and restitution; "" for none
template <class T>
Object<T> with_surface_fields(Object<T> object, std::string_view fallback) {
  const auto presence = fallback.empty() ? optional() : with_default(fallback);
  return object
      .field("friction", &SurfaceSpec::friction, number(Quantity::ratio, kNonNegative), presence,
             "Coulomb's coefficient of friction μ.")
      .field("restitution", &SurfaceSpec::restitution, number(Quantity::ratio, kShare), presence,
             "Coefficient of restitution e of the normal velocity.")
      .field("static_friction", &SurfaceSpec::static_friction,
             number(Quantity::ratio, kNonNegative), optional(),
             "μ₀ ≥ μ, up to which a contact sticks; without it μ (a pair with a "
             "friction or friction_law of its own does not take that of the default).")
      .field("friction_law", &SurfaceSpec::friction_law, friction_law_type(), optional(),
             "How friction depends on slip; without it not at all.")
      .field("normal", &SurfaceSpec::normal, normal_type(), optional(),
             "The normal force; without it rigid.")
      .field("impact", &SurfaceSpec::is_poisson,
             choice<bool>({{"newton", false}, {"poisson", true}}), optional(),
             "In planar scenes: restitution of velocities (newton, the default) or of impulses.")
      .field(
          "tangential_restitution", &SurfaceSpec::tangential_restitution,
          number(Quantity::ratio, kShare), optional(),
          "Restitution of the tangential velocity; in planar scenes with impact: poisson, of the "
          "impulse.");
}

/// These, and those of contacts alone.
template <class T>
Object<T> with_law_fields(Object<T> object, std::string_view fallback) {
  return with_surface_fields(std::move(object), fallback)
      .field("rolling_friction", &LawSpec::rolling_friction, number(Quantity::length, kNonNegative),
             optional(),
             "A moment of at most this times the normal force against rolling: in space under the "
             "law coulomb, in the plane at contacts of discs.")
      .field("torsional_friction", &LawSpec::torsional_friction,
             number(Quantity::length, kNonNegative), optional(),
             "In space, law coulomb: the same against spinning about the normal; of a round patch "
             "of radius r about 2/3 μ r.")
      .field("cohesion", &LawSpec::cohesion, number(Quantity::force, kNonNegative), optional(),
             "In space: the largest pull of one contact point; it acts while the gap is at most "
             "1/1000 of the thinner body's half thickness.");
}

Typed<GrainSpec> grain_type() {
  return Object<GrainSpec>("grain", "A surface with a direction: ribs, brushed metal, a belt.")
      .field("of", &GrainSpec::of, name(), required(), "The material that has it, one of the pair.")
      .field("direction", &GrainSpec::direction, vector3(Quantity::ratio), required(),
             "Its direction in the frame of bodies of that material; along it friction holds.")
      .field("friction_across", &GrainSpec::friction_across, number(Quantity::ratio, kNonNegative),
             required(), "The coefficient of friction across it; in between an ellipse.")
      .done();
}

}  // namespace

Typed<SurfaceSpec> surface_type() {
  return with_surface_fields(
             Object<SurfaceSpec>("surface law", "What happens where the two parts touch."), "0")
      .done();
}

Typed<ContactsSpec> contacts_type() {
  const auto law =
      with_law_fields(Object<LawSpec>("contact law", "What happens where two materials touch."),
                      "0")
          .done();
  const auto pair =
      with_law_fields(
          Object<PairSpec>("pair",
                           "The contact law of two materials, in any order; what is not given is "
                           "that of the default."),
          "")
          .field("between", &PairSpec::between, list(name(), 2, 2), required(),
                 "The two materials; twice the same for contacts of one with itself.")
          .field("grain", &PairSpec::grain, grain_type(), optional(),
                 "In space: friction that depends on the direction.")
          .done();
  std::vector<std::pair<std::string_view, problem::FrictionLaw>> laws;
  laws.reserve(std::size(problem::kFrictionLaws));
  for (const problem::FrictionLaw law_of_all : problem::kFrictionLaws)
    laws.emplace_back(to_string(law_of_all), law_of_all);
  return Object<ContactsSpec>("contacts", "The contact laws.")
      .field("law", &ContactsSpec::law, choice(laws), optional(),
             "The law of friction of all contacts; without it coulomb. frictionless takes away all "
             "friction of contacts, rolling and viscous included, in joints with play too. Other "
             "laws are those of moreau_jean; polyhedral has 8 corners, or the directions of the "
             "solver lemke.")
      .field("default", &ContactsSpec::fallback, law, optional(),
             "The law of all pairs that are not listed; without it no friction and no restitution.")
      .field("pairs", &ContactsSpec::pairs, list(pair), optional(), "Laws of single pairs.")
      .field("apart", &ContactsSpec::apart, list(list(name(), 2)), in_space(optional()),
             "Lists of bodies, or sets of bodies, that never touch one another.")
      .done();
}

}  // namespace talus::scene::detail
