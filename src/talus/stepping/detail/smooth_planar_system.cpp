#include <talus/dynamics/system.hpp>
#include <talus/stepping/detail/row_length.hpp>
#include <talus/stepping/detail/smooth_system.hpp>
#include <talus/stepping/event_driven/inconsistent_constraints.hpp>

namespace talus::stepping::detail {
namespace {

class SmoothPlanarSystem final : public SmoothSystem {
 public:
  SmoothPlanarSystem(const model::Model& model, const model::State& state)
      : model_(model), system_(dynamics::make_system(model, state)) {}

  [[nodiscard]] const dynamics::MassMatrix& mass() const override { return system_->mass(); }
  [[nodiscard]] Index constraint_count() const override { return system_->constraint_count(); }
  [[nodiscard]] std::string name(Index constraint) const override {
    return dynamics::constraint_name(constraint, system_->parts(), *system_);
  }

  void start(const model::State& state, VecX& v) override { system_->load(state, q0_, v); }

  void evaluate(Real time, VecX& x, VecX& v, VecX& acceleration, SmoothTerms& terms) override {
    place(x);
    system_->prescribe(time, q_, v, acceleration);
    const VecX& inverse = mass().inverse_diagonal();
    for (Index i = 0; i < x.size(); ++i)
      if (inverse[i] == 0) x[i] = q_[i] - q0_[i];
    system_->force(time, q_, v, terms.force);
    system_->constraints(time, q_, v, constraints_);
    terms.gradient.setZero(constraint_count(), x.size());
    terms.length.resize(constraint_count());
    terms.size.resize(constraint_count());
    for (Index k = 0; k < constraint_count(); ++k) {
      const dynamics::JacobianRow& row = constraints_.rows[static_cast<std::size_t>(k)];
      row.for_each([&](Index body, const auto& part) {
        terms.gradient.row(k).segment(3 * body, 3) += part.transpose();
      });
      terms.length[k] = row_length(*system_, row);
      terms.size[k] = smaller_reach(*system_, row);
    }
    terms.value = constraints_.value;
    terms.rate = constraints_.rate;
    terms.drift = constraints_.drift;
    terms.extent = q_.lpNorm<Eigen::Infinity>();
  }

  void store(const VecX& x, const VecX& v, model::State& state) override {
    place(x);
    system_->store(q_, v, state);
  }

  [[nodiscard]] dynamics::Energy energy(Real time, const VecX& x, const VecX& v) override {
    place(x);
    return {system_->kinetic_energy(v), system_->potential_energy(time, q_)};
  }

  void report(Real /*time*/, const VecX& x, const VecX& /*v*/, const VecX& multipliers,
              std::vector<dynamics::Reaction>& reactions,
              std::vector<dynamics::AxisReaction>& /*axes*/) override {
    place(x);
    dynamics::reactions(*system_, q_, multipliers, VecX(), reactions);
  }

  [[nodiscard]] std::string why_no_motion(Real time, const VecX& x, const VecX& v) override {
    place(x);
    return event_driven::why_no_motion(*system_, model_, time, q_, v);
  }

 private:
  void place(const VecX& x) { q_ = q0_ + x; }

  const model::Model& model_;
  std::unique_ptr<dynamics::System> system_;
  VecX q0_, q_;
  dynamics::ConstraintTerms constraints_;
};

}  // namespace

std::unique_ptr<SmoothSystem> make_smooth_system(const model::Model& model,
                                                 const model::State& state) {
  if (model.dimension == 3) return make_smooth_spatial_system(model);
  return std::make_unique<SmoothPlanarSystem>(model, state);
}

}  // namespace talus::stepping::detail
