#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/laws/lcp_statistics.hpp>
#include <talus/problem/polyhedral_contact.hpp>
#include <talus/problem/solution.hpp>

namespace talus::laws {

/// What the LCP of a step is solved with where nothing else is asked for: Lemke's method, to 1e-10.
[[nodiscard]] inline driver::Options lcp_solver() {
  driver::Options options;
  options.solver = "lemke";
  options.tolerance = 1e-10;
  return options;
}

/// Answer to the problem of one linearisation.
struct PolyhedralAnswer {
  VecX impulse;  ///< r, one per row
  problem::SolveReport report;
  certify::Certificate certificate;  ///< worst_contact: contact, or contact_count + joint
};

/// Sets rates to 0 that are what cancellation leaves of others: Lemke's method may find no answer
/// for noise. @param of per row what it is compared with [m/s]. @return whether there was any.
bool drop_noise(const VecX& of, VecX& b);

/// Solves a polyhedral problem by Lemke's method (a mixed LCP where there are bilateral
/// constraints), certified as the (mixed) LCP it is, island by island: rows are of one island where
/// W couples them, or a contact or a joint. One that finds no answer is tried again without what is
/// noise beside its largest rate (drop_noise). Redundant constraints and numbers that are not
/// finite give numerical_error and zero impulses. The statistics are of the LCP that all islands
/// are together; the one that is kept as unsolved is an island's.
[[nodiscard]] PolyhedralAnswer solve_polyhedral(const problem::PolyhedralContact& problem,
                                                const driver::Options& options,
                                                LcpStatistics& statistics);

}  // namespace talus::laws
