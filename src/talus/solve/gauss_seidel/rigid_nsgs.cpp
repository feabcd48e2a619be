#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>

namespace talus::solve {
namespace {

using problem::BodyVelocity;
using problem::CentralContact;
using problem::GeneralContact;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kPatience = 200;  // sweeps without progress

/// Cuts an impulse back to its cone along the tangent: r_N kept (0 if negative), ‖r_T‖ ≤ μ r_N.
Vec3 cut_to_cone(const Vec3& r, const Vec3& normal, Real friction) {
  const Real rn = r.dot(normal);
  if (rn <= 0) return Vec3::Zero();
  const Vec3 tangential = r - rn * normal;
  const Real size2 = tangential.squaredNorm();
  const Real limit = friction * rn;
  if (size2 <= limit * limit) return r;
  return rn * normal + (limit / std::sqrt(size2)) * tangential;
}

/// The exact one-contact solution of a central contact, A = diag(a, δ, δ): normal and tangent
/// decouple. u is the relative velocity with bias at the impulse y.
Vec3 solve_central(const CentralContact& c, const Vec3& u, const Vec3& y) {
  const Vec3& n = c.normal;
  const Real yn = y.dot(n), un = u.dot(n);
  const Real rn = yn - c.inverse_normal * un;
  if (rn <= 0) return Vec3::Zero();
  const Vec3 t =
      (y - c.inverse_tangential * u) - (yn - c.inverse_tangential * un) * n;  // sticking impulse
  const Real size2 = t.squaredNorm();
  const Real limit = c.friction * rn;
  const Real scale = size2 <= limit * limit ? Real(1) : limit / std::sqrt(size2);
  return rn * n + scale * t;
}

}  // namespace

void RigidNsgs::start(const problem::RigidContact& problem, std::span<const Vec3> guess,
                      Index history_room) {
  TALUS_DEMAND(guess.empty() || static_cast<Index>(guess.size()) == problem.contact_count());
  problem_ = &problem;
  sweeps_ = 0;
  history_ = detail::History(history_room > 0, history_room);
  history_.add(std::numeric_limits<Real>::quiet_NaN());
  theta_ = 1;
  last_step_ = 0;
  has_old_ = false;
  best_step_ = std::numeric_limits<Real>::infinity();
  since_best_ = 0;
  is_plain_ = false;
  velocity_ = problem.bodies;
  impulse_.assign(problem.contact_count(), Vec3::Zero());

  const std::size_t central_count = problem.central.size();
  blocks_.resize(problem.general.size());
  for (std::size_t c = 0; c < problem.general.size(); ++c) {
    const GeneralContact& contact = problem.general[c];
    GeneralBlock& block = blocks_[c];
    block.frame = contact_frame(contact.normal);
    block.A = block.frame.transpose() * problem::contact_block(problem, contact) * block.frame;
  }
  if (guess.empty()) return;

  for (std::size_t c = 0; c < central_count; ++c)
    impulse_[c] = cut_to_cone(guess[c], problem.central[c].normal, problem.central[c].friction);
  for (std::size_t c = 0; c < problem.general.size(); ++c)
    impulse_[central_count + c] = cut_to_cone(guess[central_count + c], problem.general[c].normal,
                                              problem.general[c].friction);
  problem::apply_impulses(problem, impulse_, velocity_);
}

void RigidNsgs::extrapolate_bodies(Real beta) {
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    BodyVelocity& now = velocity_[i];
    BodyVelocity& old = velocity_old_[i];
    const Vec3 v = now.v, s = now.s;
    now.v += beta * (v - old.v);
    now.s += beta * (s - old.s);
    old.v = v;
    old.s = s;
  }
}

// Memory per contact: 64 B record + 24 B impulse (+ 24 B old impulse with momentum), and two bodies
// of 64 B each.
template <bool momentum>
RigidNsgs::Step RigidNsgs::sweep_central(Real beta, Real relaxation) {
  const std::size_t count = problem_->central.size();
  const CentralContact* contacts = problem_->central.data();
  BodyVelocity* bodies = velocity_.data();
  Step step;
  for (std::size_t k = 0; k < count; ++k) {
    const CentralContact& c = contacts[k];
    const Vec3& n = c.normal;
    BodyVelocity& a = bodies[c.body_a];
    BodyVelocity& b = bodies[c.body_b];
    Vec3 y = impulse_[k];
    if constexpr (momentum) {
      const Vec3 old = impulse_old_[k];
      impulse_old_[k] = y;
      y += beta * (y - old);
    }
    const Vec3 u = b.v - a.v - (b.s + a.s).cross(n) + c.bias * n;
    Vec3 r = solve_central(c, u, y);
    if (relaxation != 1) r = cut_to_cone(y + relaxation * (r - y), n, c.friction);
    impulse_[k] = r;
    const Vec3 change = r - y;
    const Vec3 torque = n.cross(change);  // arm_A = n, arm_B = −n: both spins lose n × Δr
    a.v -= a.inverse_mass * change;
    a.s -= a.inverse_inertia * torque;
    b.v += b.inverse_mass * change;
    b.s -= b.inverse_inertia * torque;
    step.change += change.squaredNorm();
    step.size += r.squaredNorm();
  }
  return step;
}

