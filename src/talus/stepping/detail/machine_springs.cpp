#include <Eigen/Eigenvalues>

#include <talus/stepping/detail/implicit_spring.hpp>
#include <talus/stepping/detail/machine_step.hpp>

// Springs and dampers of force elements in the problem of a step.

namespace talus::stepping::detail {

/// Rows along the eigenvectors of g: each is a spring of its own, λᵢ = −pullᵢ − gᵢ w'ᵢ.
void MachineStep::add_element(Index element, const dynamics::MachineMotion& here, Level level,
                              problem::RigidContact& problem) {
  if (body_of_element_[static_cast<std::size_t>(element)] < 0) return;
  const dynamics::ElasticTerms terms = level == Level::rule
                                           ? terms_.elastic(element, here)
                                           : start_elastic_[static_cast<std::size_t>(element)];
  if (terms.count == 0) return;
  Vec6 before = Vec6::Zero();
  for (Index k = 0; k < terms.count; ++k) before[k] = rate(terms.rows[static_cast<std::size_t>(k)]);
  const ImplicitSpring<Mat6, Vec6> implicit(h_, theta_, terms.stiffness, terms.damping,
                                            terms.stretch, before, Vec6::Zero());
  using Block = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const Eigen::SelfAdjointEigenSolver<Block> eigen(
      Block(implicit.g.topLeftCorner(terms.count, terms.count)));
  for (Index i = 0; i < terms.count; ++i) {
    const Real g = eigen.eigenvalues()[i];
    if (g <= 0) continue;
    const auto direction = eigen.eigenvectors().col(i);
    dynamics::JacobianRow row = terms.rows[0];
    row.a *= direction[0];
    row.b *= direction[0];
    for (Index k = 1; k < terms.count; ++k)
      row.add(terms.rows[static_cast<std::size_t>(k)], direction[k]);
    const Real pull = direction.dot(implicit.pull.head(terms.count));
    add_row(Row::Kind::element, element, row, 1, pull / g, 1 / g, -problem::BoundedRows::kFree,
            problem::BoundedRows::kFree, problem.rows, element_slot(element) + i);
  }
}

}  // namespace talus::stepping::detail
