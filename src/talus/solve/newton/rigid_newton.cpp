#include <talus/solve/newton/rigid_newton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/linalg/node_lu.hpp>
#include <talus/problem/constraint_elimination.hpp>
#include <talus/solve/newton/detail/alart_curnier.hpp>
#include <talus/solve/newton/detail/lagged_desaxce.hpp>
#include <talus/solve/newton/detail/proximal_iteration.hpp>
#include <talus/solve/newton/detail/rigid_elements.hpp>

namespace talus::solve {
namespace {

using problem::RigidContact;

using Row36 = Eigen::Matrix<Real, 3, 6>;
using Element = detail::RigidElement;
using Side = detail::RigidSide;
using AlartCurnier = detail::AlartCurnier<3>;
using ConeMap = detail::LaggedDesaxce<3>;  // its De Saxcé term 0

constexpr int kRelaxedSteps = 10;
constexpr Real kRelaxation = 0.3;
constexpr Real kRefined = 1e-6;    // α of a step from where the laws nearly hold
constexpr Real kNoFreedom = 1e-9;  // of a contact's block without joints: less freedom is none

}  // namespace

class RigidNewton::Work {
 public:
  bool start(const RigidContact& problem);
  /// Elements, their pattern and their scales, where the last start() has none yet.
  void prepare();

  void complete(problem::ContactImpulses& impulse, std::vector<problem::BodyVelocity>& velocity);
  [[nodiscard]] VecX unknowns(const problem::ContactImpulses& impulse) const;
  void impulses(const VecX& x, problem::ContactImpulses& impulse,
                std::vector<problem::BodyVelocity>& velocity);
  [[nodiscard]] VecX uniform_pressure() const;
  bool refine(VecX& x);

