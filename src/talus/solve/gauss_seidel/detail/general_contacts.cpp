#include <talus/solve/gauss_seidel/detail/general_contacts.hpp>

#include <limits>

#include <talus/math/contact_frame.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve::detail {

using problem::BodyVelocity;
using problem::FrictionLaw;
using problem::GeneralContact;
using problem::kLanes;

namespace {

SlidingLaw sliding_law(FrictionLaw law) {
  switch (law) {
    case FrictionLaw::coulomb:
      return SlidingLaw::coulomb;
    case FrictionLaw::maximum_dissipation:
      return SlidingLaw::maximum_dissipation;
    case FrictionLaw::cone_complementarity:
      return SlidingLaw::cone_complementarity;
    case FrictionLaw::polyhedral:
    case FrictionLaw::frictionless:
      break;
  }
  return SlidingLaw::none;
}

/// A⁻¹ by elimination of the normal: with T = Â⁻¹ [1/a + gᵀTg, −gᵀT; −Tg, T], g = c/a.
Mat3 inverse_block(const Mat3& A, const Sliding& s) {
  Mat2 tangential;
  tangential << s.matrix(1, 1), -s.matrix(0, 1), -s.matrix(1, 0), s.matrix(0, 0);
  tangential /= s.determinant * s.sigma;
  const Vec2 g = A.col(0).tail<2>() / A(0, 0), turned = tangential * g;
  Mat3 inverse;
  inverse << 1 / A(0, 0) + g.dot(turned), -turned[0], -turned[1],  //
      -turned[0], tangential(0, 0), tangential(0, 1),              //
      -turned[1], tangential(1, 0), tangential(1, 1);
  return inverse;
}

}  // namespace

void GeneralContacts::load(const problem::RigidContact& problem, std::span<const Vec3> guess) {
  problem_ = &problem;
  law_.law = problem.law;
  if (law_.law == FrictionLaw::polyhedral &&
      problem.directions != static_cast<Index>(law_.polygon.corners().size()))
    law_.polygon = FrictionPolygon(problem.directions);
  const std::size_t bodies = problem.bodies.size();
  rows_.clear();
  impulse_.clear();
  schedule_.build(problem);
  if (problem.general.empty()) return;

  inertia_.resize(bodies + 1);
  for (std::size_t i = 0; i < bodies; ++i) {
    const Mat3& m = problem.inverse_inertia[i];
    inertia_[i] = {{m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2), 0, 0}};
  }
  inertia_[bodies] = {};

  const auto slots = schedule_.contact_of_slot();
  rows_.assign(slots.size() / kLanes, {});
  impulse_.assign(rows_.size(), {});
  sliding_law_ = sliding_law(law_.law);
  sliding_.assign(sliding_law_ == SlidingLaw::none ? 0 : rows_.size(), {});
  blocks_.resize(slots.size());
  tile_sums_.resize(schedule_.tiles().size());
  parallel::for_ranges(static_cast<Index>(slots.size()), 512, [&](Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot) {
      const std::uint32_t c = slots[slot];
      if (c == GeneralSchedule::kEmpty) continue;
      lay_out(static_cast<std::uint32_t>(slot), c);
      if (!guess.empty())
        for (int k = 0; k < 3; ++k) impulse_[slot / kLanes].r[k][slot % kLanes] = guess[c][k];
    }
  });
}

void GeneralContacts::lay_out(std::uint32_t slot, std::uint32_t c) {
  const GeneralContact& contact = problem_->general[c];
  const Mat3 world = problem::contact_block(*problem_, contact);
  Block& block = blocks_[slot];
  block.frame = contact_frame(contact.normal);
  block.A = block.frame.transpose() * world * block.frame;
  block.friction = contact.friction;
  const Sliding tangential(block.A, Vec3(-1, 0, 0), block.friction);
  const Mat3 inverse = block.frame * inverse_block(block.A, tangential) * block.frame.transpose();
  const Vec3 block_normal = world * contact.normal;

  GeneralRow& row = rows_[slot / kLanes];
  const std::uint32_t l = slot % kLanes;
  for (int k = 0; k < 3; ++k) {
    row.normal[k][l] = contact.normal[k];
    row.arm_a[k][l] = contact.arm_a[k];
    row.arm_b[k][l] = contact.arm_b[k];
    row.block_normal[k][l] = block_normal[k];
  }
  for (int i = 0, k = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k) row.inverse_block[k][l] = (inverse(i, j) + inverse(j, i)) / 2;
  row.bias[l] = contact.bias;
  // What the kernel takes for sticking without asking the law: what is inside every one of its
  // cones.
  row.friction[l] = law_.law == FrictionLaw::polyhedral
                        ? contact.friction * law_.polygon.inner_radius()
                    : law_.law == FrictionLaw::frictionless ? 0
                                                            : contact.friction;
  if (!sliding_.empty()) lay_out_sliding(block, tangential, sliding_[slot / kLanes], l);
}

