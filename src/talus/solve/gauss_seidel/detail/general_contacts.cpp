#include <talus/solve/gauss_seidel/detail/general_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/small.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>
#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve::detail {

using problem::BodyVelocity;
using problem::FrictionLaw;
using problem::GeneralContact;
using problem::kLanes;
using problem::Resistance;

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

ContactKind kind_of(const problem::RigidContact& problem) {
  return problem.resistance.empty()      ? ContactKind::plain
         : problem::has_moments(problem) ? ContactKind::turning
                                         : ContactKind::resisting;
}

using Lane = double[kLanes];

/// The upper triangle by rows.
template <class Mat>
void set_symmetric(Lane* row, std::uint32_t l, const Mat& m) {
  for (Index i = 0, k = 0; i < m.rows(); ++i)
    for (Index j = i; j < m.cols(); ++j, ++k) row[k][l] = (m(i, j) + m(j, i)) / 2;
}

Mat3 symmetric_of(const Lane* row, std::uint32_t l) {
  Mat3 m;
  m << row[0][l], row[1][l], row[2][l], row[1][l], row[3][l], row[4][l], row[2][l], row[4][l],
      row[5][l];
  return m;
}

void set_vector(Lane* row, std::uint32_t l, const Vec3& x) {
  for (int k = 0; k < 3; ++k) row[k][l] = x[k];
}

Vec3 vector_of(const Lane* row, std::uint32_t l) { return {row[0][l], row[1][l], row[2][l]}; }

Mat6 twice(const Mat3& force, const Mat3& moment) {
  Mat6 both = Mat6::Zero();
  both.topLeftCorner<3, 3>() = force;
  both.bottomRightCorner<3, 3>() = moment;
  return both;
}

/// The inverse of A on the rows that are resisted, 0 elsewhere.
Mat6 inverse_of_resisted(Mat6 A, const bool (&is_resisted)[6]) {
  for (int k = 0; k < 6; ++k) {
    if (is_resisted[k]) continue;
    A.row(k).setZero();
    A.col(k).setZero();
    A(k, k) = 1;
  }
  Mat6 inverse = linalg::lu_inverse(A);
  for (int k = 0; k < 6; ++k)
    if (!is_resisted[k]) inverse(k, k) = 0;
  return inverse;
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

void GeneralContacts::load(const problem::RigidContact& problem) {
  problem_ = &problem;
  kind_ = kind_of(problem);
  TALUS_DEMAND(kind_ == ContactKind::plain || problem.resistance.size() == problem.general.size());
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
    const Real spin = kind_ == ContactKind::turning ? 1 / problem.length[i] : 0;
    inertia_[i] = {{m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2), spin, 0}};
  }
  inertia_[bodies] = {};

  const auto slots = schedule_.contact_of_slot();
  rows_.assign(slots.size() / kLanes, {});
  impulse_.assign(blocks_of(kind_) * rows_.size(), {});
  surfaces_.assign(kind_ == ContactKind::plain ? 0 : rows_.size(), {});
  moments_.assign(kind_ == ContactKind::turning ? rows_.size() : 0, {});
  sliding_law_ = sliding_law(law_.law);
  sliding_.assign(sliding_law_ == SlidingLaw::none ? 0 : rows_.size(), {});
  blocks_.resize(slots.size());
  tile_sums_.resize(schedule_.tiles().size());
}

void GeneralContacts::lay_out_tile(Index tile, const problem::ContactImpulses& guess) {
  const auto batches = schedule_.batches(tile);
  const auto slots = schedule_.contact_of_slot();
  const auto end = static_cast<std::uint32_t>(batches.back().end * problem::kLanes);
  for (auto slot = static_cast<std::uint32_t>(batches.front().first * problem::kLanes); slot < end;
       ++slot) {
    const std::uint32_t c = slots[slot];
    if (c == GeneralSchedule::kEmpty) continue;
    lay_out(slot, c, guess.general.empty() ? Vec3(Vec3::Zero()) : guess.general[c]);
    if (kind_ == ContactKind::turning)
      lay_out_moment(slot, c, guess.moment.empty() ? Vec3(Vec3::Zero()) : guess.moment[c]);
  }
}

