#include <gtest/gtest.h>
#include <sys/wait.h>
#include <sstream>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <talus/exchange/fclib.hpp>
#include <talus/exchange/fclib_classes.hpp>
#include <talus/exchange/lcp_file.hpp>

#include "support/broken_problems.hpp"
#include "support/class_problems.hpp"
#include "support/contact_problems.hpp"
#include "support/scratch.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

Outcome run_shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) outcome.output += buffer.data();
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome run(const std::string& arguments) {
  return run_shell(std::string(TALUS_BINARY) + " " + arguments);
}

nlohmann::json last_line(const std::string& output) {
  const std::size_t end = output.find_last_not_of('\n');
  const std::size_t start = output.rfind('\n', end);
  return nlohmann::json::parse(output.substr(start == std::string::npos ? 0 : start + 1));
}

std::string temporary(const std::string& name) {
  static const test::Scratch scratch;
  return (scratch / (name + ".hdf5")).string();
}

std::string write_global(const std::string& name) {
  Random random(1);
  const std::string path = temporary(name);
  exchange::write_fclib(path, test::random_global(random, 3, 4, 5, 0.5));
  return path;
}

// A certified answer: exit code 0, one JSON object with everything a script needs, and a solution
// file with r, u and v that satisfies the problem's equations.
TEST(TalusSolve, CertifiesAndWritesTheSolution) {
  const std::string path = write_global("problem"), solution_path = temporary("solution");
  const Outcome outcome = run("solve " + path + " --json --output " + solution_path);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto json = last_line(outcome.output);
  EXPECT_EQ(json["solver"], "auto");
  EXPECT_EQ(json["status"], "converged");
  EXPECT_EQ(json["contacts"], 5);
  EXPECT_EQ(json["dimension"], 3);
  EXPECT_EQ(json["output"], solution_path);
  EXPECT_GE(json["iterations"].get<int>(), 1);
  EXPECT_GE(json["seconds"].get<double>(), 0);
  for (const char* name : {"natural_map", "plain", "primal", "dual", "complementarity",
                           "equation_of_motion", "worst_velocity"})
    EXPECT_TRUE(json["residuals"][name].is_number()) << name;
  EXPECT_LE(json["residuals"]["natural_map"].get<double>(), 1e-8);
  EXPECT_TRUE(json["worst_contact"]["index"].is_number());

  const auto problem = std::get<problem::GlobalFrictionContact>(exchange::read_fclib(path));
  const auto solution = exchange::read_fclib_solution(solution_path);
  EXPECT_LT((problem.M * solution.v - problem.H * solution.r - problem.f).norm(), 1e-12);
  EXPECT_LT((problem.H.transpose() * solution.v + problem.w - solution.u).norm(), 1e-12);
  std::filesystem::remove(path);
  std::filesystem::remove(solution_path);
}

// The JSON tells what every stage cost, and with --history how its residual fell; a history
// without JSON is refused.
TEST(TalusSolve, TellsWhatTheSolveCost) {
  const std::string path = write_global("statistics");
  Outcome outcome = run("solve " + path + " --json --history");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  const auto json = last_line(outcome.output);
  int products = 0;
  for (const auto& stage : json["stages"]) {
    products += stage["counts"]["products"].get<int>();
    EXPECT_EQ(stage["history"]["residual"].size(), stage["iterations"].get<std::size_t>() + 1);
  }
  EXPECT_GT(products, 0);
  EXPECT_EQ(json["counts"]["products"], products);
  EXPECT_TRUE(json["counts"]["projections"].is_number());
  EXPECT_TRUE(json["counts"]["factorisations"].is_number());
  outcome = run("solve " + path + " --json");
  EXPECT_FALSE(last_line(outcome.output).contains("history"));
  outcome = run("solve " + path + " --history");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find("--json"), std::string::npos) << outcome.output;
  std::filesystem::remove(path);
}

