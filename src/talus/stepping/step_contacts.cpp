#include <talus/stepping/step_contacts.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <tuple>

#include <talus/distribute/deal.hpp>
#include <talus/dynamics/free_motion.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/model/minimum_image_clearance.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::stepping {
namespace {

// Shares of a body's half thickness: contacts are kept while the gap is below the first, so that a
// resting contact does not come and go; candidates are searched again after a way of the second.
constexpr Real kRestingMargin = 0.01;
constexpr Real kSkin = 0.02;
constexpr Real kSkinSteps = 3;  // and so many steps' way of the body
constexpr Index kBodiesPerPiece = 4096;

}  // namespace

StepContacts::StepContacts(const model::Model& model, bool has_persistent)
    : bodies_(model, has_persistent), is_held_(model::held_bodies(model)) {}

void StepContacts::travel(std::span<const Vec3> velocity, std::span<const Vec3> angular_velocity,
                          Real step_size, std::vector<Real>& distance) const {
  distance.resize(velocity.size());
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    const Real reach = bodies_.turning_radius(static_cast<Index>(i));
    distance[i] = step_size * (velocity[i].norm() + angular_velocity[i].norm() * reach);
  }
}

void StepContacts::travel(std::span<const problem::BodyVelocity> velocity, Real step_size,
                          std::vector<Real>& distance, const distribute::Deal* deal) const {
  distance.resize(velocity.size());
  for_bodies(deal, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      distance[i] = step_size * velocity[i].v.norm();
      if (const Real reach = bodies_.turning_radius(i); reach > 0)
        distance[i] += step_size * velocity[i].s.norm() / bodies_.length(i) * reach;
    }
  });
}

/// Calls visit(begin, end) for pieces of all bodies, or of those that a deal has here.
template <class Visit>
void StepContacts::for_bodies(const distribute::Deal* deal, const Visit& visit) const {
  if (deal != nullptr)
    deal->for_here(visit);
  else
    parallel::for_ranges(bodies_.model().body_count(), kBodiesPerPiece, visit);
}

void StepContacts::find_margins(const model::State& pose, std::span<const Real> travel) {
  margin_.resize(travel.size());
  skin_.resize(travel.size());
  for_bodies(pose.deal.get(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Real size = bodies_.is_dynamic(i) ? bodies_.size(i) : 0;
      margin_[i] = travel[i] + kRestingMargin * size;
      skin_[i] = kSkin * size + kSkinSteps * travel[i];
    }
  });
  if (bodies_.model().cell.is_periodic()) limit_to_images(pose);
}

bool StepContacts::has_left(const model::State& pose, std::span<const Real> travel) {
  find_margins(pose, travel);
  const collision::Placement where = dynamics::RigidBodies::placement(pose);
  std::atomic<bool> has_any = false;
  for_bodies(pose.deal.get(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      if (bodies_.detector().has_left(i, where, margin_[i])) has_any = true;
  });
  return has_any;
}

/// Any two bodies with their margins must fit into the slack; skins, which only save searches, take
/// what is left.
void StepContacts::limit_to_images(const model::State& pose) {
  if (!slack_) slack_ = model::minimum_image_clearance(bodies_.model(), pose);
  Real largest = 0, second = 0;
  for (std::size_t i = 0; i < margin_.size(); ++i) {
    if (bodies_.detector().is_plane(static_cast<Index>(i))) continue;
    second = std::max(second, std::min(largest, margin_[i]));
    largest = std::max(largest, margin_[i]);
    skin_[i] = std::clamp(*slack_ / 2 - margin_[i], Real(0), skin_[i]);
  }
  has_wide_margin_ = has_wide_margin_ || largest + second > *slack_;
}

void StepContacts::judge_images(StepReport& report) {
  if (has_wide_margin_ && report.is_certified()) {
    report.status = problem::SolveStatus::stalled;
    report.detail =
        "bodies move so far in this step that they could touch images of each other "
        "that are not the nearest: the periodic cell is too short for this step size";
  }
  has_wide_margin_ = false;
}

bool StepContacts::update(const model::State& pose, std::span<const Real> travel) {
  find_margins(pose, travel);
  return bodies_.detector().update(dynamics::RigidBodies::placement(pose), margin_, skin_);
}

collision::Foresight StepContacts::foresight(const model::State& state, Real step_size) {
  const std::size_t count = state.position.size();
  position_ahead_.resize(count);
  orientation_ahead_.resize(count);
  tolerance_.resize(count);
  parallel::for_ranges(static_cast<Index>(count), kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      position_ahead_[i] = state.position[i] + step_size * state.velocity[i];
      orientation_ahead_[i] =
          integrate_rotation(state.orientation[i], state.angular_velocity[i], step_size);
      tolerance_[i] = tolerance::kSlightOverlap * bodies_.size(i);
    }
  });
  return {{position_ahead_, orientation_ahead_},
          tolerance_,
          bodies_.sizes(),
          step_size * step_size * bodies_.model().gravity,
          is_held_};
}