  // What ProximalIteration needs.
  void to_scaled(const VecX& x, VecX& r) const {
    r = x;
    for (const Element& e : elements_.list) r.segment(e.first, e.count) /= gamma_ * e.scale;
  }
  void to_original(const VecX& r, VecX& x) const {
    x = r;
    for (const Element& e : elements_.list) x.segment(e.first, e.count) *= gamma_ * e.scale;
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
  void analyse();
  void scale();
  template <int count>
  void add_weight(const Element& element, const Mat3& B, const Element& other);
  void linearise_moment(const Element& element, const VecX& r, const VecX& u, Real alpha,
                        const VecX& centre, Mat3& B, Mat3& G);
  void to_nodes(const VecX& of_elements, VecX& of_nodes) const;
  [[nodiscard]] Vec3 rates(const Element& element, const VecX& of_nodes) const;
  [[nodiscard]] Vec3 projected(const Element& element, const Vec3& z, Real pressure) const;
  /// r − v of the normal force that presses where a moment acts, v with its proximal term.
  [[nodiscard]] Real closed(const Element& moment, const VecX& r, const VecX& u, Real alpha,
                            const VecX& centre) const {
    const Index n = elements_.force_of(moment).first;
    return r[n] - u[n] - alpha * (r[n] - centre[n]);
  }
  /// α of an element: a row with a compliance needs none.
  [[nodiscard]] static Real proximal(const Element& element, Real alpha) {
    return element.count == 1 && element.compliance(0, 0) > 0 ? Real(0) : alpha;
  }

  const RigidContact* problem_ = nullptr;
  detail::RigidElements elements_;
  problem::ConstraintElimination joints_;
  linalg::NodeLu newton_;
  std::vector<linalg::NodeLu::Edge> met_, last_met_;  // nodes that meet in a Newton matrix
  VecX b_;        // u without impulses but those of constraints, scaled, over gamma
  VecX lambda0_;  // on nodes: (v − v_free, λ) without impulses of the elements
  VecX answer_, step_, e_;
  std::vector<Mat3> B_, G_;  // G of moments
  Real gamma_ = 1;
  double most_products_ = std::numeric_limits<double>::infinity(), products_ = 0;
  bool is_too_dear_ = false;
  bool is_prepared_ = false;
  bool is_analysed_ = false;  // the pattern of newton_ is that of the forest and last_met_
};

bool RigidNewton::takes(const RigidContact& problem) {
  using problem::FrictionLaw;
  if (problem.central.size() > 0) return false;
  if (problem.law == FrictionLaw::coulomb) return true;
  const bool is_known =
      problem.law == FrictionLaw::frictionless || problem.law == FrictionLaw::cone_complementarity;
  return is_known && !problem::has_moments(problem);
}

bool RigidNewton::Work::start(const RigidContact& problem) {
  TALUS_DEMAND(takes(problem));
  problem_ = &problem;
  is_prepared_ = false;
  if (!joints_.factorise(problem)) return false;
  is_analysed_ = is_analysed_ && !joints_.is_new();
  return true;
}

void RigidNewton::Work::prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  elements_.build(*problem_, forest());
  if (!elements_.list.empty()) {
    joints_.factors().invert();
    analyse();
  }
  scale();
}

/// The pattern of a Newton matrix, where it is not that of the last start.
void RigidNewton::Work::analyse() {
  met_.clear();
  for (const Element& element : elements_.list)
    for (std::uint32_t i = element.begin; i < element.end; ++i)
      for (std::uint32_t k = element.begin; k < i; ++k)
        if (const Index a = elements_.side[i].body, b = elements_.side[k].body;
            !forest().is_tree_edge(a, b))
          met_.push_back({std::min(a, b), std::max(a, b)});
  const auto is_before = [](const linalg::NodeLu::Edge& one, const linalg::NodeLu::Edge& other) {
    return std::pair(one.a, one.b) < std::pair(other.a, other.b);
  };
  const auto is_same = [](const linalg::NodeLu::Edge& one, const linalg::NodeLu::Edge& other) {
    return one.a == other.a && one.b == other.b;
  };
  std::sort(met_.begin(), met_.end(), is_before);
  met_.erase(std::unique(met_.begin(), met_.end(), is_same), met_.end());
  if (is_analysed_ &&
      std::equal(met_.begin(), met_.end(), last_met_.begin(), last_met_.end(), is_same))
    return;
  is_analysed_ = true;
  last_met_ = met_;
  met_.insert(met_.end(), forest().edges().begin(), forest().edges().end());
  if (last_met_.empty())
    newton_.analyse(forest().nodes(false), met_, std::span<const Index>(forest().order()));
  else
    newton_.analyse(forest().nodes(true), met_, forest().loop_count());
}

/// Units away: each element by its block with the constraints kept, all impulses by the size of b.
void RigidNewton::Work::scale() {
  for (Element& element : elements_.list) {
    Real held = element.compliance.trace(), plain = held;
    const auto add = [&](const auto& rows_of) {
      for (std::uint32_t i = element.begin; i < element.end; ++i) {
        const auto& left = rows_of(elements_.side[i]);
        plain += (left * forest().inverse_mass(elements_.side[i].body)).cwiseProduct(left).sum();
        for (std::uint32_t k = element.begin; k < element.end; ++k) {
          const Index a = elements_.side[i].body, b = elements_.side[k].body;
          if (a != b && !forest().is_tree_edge(a, b)) continue;
          held += (left * joints_.factors().inverse(a, b).topLeftCorner<6, 6>())
                      .cwiseProduct(rows_of(elements_.side[k]))
                      .sum();
        }
      }
    };
    if (element.count == 1)
      add([](const Side& side) -> Eigen::Matrix<Real, 1, 6> { return side.rows.row(0); });
    else
      add([](const Side& side) -> const Row36& { return side.rows; });
    const bool is_free = held > kNoFreedom * plain;  // of few digits it may be no number
    const Real block = (is_free ? std::min(held, plain) : kNoFreedom * plain) / element.count;
    element.scale = block > 0 ? 1 / std::sqrt(block) : Real(1);
  }
  // v − v_free and λ that keep the constraints without any other impulse but pulls.
  lambda0_ = VecX::Zero(joints_.size());
  for (const Element& element : elements_.list)
    for (std::uint32_t i = element.begin; i < element.end && !element.pull.isZero(0); ++i)
      lambda0_.segment<6>(joints_.first(elements_.side[i].body)) -=
          elements_.side[i].rows.transpose() * element.pull;
  for (const problem::BodyForest::Row& row : forest().rows())
    lambda0_[joints_.first(row.node) + row.place] =
        -problem::row_rate(*problem_, row.index, problem_->bodies);
  joints_.solve(lambda0_);
  b_.resize(elements_.unknown_count());
  for (const Element& element : elements_.list)
    b_.segment(element.first, element.count) =
        element.scale * (element.rate + rates(element, lambda0_)).head(element.count);
  const Real size = b_.norm();
  gamma_ = size > 0 ? size : 1;
  b_ /= gamma_;
  for (Element& element : elements_.list) {
    element.compliance *= element.scale * element.scale;
    if (element.force >= 0) {
      const Real ratio = elements_.force_of(element).scale / element.scale;
      element.moment.torsion *= ratio;
      element.moment.rolling *= ratio;
    }
    element.lower /= gamma_ * element.scale;
    element.upper /= gamma_ * element.scale;
    for (std::uint32_t i = element.begin; i < element.end; ++i)
      elements_.side[i].rows *= element.scale;
  }
  for (std::vector<Mat3>* all : {&B_, &G_}) all->assign(elements_.list.size(), Mat3::Zero());
}

/// H times velocities on the nodes.
Vec3 RigidNewton::Work::rates(const Element& element, const VecX& of_nodes) const {
  Vec3 u = Vec3::Zero();
  for (std::uint32_t i = element.begin; i < element.end; ++i)
    u += elements_.side[i].rates(element.count,
                                 of_nodes.segment<6>(joints_.first(elements_.side[i].body)));
  return u;
}

/// Hᵀ times numbers of the elements.
void RigidNewton::Work::to_nodes(const VecX& of_elements, VecX& of_nodes) const {
  of_nodes.setZero(joints_.size());
  for (const Element& element : elements_.list)
    for (std::uint32_t i = element.begin; i < element.end; ++i) {
      auto node = of_nodes.segment<6>(joints_.first(elements_.side[i].body));
      if (element.count == 1)
        node += of_elements[element.first] * elements_.side[i].rows.row(0).transpose();
      else
        node += elements_.side[i].rows.transpose() * of_elements.segment<3>(element.first);
    }
}

void RigidNewton::Work::velocity(const VecX& r, VecX& u) {
  to_nodes(r, answer_);
  joints_.solve(answer_);
  u = b_;
  for (const Element& element : elements_.list) {
    u.segment(element.first, element.count) += rates(element, answer_).head(element.count);
    u.segment(element.first, element.count) +=
        element.compliance.topLeftCorner(element.count, element.count) *
        r.segment(element.first, element.count);
  }
}

/// The impulse that a law gives to z = r − v. @param pressure of a moment.
Vec3 RigidNewton::Work::projected(const Element& element, const Vec3& z, Real pressure) const {
  if (element.force >= 0) return element.moment.project(z, pressure);
  if (element.count == 1) return {std::clamp(z[0], element.lower, element.upper), 0, 0};
  if (problem_->law == problem::FrictionLaw::cone_complementarity)
    return ConeMap::project(z, element.friction).point;
  const Real height = std::max(Real(0), z[0]), radius = element.friction * height;
  const Real size = z.tail<2>().norm();
  Vec3 point(height, z[1], z[2]);
  if (size > radius) point.tail<2>() *= radius / size;
  return point;
}

Real RigidNewton::Work::inner_residual(const VecX& r, const VecX& u, Real alpha,
                                       const VecX& centre) const {
  Real sum = 0;
  for (const Element& element : elements_.list) {
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
    const Index n = element.count;
    x.head(n) = r.segment(element.first, n);
    v.head(n) = u.segment(element.first, n) +
                proximal(element, alpha) * (x.head(n) - centre.segment(element.first, n));
    const Real pressure =
        element.force < 0 ? Real(0) : std::max(Real(0), closed(element, r, u, alpha, centre));
    sum += (x - projected(element, x - v, pressure)).squaredNorm();
  }
  return std::sqrt(sum);
}

/// Linearises each law to dx = e − B du, B with the proximal term and the compliance in it.
bool RigidNewton::Work::newton_step(const VecX& r, const VecX& u, Real alpha, const VecX& centre,
                                    const StopRequest& should_stop, VecX& dr) {
  dr.resize(r.size());
  if (elements_.list.empty()) return true;  // the constraints' impulses are refined beside it
  is_too_dear_ = is_too_dear_ || products_ + newton_.products() > most_products_;
  if (is_too_dear_ || should_stop()) return false;
  products_ += newton_.products();
  joints_.fill(*problem_, newton_);
  e_.resize(r.size());
  for (std::size_t i = 0; i < elements_.list.size(); ++i) {
    const Element& element = elements_.list[i];
    Mat3& B = B_[i].setZero();
    if (element.force >= 0) {
      linearise_moment(element, r, u, alpha, centre, B, G_[i]);
      add_weight<3>(element, G_[i], elements_.force_of(element));
    } else if (element.count == 1) {
      const Real x = r[element.first], own = proximal(element, alpha);
      const Real v = u[element.first] + own * (x - centre[element.first]);
      const Real z = x - v, bound = std::clamp(z, element.lower, element.upper);
      if (z == bound) {  // inside: v + du + (C + α) dx = 0
        B(0, 0) = 1 / (element.compliance(0, 0) + own);
        e_[element.first] = -B(0, 0) * v;
      } else {
        e_[element.first] = bound - x;
      }
    } else {
      const Vec3 x = r.segment<3>(element.first);
      const Vec3 v = u.segment<3>(element.first) + alpha * (x - centre.segment<3>(element.first));
      Mat3 P, Q;
      Vec3 rhs;
      const bool is_closed = problem_->law == problem::FrictionLaw::cone_complementarity
                                 ? ConeMap::linearise(x, v, 0, element.friction, P, Q, rhs)
                                 : AlartCurnier::linearise(x, v, element.friction, P, Q, rhs);
      if (is_closed) {
        Q += P * (alpha * Mat3::Identity() + element.compliance);
        const Mat3 inverse = Q.inverse();
        B = inverse * P;
        rhs = inverse * rhs;
      }
      e_.segment<3>(element.first) = rhs;
    }
    element.count == 1 ? add_weight<1>(element, B, element) : add_weight<3>(element, B, element);
  }
  if (!newton_.factorise()) return false;
  to_nodes(e_, step_);
  newton_.solve(step_);
  for (std::size_t i = 0; i < elements_.list.size(); ++i) {
    const Element& element = elements_.list[i];
    Vec3 change = B_[i] * rates(element, step_);
    if (element.force >= 0) change += G_[i] * rates(elements_.force_of(element), step_);
    dr.segment(element.first, element.count) =
        e_.segment(element.first, element.count) - change.head(element.count);
  }
  return dr.allFinite();
}

/// dm = e − B dw − G du, u of the contact's force: what its pressure, which is an unknown too,
/// changes the moment by.
void RigidNewton::Work::linearise_moment(const Element& element, const VecX& r, const VecX& u,
                                         Real alpha, const VecX& centre, Mat3& B, Mat3& G) {
  const Index normal = elements_.force_of(element).first;
  const Vec3 m = r.segment<3>(element.first);
  const Vec3 v = u.segment<3>(element.first) + alpha * (m - centre.segment<3>(element.first));
  const Real height = closed(element, r, u, alpha, centre);
  Vec3 e = -m, g = Vec3::Zero();
  if (height > 0) element.moment.linearise(m, v, alpha, height, r[normal], B, e, g);
  e_.segment<3>(element.first) = e + e_[normal] * g;
  G = g * B_[static_cast<std::size_t>(element.force)].row(0);
}

/// Adds Hᵀ B H of one element, or of one and another one of the same bodies.
template <int count>
void RigidNewton::Work::add_weight(const Element& element, const Mat3& B, const Element& other) {
  if (B.isZero(0)) return;
  for (std::uint32_t i = element.begin; i < element.end; ++i) {
    const Eigen::Matrix<Real, 6, count> left =
        elements_.side[i].rows.topRows<count>().transpose() * B.topLeftCorner<count, count>();
    for (std::uint32_t k = other.begin; k < other.end; ++k) {
      const Index a = elements_.side[i].body, b = elements_.side[k].body;
      const auto weight = left.lazyProduct(elements_.side[k].rows.topRows<count>());
      if (a == b)
        newton_.diagonal(a).topLeftCorner<6, 6>() += weight;
      else
        newton_.block(a, b).topLeftCorner<6, 6>() += weight;
    }
  }
}

/// Relaxed steps r ← P(r − ω u).
problem::SolveCounts RigidNewton::Work::sweep(VecX& r) {
  VecX u;
  for (int k = 0; k < kRelaxedSteps; ++k) {
    velocity(r, u);
    for (const Element& element : elements_.list) {
      Vec3 z = Vec3::Zero();
      z.head(element.count) = r.segment(element.first, element.count) -
                              kRelaxation * u.segment(element.first, element.count);
      const Real pressure =  // elements of forces are before those of moments
          element.force < 0 ? Real(0) : r[elements_.force_of(element).first];
      r.segment(element.first, element.count) = projected(element, z, pressure).head(element.count);
    }
  }
  return {kRelaxedSteps, kRelaxedSteps, 0};
}

void RigidNewton::Work::complete(problem::ContactImpulses& impulse,
                                 std::vector<problem::BodyVelocity>& velocity) {
  const auto fit = [](auto& list, std::size_t size, const auto& zero) {
    if (list.size() != size) list.assign(size, zero);
  };
  fit(impulse.central, problem_->central.batches.size(), problem::ImpulseBatch());
  fit(impulse.general, problem_->general.size(), Vec3(Vec3::Zero()));
  fit(impulse.moment, problem_->resistance.size(), Vec3(Vec3::Zero()));
  fit(impulse.row, static_cast<std::size_t>(problem_->rows.size()), Real(0));
  joints_.complete(*problem_, impulse, velocity);
}

VecX RigidNewton::Work::unknowns(const problem::ContactImpulses& impulse) const {
  VecX x = VecX::Zero(b_.size());
  if (impulse.general.size() == problem_->general.size())
    x.head(3 * problem_->contact_count()) = problem::impulses_to_frames(*problem_, impulse);
  if (impulse.moment.size() == problem_->general.size())
    for (const Element& element : elements_.list)
      if (element.force >= 0)
        x.segment<3>(element.first) =
            problem::local_moment(*problem_, element.force).basis.transpose() *
            impulse.moment[static_cast<std::size_t>(element.force)];
  for (std::size_t j = 0; j < impulse.row.size() && j < elements_.of_row.size(); ++j)
    if (elements_.of_row[j] >= 0) x[elements_.of_row[j]] = impulse.row[j];
  return x;
}

void RigidNewton::Work::impulses(const VecX& x, problem::ContactImpulses& impulse,
                                 std::vector<problem::BodyVelocity>& velocity) {
  impulse = problem::impulses_to_world(*problem_, x.head(3 * problem_->contact_count()));
  answer_ = lambda0_;
  if (!elements_.list.empty()) {
    to_scaled(x, e_);
    for (const Element& element : elements_.list)
      if (element.force >= 0)
        impulse.moment[static_cast<std::size_t>(element.force)] =
            problem::local_moment(*problem_, element.force).basis * x.segment<3>(element.first);
    to_nodes(e_, answer_);
    joints_.solve(answer_);
    answer_ = lambda0_ + gamma_ * answer_;
  }
  for (const problem::BodyForest::Row& row : forest().rows())
    impulse.row[row.index] += answer_[joints_.first(row.node) + row.place];
  for (std::size_t j = 0; j < elements_.of_row.size(); ++j)
    if (elements_.of_row[j] >= 0) impulse.row[j] = x[elements_.of_row[j]];
  joints_.refine(*problem_, impulse, velocity);
}

VecX RigidNewton::Work::uniform_pressure() const {
  VecX r = VecX::Zero(b_.size()), x;
  const Index contacts = problem_->contact_count();
  for (Index c = 0; c < contacts; ++c) r[3 * c] = 0.2 / std::sqrt(static_cast<Real>(contacts));
  to_original(r, x);
  return x;
}

bool RigidNewton::Work::refine(VecX& x) {
  VecX r, u, dr;
  to_scaled(x, r);
  velocity(r, u);
  if (!newton_step(
          r, u, kRefined, r, [] { return false; }, dr))
    return false;
  to_original(r + dr, x);
  return true;
}

RigidNewton::RigidNewton() : work_(std::make_unique<Work>()) {}
RigidNewton::~RigidNewton() = default;
RigidNewton::RigidNewton(RigidNewton&&) noexcept = default;
RigidNewton& RigidNewton::operator=(RigidNewton&&) noexcept = default;

bool RigidNewton::start(const RigidContact& problem) { return work_->start(problem); }

void RigidNewton::complete(problem::ContactImpulses& impulse,
                           std::vector<problem::BodyVelocity>& velocity) {
  work_->complete(impulse, velocity);
}

VecX RigidNewton::unknowns(const problem::ContactImpulses& impulse) const {
  work_->prepare();
  return work_->unknowns(impulse);
}

bool RigidNewton::refine(VecX& x) {
  work_->prepare();
  return work_->refine(x);
}

VecX RigidNewton::uniform_pressure() const {
  work_->prepare();
  return work_->uniform_pressure();
}

void RigidNewton::impulses(const VecX& x, problem::ContactImpulses& impulse,
                           std::vector<problem::BodyVelocity>& velocity) {
  work_->prepare();
  work_->impulses(x, impulse, velocity);
}

problem::SolveReport RigidNewton::run(const ProximalNewtonOptions& options,
                                      const ExternalResidual& external_residual,
                                      const StopRequest& should_stop, VecX& x) {
  TALUS_DEMAND(external_residual != nullptr);
  work_->prepare();
  if (x.size() == 0) return {problem::SolveStatus::stalled, 0, 0, {}, {}};  // no step to take
  work_->set_budget(options.most_products);
  const StopRequest stop = [&] { return work_->is_too_dear() || (should_stop && should_stop()); };
  problem::SolveReport report =
      detail::ProximalIteration<Work>(*work_, options, external_residual, stop, x).run();
  detail::count_begun(work_->is_too_dear(), report);
  return report;
}

double RigidNewton::products() const { return work_->products(); }
bool RigidNewton::was_too_dear() const { return work_->is_too_dear(); }

}  // namespace talus::solve
