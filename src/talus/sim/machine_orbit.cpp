#include <talus/sim/machine_orbit.hpp>

#include <cmath>
#include <numbers>

#include <talus/base/error.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::sim {
namespace {

constexpr Real kHeld = 1e-10;  // rate of a constraint along a drift that it forbids

}  // namespace

MachineOrbit::MachineOrbit(const scene::Scene& scene, Real period, Index steps,
                           std::vector<Vec2> drift)
    : scene_(scene),
      period_(period),
      steps_(steps),
      machine_(dynamics::make_system(scene_.model, scene_.initial)) {
  const VecX& inverse = machine_->mass().inverse_diagonal();
  root_mass_ = VecX::Zero(inverse.size());
  for (Index i = 0; i < inverse.size(); ++i)
    if (inverse[i] > 0) root_mass_[i] = 1 / std::sqrt(inverse[i]);
  shifts_ = MatX::Zero(inverse.size(), static_cast<Index>(drift.size()));
  for (Index k = 0; k < shifts_.cols(); ++k)
    for (Index i = 0; i < inverse.size(); i += 3)
      if (inverse[i] > 0)
        shifts_.col(k).segment<2>(i) = drift[static_cast<std::size_t>(k)].normalized();
  dynamics::ConstraintTerms terms;
  VecX q, v;
  machine_->load(scene_.initial, q, v);
  machine_->constraints(scene_.initial.time, q, v, terms);
  for (Index k = 0; k < shifts_.cols(); ++k)
    for (const dynamics::JacobianRow& row : terms.rows)
      if (std::abs(row.times(shifts_.col(k))) > kHeld)
        throw file_error(scene_.path.string(),
                         "a joint or drive holds the machine in the direction "
                         "in which a periodic orbit of it is to drift");
}

VecX MachineOrbit::state_of(const model::State& state) const {
  VecX q, v;
  machine_->load(state, q, v);
  VecX all(2 * q.size());
  all << q, v;
  return all;
}

scene::Scene MachineOrbit::scene_from(const VecX& state) const {
  scene::Scene scene = scene_;
  const Index n = machine_->coordinate_count();
  machine_->store(state.head(n), state.tail(n), scene.initial);
  scene.step_size = period_ / static_cast<Real>(steps_);
  scene.end_time = scene.initial.time + period_;
  scene.record_every = steps_;
  return scene;
}

VecX MachineOrbit::after(const VecX& state) const {
  Simulation simulation(scene_from(state));
  simulation.run();
  return simulation.failure() ? VecX() : state_of(simulation.state());
}

VecX MachineOrbit::settle(Index periods, const std::function<bool()>& should_stop) const {
  scene::Scene scene = scene_;
  scene.step_size = period_ / static_cast<Real>(steps_);
  scene.end_time = scene.initial.time + static_cast<Real>(periods) * period_;
  Simulation simulation(std::move(scene));
  simulation.run(should_stop);
  return simulation.failure() ? VecX() : state_of(simulation.state());
}

MachineOrbit::Basis MachineOrbit::basis(const VecX& state) const {
  const Index n = machine_->coordinate_count();
  dynamics::ConstraintTerms terms;
  machine_->constraints(scene_.initial.time, state.head(n), state.tail(n), terms);
  std::vector<Index> moving;
  for (Index i = 0; i < n; ++i)
    if (root_mass_[i] > 0) moving.push_back(i);
  MatX A = MatX::Zero(static_cast<Index>(terms.rows.size()), static_cast<Index>(moving.size()));
  for (Index k = 0; k < A.rows(); ++k) {
    VecX row = VecX::Zero(n);
    terms.rows[static_cast<std::size_t>(k)].add_to(row, 1);
    for (Index j = 0; j < A.cols(); ++j) {
      const Index i = moving[static_cast<std::size_t>(j)];
      A(k, j) = row[i] / root_mass_[i];
    }
  }
  const MatX free = linalg::null_space(A, linalg::kChainRank);
  Basis basis;
  basis.velocity = MatX::Zero(n, free.cols());
  for (Index j = 0; j < free.rows(); ++j) {
    const Index i = moving[static_cast<std::size_t>(j)];
    basis.velocity.row(i) = free.row(j) / root_mass_[i];
  }
  if (shifts_.cols() == 0) {
    basis.position = basis.velocity;
    return basis;
  }
  // What is left of the kernel when the shifts are taken out, in M's product.
  const MatX shares = linalg::weighted_product(basis.velocity, root_mass_.cwiseAbs2(), shifts_);
  const MatX Q = linalg::orthogonal_factor(shares);
  basis.position = linalg::product(basis.velocity, Q.rightCols(free.cols() - shifts_.cols()));
  return basis;
}

VecX MachineOrbit::move(const VecX& base, const VecX& coordinates) const {
  const Index n = machine_->coordinate_count();
  const Basis chart = basis(base);
  VecX q = base.head(n) + chart.position * coordinates.head(chart.position.cols());
  VecX v = base.tail(n) + chart.velocity * coordinates.tail(chart.velocity.cols());
  dynamics::ConstraintProjection projection;
  static_cast<void>(projection.position(*machine_, scene_.initial.time, q));
  static_cast<void>(projection.velocity(*machine_, scene_.initial.time, q, v));
  VecX state(2 * n);
  state << q, v;
  return state;
}

VecX MachineOrbit::difference(const VecX& state, const VecX& base) const {
  const Index n = machine_->coordinate_count();
  const Basis chart = basis(base);
  VecX dq = state.head(n) - base.head(n);
  for (Index i = 2; i < n; i += 3) dq[i] = std::remainder(dq[i], 2 * std::numbers::pi);
  const VecX mass = root_mass_.cwiseAbs2();
  VecX coordinates(chart.position.cols() + chart.velocity.cols());
  coordinates << chart.position.transpose() * mass.cwiseProduct(dq),
      chart.velocity.transpose() * mass.cwiseProduct(state.tail(n) - base.tail(n));
  return coordinates;
}

Real MachineOrbit::drift(const VecX& from, const VecX& to) const {
  const Index n = machine_->coordinate_count();
  const VecX mass = root_mass_.cwiseAbs2();
  const VecX shift = shifts_.col(0);
  return shift.dot(mass.cwiseProduct(to.head(n) - from.head(n))) /
         shift.dot(mass.cwiseProduct(shift));
}

ReturnMap MachineOrbit::map() const {
  VecX start = state_of(scene_.initial);
  const Basis chart = basis(start);
  return {chart.position.cols() + chart.velocity.cols(), [this](const VecX& x) { return after(x); },
          [this](const VecX& base, const VecX& step) { return move(base, step); },
          [this](const VecX& x, const VecX& base) { return difference(x, base); }};
}

}  // namespace talus::sim
