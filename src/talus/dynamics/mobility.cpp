#include <talus/dynamics/mobility.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/base/disjoint_sets.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/constraint_rank.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/linalg/independent_rows.hpp>

namespace talus::dynamics {
namespace {

/// How many joints close a loop; what forces do not move is one body.
/// @param rows with the rows of joints: of a planar system or of MachineTerms.
template <class Machine, class Rows>
Index count_loops(const model::Model& model, const Machine& machine, const Rows& rows) {
  DisjointSets sets(model.body_count() + 1);
  const auto node = [&](Index body) {
    const bool is_held = body < 0 || model.bodies[body].kind != model::BodyKind::dynamic;
    return is_held ? model.body_count() : body;
  };
  Index loops = 0;
  for (std::size_t j = 0; j < machine.joints.size(); ++j) {
    if (rows.rows_of_joint(static_cast<Index>(j)).count == 0) continue;
    const Index a = node(machine.joints[j].body_a), b = node(machine.joints[j].body_b);
    if (sets.root(a) == sets.root(b)) ++loops;
    sets.join(a, b);
  }
  return loops;
}

/// Counts the dependent rows, by the names that they have, and the freedoms.
template <class NameOf>
void count_redundant(const MatX& gram, NameOf&& name, Mobility& result) {
  const std::vector<bool> is_independent =
      linalg::independent_rows(gram, linalg::kGramRank, linalg::RowChoice::earliest);
  for (Index row = 0; row < gram.rows(); ++row) {
    if (is_independent[static_cast<std::size_t>(row)]) continue;
    ++result.redundant;
    std::string of = name(row);
    if (result.redundant_in.empty() || result.redundant_in.back().of != of)
      result.redundant_in.push_back({std::move(of), 0});
    ++result.redundant_in.back().count;
  }
}

void planar_mobility(const model::Model& model, const model::State& state, Mobility& result) {
  const auto system = make_system(model, state);
  VecX q, v;
  system->load(state, q, v);
  result.constraints = system->constraint_count();
  result.is_consistent = ConstraintProjection().position(*system, state.time, q).is_converged;
  if (!result.is_consistent) return;
  ConstraintTerms terms;
  system->constraints(state.time, q, v, terms);
  result.loops = count_loops(model, *model.machine, *system);
  const MatX gram = constraint_gram(terms.rows, {}, system->mass());
  count_redundant(
      gram, [&](Index row) { return constraint_name(row, *model.machine, *system); }, result);
}

MassMatrix mass_of(const model::Model& model, const model::State& state) {
  MassMatrix mass(model.body_count(), 6);
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    if (body.kind != model::BodyKind::dynamic) continue;
    const Mat3 R = state.orientation[i].toRotationMatrix();
    mass.set(i, body.mass, R * body.inertia * R.transpose());
  }
  return mass;
}

void spatial_mobility(const model::Model& model, const model::State& state, Mobility& result) {
  const model::SpatialMachine& machine = *model.spatial_machine;
  const MachineTerms terms(machine, model.body_count());
  result.constraints = terms.constraint_count();
  result.is_consistent = true;
  result.loops = count_loops(model, machine, terms);
  if (result.loops == 0 && machine.couplings.empty()) return;
  std::vector<BodyMotion> motions;
  motions_of(state, motions);
  MachineConstraints constraints;
  terms.constraints(state.time, {motions, {}}, constraints);
  const MatX gram = constraint_gram(constraints.rows, constraints.couplings, mass_of(model, state));
  count_redundant(
      gram, [&](Index row) { return constraint_name(row, machine, terms); }, result);
}

}  // namespace

Mobility mobility(const model::Model& model, const model::State& state) {
  Mobility result;
  const auto count =
      std::count_if(model.bodies.begin(), model.bodies.end(),
                    [](const model::Body& body) { return body.kind == model::BodyKind::dynamic; });
  if (model.spatial_machine)
    spatial_mobility(model, state, result);
  else
    planar_mobility(model, state, result);
  if (result.is_consistent)
    result.degrees_of_freedom =
        (model.dimension == 2 ? 3 : 6) * count - (result.constraints - result.redundant);
  return result;
}

}  // namespace talus::dynamics