/// @param r the impulse to start from.
void GeneralContacts::lay_out(std::uint32_t slot, std::uint32_t c, const Vec3& r) {
  const GeneralContact& contact = problem_->general[c];
  Mat3 world = problem::contact_block(*problem_, contact);
  Vec3 start = r;
  Block& block = blocks_[slot];
  block.frame = contact_frame(contact.normal);
  block.friction = contact.friction;
  if (kind_ != ContactKind::plain) lay_out_surface(slot, c, world, start);
  block.A = block.frame.transpose() * world * block.frame;
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
                        ? block.friction * law_.polygon.inner_radius()
                    : law_.law == FrictionLaw::frictionless ? 0
                                                            : block.friction;
  set_vector(impulse_[blocks_of(kind_) * (slot / kLanes)].r, l, start);
  if (!sliding_.empty()) lay_out_sliding(block, tangential, sliding_[slot / kLanes], l);
}

/// @param world in: the block of r and u; out: of p' and u'. @param r in: the impulse; out: p'.
void GeneralContacts::lay_out_surface(std::uint32_t slot, std::uint32_t c, Mat3& world, Vec3& r) {
  const GeneralContact& contact = problem_->general[c];
  const Resistance& resistance = problem_->resistance[c];
  Block& block = blocks_[slot];
  block.frame = problem::resistance_frame(contact, resistance);
  Vec3 axes = Vec3::Ones();
  if (!resistance.axis.isZero(0) && law_.law != FrictionLaw::frictionless) {
    block.friction = std::max(contact.friction, resistance.friction_across);
    if (block.friction > 0)
      axes.tail<2>() = Vec2(contact.friction, resistance.friction_across) / block.friction;
  }
  const bool is_isotropic = axes == Vec3::Ones();
  const Mat3 S = is_isotropic ? Mat3(Mat3::Identity())
                              : Mat3(block.frame * axes.asDiagonal() * block.frame.transpose());
  const Vec3 pull = resistance.cohesion * contact.normal - resistance.drag;
  r += pull;
  if (!is_isotropic) r = block.frame.transpose() * r;
  for (int k = 1; k < 3 && !is_isotropic; ++k) r[k] = axes[k] > 0 ? r[k] / axes[k] : 0;
  if (!is_isotropic) r = block.frame * r;

  world += resistance.compliance;
  const Real size = world.trace() / 3;
  world = S * world * S;
  for (int k = 1; k < 3; ++k)  // along an axis without friction u' and p' are 0
    if (axes[k] == 0) world += size * block.frame.col(k) * block.frame.col(k).transpose();

  SurfaceRow& row = surfaces_[slot / kLanes];
  const std::uint32_t l = slot % kLanes;
  set_vector(row.slip_bias, l, resistance.slip_bias);
  set_symmetric(row.compliance, l, resistance.compliance);
  set_symmetric(row.stretch, l, S);
  set_vector(row.pull, l, pull);
}

/// After lay_out_surface. @param m the moment to start from.
void GeneralContacts::lay_out_moment(std::uint32_t slot, std::uint32_t c, const Vec3& m) {
  const Resistance& resistance = problem_->resistance[c];
  const Block& block = blocks_[slot];
  const std::uint32_t l = slot % kLanes;
  const Mat6 world = problem::resistance_block(*problem_, c);
  const Mat3 stretch = symmetric_of(surfaces_[slot / kLanes].stretch, l);
  const Mat6 to_frame = twice(block.frame.transpose() * stretch, block.frame.transpose());
  const Mat6 A = to_frame * world * to_frame.transpose();  // rows N, T1, T2, S, R1, R2
  const bool spins = resistance.torsion > 0, rolls = resistance.rolling > 0;
  const bool is_isotropic = resistance.axis.isZero(0);
  const bool is_resisted[6] = {
      true,
      block.friction > 0 && (is_isotropic || problem_->general[c].friction > 0),
      block.friction > 0 && (is_isotropic || resistance.friction_across > 0),
      spins,
      rolls,
      rolls};
  const Mat6 frames = twice(block.frame, block.frame);
  const Mat6 stick = frames * inverse_of_resisted(A, is_resisted) * frames.transpose();
  Real largest = 0;  // sum of a row's sizes: no eigenvalue is above it
  for (int i = 3; i < 6; ++i) {
    Real sum = 0;
    for (int j = 3; j < 6; ++j)
      if (is_resisted[i] && is_resisted[j]) sum += std::abs(A(i, j));
    largest = std::max(largest, sum);
  }
  MomentRow& row = moments_[slot / kLanes];
  row.torsion[l] = resistance.torsion;
  row.rolling[l] = resistance.rolling;
  row.step[l] = largest > 0 ? 1 / largest : 0;
  row.weight[l] = world.bottomRightCorner<3, 3>().trace() / world.topLeftCorner<3, 3>().trace();
  set_vector(row.block_normal, l, world.bottomLeftCorner<3, 3>() * problem_->general[c].normal);
  set_symmetric(row.stick, l, stick);
  set_vector(impulse_[2 * (slot / kLanes) + 1].r, l, m);
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
          surfaces_.data(),
          moments_.data(),
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
  kernels().begin(data({}, bodies), schedule_.tiles()[tile]);
}

