#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>

namespace talus::solve {
namespace {

using problem::BodyVelocity;
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

/// Sum of eight lanes in a fixed order.
Real total(const double (&lane)[problem::kLanes]) {
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

constexpr Index kBodiesPerPiece = 4096;

/// Calls visit(tile) for all tiles: colours one after the other, the tiles of a colour on all
/// threads.
template <class Visit>
void for_colours(const problem::CentralContacts& central, const Visit& visit) {
  for (std::size_t c = 0; c + 1 < central.colours.size(); ++c) {
    const Index first = central.colours[c], count = central.colours[c + 1] - first;
    parallel::for_each(count, [&](Index t) { visit(first + t); });
  }
}

/// v += M⁻¹ Jᵀ r of one contact.
void add_impulse(const problem::RigidContact& problem, const GeneralContact& contact, const Vec3& r,
                 std::vector<BodyVelocity>& velocity) {
  BodyVelocity& a = velocity[contact.body_a];
  BodyVelocity& b = velocity[contact.body_b];
  a.v -= a.inverse_mass * r;
  a.s -= problem.inverse_inertia[contact.body_a] * contact.arm_a.cross(r);
  b.v += b.inverse_mass * r;
  b.s += problem.inverse_inertia[contact.body_b] * contact.arm_b.cross(r);
}

}  // namespace

void RigidNsgs::start(const problem::RigidContact& problem, const problem::ContactImpulses& guess,
                      Index history_room) {
  TALUS_DEMAND(guess.empty() || (guess.central.size() == problem.central.batches.size() &&
                                 guess.general.size() == problem.general.size()));
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
  velocity_.resize(problem.bodies.size() + 1);
  std::copy(problem.bodies.begin(), problem.bodies.end(), velocity_.begin());
  velocity_.back() = {};
  tile_sums_.resize(problem.central.tiles.size());

  blocks_.resize(problem.general.size());
  for (std::size_t c = 0; c < problem.general.size(); ++c) {
    const GeneralContact& contact = problem.general[c];
    GeneralBlock& block = blocks_[c];
    block.frame = contact_frame(contact.normal);
    block.A = block.frame.transpose() * problem::contact_block(problem, contact) * block.frame;
  }
  if (guess.empty()) {
    impulse_ = problem::zero_impulses(problem);
    return;
  }
  impulse_ = guess;
  const detail::CentralSweep sweep = central_sweep(0, 1);
  for_colours(problem.central, [&](Index t) { kernels_->begin(sweep, problem.central.tiles[t]); });
  for (std::size_t c = 0; c < problem.general.size(); ++c) {
    const GeneralContact& contact = problem.general[c];
    impulse_.general[c] = cut_to_cone(guess.general[c], contact.normal, contact.friction);
    add_impulse(problem, contact, impulse_.general[c], velocity_);
  }
}

detail::CentralSweep RigidNsgs::central_sweep(Real beta, Real relaxation) {
  return {problem_->central.batches.data(),
          impulse_.central.data(),
          impulse_old_.central.data(),
          reinterpret_cast<double*>(velocity_.data()),
          beta,
          relaxation};
}

void RigidNsgs::extrapolate_bodies(Real beta) {
  // Rows as plain numbers: inverse mass and inertia do not differ and stay.
  auto* now = reinterpret_cast<double*>(velocity_.data());
  auto* old = reinterpret_cast<double*>(velocity_old_.data());
  parallel::for_ranges(8 * static_cast<Index>(velocity_.size()), 8 * kBodiesPerPiece,
                       [&](Index begin, Index end) {
                         for (Index i = begin; i < end; ++i) {
                           const double v = now[i];
                           now[i] = v + beta * (v - old[i]);
                           old[i] = v;
                         }
                       });
}

// Memory per contact: 64 B record + 24 B impulse (+ 24 B old impulse with momentum), and two bodies
// of 64 B each.
RigidNsgs::Step RigidNsgs::sweep_central(bool momentum, Real beta, Real relaxation) {
  const detail::CentralSweep sweep = central_sweep(beta, relaxation);
  const detail::CentralKernels::Sweep kernel = momentum          ? kernels_->momentum
                                               : relaxation != 1 ? kernels_->relaxed
                                                                 : kernels_->plain;
  for_colours(problem_->central, [&](Index t) {
    tile_sums_[t] = {};
    kernel(sweep, problem_->central.tiles[t], tile_sums_[t]);
  });
  Step step;
  for (const detail::LaneSums& sums : tile_sums_) {
    step.change += total(sums.change);
    step.size += total(sums.size);
  }
  return step;
}

template <bool momentum>
RigidNsgs::Step RigidNsgs::sweep_general(Real beta, Real relaxation) {
  Step step;
  for (std::size_t k = 0; k < problem_->general.size(); ++k) {
    const GeneralContact& c = problem_->general[k];
    const GeneralBlock& block = blocks_[k];
    const BodyVelocity& a = velocity_[c.body_a];
    const BodyVelocity& b = velocity_[c.body_b];
    const Vec3 now = impulse_.general[k];
    const Vec3 y = momentum ? Vec3(now + beta * (now - impulse_old_.general[k])) : now;
    if constexpr (momentum) impulse_old_.general[k] = now;
    const Vec3 u = b.v + b.s.cross(c.arm_b) - a.v - a.s.cross(c.arm_a) + c.bias * c.normal;
    const Vec3 y_frame = block.frame.transpose() * y;
    const Vec3 free =
        block.frame.transpose() * u - block.A * y_frame;  // b of the one-contact problem
    const LocalSolution local = solve_coulomb(block.A, free, c.friction, y_frame);
    Vec3 r = block.frame * local.impulse;
    if (relaxation != 1) r = cut_to_cone(y + relaxation * (r - y), c.normal, c.friction);
    impulse_.general[k] = r;
    const Vec3 change = r - y;
    add_impulse(*problem_, c, change, velocity_);
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
    const Step central = sweep_central(momentum, beta, omega);
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
