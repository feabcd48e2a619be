#pragma once

#include <limits>
#include <vector>

#include <talus/linalg/node_lu.hpp>
#include <talus/problem/constraint_elimination.hpp>
#include <talus/solve/newton/detail/lagged_desaxce.hpp>
#include <talus/solve/newton/detail/proximal_iteration.hpp>
#include <talus/solve/newton/detail/rigid_element.hpp>
#include <talus/solve/newton/rigid_newton.hpp>

namespace talus::solve {

/// What RigidNewton keeps of a problem, and its steps (rigid_newton.cpp, rigid_newton_step.cpp).
class RigidNewton::Work {
 public:
  using BoundedRows = problem::BoundedRows;
  using RigidContact = problem::RigidContact;
  using Row36 = Eigen::Matrix<Real, 3, 6>;
  using Element = detail::RigidElement;
  using Side = detail::RigidSide;
  using ConeMap = detail::LaggedDesaxce<3>;  // its De Saxcé term 0

  bool start(const RigidContact& problem);
  /// Elements, their pattern and their scales, where the last start() has none yet.
  void prepare();

  void complete(problem::ContactImpulses& impulse, std::vector<problem::BodyVelocity>& velocity);
  [[nodiscard]] VecX unknowns(const problem::ContactImpulses& impulse) const;
  void impulses(const VecX& x, problem::ContactImpulses& impulse,
                std::vector<problem::BodyVelocity>& velocity);
  [[nodiscard]] VecX uniform_pressure() const;
  bool refine(VecX& x, Factors factors);

  // What ProximalIteration needs.
  void to_scaled(const VecX& x, VecX& r) const {
    r = x;
    for (const Element& e : elements_) r.segment(e.first, e.count) /= gamma_ * e.scale;
  }
  void to_original(const VecX& r, VecX& x) const {
    x = r;
    for (const Element& e : elements_) x.segment(e.first, e.count) *= gamma_ * e.scale;
  }
  void velocity(const VecX& r, VecX& u);
  void start_step(ContactEquation, const VecX&) {}
  [[nodiscard]] Real residual(ContactEquation, const VecX& r, const VecX& u) const {
    return inner_residual(r, u, 0, r);
  }
  [[nodiscard]] Real inner_residual(const VecX& r, const VecX& u, Real alpha,
                                    const VecX& centre) const;
  bool newton_step(const VecX& r, const VecX& u, Real alpha, const VecX& centre,
                   const StopRequest& should_stop, VecX& dr);
  problem::SolveCounts sweep(VecX& r);

  /// Before a run that may take so many products.
  void set_budget(double most) {
    most_products_ = most;
    products_ = 0;
    is_too_dear_ = false;
  }
  [[nodiscard]] double products() const { return products_; }
  [[nodiscard]] bool is_too_dear() const { return is_too_dear_; }

 private:
  [[nodiscard]] const problem::BodyForest& forest() const { return joints_.forest(); }
  [[nodiscard]] Index unknown_count() const {
    return elements_.empty() ? 0 : elements_.back().first + elements_.back().count;
  }
  void analyse();
  void add_elements();
  void add_contact(Index contact);
  void add_moment(Index contact);
  void add_sides(Element element, Index body_a, const Row36& rows_a, Index body_b,
                 const Row36& rows_b);
  void add_row(Index row);
  void scale();
  void add_weight(const Element& element, const Mat3& B, const Element& other);
  void add_row_weight(const Element& element, Real b);
  void linearise(const VecX& r, const VecX& u, Real alpha, const VecX& centre);
  void linearise_contact(const Element& element, const VecX& r, const VecX& u, Real alpha,
                         const VecX& centre, Mat3& B);
  void linearise_moment(const Element& element, const VecX& r, const VecX& u, Real alpha,
                        const VecX& centre, Mat3& B, Mat3& G);
  [[nodiscard]] bool factorise();
  bool take_step(VecX& dr);
  void to_nodes(const VecX& of_elements, VecX& of_nodes) const;
  [[nodiscard]] Vec3 rates(const Element& element, const VecX& of_nodes) const;
  [[nodiscard]] Vec3 projected(const Element& element, const Vec3& z, Real pressure) const;
  /// r − v of the normal force that presses where a moment acts, v with its proximal term.
  [[nodiscard]] Real closed(const Element& moment, const VecX& r, const VecX& u, Real alpha,
                            const VecX& centre) const {
    const Index n = elements_[static_cast<std::size_t>(moment.force)].first;
    return r[n] - u[n] - alpha * (r[n] - centre[n]);
  }
  /// α of an element: a row with a compliance needs none.
  [[nodiscard]] static Real proximal(const Element& element, Real alpha) {
    return element.count == 1 && element.compliance(0, 0) > 0 ? Real(0) : alpha;
  }

  const RigidContact* problem_ = nullptr;
  std::vector<Index> row_element_;  // of every row: its unknown, −1 of constraints
  std::vector<Element> elements_;
  std::vector<Side> sides_;
  problem::ConstraintElimination joints_;
  linalg::NodeLu newton_;
  std::vector<linalg::NodeLu::Edge> met_, last_met_;  // nodes that meet in a Newton matrix
  VecX b_;        // u without impulses but those of constraints, scaled, over gamma
  VecX lambda0_;  // on nodes: (v − v_free, λ) without impulses of the elements
  VecX answer_, step_, e_, u_;
  std::vector<Mat3> B_, G_;  // G of moments
  Real gamma_ = 1;
  double most_products_ = std::numeric_limits<double>::infinity(), products_ = 0;
  bool is_too_dear_ = false;
  bool is_prepared_ = false;
  bool has_factors_ = false;  // newton_ of this problem
  bool is_analysed_ = false;  // the pattern of newton_ is that of the forest and last_met_
};

}  // namespace talus::solve
