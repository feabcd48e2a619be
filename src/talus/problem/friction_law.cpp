#include <talus/problem/friction_law.hpp>

namespace talus::problem {

std::string_view to_string(FrictionLaw law) noexcept {
  switch (law) {
    case FrictionLaw::coulomb:
      return "coulomb";
    case FrictionLaw::maximum_dissipation:
      return "maximum_dissipation";
    case FrictionLaw::cone_complementarity:
      return "cone_complementarity";
    case FrictionLaw::polyhedral:
      return "polyhedral";
    case FrictionLaw::frictionless:
      return "frictionless";
  }
  return "unknown";
}

std::optional<FrictionLaw> friction_law(std::string_view name) noexcept {
  for (const FrictionLaw law : kFrictionLaws)
    if (to_string(law) == name) return law;
  return {};
}

}  // namespace talus::problem