// An LCP without a solution ends with the ray that proves it, in JSON, and in words without; `all`
// runs the solvers of LCPs on it.
TEST(TalusSolve, GivesTheRayOfAnLcp) {
  const std::string path = temporary("infeasible_lcp");
  exchange::write_lcp(path, {MatX::Zero(2, 2), VecX::Constant(2, -3)});
  Outcome outcome = run("solve " + path + " --json");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
  const auto json = last_line(outcome.output);
  EXPECT_EQ(json["status"], "ray_termination");
  EXPECT_EQ(json["ray"]["proves_infeasible"], true);
  EXPECT_EQ(json["ray"]["direction"].size(), 2u);
  EXPECT_EQ(json["ray"]["z"].size(), 2u);
  EXPECT_GT(json["ray"]["z0"].get<double>(), 0);
  EXPECT_EQ(json["ray"]["covering"].size(), 2u);
  outcome = run("solve " + path);
  EXPECT_NE(outcome.output.find("which proves"), std::string::npos) << outcome.output;
  outcome = run("solve " + path + " --solver all --json");
  EXPECT_NE(outcome.output.find("\"fischer_burmeister\""), std::string::npos) << outcome.output;
  std::filesystem::remove(path);
}

// An answer that is not certified is given, with exit code 3 and the reason as status.
TEST(TalusSolve, UncertifiedIsExitCode3) {
  const std::string path = write_global("uncertified");
  Outcome outcome = run("solve " + path + " --max-iterations 1 --tol 1e-12 --json");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
  EXPECT_EQ(last_line(outcome.output)["status"], "max_iterations");
  outcome =
      run("solve " + path + " --tol 1e-300 --time-limit 0.05 --max-iterations 1000000000 --json");
  EXPECT_EQ(outcome.exit_code, 3);
  const std::string status = last_line(outcome.output)["status"];
  EXPECT_TRUE(status == "time_limit" || status == "stalled") << status;
  std::filesystem::remove(path);
}

/// A wall of contacts that no tolerance ends: m contacts in a band, each coupled to 40 neighbours,
/// so that one factorisation takes a good part of the limit.
void write_large(const std::string& path) {
  Random random(5);
  const Index m = 2500, bodies = 500;
  problem::GlobalFrictionContact large;
  std::vector<Eigen::Triplet<Real>> H;
  for (Index c = 0; c < m; ++c)
    for (const Index body : {c % bodies, (7 * c + c / bodies * 13 + 1) % bodies})
      for (Index k = 0; k < 18; ++k)
        H.emplace_back(6 * body + k % 6, 3 * c + k / 6, random.uniform(-1, 1));
  large.M.resize(6 * bodies, 6 * bodies);
  large.M.setIdentity();
  large.H.resize(6 * bodies, 3 * m);
  large.H.setFromTriplets(H.begin(), H.end());
  large.f = test::random_matrix(random, 6 * bodies, 1);
  large.w = test::random_matrix(random, 3 * m, 1);
  large.friction = VecX::Constant(m, 0.8);
  exchange::write_fclib(path, large);
}

// A time limit is kept to 10 % and half a second (for a machine that does other work), by every
// solver, whether it sweeps or factorises; the processor's time is measured, not the machine's.
TEST(TalusSolve, KeepsTheTimeLimit) {
  const std::string path = temporary("large");
  write_large(path);
  for (const char* solver : {"auto", "nsgs", "proximal_newton", "ipm"}) {
    const Outcome outcome = run(
        "solve " + path + " --repeat 1 --tol 1e-300 --time-limit 0.5 --json --solver " + solver);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.output;
    const auto json = last_line(outcome.output);
    EXPECT_EQ(json["status"], "time_limit") << solver;
    EXPECT_LE(json["cpu_seconds"].get<double>(), 0.55 + 0.5) << solver;
  }
  std::filesystem::remove(path);
}

// Every broken problem file ends with exit code 2 and its message, on a stream that has nothing
// else.
TEST(TalusSolve, BrokenFilesAreExitCode2) {
  auto cases = test::broken_problems();
  for (const auto& broken : test::unsolvable_problems()) cases.push_back(broken);
  for (const test::BrokenProblem& broken : cases) {
    const std::string path = temporary(broken.name);
    broken.make(path);
    const Outcome outcome = run("solve " + path);
    EXPECT_EQ(outcome.exit_code, 2) << broken.name << ": " << outcome.output;
    // talus solve knows more groups than read_fclib, whose messages the cases are.
    const std::map<std::string, std::string> differently = {
        {"bilateral", "fclib_local/R: expected a matrix"},
        {"no_groups",
         "expected a group fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling "
         "or talus_lcp, found an empty file"},
        {"other_groups",
         "expected a group fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling "
         "or talus_lcp, found mesh"}};
    const auto found = differently.find(broken.name);
    const std::string expected = found != differently.end() ? found->second : broken.expected;
    EXPECT_NE(outcome.output.find(expected), std::string::npos)
        << broken.name << ": " << outcome.output;
    std::filesystem::remove(path);
  }
}

