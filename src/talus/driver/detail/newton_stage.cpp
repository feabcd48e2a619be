#include <talus/driver/detail/newton_stage.hpp>

#include <talus/base/contract.hpp>
#include <talus/driver/detail/assembled_contact.hpp>
#include <talus/solve/newton/rigid_newton.hpp>

namespace talus::driver::detail {
namespace {

using certify::RigidContactCertifier;
using problem::RigidContact;
using solve::ProximalNewtonOptions;

// Contacts of the assembled form; contacts whose bodies are the nodes of the matrix.
constexpr Index kLargestAssembled = 20000, kLargestOfBodies = 6000;

class NewtonOnContacts final : public NewtonStage {
 public:
  NewtonOnContacts(const RigidContact& problem, const RigidContactCertifier& certify,
                   Real tolerance, solve::ContactEquation equation)
      : assembled_(problem, certify, tolerance),
        external_residual_(assembled_.external_residual()),
        equation_(equation) {
    newton_.start(assembled_.local());
  }

  void run(const ProximalNewtonOptions& options, const solve::StopRequest& should_stop,
           const RigidContactSolution& from, RigidContactSolution& to) override {
    ProximalNewtonOptions own = options;
    own.equation = equation_;
    VecX r = assembled_.to_local(from.impulse);
    to.report = newton_.run(own, external_residual_, should_stop, r);
    assembled_.certify(r, to);
  }
  double products() const override { return newton_.products(); }
  bool was_too_dear() const override { return newton_.was_too_dear(); }

 private:
  AssembledContact assembled_;
  solve::ExternalResidual external_residual_;
  solve::ContactEquation equation_;
  solve::ProximalNewton newton_;
};

class NewtonOnBodies final : public NewtonStage {
 public:
  NewtonOnBodies(const RigidContact& problem, const RigidContactCertifier& certify, Real tolerance)
      : certify_(certify), tolerance_(tolerance) {
    TALUS_DEMAND(problem.rows.empty());
    const bool is_started = newton_.start(problem);
    TALUS_DEMAND(is_started);  // no constraints depend on each other
  }

  void run(const ProximalNewtonOptions& options, const solve::StopRequest& should_stop,
           const RigidContactSolution& from, RigidContactSolution& to) override {
    VecX x = newton_.unknowns(from.impulse);
    RigidContactSolution candidate;
    const solve::ExternalResidual external_residual = [&](const VecX& at) {
      certify(at, candidate);
      return candidate.certificate.excess(tolerance_);
    };
    to.report = newton_.run(options, external_residual, should_stop, x);
    certify(x, to);
  }
  double products() const override { return newton_.products(); }
  bool was_too_dear() const override { return newton_.was_too_dear(); }

 private:
  void certify(const VecX& x, RigidContactSolution& solution) {
    newton_.impulses(x, solution.impulse, solution.velocity);
    solution.certificate = certify_(solution.impulse, solution.velocity);
  }

  const RigidContactCertifier& certify_;
  Real tolerance_;
  solve::RigidNewton newton_;
};

}  // namespace

bool has_newton_stage(const RigidContact& problem, Index contacts) {
  if (problem::has_local_form(problem)) return contacts <= kLargestAssembled;
  return solve::RigidNewton::takes(problem) && contacts <= kLargestOfBodies;
}

std::unique_ptr<NewtonStage> make_newton_stage(const RigidContact& problem,
                                               const RigidContactCertifier& certify, Real tolerance,
                                               solve::ContactEquation equation) {
  if (problem::has_local_form(problem))
    return std::make_unique<NewtonOnContacts>(problem, certify, tolerance, equation);
  return std::make_unique<NewtonOnBodies>(problem, certify, tolerance);
}

}  // namespace talus::driver::detail
