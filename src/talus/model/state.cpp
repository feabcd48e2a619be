#include <talus/model/state.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/base/hash.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::model {

void State::resize(Index body_count) {
  position.resize(body_count, Vec3::Zero());
  orientation.resize(body_count, Quat::Identity());
  velocity.resize(body_count, Vec3::Zero());
  angular_velocity.resize(body_count, Vec3::Zero());
  if (!presence.empty()) presence.resize(body_count, Presence::present);
}

void State::complete() {
  if (deal == nullptr) return;
  for (auto* list : {&position, &velocity, &angular_velocity}) deal->complete(std::span(*list));
  deal->complete(std::span(orientation));
  deal = nullptr;
}

std::uint64_t State::hash() const {
  TALUS_DEMAND(deal == nullptr);
  StateHash hash;
  hash.add(time);
  for (Index i = 0; i < body_count(); ++i) {
    hash.add_bytes(position[i].data(), sizeof(Vec3));
    for (const Real component :
         {orientation[i].w(), orientation[i].x(), orientation[i].y(), orientation[i].z()})
      hash.add(component);
    hash.add_bytes(velocity[i].data(), sizeof(Vec3));
    hash.add_bytes(angular_velocity[i].data(), sizeof(Vec3));
  }
  hash.add_bytes(presence.data(), presence.size());
  for (const auto& [name, values] : internal.list())
    hash.add_bytes(values.data(), values.size() * sizeof(Real));
  return hash.value();
}

bool State::is_finite() const {
  constexpr Index kBodiesPerPiece = 4096;
  const auto is_body_finite = [&](Index i) {
    return position[i].allFinite() && orientation[i].coeffs().allFinite() &&
           velocity[i].allFinite() && angular_velocity[i].allFinite();
  };
  if (!parallel::all_of(body_count(), kBodiesPerPiece, is_body_finite)) return false;
  return std::all_of(internal.list().begin(), internal.list().end(), [](const auto& variable) {
    return std::all_of(variable.values.begin(), variable.values.end(),
                       [](Real x) { return std::isfinite(x); });
  });
}

}  // namespace talus::model