// One file of a list that is no problem leaves the others to be solved; what is wrong with it is
// said with its name, and the exit code is 2.
TEST(TalusSolve, ABrokenFileLeavesTheOthers) {
  const std::string good = write_global("good"), bad = temporary("bad");
  test::unsolvable_problems().front().make(bad);
  const Outcome outcome = run("solve " + bad + " " + good);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find(bad + ": "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("converged"), std::string::npos) << outcome.output;
}

// Wrong options are exit code 2 with what is allowed; a missing file too.
TEST(TalusSolve, WrongUsageIsExitCode2) {
  const std::string path = write_global("usage");
  const auto expect = [](const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  };
  expect(run("solve " + path + " --solver lemk"), "did you mean 'lemke'?");
  expect(run("solve " + path + " --tol 0"), "tolerance: expected a number in (0, 1), got 0");
  expect(run("solve"), "FILE is required");
  expect(run("solve " + path + " --time-limit -1"), "expected a number from 0 up, got \"-1\"");
  expect(run("solve /nowhere.hdf5"), "/nowhere.hdf5: no such file");
  expect(run("solve " + path + " --output /nowhere/at/all.hdf5"), "cannot write this file");
  std::filesystem::remove(path);
}

// A file that cannot be written to its end, as on a full disk, is one message and exit code 2; HDF5
// adds nothing of its own, neither a text nor a crash at the end of the program.
TEST(TalusSolve, AFullDiskIsOneMessage) {
  const std::string path = write_global("full");
  const Outcome outcome = run_shell("trap '' XFSZ; ulimit -f 1; exec " + std::string(TALUS_BINARY) +
                                    " solve " + path + " --output " + path + ".solution");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, path +
                                ".solution: the file cannot be written to its end\nhint: is the "
                                "disk full?\n");
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".solution");
}

// `--solver all` answers once per solver, several files once per file; the exit code is 3 as soon
// as one answer is not certified.
TEST(TalusSolve, SeveralSolversAndFiles) {
  const std::string one = write_global("one"), two = write_global("two");
  const auto lines = [](const std::string& output) {
    std::vector<nlohmann::json> result;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);)
      result.push_back(nlohmann::json::parse(line));
    return result;
  };
  const auto files = lines(run("solve " + one + " " + two + " --json").output);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0]["file"], one);
  EXPECT_EQ(files[1]["file"], two);
  const Outcome all = run("solve " + one + " --solver all --json --time-limit 5");
  const auto solvers = lines(all.output);
  ASSERT_GE(solvers.size(), 4u);
  bool is_certified = true;
  for (const auto& line : solvers) is_certified = is_certified && line["status"] == "converged";
  EXPECT_EQ(all.exit_code, is_certified ? 0 : 3);
  EXPECT_EQ(solvers.front()["solver"], "auto");
  EXPECT_FALSE(solvers.front()["stages"].empty());
  std::filesystem::remove(one);
  std::filesystem::remove(two);
}

// Anybody's answer can be certified: a solution that we wrote is, the same with one impulse changed
// is not, and one of another size is wrong input.
TEST(TalusSolve, CertifiesAnybodysAnswer) {
  const std::string path = write_global("certify"), answer = temporary("answer");
  ASSERT_EQ(run("solve " + path + " --output " + answer).exit_code, 0);
  EXPECT_EQ(run("solve " + path + " --certify-only " + answer).exit_code, 0);
  auto solution = exchange::read_fclib_solution(answer);
  solution.r[0] += 1e-3;
  exchange::write_fclib_solution(answer, solution);
  const Outcome changed = run("solve " + path + " --json --certify-only " + answer);
  EXPECT_EQ(changed.exit_code, 3);
  EXPECT_EQ(last_line(changed.output)["status"], "stalled");
  EXPECT_GT(last_line(changed.output)["residuals"]["equation_of_motion"].get<double>(), 1e-6);
  solution.r[0] -= 1e-3;
  solution.u[0] -= 1e-3;  // beside impulses that are right
  exchange::write_fclib_solution(answer, solution);
  const Outcome other_u = run("solve " + path + " --json --certify-only " + answer);
  EXPECT_EQ(other_u.exit_code, 3);
  EXPECT_GT(last_line(other_u.output)["residuals"]["equation_of_motion"].get<double>(), 1e-6);
  solution.r.conservativeResize(solution.r.size() - 1);
  exchange::write_fclib_solution(answer, solution);
  const Outcome shorter = run("solve " + path + " --certify-only " + answer);
  EXPECT_EQ(shorter.exit_code, 2);
  EXPECT_NE(shorter.output.find("solution/r: expected 15 numbers, got 14"), std::string::npos)
      << shorter.output;
  std::filesystem::remove(path);
  std::filesystem::remove(answer);
}

