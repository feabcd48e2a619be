#include <talus/cli/problem_variants.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>

namespace talus::cli {
namespace {

/// A standard normal number (Box and Muller's cosine).
Real normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(2 * std::numbers::pi * random.uniform());
}

void perturb(Eigen::Ref<VecX> x, Real perturbation, Random& random) {
  if (x.size() == 0) return;
  const Real size = perturbation * x.norm() / std::sqrt(static_cast<Real>(x.size()));
  for (Real& component : x) component += size * normal(random);
}

}  // namespace

std::string Variant::name() const {
  std::string text;
  if (perturbation > 0) text += fmt::format(" b+{:g}%#{}", 100 * perturbation, seed);
  if (friction != 1) text += fmt::format(" mu*{:g}", friction);
  return text;
}

std::vector<Variant> variants(const std::vector<Real>& perturbations, int seeds,
                              const std::vector<Real>& frictions) {
  std::vector<Variant> all;
  for (const Real perturbation : perturbations)
    for (int seed = 1; seed <= (perturbation > 0 ? seeds : 1); ++seed)
      for (const Real friction : frictions)
        all.push_back({perturbation, static_cast<std::uint64_t>(seed), friction});
  return all;
}

RunProblem varied(RunProblem problem, const Variant& variant) {
  std::visit(
      [&](auto& p) {
        Random random(variant.seed);
        if constexpr (requires { p.f; }) perturb(p.f, variant.perturbation, random);
        if constexpr (requires { p.w; })
          perturb(p.w, variant.perturbation, random);
        else if constexpr (requires { p.equality_count; })  // dependent constraints stay consistent
          perturb(p.b.tail(p.b.size() - p.equality_count), variant.perturbation, random);
        else if constexpr (requires { p.q; })
          perturb(p.q, variant.perturbation, random);
        else
          perturb(p.b, variant.perturbation, random);
        if constexpr (requires { p.friction; }) p.friction *= variant.friction;
      },
      problem);
  return problem;
}

}  // namespace talus::cli
