#include <talus/certify/detail/body_share.hpp>

#include <algorithm>

#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::certify::detail {

BodyShare::BodyShare(const problem::RigidContact& problem, const SlotShare& slots)
    : problem_(problem),
      deal_(slots.deal()),
      count_(static_cast<std::uint32_t>(problem.bodies.size())) {
  if (deal_ != nullptr) {
    pieces_ = {&deal_->ranks(), deal_->pieces()};
    return;
  }
  const std::size_t pieces = (problem.bodies.size() + kNumbersPerPiece - 1) / kNumbersPerPiece;
  if (!slots.is_shared() || pieces < 2) return;
  pieces_ = PieceShare::in_a_row(slots.pieces().with, static_cast<Index>(pieces));
  for (const std::size_t piece : pieces_.pieces.first)
    begin_.push_back(std::min(piece * kNumbersPerPiece, problem.bodies.size()));
  const auto own = static_cast<std::size_t>(pieces_.with->rank());
  first_ = static_cast<std::uint32_t>(begin_[own]);
  count_ = static_cast<std::uint32_t>(begin_[own + 1]) - first_;
}

/// Whether a tile of central contacts touches a movable one of consecutive bodies.
bool BodyShare::is_touched_by(problem::Tile tile) const {
  if (begin_.empty()) return true;
  for (std::uint32_t k = tile.first; k < tile.end; ++k) {
    const problem::CentralBatch& batch = problem_.central.batches[k];
    bool has_own = false;
    for (int l = 0; l < problem::kLanes; ++l)
      has_own |= is_own(batch.body_a[l]) || is_own(batch.body_b[l]);
    const auto moves = [&](std::uint32_t body) {
      return is_own(body) && problem_.bodies[body].inverse_mass > 0;
    };
    if (has_own && (k < tile.checked || std::any_of(batch.body_a, std::end(batch.body_a), moves) ||
                    std::any_of(batch.body_b, std::end(batch.body_b), moves)))
      return true;
  }
  return false;
}

void BodyShare::start(std::vector<problem::BodyVelocity>& rows) const {
  rows.back() = {};
  const std::span<const problem::BodyVelocity> bodies = problem_.bodies;
  if (deal_ == nullptr) return parallel::copy(bodies.subspan(first_, count_), rows.data() + first_);
  const std::span<const distribute::Range> here = deal_->here();
  parallel::for_each(std::ssize(here), [&](Index i) {
    std::copy(bodies.begin() + here[i].begin, bodies.begin() + here[i].end,
              rows.begin() + here[i].begin);
  });
}

void BodyShare::add(const CentralResidualKernels& kernels, const CentralResidual& data) const {
  const std::vector<problem::Tile>& tiles = problem_.central.tiles;
  if (deal_ == nullptr)
    return parallel::for_phases(problem_.central.colours, [&](Index t) {
      if (is_touched_by(tiles[t])) kernels.add(data, tiles[t]);
    });
  BorderContacts& others = BorderContacts::of(problem_, *deal_);
  others.exchange(data);
  CentralResidual of_others = data;
  of_others.batches = others.batches();
  of_others.impulse = others.impulse();
  const std::span<const std::uint32_t> first = deal_->own_first();
  for (std::size_t p = 0; p + 1 < first.size(); ++p) {  // in a phase they share no movable body
    const auto own = deal_->own_tiles().subspan(first[p], first[p + 1] - first[p]);
    parallel::for_each(std::ssize(own) + 1, [&](Index i) {
      if (i == 0) return kernels.add(of_others, others.of_phase(p));
      kernels.add(data, tiles[own[i - 1]]);
    });
  }
  const std::span<const std::uint32_t> colours = problem_.central.colours;
  parallel::for_phases(colours.subspan(first.size() - 1),  // not dealt out
                       [&](Index t) { kernels.add(data, tiles[t]); });
}

void BodyShare::complete(std::vector<problem::BodyVelocity>& rows) const {
  if (begin_.empty()) return;
  distribute::gather(*pieces_.with, std::span(rows).first(problem_.bodies.size()), begin_);
}

}  // namespace talus::certify::detail
