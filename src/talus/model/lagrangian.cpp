#include <talus/model/lagrangian.hpp>

#include <numeric>

#include <talus/base/contract.hpp>

namespace talus::model {

LagrangianContact LagrangianSystem::contact(Index /*i*/, const VecX& /*q*/) const {
  TALUS_DEMAND(!"a system with contacts gives contact()");
  return {};
}

void LagrangianSystem::near_contacts(const VecX& /*q*/, std::vector<Index>& contacts) const {
  contacts.resize(static_cast<std::size_t>(contact_count()));
  std::iota(contacts.begin(), contacts.end(), Index(0));
}

std::vector<LagrangianMeeting> LagrangianSystem::meetings(const VecX& /*q*/, const VecX& /*q_end*/,
                                                          Real /*tolerance*/) const {
  return {};
}

Real LagrangianSystem::contact_time(Index /*i*/, const VecX& /*q*/, const VecX& /*v*/,
                                    Real /*step_size*/) const {
  return 0;
}

LagrangianBilateral LagrangianSystem::bilateral(const VecX& q) const {
  return {VecX(0), MatX(q.size(), 0), VecX(0)};
}

LagrangianBilateral LagrangianSystem::bilateral_at(const VecX& q, Real /*time*/) const {
  return bilateral(q);
}

std::vector<LagrangianJoint> LagrangianSystem::joints(const VecX& /*q*/) const { return {}; }

Real LagrangianSystem::potential(const VecX& /*q*/) const { return 0; }

}  // namespace talus::model
