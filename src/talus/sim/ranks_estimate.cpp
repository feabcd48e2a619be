#include <talus/sim/ranks_estimate.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>
#include <talus/base/error.hpp>
#include <talus/distribute/hand_overs.hpp>
#include <talus/dynamics/persistent_contacts.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/json/json.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::sim {
namespace {

/// Ranks of which there is none: for lists of messages that are not sent.
class PlannedRanks : public distribute::Ranks {
 public:
  explicit PlannedRanks(int count) : count_(count) {}
  [[nodiscard]] int count() const override { return count_; }
  [[nodiscard]] int rank() const override { return 0; }
  void gather(std::span<std::byte>, std::span<const std::size_t>) override { TALUS_DEMAND(false); }
  void take_largest(std::span<Real>) override { TALUS_DEMAND(false); }
  [[nodiscard]] std::unique_ptr<distribute::Lines> lines() override {
    return std::make_unique<NoLines>();
  }

 protected:
  [[nodiscard]] std::vector<std::uint64_t> meet(std::uint64_t, double) override { return {}; }
  void break_off(int) override {}

 private:
  class NoLines : public distribute::Lines {
   public:
    Index add_outgoing(int, int, std::span<const Real>) override { return 0; }
    Index add_incoming(int, int, std::span<Real>) override { return 0; }
    void start(Index) override {}
    void wait(Index) override {}
  };
  int count_;
};

struct Pair {
  std::uint32_t a = 0, b = 0;
  bool is_central = false, is_late = false;
};

/// Who touches whom in the last step, and which of them are contacts of balls that the solver
/// has as central ones. @param place of the bodies before the step.
std::vector<Pair> pairs_of(const Simulation& simulation, std::span<const Vec3> place) {
  const scene::Scene& scene = simulation.scene();
  const model::Model& model = scene.model;
  const bool has_central = scene.scheme.scheme == "moreau_jean" &&
                           dynamics::has_central_contacts(model, scene.scheme.law);
  const dynamics::RigidBodies bodies(model, has_central);
  const auto is_persistent = [&](Index body) {
    const bool is_fixed = model.bodies[body].kind == model::BodyKind::fixed;
    return bodies.is_persistent(body) ||
           (has_central && is_fixed && bodies.detector().is_plane(body));
  };
  std::vector<Pair> pairs;
  for (const stepping::StepContact& contact : simulation.scheme().contacts())
    pairs.push_back({static_cast<std::uint32_t>(contact.body_a),
                     static_cast<std::uint32_t>(contact.body_b),
                     is_persistent(contact.body_a) && is_persistent(contact.body_b)});
  for (Pair& pair : pairs)
    pair.is_late = pair.is_central && dynamics::is_late(bodies, {pair.a, pair.b}, place);
  return pairs;
}

/// The contacts of bodies that are joined by them through movable ones, as a problem without
/// numbers.
class Island {
 public:
  Island(const model::Model& model, std::span<const Vec3> place) : model_(model), place_(place) {}

  void add(Pair pair) { pairs_.push_back(pair); }
  [[nodiscard]] Index contact_count() const { return static_cast<Index>(pairs_.size()); }

  [[nodiscard]] problem::RigidContact problem() const {
    problem::RigidContact own;
    std::vector<std::uint32_t> bodies;
    for (const Pair pair : pairs_) bodies.insert(bodies.end(), {pair.a, pair.b});
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    const auto number = [&](std::uint32_t body) {
      return static_cast<std::uint32_t>(std::lower_bound(bodies.begin(), bodies.end(), body) -
                                        bodies.begin());
    };
    std::vector<unsigned char> is_movable;
    for (const std::uint32_t body : bodies) {
      is_movable.push_back(model_.bodies[body].kind == model::BodyKind::dynamic ? 1 : 0);
      own.bodies.emplace_back();
      own.bodies.back().inverse_mass = is_movable.back();
      own.place.push_back(place_[body]);
    }
    std::vector<problem::ScheduledPair> central;
    for (const Pair pair : pairs_) {
      const std::uint32_t a = number(pair.a), b = number(pair.b);
      if (pair.is_central) {
        central.push_back({a, b});
        own.central.is_late.push_back(pair.is_late ? 1 : 0);
      } else {
        own.general.emplace_back();
        own.general.back().body_a = a;
        own.general.back().body_b = b;
      }
    }
    problem::ContactColouring schedule;
    schedule.build(central, own.place, is_movable, own.central.is_late);
    own.lay_out_central(schedule, central, std::vector<Real>(central.size(), 0));
    return own;
  }

 private:
  const model::Model& model_;
  std::span<const Vec3> place_;
  std::vector<Pair> pairs_;
};

std::vector<Island> islands_of(const model::Model& model, std::span<const Pair> pairs,
                               std::span<const Vec3> place) {
  const auto moves = [&](std::uint32_t body) {
    return model.bodies[body].kind == model::BodyKind::dynamic;
  };
  DisjointSets sets(model.body_count());
  for (const Pair pair : pairs)
    if (moves(pair.a) && moves(pair.b)) sets.join(pair.a, pair.b);
  std::vector<Island> islands;
  std::vector<Index> island_of(model.bodies.size(), -1);
  for (const Pair pair : pairs) {
    Index& island = island_of[sets.root(moves(pair.a) ? pair.a : pair.b)];
    if (island < 0) {
      island = static_cast<Index>(islands.size());
      islands.emplace_back(model, place);
    }
    islands[island].add(pair);
  }
  return islands;
}

}  // namespace

