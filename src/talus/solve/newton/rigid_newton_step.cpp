#include <algorithm>

#include <talus/solve/newton/detail/alart_curnier.hpp>
#include <talus/solve/newton/detail/rigid_newton_work.hpp>

// A Newton step of RigidNewton: laws linearised, factors, and the step that they lead to.

namespace talus::solve {

/// Linearises each law to dx = e − B du, B with the proximal term and the compliance in it.
void RigidNewton::Work::linearise(const VecX& r, const VecX& u, Real alpha, const VecX& centre) {
  e_.resize(r.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    Mat3& B = B_[i];
    B.setZero();
    if (element.force >= 0) {
      linearise_moment(element, r, u, alpha, centre, B, G_[i]);
    } else if (element.count == 3) {
      linearise_contact(element, r, u, alpha, centre, B);
    } else {
      const Real x = r[element.first], own = proximal(element, alpha);
      const Real v = u[element.first] + own * (x - centre[element.first]);
      const Real z = x - v, bound = std::clamp(z, element.lower, element.upper);
      if (z == bound) {  // inside: v + du + (C + α) dx = 0
        B(0, 0) = 1 / (element.compliance(0, 0) + own);
        e_[element.first] = -B(0, 0) * v;
      } else {
        e_[element.first] = bound - x;
      }
    }
  }
}

void RigidNewton::Work::linearise_contact(const Element& element, const VecX& r, const VecX& u,
                                          Real alpha, const VecX& centre, Mat3& B) {
  const Vec3 x = r.segment<3>(element.first);
  const Vec3 v = u.segment<3>(element.first) + alpha * (x - centre.segment<3>(element.first));
  Mat3 P, Q;
  Vec3 rhs;
  const bool is_closed =
      problem_->law == problem::FrictionLaw::cone_complementarity
          ? ConeMap::linearise(x, v, 0, element.friction, P, Q, rhs)
          : detail::AlartCurnier<3>::linearise(x, v, element.friction, P, Q, rhs);
  if (is_closed) {
    Q += P * (alpha * Mat3::Identity() + element.compliance);
    const Mat3 inverse = Q.inverse();
    B = inverse * P;
    rhs = inverse * rhs;
  }
  e_.segment<3>(element.first) = rhs;
}

/// Factors of [M + Hᵀ B H  −Jᵀ; J 0].
bool RigidNewton::Work::factorise() {
  has_factors_ = false;
  joints_.fill(*problem_, newton_);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    if (element.count == 1) {
      add_row_weight(element, B_[i](0, 0));
      continue;
    }
    if (element.force >= 0)
      add_weight(element, G_[i], elements_[static_cast<std::size_t>(element.force)]);
    add_weight(element, B_[i], element);
  }
  has_factors_ = newton_.factorise();
  return has_factors_;
}

/// dr of the laws as linearised, with the factors as they are.
bool RigidNewton::Work::take_step(VecX& dr) {
  to_nodes(e_, step_);
  newton_.solve(step_);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    Vec3 change = B_[i] * rates(element, step_);
    if (element.force >= 0)
      change += G_[i] * rates(elements_[static_cast<std::size_t>(element.force)], step_);
    dr.segment(element.first, element.count) =
        e_.segment(element.first, element.count) - change.head(element.count);
  }
  return dr.allFinite();
}

bool RigidNewton::Work::newton_step(const VecX& r, const VecX& u, Real alpha, const VecX& centre,
                                    const StopRequest& should_stop, VecX& dr) {
  dr.resize(r.size());
  if (elements_.empty()) return true;  // the constraints' impulses are refined beside it
  is_too_dear_ = is_too_dear_ || products_ + newton_.products() > most_products_;
  if (is_too_dear_ || should_stop()) return false;
  products_ += newton_.products();
  linearise(r, u, alpha, centre);
  return factorise() && take_step(dr);
}

/// dm = e − B dw − G du, u of the contact's force: what its pressure, which is an unknown too,
/// changes the moment by.
void RigidNewton::Work::linearise_moment(const Element& element, const VecX& r, const VecX& u,
                                         Real alpha, const VecX& centre, Mat3& B, Mat3& G) {
  const auto force = static_cast<std::size_t>(element.force);
  const Index normal = elements_[force].first;
  const Vec3 m = r.segment<3>(element.first);
  const Vec3 v = u.segment<3>(element.first) + alpha * (m - centre.segment<3>(element.first));
  const Real height = closed(element, r, u, alpha, centre);
  Vec3 e = -m, g = Vec3::Zero();
  if (height > 0) element.moment.linearise(m, v, alpha, height, r[normal], B, e, g);
  e_.segment<3>(element.first) = e + e_[normal] * g;
  G = g * B_[force].row(0);
}

/// Adds Hᵀ B H of one element, or of one and another one of the same bodies.
void RigidNewton::Work::add_weight(const Element& element, const Mat3& B, const Element& other) {
  if (B.isZero(0)) return;
  for (std::uint32_t i = element.begin; i < element.end; ++i) {
    const Eigen::Matrix<Real, 6, 3> left = sides_[i].rows.transpose() * B;
    for (std::uint32_t k = other.begin; k < other.end; ++k) {
      const Index a = sides_[i].body, b = sides_[k].body;
      if (a == b)
        newton_.diagonal(a).topLeftCorner<6, 6>() += left * sides_[k].rows;
      else
        newton_.block(a, b).topLeftCorner<6, 6>() += left * sides_[k].rows;
    }
  }
}

/// The same of one row, H = hᵀ.
void RigidNewton::Work::add_row_weight(const Element& element, Real b) {
  if (b == 0) return;
  for (std::uint32_t i = element.begin; i < element.end; ++i) {
    const Vec6 left = b * sides_[i].rows.row(0).transpose();
    for (std::uint32_t k = element.begin; k < element.end; ++k) {
      const Index a = sides_[i].body, other = sides_[k].body;
      const auto right = sides_[k].rows.row(0);
      if (a == other)
        newton_.diagonal(a).topLeftCorner<6, 6>() += left * right;
      else
        newton_.block(a, other).topLeftCorner<6, 6>() += left * right;
    }
  }
}

}  // namespace talus::solve
