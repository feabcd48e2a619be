#include <talus/problem/body_forest.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace talus::problem {
namespace {

constexpr Index kWorld = -1, kMany = -2;  // in place of a node

/// The two nodes that a constraint joins, rising; kWorld for what no force moves; (kMany, kMany)
/// where there are more.
std::pair<Index, Index> joined_by(const BoundedRows& rows, Index row,
                                  const std::vector<Index>& node_of_body) {
  std::pair<Index, Index> pair(kWorld, kWorld);
  Index count = 0;
  rows.for_each_part(row, [&](const RowPart& of) {
    const Index node = node_of_body[of.body];
    if (node < 0) return;
    ++count;
    (count == 1 ? pair.second : pair.first) = node;
  });
  if (count > 2) return {kMany, kMany};
  if (pair.first > pair.second) std::swap(pair.first, pair.second);
  return pair;
}

/// The part of a constraint on a node.
Vec6 own_part(const BoundedRows& rows, Index row, Index node,
              const std::vector<Index>& node_of_body) {
  Vec6 sum = Vec6::Zero();
  rows.for_each_part(row, [&](const RowPart& of) {
    if (node_of_body[of.body] == node) sum += of.part;
  });
  return sum;
}

/// What the constraints of a node span, as an orthonormal basis.
struct RowSpan {
  Mat6 basis;
  Index count = 0;

  /// Adds a row that is not in it. @return whether it was not.
  bool extends(const Vec6& row) {
    constexpr Real kDependent = 1e-8;  // of a row, what is left of it by rounding
    Vec6 rest = row;
    for (int pass = 0; pass < 2; ++pass)
      for (Index i = 0; i < count; ++i) rest -= basis.col(i).dot(rest) * basis.col(i);
    if (count == 6 || !(rest.norm() > kDependent * row.norm())) return false;
    basis.col(count++) = rest.normalized();
    return true;
  }
};

}  // namespace

/// Whether constraints join the same bodies as last time.
bool BodyForest::is_as_before(const RigidContact& problem) const {
  const BoundedRows& rows = problem.rows;
  if (problem.bodies.size() != moves_.size() || rows.first != first_part_) return false;
  for (std::size_t i = 0; i < moves_.size(); ++i)
    if ((problem.bodies[i].inverse_mass > 0) != (moves_[i] != 0)) return false;
  for (std::size_t j = 0; j < is_constraint_.size(); ++j) {
    if (rows.is_constraint(static_cast<Index>(j)) != (is_constraint_[j] != 0)) return false;
    for (std::uint32_t k = first_part_[j]; is_constraint_[j] != 0 && k < first_part_[j + 1]; ++k)
      if (rows.parts[k].body != joined_[k]) return false;
  }
  return true;
}

bool BodyForest::build(const RigidContact& problem) {
  const bool is_new = !is_as_before(problem);
  if (is_new) {
    moves_.clear();
    for (const BodyVelocity& body : problem.bodies) moves_.push_back(body.inverse_mass > 0 ? 1 : 0);
    first_part_ = problem.rows.first;
    is_constraint_.clear();
    for (Index j = 0; j < problem.rows.size(); ++j)
      is_constraint_.push_back(problem.rows.is_constraint(j) ? 1 : 0);
    joined_.clear();
    for (const RowPart& of : problem.rows.parts) joined_.push_back(of.body);
    node_.assign(problem.bodies.size(), kWorld);
    Index count = 0;
    for (std::size_t i = 0; i < problem.bodies.size(); ++i)
      if (problem.bodies[i].inverse_mass > 0) node_[i] = count++;
    mass_.resize(static_cast<std::size_t>(count));
    build_tree(problem);
  }
  build_masses(problem);
  return is_new;
}

void BodyForest::build_masses(const RigidContact& problem) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (node_[i] < 0) continue;
    const Mat3& inverse_inertia = problem.inverse_inertia[i];
    mass_[static_cast<std::size_t>(node_[i])] = {problem.bodies[i].inverse_mass,
                                                 inverse_inertia.inverse(), inverse_inertia};
  }
}