template <bool momentum>
RigidNsgs::Step RigidNsgs::sweep_general(Real beta, Real relaxation) {
  const std::size_t first = problem_->central.size();
  Step step;
  for (std::size_t k = 0; k < problem_->general.size(); ++k) {
    const GeneralContact& c = problem_->general[k];
    const GeneralBlock& block = blocks_[k];
    BodyVelocity& a = velocity_[c.body_a];
    BodyVelocity& b = velocity_[c.body_b];
    const Vec3 now = impulse_[first + k];
    const Vec3 y = momentum ? Vec3(now + beta * (now - impulse_old_[first + k])) : now;
    if constexpr (momentum) impulse_old_[first + k] = now;
    const Vec3 u = b.v + b.s.cross(c.arm_b) - a.v - a.s.cross(c.arm_a) + c.bias * c.normal;
    const Vec3 y_frame = block.frame.transpose() * y;
    const Vec3 free =
        block.frame.transpose() * u - block.A * y_frame;  // b of the one-contact problem
    const LocalSolution local = solve_coulomb(block.A, free, c.friction, y_frame);
    Vec3 r = block.frame * local.impulse;
    if (relaxation != 1) r = cut_to_cone(y + relaxation * (r - y), c.normal, c.friction);
    impulse_[first + k] = r;
    const Vec3 change = r - y;
    a.v -= a.inverse_mass * change;
    a.s -= problem_->inverse_inertia[c.body_a] * c.arm_a.cross(change);
    b.v += b.inverse_mass * change;
    b.s += problem_->inverse_inertia[c.body_b] * c.arm_b.cross(change);
    step.change += change.squaredNorm();
    step.size += r.squaredNorm();
  }
  return step;
}

SolveReport RigidNsgs::run(Real gate, Index max_sweeps, const RigidNsgsOptions& options,
                           const std::function<bool()>& should_stop) {
  TALUS_DEMAND(problem_ != nullptr);
  SolveReport report{SolveStatus::max_iterations, 0, last_step_, {}};
  while (sweeps_ < max_sweeps) {
    // Momentum from the third sweep on, when there are two results to extrapolate from.
    Real beta = 0;
    const bool momentum = options.momentum_cap > 0 && sweeps_ >= 1 && !is_plain_;
    if (momentum) {
      const Real theta_next = (1 + std::sqrt(1 + 4 * theta_ * theta_)) / 2;
      if (has_old_) {
        beta = std::min(options.momentum_cap, (theta_ - 1) / theta_next);
      } else {  // β = 0, but 0·(r − r_old) must be 0
        impulse_old_ = impulse_;
        velocity_old_ = velocity_;
      }
      theta_ = theta_next;
      extrapolate_bodies(beta);
      has_old_ = true;
    }
    const Real omega = options.relaxation;
    const Step central =
        momentum ? sweep_central<true>(beta, omega) : sweep_central<false>(0, omega);
    const Step general =
        momentum ? sweep_general<true>(beta, omega) : sweep_general<false>(0, omega);
    ++sweeps_;

    const Real size = central.size + general.size, change = central.change + general.change;
    const Real step = change == 0 ? 0 : std::sqrt(change / size);
    report.residual = step;
    history_.add(step);
    if (!std::isfinite(change + size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    if (beta > 0 && step > 1.05 * last_step_) {  // restart: the extrapolation overshot
      theta_ = 1;
      has_old_ = false;
    }
    last_step_ = step;
    if (step < 0.99 * best_step_) {
      best_step_ = step;
      since_best_ = 0;
    } else if (++since_best_ >= kPatience) {  // momentum on a non-smooth map may circle for ever
      is_plain_ = !is_plain_;
      theta_ = 1;
      has_old_ = false;
      best_step_ = step;
      since_best_ = 0;
    }
    if (step <= gate) {
      report.status = SolveStatus::converged;
      break;
    }
    if (should_stop && sweeps_ % options.check_interval == 0 && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
  }
  report.iterations = sweeps_;
  report.counts = {sweeps_, sweeps_, 0};
  report.history = history_.get();
  return report;
}

}  // namespace talus::solve