RanksEstimate estimate_ranks(Simulation& simulation, int ranks, const RankCosts& costs) {
  TALUS_DEMAND(ranks >= 1);
  const model::Model& model = simulation.scene().model;
  if (model.dimension == 2)
    throw InputError(Diagnostic{{"--ranks"},
                                "",
                                "ranks share sweeps over bodies in space, and this scene is planar",
                                "",
                                "run it on one"});
  std::vector<Vec3> place;  // of the search for contacts
  dynamics::RigidBodies(model, false).folded(simulation.state().position, place);
  static_cast<void>(simulation.step());
  const std::vector<Pair> pairs = pairs_of(simulation, place);

  RanksEstimate estimate;
  estimate.ranks = ranks;
  estimate.bodies = model.body_count();
  estimate.contacts = static_cast<Index>(pairs.size());
  PlannedRanks planned(ranks);
  double most = 0, work = 0, borders = 0, bodies = 0;
  for (const Island& island : islands_of(model, pairs, place)) {
    const problem::RigidContact problem = island.problem();
    distribute::HandOvers hand_overs;
    if (!solve::deal_out_sweeps(problem, planned, hand_overs)) continue;
    const double weight = hand_overs.deal().work();
    estimate.shared_contacts += island.contact_count();
    work += weight;
    most += weight / ranks * hand_overs.deal().imbalance();
    const auto count = static_cast<double>(problem.bodies.size());
    borders += count * hand_overs.deal().border_share();
    bodies += count;
    const auto add = [](RanksEstimate::Traffic& to, const distribute::HandOvers::Traffic& one) {
      to.messages += one.messages;
      to.bytes += one.bytes;
    };
    add(estimate.all, hand_overs.traffic(true));
    add(estimate.busiest, hand_overs.busiest());
    add(estimate.start, hand_overs.traffic(false));
  }
  if (work > 0) estimate.imbalance = most * ranks / work;
  if (bodies > 0) estimate.border_share = borders / bodies;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  estimate.memory = 1024 * static_cast<double>(used.ru_maxrss);
  estimate.seconds_alone = work * costs.contact_seconds;
  estimate.seconds = most * costs.contact_seconds +
                     static_cast<double>(estimate.busiest.messages) * costs.message_seconds +
                     static_cast<double>(estimate.busiest.bytes) / costs.bytes_per_second;
  return estimate;
}

std::string to_text(const RanksEstimate& estimate) {
  std::string text = fmt::format(
      "{:<12} {} bodies, {} contacts, {} of them in islands that ranks share\n"
      "{:<12} {:.3g} MB of each of {} ranks: every one holds the whole scene\n",
      "scene", estimate.bodies, estimate.contacts, estimate.shared_contacts, "memory",
      estimate.memory / 1e6, estimate.ranks);
  if (estimate.shared_contacts == 0)
    return text + "too little to share: each rank would do all of it\n";
  text += fmt::format(
      "{:<12} imbalance {:.3g}, {:.2g} % of bodies at borders\n"
      "{:<12} {} and {:.3g} kB per sweep between all ranks, {} and {:.3g} kB that the busiest "
      "sends\n"
      "{:<12} {:.3g} ms per sweep, {:.3g} ms on one rank: {:.2f} times as fast\n",
      "sharing", estimate.imbalance, 100 * estimate.border_share, "messages", estimate.all.messages,
      static_cast<double>(estimate.all.bytes) / 1000, estimate.busiest.messages,
      static_cast<double>(estimate.busiest.bytes) / 1000, "time", 1000 * estimate.seconds,
      1000 * estimate.seconds_alone, estimate.seconds_alone / estimate.seconds);
  return text +
         fmt::format("{:<12} what every rank does alike (docs/clusters.md) is not in it\n", "");
}

std::string to_json(const RanksEstimate& estimate) {
  const auto traffic = [](const RanksEstimate::Traffic& of) -> Json {
    return {{"messages", of.messages}, {"bytes", of.bytes}};
  };
  return json_text({{"ranks", estimate.ranks},
                    {"bodies", estimate.bodies},
                    {"contacts", estimate.contacts},
                    {"shared_contacts", estimate.shared_contacts},
                    {"memory", estimate.memory},
                    {"imbalance", estimate.imbalance},
                    {"border_share", estimate.border_share},
                    {"all", traffic(estimate.all)},
                    {"busiest", traffic(estimate.busiest)},
                    {"start", traffic(estimate.start)},
                    {"seconds_alone", estimate.seconds_alone},
                    {"seconds", estimate.seconds}});
}

}  // namespace talus::sim
