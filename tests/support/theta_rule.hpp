#pragma once

#include <memory>
#include <vector>

#include "support/world.hpp"

namespace talus::test {

/// A scheme that takes forces with a θ.
struct ThetaRule {
  const char* scheme;
  Real theta;

  [[nodiscard]] std::unique_ptr<stepping::Scheme> make(const model::Model& model) const {
    stepping::SchemeOptions own = options(scheme, 1e-10);
    own.theta = theta;
    return make_scheme(model, own);
  }
};

inline const std::vector<ThetaRule> theta_rules = {
    {"moreau_midpoint", 0.5},        {"moreau_jean", 0.5},
    {"moreau_jean", 0.75},           {"moreau_jean", 1},
    {"stewart_trinkle", 1},          {"anitescu_potra", 1},
    {"anitescu_potra_stabilised", 1}};

}  // namespace talus::test