void GeneralContacts::visit(Index tile, const SweepPace& pace, std::span<BodyVelocity> bodies) {
  const GeneralKernels::Sweep kernel = pace.momentum          ? kernels().momentum
                                       : pace.relaxation != 1 ? kernels().relaxed
                                                              : kernels().plain;
  tile_sums_[tile] = {};
  kernel(data(pace, bodies), schedule_.tiles()[tile], tile_sums_[tile]);
}

void GeneralContacts::begin_single(const SingleUnits& units) {
  if (rows_.empty()) return;
  single_.load(units, {inertia_.data()->x, 8 * inertia_.size()}, rows_.size());
}

void GeneralContacts::load_single(Index tile, bool has_old) {
  using Batches = std::span<const problem::ImpulseBatch>;
  const auto batches = schedule_.batches(tile);
  single_.load_rows(batches.front().first, batches.back().end, rows_, sliding_, impulse_,
                    has_old ? Batches(old_impulse_) : Batches{});
}

void GeneralContacts::store_single(Index tile) {
  const auto batches = schedule_.batches(tile);
  single_.store_rows(batches.front().first, batches.back().end, impulse_);
}

void GeneralContacts::slip_single(const void* self, std::uint32_t row, int lane, const double u[3],
                                  const double y[3], double r[3]) {
  const SingleUnits& units = static_cast<const GeneralContacts*>(self)->single_.units();
  double velocity[3], now[3];
  for (int k = 0; k < 3; ++k) {
    velocity[k] = units.speed * u[k];
    now[k] = units.impulse() * y[k];
  }
  slip(self, row, lane, velocity, now, r);
  for (int k = 0; k < 3; ++k) r[k] /= units.impulse();
}

void GeneralContacts::visit_single(Index tile, const SweepPace& pace, float* bodies) {
  tile_sums_[tile] = {};
  single_sweep_({schedule_.batches().data(), single_.rows(), single_.sliding(), sliding_law_,
                 nullptr, nullptr, single_.impulse(), single_.old_impulse(), bodies,
                 single_.inertia(), pace.beta, 1, 0, slip_single, this},
                schedule_.tiles()[tile], tile_sums_[tile]);
}

void GeneralContacts::store(problem::ContactImpulses& impulse) const {
  impulse.general.resize(problem_->general.size());
  impulse.moment.assign(problem_->resistance.size(), Vec3::Zero());
  const std::uint32_t blocks = blocks_of(kind_);
  const auto vector_at = [&](std::uint32_t at, std::uint32_t l) {
    return vector_of(impulse_[at].r, l);
  };
  const auto slots = schedule_.contact_of_slot();
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    const std::uint32_t c = slots[slot], row = slot / kLanes, l = slot % kLanes;
    if (c == GeneralSchedule::kEmpty) continue;
    impulse.general[c] = vector_at(blocks * row, l);
    if (kind_ != ContactKind::plain)
      impulse.general[c] = symmetric_of(surfaces_[row].stretch, l) * impulse.general[c] -
                           vector_of(surfaces_[row].pull, l);
    if (kind_ == ContactKind::turning) impulse.moment[c] = vector_at(blocks * row + 1, l);
  }
}

}  // namespace talus::solve::detail
