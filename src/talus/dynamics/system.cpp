#include <talus/dynamics/system.hpp>

#include <algorithm>

#include <talus/dynamics/lagrangian_adapter.hpp>
#include <talus/dynamics/planar_bodies.hpp>
#include <talus/dynamics/spatial_bodies.hpp>

namespace talus::dynamics {

void add_elastic(const std::vector<ElasticRow>& rows, const VecX& v, VecX& Q) {
  for (const ElasticRow& spring : rows)
    spring.row.add_to(Q, -spring.stiffness * spring.stretch - spring.damping * spring.row.times(v));
}

void System::near_contacts(const VecX& q, const VecX& margin, std::vector<Index>& contacts) const {
  std::vector<ShapePair> pairs;
  near_pairs(q, margin, pairs);
  contacts.clear();
  for (const ShapePair& pair : pairs)
    for (Index i = pair.first; i < pair.first + pair.count; ++i) contacts.push_back(i);
  for (Index i = shape_contact_count(); i < contact_count(); ++i) contacts.push_back(i);
}

void System::coordinate_scale(const VecX& q, VecX& scale) const {
  const Index width = mass().width(), places = mass().is_planar() ? 2 : 3;
  Real length = 0;
  for (Index body = 0; body < mass().body_count(); ++body) {
    length = std::max(length, q.segment(width * body, places).lpNorm<Eigen::Infinity>());
    if (mass().moves(body)) length = std::max(length, mass().gyration_radius(body));
  }
  scale = q.cwiseAbs().cwiseMax(1);
  for (Index body = 0; body < mass().body_count(); ++body)
    scale.segment(width * body, places).setConstant(length);
}

std::unique_ptr<System> make_system(const model::Model& model, const model::State& state) {
  if (model.own_system) return std::make_unique<LagrangianAdapter>(*model.own_system, state);
  if (model.dimension == 3) return std::make_unique<SpatialBodies>(model);
  return std::make_unique<PlanarBodies>(model, state);
}

}  // namespace talus::dynamics
