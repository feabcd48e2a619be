#include <talus/sim/shared_run.hpp>

#include <fmt/format.h>

#include <bit>

#include <talus/base/error.hpp>
#include <talus/base/hash.hpp>
#include <talus/json/json.hpp>
#include <talus/sim/resume.hpp>

namespace talus::sim {
namespace {

double sum(distribute::Ranks& ranks, double own) {
  double total = 0;
  for (const std::uint64_t bits : ranks.numbers(std::bit_cast<std::uint64_t>(own)))
    total += std::bit_cast<double>(bits);
  return total;
}

void demand_same(distribute::Ranks& ranks, std::uint64_t own, const std::string& what,
                 const std::string& hint) {
  const std::vector<std::uint64_t> all = ranks.numbers(own);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw InputError(
          Diagnostic{{"ranks"}, "", fmt::format("rank {} has {} than rank 0", r, what), "", hint});
}

}  // namespace

RanksAccount account_of(distribute::Ranks& ranks, int threads, double seconds) {
  const distribute::Work& work = ranks.work();
  RanksAccount account;
  account.count = ranks.count();
  account.threads = threads;
  account.sweeps = work.sweeps;
  account.steps_in_parts = work.steps_in_parts;
  if (work.sweeps > 0) {
    const auto sweeps = static_cast<double>(work.sweeps);
    account.imbalance = work.imbalance / sweeps;
    account.border_share = work.border_share / sweeps;
  }
  account.predicted = {work.messages, work.bytes};
  const double waiting = sum(ranks, work.waiting_seconds);
  account.sent.messages = sum(ranks, work.sent_messages);
  account.sent.bytes = sum(ranks, work.sent_bytes);
  if (seconds > 0) account.waiting_share = waiting / (ranks.count() * seconds);
  return account;
}

std::string to_text(const RanksAccount& account) {
  std::string line = fmt::format("  {:<12} {} × {} thread{}", "ranks", account.count,
                                 account.threads, account.threads == 1 ? "" : "s");
  if (account.sweeps == 0) return line + ", each does all of it: there was too little to share\n";
  const auto sweeps = static_cast<double>(account.sweeps);
  return line + fmt::format(
                    ", imbalance {:.3g}, {:.2g} % of bodies at borders, {:.2g} % of the time in "
                    "messages, {:.3g} messages and {:.3g} kB per sweep\n",
                    account.imbalance, 100 * account.border_share, 100 * account.waiting_share,
                    account.sent.messages / sweeps, account.sent.bytes / sweeps / 1000);
}

std::string with_ranks(const std::string& summary, const RanksAccount& account) {
  const auto traffic = [](const auto& of) -> Json {
    return {{"messages", of.messages}, {"bytes", of.bytes}};
  };
  Json json = parse_json(summary).value_or(Json::object());
  json["ranks"] = {{"count", account.count},
                   {"threads", account.threads},
                   {"shared_sweeps", account.sweeps},
                   {"steps_in_parts", account.steps_in_parts},
                   {"imbalance", account.imbalance},
                   {"border_share", account.border_share},
                   {"waiting_share", account.waiting_share},
                   {"predicted", traffic(account.predicted)},
                   {"sent", traffic(account.sent)}};
  return json_text(json);
}

void demand_same_run(distribute::Ranks& ranks, const std::string& version,
                     const scene::Scene& scene, const model::State& state) {
  StateHash program, input;
  program.add(version);
  demand_same(ranks, program.value(), "another version of talus",
              "install the same on all machines");
  for (const scene::SourceFile& source : scene.sources) input.add(source.text);
  input.add(options_as_json(scene));
  demand_same(ranks, input.value(), "another scene or other options",
              "all machines read the files of the scene: put them where all see the same");
  demand_same(ranks, state.hash(), "another state to start from",
              "all machines read the record that a run is resumed from");
}

}  // namespace talus::sim
