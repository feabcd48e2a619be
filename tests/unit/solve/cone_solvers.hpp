#pragma once

#include <string>
#include <vector>

#include <talus/solve/first_order/admm.hpp>
#include <talus/solve/first_order/apgd.hpp>
#include <talus/solve/first_order/mprgp.hpp>
#include <talus/solve/first_order/projected_jacobi.hpp>
#include <talus/solve/first_order/spg.hpp>
#include <talus/solve/fixed_point/desaxce.hpp>
#include <talus/solve/gauss_seidel/anderson.hpp>
#include <talus/solve/gauss_seidel/pgs.hpp>
#include <talus/solve/interior_point/cone_ipm.hpp>
#include <talus/solve/newton/fischer_burmeister.hpp>

namespace talus::test {

/// One method with its options bound but for the two that every test may set.
struct ConeMethod {
  std::string name;
  problem::SolveReport (*solve)(const problem::ConeProblem&, Index max_iterations,
                                bool keep_history, const solve::ExternalResidual&,
                                const solve::StopRequest&, VecX& r);
  Real reach = 1e-8;  ///< the natural map that it is sure to reach on problems of some 50 rows
};

template <auto method, class Options>
problem::SolveReport run_method(const problem::ConeProblem& problem, Index max_iterations,
                                bool keep_history, const solve::ExternalResidual& judge,
                                const solve::StopRequest& should_stop, VecX& r) {
  Options options;
  options.max_iterations = max_iterations;
  options.keep_history = keep_history;
  return method(problem, options, judge, should_stop, r);
}

/// The methods that take every cone.
inline std::vector<ConeMethod> cone_methods() {
  return {
      {"pgs", run_method<solve::pgs, solve::PgsOptions>},
      {"anderson", run_method<solve::anderson, solve::AndersonOptions>},
      {"projected_jacobi", run_method<solve::projected_jacobi, solve::ProjectedJacobiOptions>},
      {"apgd", run_method<solve::apgd, solve::ApgdOptions>},
      {"spg", run_method<solve::spg, solve::SpgOptions>},
      {"admm", run_method<solve::admm, solve::AdmmOptions>},
      {"ipm", run_method<solve::cone_ipm, solve::ConeIpmOptions>, 2e-7},
  };
}
inline ConeMethod mprgp_method() {
  return {"mprgp", run_method<solve::mprgp, solve::MprgpOptions>};
}
inline ConeMethod fischer_burmeister_method() {
  return {"fischer_burmeister",
          run_method<solve::fischer_burmeister, solve::FischerBurmeisterOptions>};
}

}  // namespace talus::test