// A Delassus operator J M⁻¹ Jᵀ is symmetric. One that is not is solved, for the certificate holds
// of any W, with a warning that tells the entries; one that is symmetric is solved without.
TEST(TalusSolve, WarnsOfAnUnsymmetricOperator) {
  const std::string path = temporary("unsymmetric");
  problem::FrictionContact problem;
  problem.W.resize(3, 3);
  problem.W.setIdentity();
  problem.b = Vec3(-1, 0.5, 0);
  problem.friction = VecX::Constant(1, 0.3);
  exchange::write_fclib(path, problem);
  const Outcome plain = run("solve " + path + " --json");
  EXPECT_EQ(plain.exit_code, 0) << plain.output;
  EXPECT_TRUE(last_line(plain.output)["warnings"].empty());
  problem.W.coeffRef(0, 1) = 0.25;
  exchange::write_fclib(path, problem);
  const Outcome warned = run("solve " + path);
  EXPECT_NE(
      warned.output.find("warning: " + path +
                         ": W: expected a symmetric matrix, got 0.25 at (0, 1) and 0 at (1, 0)"),
      std::string::npos)
      << warned.output;
  EXPECT_EQ(last_line(run("solve " + path + " --json").output)["warnings"].size(), 1U);
  std::filesystem::remove(path);
}

// Whatever class the file holds is solved and certified: constraints with contacts, rolling
// contacts, linear complementarity; the answer that was written is certified again from its file.
TEST(TalusSolve, TakesEveryClass) {
  Random random(3);
  const std::string path = temporary("class"), answer = temporary("class_answer");
  const auto expect_certified = [&](const char* name) {
    const Outcome solved = run("solve " + path + " --tol 1e-7 --json --output " + answer);
    EXPECT_EQ(solved.exit_code, 0) << name << ": " << solved.output;
    EXPECT_EQ(last_line(solved.output)["status"], "converged");
    EXPECT_EQ(run("solve " + path + " --tol 1e-7 --certify-only " + answer).exit_code, 0) << name;
  };
  exchange::write_fclib(path, test::random_bilateral(random, 3, 3, 4).problem);
  expect_certified("bilateral");
  exchange::write_fclib(path, test::random_rolling(random, 4).problem);
  expect_certified("rolling");
  exchange::write_fclib(path, test::random_global_rolling(random, 3, 3));
  expect_certified("global rolling");
  exchange::write_fclib(path, test::random_global_bilateral(random, 3, 3, 4, 3));
  expect_certified("global bilateral");
  // A constraint's impulse that was lost is missed.
  auto solution = exchange::read_fclib_solution(answer);
  solution.l.conservativeResize(3);
  exchange::write_fclib_solution(answer, solution);
  const Outcome lost = run("solve " + path + " --certify-only " + answer);
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_NE(lost.output.find("solution/l: expected 4 numbers, got 3"), std::string::npos);
  problem::Lcp lcp;
  lcp.M = MatX::Identity(3, 3);
  lcp.q = Vec3(-1, 2, -3);
  exchange::write_lcp(path, lcp);
  expect_certified("lcp");
  std::filesystem::remove(path);
  std::filesystem::remove(answer);
}

