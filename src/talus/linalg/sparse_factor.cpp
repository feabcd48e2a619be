#include <talus/linalg/sparse_factor.hpp>

namespace talus::linalg {

void SparseLu::analyse(const SparseColumns& A) { lu_.analyzePattern(A); }

bool SparseLu::factorise(const SparseColumns& A) {
  lu_.factorize(A);
  return lu_.info() == Eigen::Success;
}

VecX SparseLu::solve(const VecX& b) const { return lu_.solve(b); }

void SparseLdlt::analyse(const SparseColumns& A) { ldlt_.analyzePattern(A); }

bool SparseLdlt::factorise(const SparseColumns& A) {
  ldlt_.factorize(A);
  if (ldlt_.info() != Eigen::Success) return false;
  inverse_pivot_ = ldlt_.vectorD().cwiseInverse();
  return true;
}

// Eigen's own solve takes a temporary.
void SparseLdlt::solve(const VecX& b, VecX& x) {
  const auto& place = ldlt_.permutationP().indices();
  work_.resize(b.size());
  for (Index i = 0; i < b.size(); ++i) work_[place[i]] = b[i];
  ldlt_.matrixL().solveInPlace(work_);
  work_.array() *= inverse_pivot_.array();
  ldlt_.matrixU().solveInPlace(work_);
  x.resize(b.size());
  for (Index i = 0; i < b.size(); ++i) x[i] = work_[place[i]];
}

Real ldlt_work(const SparseColumns& A) {
  struct Pattern : Eigen::SimplicialLDLT<SparseColumns> {
    explicit Pattern(const SparseColumns& matrix) { analyzePattern(matrix); }
    [[nodiscard]] Real work() const {
      Real sum = 0;
      for (Index j = 0; j < m_matrix.cols(); ++j) {
        const auto count =
            static_cast<Real>(m_matrix.outerIndexPtr()[j + 1] - m_matrix.outerIndexPtr()[j]);
        sum += (count + 1) * (count + 1);
      }
      return sum;
    }
  };
  return Pattern(A).work();
}

}  // namespace talus::linalg
