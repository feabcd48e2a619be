#include <talus/sim/shared_run.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>

#include "support/thread_ranks.hpp"
#include "unit/sim/falling_balls.hpp"

namespace talus::sim::TALUS_TEST_FILE {
namespace {

/// What each of three ranks says if the last one has something else than the others.
template <class Change>
std::vector<std::string> said(const Change& change) {
  std::vector<std::string> said(3);
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    std::string version = "1.2";
    scene::Scene scene = test::falling_balls();
    if (rank == 2) change(version, scene);
    try {
      demand_same_run(*distribute::ranks(), version, scene, scene.initial);
    } catch (const InputError& error) {
      said[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  return said;
}

// Ranks of one run have one program, one scene and one state: else all of them end with the same
// words, which say which rank differs in what.
TEST(SharedRun, DemandsTheSameOnAllRanks) {
  EXPECT_EQ(said([](auto&, auto&) {}), std::vector<std::string>(3));
  const auto expect = [](const std::string& what, const auto& change) {
    for (const std::string& one : said(change))
      EXPECT_NE(one.find("rank 2 has another " + what), std::string::npos) << one;
  };
  expect("version", [](std::string& version, auto&) { version = "1.3"; });
  expect("scene", [](auto&, scene::Scene& scene) { scene.sources[0].text += "# more\n"; });
  expect("scene", [](auto&, scene::Scene& scene) { scene.step_size *= 2; });
  expect("state", [](auto&, scene::Scene& scene) { scene.initial.position[0][0] += 1e-9; });
}

// The account has means over the sweeps and sums over the ranks; a run that shared nothing says so.
TEST(SharedRun, AccountsForAllRanks) {
  test::ThreadRanks all(2);
  all.run([&](int rank) {
    distribute::Ranks& ranks = *distribute::ranks();
    EXPECT_NE(to_text(account_of(ranks, 1, 1)).find("too little to share"), std::string::npos);
    distribute::Work& work = ranks.work();
    work.sweeps = 4;
    work.imbalance = 4 * 1.25;
    work.border_share = 4 * 0.1;
    work.sent_messages = rank == 0 ? 3 : 5;
    work.sent_bytes = 4000;
    work.waiting_seconds = rank == 0 ? 0.5 : 1.5;
    const RanksAccount account = account_of(ranks, 3, 10);
    EXPECT_EQ(account.imbalance, 1.25);
    EXPECT_EQ(account.border_share, 0.1);
    EXPECT_EQ(account.sent.messages, 8);
    EXPECT_EQ(account.sent.bytes, 8000);
    EXPECT_EQ(account.waiting_share, 0.1);
    EXPECT_EQ(
        to_text(account),
        "  ranks        2 × 3 threads, imbalance 1.25, 10 % of bodies at borders, 10 % of the time "
        "in messages, 2 messages and 2 kB per sweep\n");
  });
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
