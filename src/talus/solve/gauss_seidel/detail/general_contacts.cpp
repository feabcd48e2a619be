#include <talus/solve/gauss_seidel/detail/general_contacts.hpp>

#include <Eigen/LU>
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

}  // namespace

void GeneralContacts::load(const problem::RigidContact& problem, std::span<const Vec3> guess) {
  problem_ = &problem;
  law_.law = problem.law;
  if (law_.law == FrictionLaw::polyhedral &&
      problem.directions != static_cast<Index>(law_.polygon.corners().size()))
    law_.polygon = FrictionPolygon(problem.directions);
  const std::size_t bodies = problem.bodies.size();
  batches_.clear();
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
  GeneralBatch empty{};
  for (int l = 0; l < kLanes; ++l)
    empty.body_a[l] = empty.body_b[l] = static_cast<std::uint32_t>(bodies);
  batches_.assign(slots.size() / kLanes, empty);
  impulse_.assign(batches_.size(), {});
  sliding_law_ = sliding_law(law_.law);
  sliding_.assign(sliding_law_ == SlidingLaw::none ? 0 : batches_.size(), {});
  blocks_.resize(slots.size());
  tile_sums_.resize(schedule_.tiles().size());
  parallel::for_ranges(static_cast<Index>(slots.size()), 512, [&](Index begin, Index end) {
    for (Index slot = begin; slot < end; ++slot) {
      const std::uint32_t c = slots[slot];
      if (c == problem::ContactSchedule::kEmpty) continue;
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
  const Mat3 inverse = world.inverse();
  const Vec3 block_normal = world * contact.normal;

  GeneralBatch& batch = batches_[slot / kLanes];
  const std::uint32_t l = slot % kLanes;
  for (int k = 0; k < 3; ++k) {
    batch.normal[k][l] = contact.normal[k];
    batch.arm_a[k][l] = contact.arm_a[k];
    batch.arm_b[k][l] = contact.arm_b[k];
    batch.block_normal[k][l] = block_normal[k];
  }
  for (int i = 0, k = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k)
      batch.inverse_block[k][l] = (inverse(i, j) + inverse(j, i)) / 2;
  batch.bias[l] = contact.bias;
  block.friction = contact.friction;
  // What the kernel takes for sticking without asking the law: what is inside every one of its
  // cones.
  batch.friction[l] = law_.law == FrictionLaw::polyhedral
                          ? contact.friction * law_.polygon.inner_radius()
                      : law_.law == FrictionLaw::frictionless ? 0
                                                              : contact.friction;
  batch.body_a[l] = contact.body_a;
  batch.body_b[l] = contact.body_b;
  if (!sliding_.empty()) lay_out_sliding(block, sliding_[slot / kLanes], l);
}

void GeneralContacts::lay_out_sliding(const Block& block, SlidingBatch& batch,
                                      std::uint32_t l) const {
  constexpr Real kWellScaled = 1e-3;       // least eigenvalue of Â over its largest entry
  constexpr Real kLargestCoupling = 0.99;  // of ‖e‖: from 1 on, slip is not bounded
  const Mat3& A = block.A;
  const Sliding s(A, Vec3(-1, 0, 0), block.friction);
  if (!(block.friction > 0 && s.smallest_eigenvalue >= kWellScaled)) return;
  if (sliding_law_ == SlidingLaw::coulomb && !is_monotone(s)) return;
  if (sliding_law_ == SlidingLaw::maximum_dissipation && s.e_norm > kLargestCoupling) return;
  const bool is_eliminated = sliding_law_ != SlidingLaw::cone_complementarity;
  batch.is_known[l] = 1;
  for (int i = 0; i < 2; ++i) {
    const Vec3 tangent = block.frame.col(1 + i);
    Vec3 own = Vec3::Unit(1 + i), image = A.col(1 + i);  // in the frame
    if (is_eliminated) {  // the image has no normal part, and Â there is free of cancellation
      own = Vec3(-A(0, 1 + i) / A(0, 0), own[1], own[2]) / s.sigma;
      image = Vec3(0, s.matrix(0, i), s.matrix(1, i));
    }
    const Vec3 direction = block.frame * own, turned = block.frame * image;
    for (int k = 0; k < 3; ++k) {
      batch.tangent[i][k][l] = tangent[k];
      batch.direction[i][k][l] = direction[k];
      batch.block_direction[i][k][l] = turned[k];
    }
    batch.coupling[i][l] = is_eliminated ? s.e[i] : A(0, 1 + i);
  }
  const Mat2 matrix = is_eliminated ? s.matrix : Mat2(A.bottomRightCorner<2, 2>());
  batch.matrix[0][l] = matrix(0, 0);
  batch.matrix[1][l] = (matrix(0, 1) + matrix(1, 0)) / 2;
  batch.matrix[2][l] = matrix(1, 1);
  batch.normal[l] = is_eliminated ? block.friction / A(0, 0) : A(0, 0);
  batch.inverse_friction[l] = 1 / block.friction;
}

void GeneralContacts::slip(const void* self, std::uint32_t batch, int lane, const double u[3],
                           const double y[3], double r[3]) {
  const auto& contacts = *static_cast<const GeneralContacts*>(self);
  const Block& block = contacts.blocks_[batch * kLanes + static_cast<std::uint32_t>(lane)];
  const Vec3 now = block.frame.transpose() * Eigen::Map<const Vec3>(y);
  const Vec3 free = block.frame.transpose() * Eigen::Map<const Vec3>(u) - block.A * now;
  const Vec3 own = contacts.law_.law == FrictionLaw::coulomb
                       ? solve_coulomb(block.A, free, block.friction, now).impulse
                       : solve_contact(contacts.law_, block.A, free, block.friction, now).impulse;
  Eigen::Map<Vec3>{r} = block.frame * own;
}

GeneralSweep GeneralContacts::data(const SweepPace& pace, std::span<BodyVelocity> bodies) {
  return {batches_.data(),
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
  if (batches_.empty()) return impulse.clear();
  const auto slots = schedule_.contact_of_slot();
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] == problem::ContactSchedule::kEmpty) continue;
    const auto& r = impulse_[slot / kLanes].r;
    const std::size_t l = slot % kLanes;
    impulse[slots[slot]] = Vec3(r[0][l], r[1][l], r[2][l]);
  }
}

}  // namespace talus::solve::detail
