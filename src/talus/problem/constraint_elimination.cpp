#include <talus/problem/constraint_elimination.hpp>

namespace talus::problem {

bool ConstraintElimination::factorise(const RigidContact& problem) {
  is_new_ = forest_.build(problem);
  if (is_new_)
    lu_.analyse(forest_.nodes(false), forest_.edges(), std::span<const Index>(forest_.order()));
  fill(problem, lu_);
  return lu_.factorise();
}

void ConstraintElimination::fill(const RigidContact& problem, linalg::NodeLu& lu) const {
  lu.clear();
  for (Index node = 0; node < forest_.body_count(); ++node)
    lu.diagonal(node).topLeftCorner<6, 6>() = forest_.mass(node);
  for (const BodyForest::Row& row : forest_.rows())
    problem.rows.for_each_part(row.index, [&](const RowPart& of) {
      const Index body = forest_.node_of(of.body);
      if (body < 0) return;
      if (body == row.node) {
        auto block = lu.diagonal(body);
        block.row(row.place).head<6>() += of.part.transpose();
        block.col(row.place).head<6>() -= of.part;
      } else {
        lu.block(row.node, body).row(row.place).head<6>() += of.part.transpose();
        lu.block(body, row.node).col(row.place).head<6>() -= of.part;
      }
    });
}

void ConstraintElimination::correct(const RigidContact& problem, std::span<BodyVelocity> velocity,
                                    std::span<Real> row) {
  x_.setZero(size());
  for (const BodyForest::Row& of : forest_.rows())
    x_[first(of.node) + of.place] = -row_rate(problem, of.index, velocity);
  solve(x_);
  for (const BodyForest::Row& of : forest_.rows()) row[of.index] += x_[first(of.node) + of.place];
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (const Index node = forest_.node_of(static_cast<Index>(i)); node >= 0) {
      velocity[i].v += x_.segment<3>(first(node));
      velocity[i].s += x_.segment<3>(first(node) + 3);
    }
}

}  // namespace talus::problem
