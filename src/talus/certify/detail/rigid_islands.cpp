#include <talus/certify/detail/rigid_islands.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {
namespace {

using problem::BodyVelocity;
using problem::GeneralContact;
using problem::RigidContact;

constexpr Index kDemandsPerPiece = 256;

/// What a contact has to answer, as Demand has it.
struct OwnDemand {
  Real approach = 0, speed2 = 0, rho = 0;
};

/// Of a general contact; the pull of cohesion presses on it like a weight.
OwnDemand general_demand(const RigidContact& problem, Index c) {
  const GeneralContact& contact = problem.general[c];
  Vec3 speed = relative_velocity(contact, problem.bodies);
  const Real rho = 3 / block_trace(problem, contact);
  Real held = 0;
  if (!problem.resistance.empty()) {
    const problem::Resistance& resistance = problem.resistance[c];
    held = resistance.cohesion / rho;
    if (!resistance.compliance.isZero(0))
      speed = felt_share(block(problem, contact), contact.normal, resistance.compliance) * speed;
  }
  return {std::max(-speed.dot(contact.normal), held), speed.squaredNorm(), rho};
}

/// Σ m V² of bodies that follow each other [J]. Not inlined: its sum stays in a register.
[[gnu::noinline]] Real stake_of(std::span<const Real> speed, const BodyVelocity* bodies) {
  Real sum = 0;
  for (const Real own : speed) sum += own * own / (bodies++)->inverse_mass;
  return sum;
}

}  // namespace

Vec3 relative_velocity(const GeneralContact& contact, const std::vector<BodyVelocity>& bodies) {
  const BodyVelocity& a = bodies[contact.body_a];
  const BodyVelocity& b = bodies[contact.body_b];
  return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) +
         contact.bias * contact.normal;
}