void BodyForest::build_tree(const RigidContact& problem) {
  const std::size_t bodies = mass_.size();

  // Pairs of nodes in the order in which their first constraint comes.
  struct Joined {
    std::pair<Index, Index> pair;
    bool is_tree = false;
  };
  std::vector<Joined> joints;
  std::map<std::pair<Index, Index>, std::size_t> known;
  std::vector<std::size_t> joint_of_row;
  std::vector<Index> constraints;
  for (Index j = 0; j < problem.rows.size(); ++j) {
    if (!problem.rows.is_constraint(j)) continue;
    const auto pair = joined_by(problem.rows, j, node_);
    if (pair.second == kWorld) continue;  // moves nothing
    const auto [found, is_new] = known.emplace(pair, joints.size());
    if (is_new) joints.push_back({pair});
    joint_of_row.push_back(found->second);
    constraints.push_back(j);
  }
  std::vector<std::vector<std::size_t>> joints_of(bodies);
  std::vector<std::size_t> of_world;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto [a, b] = joints[i].pair;
    if (a == kMany) continue;
    if (a == kWorld)
      of_world.push_back(i);
    else
      joints_of[static_cast<std::size_t>(a)].push_back(i);
    joints_of[static_cast<std::size_t>(b)].push_back(i);
  }

  parent_.assign(bodies, kWorld);
  std::vector<bool> is_reached(bodies, false);
  std::vector<Index> queue;
  const auto reach = [&](Index node, Index parent, std::size_t joint) {
    if (is_reached[static_cast<std::size_t>(node)]) return;
    is_reached[static_cast<std::size_t>(node)] = true;
    parent_[static_cast<std::size_t>(node)] = parent;
    if (joint < joints.size()) joints[joint].is_tree = true;
    queue.push_back(node);
  };
  std::size_t next = 0;
  const auto spread = [&] {
    for (; next < queue.size(); ++next)
      for (const std::size_t i : joints_of[static_cast<std::size_t>(queue[next])]) {
        const auto [a, b] = joints[i].pair;
        if (a >= 0) reach(a == queue[next] ? b : a, queue[next], i);
      }
  };
  for (const std::size_t i : of_world) reach(joints[i].pair.second, kWorld, i);
  spread();
  for (std::size_t i = 0; i < bodies; ++i) {
    reach(static_cast<Index>(i), kWorld, joints.size());
    spread();
  }

  own_.assign(bodies, 0);
  rows_.clear();
  loop_rows_ = 0;
  edges_.clear();
  const auto loop = static_cast<Index>(bodies);
  std::vector<RowSpan> spans(bodies);
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const auto [a, b] = joints[joint_of_row[k]].pair;
    const Index child = a >= 0 && parent_[static_cast<std::size_t>(a)] == b ? a : b;
    if (!joints[joint_of_row[k]].is_tree ||
        !spans[static_cast<std::size_t>(child)].extends(
            own_part(problem.rows, constraints[k], child, node_))) {
      rows_.push_back({constraints[k], loop, loop_rows_++});
      problem.rows.for_each_part(constraints[k], [&](const RowPart& of) {
        if (node_[of.body] >= 0) edges_.push_back({node_[of.body], loop});
      });
      continue;
    }
    rows_.push_back({constraints[k], child, 6 + own_[static_cast<std::size_t>(child)]++});
  }
  for (std::size_t i = 0; i < bodies; ++i)
    if (parent_[i] != kWorld) edges_.push_back({parent_[i], static_cast<Index>(i)});
  order_.assign(queue.rbegin(), queue.rend());
  if (loop_rows_ > 0) order_.push_back(loop);
}

std::vector<linalg::NodeLu::Node> BodyForest::nodes(bool whole) const {
  std::vector<linalg::NodeLu::Node> nodes;
  for (const Index own : own_) nodes.push_back({6 + own, whole ? 6 + own : 6});
  if (loop_rows_ > 0) nodes.push_back({loop_rows_, loop_rows_});
  return nodes;
}

}  // namespace talus::problem