void GeneralContacts::lay_out_sliding(const Block& block, const Sliding& s, SlidingRow& row,
                                      std::uint32_t l) const {
  constexpr Real kWellScaled = 1e-3;       // least eigenvalue of Â over its largest entry
  constexpr Real kLargestCoupling = 0.99;  // of ‖e‖: from 1 on, slip is not bounded
  const Mat3& A = block.A;
  if (!(block.friction > 0 && s.smallest_eigenvalue >= kWellScaled)) return;
  if (sliding_law_ == SlidingLaw::maximum_dissipation && s.e_norm > kLargestCoupling) return;
  const bool is_eliminated = sliding_law_ != SlidingLaw::cone_complementarity;
  row.is_known[l] = sliding_law_ == SlidingLaw::coulomb && !is_monotone(s) ? 0.5 : 1;
  for (int i = 0; i < 2; ++i) {
    const Vec3 tangent = block.frame.col(1 + i);
    for (int k = 0; k < 3; ++k) row.tangent[i][k][l] = tangent[k];
    row.coupling[i][l] = is_eliminated ? s.e[i] : A(0, 1 + i);
  }
  const Mat2 matrix = is_eliminated ? s.matrix : Mat2(A.bottomRightCorner<2, 2>());
  row.matrix[0][l] = matrix(0, 0);
  row.matrix[1][l] = (matrix(0, 1) + matrix(1, 0)) / 2;
  row.matrix[2][l] = matrix(1, 1);
  row.normal[l] = is_eliminated ? block.friction / A(0, 0) : A(0, 0);
  row.inverse_friction[l] = 1 / block.friction;
}

void GeneralContacts::slip(const void* self, std::uint32_t row, int lane, const double u[3],
                           const double y[3], double r[3]) {
  const auto& contacts = *static_cast<const GeneralContacts*>(self);
  const Block& block = contacts.blocks_[row * kLanes + static_cast<std::uint32_t>(lane)];
  const Vec3 now = block.frame.transpose() * Eigen::Map<const Vec3>(y);
  const Vec3 free = block.frame.transpose() * Eigen::Map<const Vec3>(u) - block.A * now;
  const Vec3 own = contacts.law_.law == FrictionLaw::coulomb
                       ? solve_coulomb(block.A, free, block.friction, now).impulse
                       : solve_contact(contacts.law_, block.A, free, block.friction, now).impulse;
  Eigen::Map<Vec3>{r} = block.frame * own;
}

GeneralSweep GeneralContacts::data(const SweepPace& pace, std::span<BodyVelocity> bodies) {
  return {schedule_.batches().data(),
          rows_.data(),
          sliding_.data(),
          sliding_law_,
          impulse_.data(),
          old_impulse_.data(),
          reinterpret_cast<double*>(bodies.data()),
          inertia_.empty() ? nullptr : inertia_.data()->x,
          pace.beta,
          pace.relaxation,
          law_.law == FrictionLaw::cone_complementarity ? std::numeric_limits<Real>::infinity() : 0,
          slip,
          this};
}

void GeneralContacts::begin(Index tile, std::span<BodyVelocity> bodies) {
  kernels_->begin(data({}, bodies), schedule_.tiles()[tile]);
}

void GeneralContacts::visit(Index tile, const SweepPace& pace, std::span<BodyVelocity> bodies) {
  const GeneralKernels::Sweep kernel = pace.momentum          ? kernels_->momentum
                                       : pace.relaxation != 1 ? kernels_->relaxed
                                                              : kernels_->plain;
  tile_sums_[tile] = {};
  kernel(data(pace, bodies), schedule_.tiles()[tile], tile_sums_[tile]);
}

void GeneralContacts::store(std::vector<Vec3>& impulse) const {
  impulse.resize(problem_->general.size());
  if (rows_.empty()) return impulse.clear();
  const auto slots = schedule_.contact_of_slot();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] == GeneralSchedule::kEmpty) continue;
    const auto& r = impulse_[slot / kLanes].r;
    const std::size_t l = slot % kLanes;
    impulse[slots[slot]] = Vec3(r[0][l], r[1][l], r[2][l]);
  }
}

}  // namespace talus::solve::detail