// tr(−[a]ₓ S [a]ₓ) = ‖a‖² tr S − a·S a for each side.
Real block_trace(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    const Mat3& s = problem.inverse_inertia[body];
    return 3 * problem.bodies[body].inverse_mass + arm.squaredNorm() * s.trace() - arm.dot(s * arm);
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Mat3 block(const RigidContact& problem, const GeneralContact& contact) {
  const auto side = [&](std::uint32_t body, const Vec3& arm) {
    Mat3 turned;  // columns S (a × eᵢ); their velocities of the point are (S (a × eᵢ)) × a
    for (Index i = 0; i < 3; ++i)
      turned.col(i) = (problem.inverse_inertia[body] * arm.cross(Vec3::Unit(i))).cross(arm);
    turned.diagonal().array() += problem.bodies[body].inverse_mass;
    return turned;
  };
  return side(contact.body_a, contact.arm_a) + side(contact.body_b, contact.arm_b);
}

Mat3 felt_share(const Mat3& block, const Vec3& n, const Mat3& compliance) {
  const Real along = n.dot(block * n), across = (block.trace() - along) / 2;
  const Mat3 on_normal = n * n.transpose();
  const Mat3 inverse = on_normal / along + (Mat3::Identity() - on_normal) / across;
  return (Mat3::Identity() + inverse * compliance).inverse();
}

RigidIslands::RigidIslands(const RigidContact& problem, const KeptRows& rows, Simd simd)
    : problem_(problem),
      contacts_(ContactIslands::of(problem)),
      first_general_(static_cast<Index>(problem.central.batches.size() * problem::kLanes)) {
  if (problem.rows.empty()) {
    const bool is_dealt = problem.general.empty() && problem.central.deal != nullptr;
    share_ = SlotShare(contacts_->slot_runs(), contacts_->count(),
                       is_dealt ? problem.central.deal.get() : nullptr);
  }
  static thread_local SlotNumbers approach, speed2;
  for (SlotNumbers* numbers : {&rho_, &inverse_scale_, &approach, &speed2})
    numbers->resize(slot_count());
  const CentralResidualKernels& kernels = central_residual_kernels(simd);
  find_demands(rows, kernels, approach, speed2);
  sum_demands(kernels, approach, speed2);
  find_scales(kernels, approach);
}

/// What the contacts of every island have to answer; a slot without a contact adds nothing.
void RigidIslands::sum_demands(const CentralResidualKernels& kernels, const SlotNumbers& approach,
                               const SlotNumbers& speed2) {
  struct Sum {
    IslandDemand demand;
    Real free2 = 0, count = 0;

    void add(const Sum& other) {
      demand.add(other.demand);
      free2 += other.free2;
      count += other.count;
    }
  };
  std::vector<Sum> islands(static_cast<std::size_t>(std::max<Index>(contacts_->count(), 1)));
  const DemandTerms terms{rho_.data(), approach.data(), speed2.data()};
  const auto sum_of = [&](Index begin, Index end) {
    DemandSums sums;
    kernels.sum_demands(terms, begin, end, sums);
    return Sum{{total(sums.approach), total(sums.approaching), total(sums.speed), total(sums.all)},
               total(sums.free),
               total(sums.count)};
  };
  add_by_islands(
      contacts_->slot_runs(),
      [&](Index begin, Index end) {
        const Index middle = std::clamp(first_general_, begin, end);
        Sum sum = sum_of(begin, middle);
        if (middle == end) return sum;
        Sum general = sum_of(middle, end);
        general.free2 = 0;
        sum.add(general);
        return sum;
      },
      islands, share_.pieces());
  for (const Sum& sum : islands) {
    central_free2_ += sum.free2;
    is_idle_.push_back(sum.count == 0 ? 1 : 0);
    least_.push_back(sum.demand.least_scale(problem_.force_speed));
  }
  for (std::size_t c = 0; c < problem_.resistance.size(); ++c)
    if (!problem_.resistance[c].drag.isZero(0))
      is_idle_[island(first_general_ + static_cast<Index>(c))] = 0;
}

/// ρ, the approach and ‖b‖² of every slot.
void RigidIslands::find_demands(const KeptRows& rows, const CentralResidualKernels& kernels,
                                SlotNumbers& approach, SlotNumbers& speed2) {
  const CentralDemands data{problem_.central.batches.data(),
                            reinterpret_cast<const double*>(problem_.bodies.data()),
                            static_cast<std::uint32_t>(problem_.bodies.size()),
                            rho_.data(),
                            approach.data(),
                            speed2.data()};
  parallel::for_each(static_cast<Index>(problem_.central.tiles.size()), [&](Index t) {
    if (share_.makes_tile(t)) kernels.demands(data, problem_.central.tiles[t]);
  });
  const auto general = static_cast<Index>(problem_.general.size());
  static thread_local std::vector<std::vector<OwnDemand>> pieces;
  Index slot = first_general_;
  const auto put = [&](const OwnDemand& own) {
    rho_.data()[slot] = own.rho;
    approach.data()[slot] = own.approach;
    speed2.data()[slot] = own.speed2;
    ++slot;
  };
  const auto find = [&](Index c, std::vector<OwnDemand>& piece) {
    piece.push_back(general_demand(problem_, c));
  };
  for (const std::vector<OwnDemand>& piece :
       distribute::list_pieces(general, kDemandsPerPiece, pieces, find))
    std::for_each(piece.begin(), piece.end(), put);
  for (Index j = 0; j < problem_.rows.size(); ++j) {
    const Real rate = rows.free_rate[j];
    put({rows.demand(problem_.rows, j, rate), rate * rate, rows.rho[j]});
  }
}

/// V from the approaches, and what is at stake: V of a body is the largest of its contacts.
void RigidIslands::find_scales(const CentralResidualKernels& kernels, const SlotNumbers& approach) {
  const std::vector<std::int32_t>& island_of_body = contacts_->of_body();
  static thread_local std::vector<Real> kept;
  std::vector<Real>& speed = kept;  // of this thread, in others too
  speed.resize(island_of_body.size());
  parallel::for_each(contacts_->body_runs().piece_count(), [&](Index k) {
    for (const auto [begin, end, island] : contacts_->body_runs().piece(k))
      std::fill(speed.begin() + begin, speed.begin() + end, island < 0 ? Real(0) : least_[island]);
  });
  const auto raise = [&](std::uint32_t body, Real scale) {
    if (island_of_body[body] >= 0) speed[body] = std::max(speed[body], scale);
  };
  const ScaleTerms terms{approach.data(), contacts_->of_slot().data(), least_.data(),
                         inverse_scale_.data()};
  // Tiles of one colour share no movable body.
  parallel::for_phases(problem_.central.colours, [&](Index t) {
    if (!share_.makes_tile(t)) return;
    const problem::Tile tile = problem_.central.tiles[t];
    static thread_local std::vector<std::uint32_t> above;
    above.resize((tile.end - tile.first) * problem::kLanes);
    const std::uint32_t count = kernels.scales(terms, tile, above.data());
    for (std::uint32_t k = 0; k < count; ++k) {
      const problem::CentralBatch& batch = problem_.central.batches[above[k] / problem::kLanes];
      raise(batch.body_a[above[k] % problem::kLanes], approach[above[k]]);
      raise(batch.body_b[above[k] % problem::kLanes], approach[above[k]]);
    }
  });
  const auto invert = [&](Index slot, const auto& for_bodies) {
    const Real own = approach[slot], least = least_[island(slot)];
    inverse_scale_.data()[slot] = 1 / std::max(own, least);
    if (own > least) for_bodies([&](std::uint32_t body) { raise(body, own); });
  };
  const Index general = static_cast<Index>(problem_.general.size());
  for (Index i = 0; i < general; ++i)
    invert(first_general_ + i, [&](const auto& visit) {
      visit(problem_.general[i].body_a);
      visit(problem_.general[i].body_b);
    });
  for (Index j = 0; j < problem_.rows.size(); ++j)
    invert(first_general_ + general + j, [&](const auto& visit) {
      problem_.rows.for_each_part(j, [&](const problem::RowPart& of) { visit(of.body); });
    });
  distribute::Deal* const deal = share_.deal();
  PieceShare of_bodies;
  if (deal != nullptr) {
    of_bodies = {&deal->ranks(), deal->pieces()};
    deal->all_to_pieces().exchange(
        1, [&](std::uint32_t body, Real* to) { *to = speed[body]; },
        [&](std::uint32_t body, const Real* from) { speed[body] = std::max(speed[body], *from); });
  } else if (share_.is_shared()) {
    share_.pieces().with->take_largest(speed);
  }
  struct Stake {
    Real sum = 0;
    void add(const Stake& other) { sum += other.sum; }
  };
  std::vector<Stake> stakes(least_.size());
  add_by_islands(
      contacts_->body_runs(),
      [&](Index begin, Index end) {
        return Stake{
            stake_of(std::span(speed).subspan(begin, end - begin), problem_.bodies.data() + begin)};
      },
      stakes, of_bodies);
  for (const Stake stake : stakes) stake_.push_back(stake.sum);
}

}  // namespace talus::certify::detail
