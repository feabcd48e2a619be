// Small fixed runs whose instructions scripts/compare_ratios counts: `ratio_runs NAME` does one,
// without a name it lists them; `ratio_runs bed_rest BED.csv STEPS` takes steps with a bed that
// `talus bench beds --save` has written. What is counted is measured() alone.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <talus/geometry/manifold.hpp>
#include <talus/linalg/block_csr.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/first_order/apgd.hpp>
#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/pivoting/lemke.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "ratios/measured.hpp"
#include "support/beds.hpp"
#include "support/cone_problems.hpp"
#include "support/contact_problems.hpp"
#include "support/lcp_families.hpp"
#include "support/machine_world.hpp"

namespace talus::bench {
namespace {

problem::FrictionContact contacts() {
  Random random(1);
  return test::random_local(random, 3, 60, 150, 0.6);
}

/// The reference: products of the block matrix of 150 contacts.
void block_products() {
  const problem::FrictionContact problem = contacts();
  linalg::BlockCsr<3> W;
  W.assign(problem.W);
  VecX x = problem.b, y = VecX::Zero(x.size());
  measured([&] {
    for (int k = 0; k < 20; ++k) {
      W.multiply(x, problem.b, y);
      x = y / (1 + y.lpNorm<Eigen::Infinity>());
    }
  });
}

/// 20 sweeps of Gauss–Seidel with exact Coulomb friction.
void nsgs_sweeps() {
  solve::Nsgs solver;
  solver.start(contacts(), {});
  measured([&] { (void)solver.run(0, 20, 1, {}); });
}

/// 50 iterations of accelerated projected gradients on the relaxed problem.
void apgd_iterations() {
  const problem::ConeProblem problem = test::relaxed(contacts());
  VecX r = VecX::Zero(problem.size());
  const solve::ExternalResidual never = [](const VecX&) { return Real(1e9); };
  measured([&] { (void)solve::apgd(problem, {50, false}, never, {}, r); });
}

/// Lemke's method on a frictional LCP of 160 unknowns.
void lemke_pivots() {
  Random random(2);
  const problem::Lcp lcp = test::friction_lcp(random, 16, 8, 60, 0.5);
  VecX z;
  measured([&] { (void)solve::lemke(lcp, {}, z); });
}

/// Contacts of 200 pairs of boxes about a margin apart.
void box_manifolds() {
  Random random(3);
  const geometry::Shape box = geometry::Box{{0.5, 0.4, 0.3}};
  std::vector<Pose> poses;
  for (int k = 0; k < 200; ++k)
    poses.push_back({test::random_vector(random, 0.9), test::random_rotation(random)});
  std::size_t points = 0;
  measured([&] {
    for (const Pose& pose : poses) points += geometry::manifold(box, box, pose, 0.05).points.size();
  });
  std::printf("%zu points\n", points);
}

/// 80 steps of Moreau–Jean with a bed of 200 spheres that falls on itself.
void bed_steps() {
  Bed bed = lattice_bed(200);
  const auto scheme = stepping::make_scheme(bed.world.model, test::options("moreau_jean", 1e-6));
  measured([&] {
    for (int k = 0; k < 80; ++k) (void)scheme->step(bed.world.state, 1e-3);
  });
}

/// Steps with a bed after others that are not counted.
void count_steps(Bed bed, int before, int steps) {
  const auto scheme = stepping::make_scheme(bed.world.model, test::options("moreau_jean", 1e-4));
  if (bed.memory.step_size > 0) scheme->recall(bed.memory);
  for (int k = 0; k < before; ++k) (void)scheme->step(bed.world.state, 1e-3);
  Index sweeps = 0;
  measured([&] {
    for (int k = 0; k < steps; ++k) sweeps += scheme->step(bed.world.state, 1e-3).iterations;
  });
  std::printf("%ld sweeps, hash %016lx\n", static_cast<long>(sweeps), bed.world.state.hash());
}

/// 50 steps of a bed of 100 spheres that lies still: what a step costs beside its one sweep.
void bed_rest() { count_steps(lattice_bed(100), 800, 50); }

/// Half a second of a box that is thrown on a line, from event to event.
void box_events() {
  test::MachineWorld world(test::coulomb(0.3, 0.4, 0.5));
  world.add_line();
  world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, 1, 0.02, {0, 0.5}, 0.3);
  measured([&] { (void)world.run(0.5, 0.01); });
}

const std::map<std::string, void (*)()> kRuns = {{"block_products", block_products},
                                                 {"nsgs_sweeps", nsgs_sweeps},
                                                 {"apgd_iterations", apgd_iterations},
                                                 {"lemke_pivots", lemke_pivots},
                                                 {"box_manifolds", box_manifolds},
                                                 {"bed_steps", bed_steps},
                                                 {"bed_rest", bed_rest},
                                                 {"box_events", box_events}};

}  // namespace
}  // namespace talus::bench

int main(int count, char** words) {
  talus::parallel::set_thread_count(1);
  if (count < 2) {
    for (const auto& [name, run] : talus::bench::kRuns) std::printf("%s\n", name.c_str());
    return 0;
  }
  const auto run = talus::bench::kRuns.find(words[1]);
  if (run == talus::bench::kRuns.end()) return 2;
  constexpr int kFirst = 5;  // steps that find contacts and make room
  if (count == 4 && run->first == "bed_rest")
    talus::bench::count_steps(talus::bench::read_bed(words[2]), kFirst, std::atoi(words[3]));
  else
    run->second();
  return 0;
}