void StepContacts::detect_transient(const model::State& state, Real step_size,
                                    std::span<const unsigned char> still,
                                    std::vector<collision::Contact>& contacts) {
  bodies_.detector().detect_transient({state.position, state.orientation}, margin_, still, contacts,
                                      foresight(state, step_size));
  bodies_.play().add(state, still, margin_, contacts);
}

void StepContacts::detect(const model::State& pose, std::span<const Real> travel,
                          std::vector<collision::Contact>& contacts, Real ahead) {
  find_margins(pose, travel);
  std::optional<collision::Foresight> seen;
  if (ahead > 0) seen = foresight(pose, ahead);
  bodies_.detector().detect(dynamics::RigidBodies::placement(pose), margin_, skin_, contacts, seen);
  bodies_.play().add(pose, {}, margin_, contacts);
}

void StepContacts::warm_start(std::span<const collision::Contact> contacts,
                              std::span<const Index> order, Real step_size,
                              std::vector<Vec3>& guess, std::vector<Vec3>* moments) {
  collision::match_contacts(contacts, last_, match_);
  const Real scale = last_step_size_ > 0 ? step_size / last_step_size_ : 1;
  const auto take = [&](const std::vector<Vec3>& last, std::vector<Vec3>& to) {
    to.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Index earlier = match_[order[k]];
      to[k] = earlier < 0 ? Vec3(Vec3::Zero()) : Vec3(scale * last[earlier]);
    }
  };
  take(last_impulse_, guess);
  if (moments != nullptr) take(last_moment_, *moments);
}

void StepContacts::remember(std::span<const collision::Contact> contacts,
                            std::span<const Index> order, std::span<const Vec3> impulse,
                            std::span<const Vec3> moment, Real step_size) {
  last_.assign(contacts.begin(), contacts.end());
  last_order_.assign(order.begin(), order.end());
  last_impulse_.assign(contacts.size(), Vec3::Zero());
  last_moment_.assign(contacts.size(), Vec3::Zero());
  for (std::size_t k = 0; k < order.size(); ++k) last_impulse_[order[k]] = impulse[k];
  for (std::size_t k = 0; k < moment.size(); ++k) last_moment_[order[k]] = moment[k];
  last_step_size_ = step_size;
  is_current_ = false;
}

const std::vector<StepContact>& StepContacts::contacts() const {
  if (!is_current_) {
    step_contacts_.clear();
    for (std::size_t k = 0; k < last_order_.size(); ++k)
      step_contacts_.push_back(*contact(static_cast<Index>(k)));
    is_current_ = true;
  }
  return step_contacts_;
}

std::optional<StepContact> StepContacts::contact(Index i) const {
  if (i < 0 || i >= static_cast<Index>(last_order_.size())) return std::nullopt;
  const Index c = last_order_[i];
  const collision::Contact& contact = last_[c];
  return StepContact{static_cast<Index>(contact.a),
                     static_cast<Index>(contact.b),
                     contact.position,
                     contact.normal,
                     contact.gap,
                     last_impulse_[c],
                     contact.feature,
                     last_moment_[c]};
}

void StepContacts::recall(const SchemeMemory& memory) {
  const std::vector<StepContact>& contacts = memory.contacts;
  std::vector<Index> sorted(contacts.size());
  std::iota(sorted.begin(), sorted.end(), Index{0});
  const auto name = [&](Index k) {
    return std::tuple(contacts[k].body_a, contacts[k].body_b, contacts[k].feature);
  };
  std::sort(sorted.begin(), sorted.end(), [&](Index i, Index j) { return name(i) < name(j); });
  last_.clear();
  last_impulse_.clear();
  last_moment_.clear();
  last_order_.assign(contacts.size(), 0);
  for (const Index k : sorted) {
    const StepContact& contact = contacts[k];
    last_order_[k] = static_cast<Index>(last_.size());
    last_.push_back({static_cast<std::uint32_t>(contact.body_a),
                     static_cast<std::uint32_t>(contact.body_b), contact.feature, contact.position,
                     contact.normal, contact.gap});
    last_impulse_.push_back(contact.impulse);
    last_moment_.push_back(contact.moment);
  }
  last_step_size_ = memory.step_size;
  is_current_ = false;
}

void StepContacts::add(std::span<const StepContact> contacts) {
  SchemeMemory memory{this->contacts(), last_step_size_, {}, {}};
  memory.contacts.insert(memory.contacts.end(), contacts.begin(), contacts.end());
  recall(memory);
}

Real StepContacts::max_penetration(std::span<const collision::Contact> contacts) {
  Real deepest = 0;
  for (const collision::Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

void move_bodies(const model::Model& model, std::span<const Vec3> mean_velocity, Real step_size,
                 model::State& state) {
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    if (body.kind == model::BodyKind::fixed) continue;
    state.position[i] += step_size * mean_velocity[i];
    if (body.kind == model::BodyKind::dynamic)
      dynamics::rotate_freely(body.inertia, state.orientation[i], state.angular_velocity[i],
                              step_size);
    else
      state.orientation[i] =
          integrate_rotation(state.orientation[i], state.angular_velocity[i], step_size);
  }
}

}  // namespace talus::stepping