// `talus info` says of every class what the file holds: law, form, counts, ranges, matrices.
TEST(TalusInfo, DescribesEveryClass) {
  Random random(4);
  const std::string path = temporary("info");
  const auto info = [&] {
    const Outcome outcome = run("info " + path + " --json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return last_line(outcome.output);
  };
  const auto expect_text = [&](const std::string& part) {
    const Outcome outcome = run("info " + path);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  };
  const auto joints = test::random_global_bilateral(random, 2, 3, 4, 5);
  exchange::write_fclib(path, joints);
  auto json = info();
  EXPECT_EQ(json["form"], "global");
  EXPECT_EQ(json["dimension"], 2);
  EXPECT_EQ(json["contacts"], 5);
  EXPECT_EQ(json["constraints"], 4);
  EXPECT_EQ(json["matrices"][2]["name"], "G");
  EXPECT_EQ(json["matrices"][2]["rows"], 12);
  EXPECT_EQ(json["matrices"][2]["columns"], 4);
  EXPECT_EQ(json["friction"][1].get<double>(), joints.friction.maxCoeff());
  expect_text(
      "frictional contact with bilateral constraints, global form, 2-D, 5 contacts, 4 "
      "constraints");
  const auto wheels = test::random_global_rolling(random, 2, 3);
  exchange::write_fclib(path, wheels);
  json = info();
  EXPECT_EQ(json["law"], "rolling friction");
  EXPECT_EQ(json["dimension"], 5);
  EXPECT_EQ(json["rolling"][0].get<double>(), wheels.rolling.minCoeff());
  expect_text("rolling friction, global form, 5-D, 3 contacts");
  exchange::write_fclib(path, test::random_rolling(random, 2).problem);
  EXPECT_EQ(info()["form"], "local");
  expect_text("rolling friction, local form, 5-D, 2 contacts");
  exchange::write_fclib(path, test::random_bilateral(random, 3, 2, 1).problem);
  EXPECT_EQ(info()["constraints"], 2);
  expect_text("bilateral constraints, local form, 3-D, 1 contacts, 2 constraints");
  exchange::write_fclib(path, test::random_local(random, 3, 2, 2, 1));
  EXPECT_EQ(info()["law"], "frictional contact");
  EXPECT_EQ(info()["matrices"][0]["name"], "W");
  expect_text("  W           6 × 6");
  problem::Lcp lcp{Vec2(2, 3).asDiagonal(), Vec2(-1, 1)};
  exchange::write_lcp(path, lcp);
  EXPECT_EQ(info()["unknowns"], 2);
  expect_text("linear complementarity, dense form, 2 unknowns");
  std::filesystem::remove(path);
}

// `--solver all` runs the solvers of the problem's own class and law, and no other ones: none of
// them says that it does not take such a problem.
TEST(TalusSolve, AllAreTheSolversOfTheClass) {
  Random random(5);
  const std::string path = temporary("all");
  const auto solvers_of = [&](const std::string& law) {
    std::vector<std::string> names;
    std::istringstream lines(
        run("solve " + path + " --solver all --json --time-limit 5 --law " + law).output);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      EXPECT_NE(json["status"], "unsupported") << json["solver"];
      names.push_back(json["solver"]);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  exchange::write_fclib(path, test::random_rolling(random, 2).problem);
  EXPECT_EQ(solvers_of("coulomb"), (Names{"auto", "rolling_nsgs"}));
  exchange::write_fclib(path, test::random_global_rolling(random, 2, 3));
  EXPECT_EQ(solvers_of("coulomb"), (Names{"auto", "rolling_nsgs"}));
  exchange::write_fclib(path, test::random_bilateral(random, 3, 2, 1).problem);
  EXPECT_EQ(solvers_of("coulomb"), (Names{"auto", "nsgs", "proximal_newton", "ipm", "lemke"}));
  exchange::write_fclib(path, test::random_local(random, 3, 2, 2, 1));
  EXPECT_EQ(solvers_of("maximum_dissipation"), (Names{"auto", "nsgs", "proximal_newton"}));
  EXPECT_EQ(solvers_of("polyhedral"), (Names{"auto", "nsgs", "lemke"}));
  std::filesystem::remove(path);
}

// With --law cone the same file is a cone problem: every method of that class answers, the methods
// agree with each other, and what the law drops is said; Coulomb's answer is another one.
TEST(TalusSolve, LawCone) {
  const std::string path = write_global("cone"), answer = temporary("cone_answer");
  const auto solve = [&](const std::string& options) {
    const Outcome outcome = run("solve " + path + " --json --output " + answer + " " + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    return std::pair(last_line(outcome.output), exchange::read_fclib_solution(answer).u);
  };
  const auto [reference_json, reference] = solve("--law cone --solver auto --tol 1e-10");
  EXPECT_EQ(reference_json["law"], "cone");
  EXPECT_FALSE(reference_json["law_changes"].get<std::string>().empty());
  for (const std::string solver : {"pgs", "apgd", "spg", "admm", "ipm"}) {
    const std::string tolerance = solver == "ipm" ? "2e-7" : "1e-9";  // each what it can reach
    const auto [json, velocity] =
        solve("--law cone --time-limit 20 --tol " + tolerance + " --solver " + solver);
    EXPECT_LE((velocity - reference).norm(), 1e-6 * (1 + reference.norm())) << solver;
  }
  const auto [coulomb_json, coulomb] = solve("--tol 1e-9");
  EXPECT_EQ(coulomb_json["law_changes"], "");
  EXPECT_GT((coulomb - reference).norm(), 1e-3 * reference.norm());
  EXPECT_EQ(run("solve " + path + " --law magic").exit_code, 2);
  std::filesystem::remove(path);
  std::filesystem::remove(answer);
}

// --law names the law of frictional contact: each answer is certified under its own law, and
// refused under another; a class that knows no such law is wrong input.
TEST(TalusSolve, EveryLaw) {
  const std::string path = write_global("laws"), answer = temporary("law_answer");
  for (const std::string law :
       {"maximum_dissipation", "cone_complementarity", "polyhedral", "frictionless"}) {
    const Outcome solved =
        run("solve " + path + " --json --solver nsgs --law " + law + " --output " + answer);
    EXPECT_EQ(solved.exit_code, 0) << solved.output;
    EXPECT_EQ(last_line(solved.output)["law"], law);
    const std::string certify = "solve " + path + " --certify-only " + answer;
    EXPECT_EQ(run(certify + " --tol 1e-7 --law " + law).exit_code, 0) << law;
    EXPECT_EQ(run(certify + " --tol 1e-7").exit_code, 3) << law;
  }
  std::filesystem::remove(path);
  std::filesystem::remove(answer);
}

// `bench problems` writes a line per problem and solver as CSV and the performance profile as text
// and as a picture; a folder without problems is wrong input.
TEST(TalusBench, ComparesSolvers) {
  const test::Scratch folder;
  for (const char* name : {"a", "b"})
    std::filesystem::copy_file(write_global(name), folder / (std::string(name) + ".hdf5"),
                               std::filesystem::copy_options::overwrite_existing);
  const std::string output = (folder / "profile").string();
  const Outcome outcome = run("bench problems " + folder.folder().string() +
                              " --solvers auto,nsgs --tol 1e-6 -o " + output);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("auto"), std::string::npos);
  EXPECT_NE(outcome.output.find("solved"), std::string::npos);
  std::ifstream csv(output + ".csv");
  std::vector<std::string> rows;
  for (std::string line; std::getline(csv, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].rfind("problem,contacts,dimension,solver,status,seconds", 0), 0u);
  EXPECT_EQ(rows[1].rfind("a,5,3,auto,converged,", 0), 0u) << rows[1];
  std::ifstream svg(output + ".svg");
  const std::string picture((std::istreambuf_iterator<char>(svg)), {});
  EXPECT_NE(picture.find("<svg"), std::string::npos);
  EXPECT_NE(picture.find(">nsgs</text>"), std::string::npos);
  EXPECT_NE(outcome.output.find(" solves, of "), std::string::npos) << "said before they begin";
  EXPECT_NE(outcome.output.find("times are of the processor"), std::string::npos);
  EXPECT_EQ(run("bench problems /nowhere").exit_code, 2);
}

// With perturbations and factors of friction every problem stands for all their combinations, the
// same ones in every call.
TEST(TalusBench, VariesProblems) {
  const test::Scratch folder;
  std::filesystem::copy_file(write_global("v"), folder / "v.hdf5",
                             std::filesystem::copy_options::overwrite_existing);
  const auto rows = [&](const std::string& output) {
    const Outcome outcome =
        run("bench problems " + folder.folder().string() + " --perturb 0,0.1 --seeds 2 " +
            "--scale-friction 0,1 -o " + (folder / output).string());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    std::ifstream csv(folder / (output + ".csv"));
    std::vector<std::pair<std::string, std::string>> found;  // problem, natural map
    for (std::string line; std::getline(csv, line);) {
      std::vector<std::string> cells;
      std::stringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
      found.emplace_back(cells.at(0), cells.at(8));
    }
    return found;
  };
  const auto first = rows("first");
  ASSERT_EQ(first.size(), 7u);
  EXPECT_EQ(first[1].first, "v mu*0");
  EXPECT_EQ(first[2].first, "v");
  EXPECT_EQ(first[5].first, "v b+10%#2 mu*0");
  EXPECT_NE(first[4].second, first[6].second);  // two seeds are two problems
  EXPECT_EQ(first, rows("second"));
}

// The help shows every option, the exit codes and examples.
TEST(TalusSolve, HelpHasExamples) {
  const Outcome outcome = run("solve --help");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* part : {"--solver", "nsgs", "--tol", "--time-limit", "--max-iterations",
                           "--directions", "--json", "--output", "Exit code", "Examples:"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
