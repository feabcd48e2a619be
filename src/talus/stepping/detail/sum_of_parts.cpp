#include <talus/stepping/detail/sum_of_parts.hpp>

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include <talus/geometry/manifold.hpp>

namespace talus::stepping::detail {
namespace {

using Name = std::tuple<Index, Index, geometry::FeatureId>;

Name name_of_contact(const StepContact& contact) {
  return {contact.body_a, contact.body_b, contact.feature};
}

}  // namespace

void SumOfParts::clear() {
  contacts_.clear();
  reactions_.clear();
  axes_.clear();
}

void SumOfParts::add(const Scheme& scheme, Real share) {
  std::vector<StepContact> all = scheme.contacts();
  std::map<Name, std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) places.emplace(name_of_contact(all[i]), i);
  for (const StepContact& before : contacts_) {
    const auto [place, is_over] = places.try_emplace(name_of_contact(before), all.size());
    if (is_over) {
      all.push_back(before);
      continue;
    }
    all[place->second].impulse += before.impulse;
    all[place->second].moment += before.moment;
  }
  contacts_ = std::move(all);

  const auto reactions = scheme.reactions();
  reactions_.resize(reactions.size());
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    reactions_[i].force += share * reactions[i].force;
    reactions_[i].moment += share * reactions[i].moment;
    reactions_[i].effort += share * reactions[i].effort;
    reactions_[i].friction += share * reactions[i].friction;
  }
  const auto axes = scheme.axes();
  const bool is_first = axes_.empty();
  axes_.resize(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    dynamics::AxisReaction& sum = axes_[i];
    if (is_first) sum.armature = 0;
    sum.value = axes[i].value;
    sum.rate = axes[i].rate;
    sum.effort += share * axes[i].effort;
    sum.limit += share * axes[i].limit;
    sum.spring += share * axes[i].spring;
    sum.friction += share * axes[i].friction;
    sum.armature += share * axes[i].armature;
  }
}

}  // namespace talus::stepping::detail
