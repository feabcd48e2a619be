#include <talus/certify/detail/motion.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/linalg/component_lu.hpp>

namespace talus::certify::detail {

Motion motion_of(const problem::SparseMatrix& M,
                 const Eigen::SparseMatrix<Real, Eigen::ColMajor>& H, const VecX& f, const VecX& w,
                 const VecX& impulse, const VecX& velocity, Index d) {
  TALUS_DEMAND(impulse.size() == H.cols() && velocity.size() == M.rows());
  Motion motion;
  const VecX momentum = M * velocity, contact = H * impulse;
  const Real defect = (momentum - contact - f).norm();
  if (defect != 0) motion.defect = defect / std::max({momentum.norm(), contact.norm(), f.norm()});
  motion.u = H.transpose() * velocity + w;
  linalg::ComponentLu lu;
  if (M.rows() > 0 && !lu.factorise(M)) return motion;
  motion.is_regular = true;
  motion.b = w;
  motion.diagonal = VecX::Zero(H.cols());
  if (M.rows() == 0) return motion;
  motion.b += H.transpose() * lu.solve(f);
  const Eigen::SparseMatrix<Real, Eigen::ColMajor> X = lu.solve(H);
  for (Index j = 0; j < H.cols(); ++j) motion.diagonal[j] = H.col(j).dot(X.col(j));
  if (d > 0) motion.blocks = MatX::Zero(d, H.cols());
  for (Index j = 0; d > 0 && j < H.cols(); ++j)
    for (Index k = 0; k < d; ++k) motion.blocks(k, j) = H.col(j - j % d + k).dot(X.col(j));
  return motion;
}

}  // namespace talus::certify::detail
