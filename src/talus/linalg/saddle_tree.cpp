#include <talus/linalg/saddle_tree.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <talus/base/contract.hpp>
#include <talus/linalg/detail/four.hpp>
#include <talus/linalg/detail/with_constant.hpp>

namespace talus::linalg {
namespace {

// What has been stored as one register is loaded as one, and never a register of single numbers
// just stored: such a load waits until they are in the cache, which cost half of the time here.
// The one exception is the upper triangle of S, which has to be its lower one to the last bit.

constexpr int kStride = 8;  // of a column: six numbers and two that are 0

using detail::Four, detail::FourMask;
using Two = double __attribute__((vector_size(16)));

/// Sums of the numbers of a, b, c, d.
TALUS_INLINE void add_up(const Four& a, const Four& b, const Four& c, const Four& d, Four& sums) {
  const Four ab =
      __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd =
      __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// A column.
struct Eight {
  Four low, high;

  TALUS_INLINE static Eight zero() { return {Four{}, Four{}}; }
  /// Of numbers anywhere.
  TALUS_INLINE static Eight of(const Real* x) {
    Eight column;
    detail::get(x, column.low);
    detail::get(x + 4, column.high);
    return column;
  }
  TALUS_INLINE void put(Real* x) const {
    detail::put(low, x);
    detail::put(high, x + 4);
  }
  /// Six of the unknowns.
  TALUS_INLINE static Eight of_six(const Real* x) {
    Eight column;
    Two last;
    detail::get(x, column.low);
    std::memcpy(&last, x + 4, sizeof(Two));
    column.high = __builtin_shufflevector(last, Two{}, 0, 1, 2, 3);
    return column;
  }
  TALUS_INLINE void put_six(Real* x) const {
    detail::put(low, x);
    const Two last = __builtin_shufflevector(high, high, 0, 1);
    std::memcpy(x + 4, &last, sizeof(Two));
  }
  /// With another number k, of eight.
  TALUS_INLINE Eight with(int k, Real x) const {
    const FourMask lane = detail::kOneOfFour[k % 4];
    const Four all = {x, x, x, x};
    return k < 4 ? Eight{lane ? all : low, high} : Eight{low, lane ? all : high};
  }
  TALUS_INLINE void operator+=(const Eight& other) {
    low += other.low;
    high += other.high;
  }
  TALUS_INLINE void operator-=(const Eight& other) {
    low -= other.low;
    high -= other.high;
  }
  /// this + A x, x of as many numbers as A has columns.
  TALUS_INLINE void add_product(const Real* A, const Real* x, int columns) {
    for (int j = 0; j < columns; ++j) {
      const Eight column = of(A + kStride * j);
      low += column.low * x[j];
      high += column.high * x[j];
    }
  }
  /// Aᵀ this, A of six columns, of which those behind `columns` are 0.
  template <int columns>
  [[nodiscard]] TALUS_INLINE Eight products(const Real* A) const {
    Four terms[kStride]{};
    for (int j = 0; j < (columns > 4 ? 6 : 4); ++j) {
      const Eight column = of(A + kStride * j);
      terms[j] = low * column.low + high * column.high;
    }
    Eight all = zero();
    add_up(terms[0], terms[1], terms[2], terms[3], all.low);
    if constexpr (columns > 4) add_up(terms[4], terms[5], terms[6], terms[7], all.high);
    return all;
  }
};

/// A ← A⁻¹, n×n and symmetric positive definite, by Gauss–Jordan elimination; false if a pivot is
/// not positive. @param least in, out: of a pivot over the diagonal that it was.
template <int n>
TALUS_INLINE bool invert_definite(Real* A, Real& least) {
  Real diagonal[n];
  for (int k = 0; k < n; ++k) diagonal[k] = A[kStride * k + k];
  for (int k = 0; k < n; ++k) {
    Real* const pivots = A + kStride * k;
    const Real pivot = pivots[k];
    if (!(pivot > 0)) return false;  // NaN: false
    if (pivot < least * diagonal[k]) least = pivot / diagonal[k];
    const Real inverse = 1 / pivot;
    const Eight own = Eight::of(pivots).with(k, 0);
    const Eight scale = Eight{Four{1, 1, 1, 1}, Four{1, 1, 1, 1}}.with(k, inverse);
    for (int j = 0; j < n; ++j) {
      if (j == k) continue;
      Real* const column = A + kStride * j;
      const Real factor = column[k] * inverse;
      const Eight rest = Eight::of(column);
      Eight{(rest.low - own.low * factor) * scale.low, (rest.high - own.high * factor) * scale.high}
          .put(column);
    }
    Eight{-own.low * inverse, -own.high * inverse}.with(k, inverse).put(pivots);
  }
  return true;
}

}  // namespace

void SaddleTree::analyse(std::span<const Node> nodes, std::span<const Index> order, Index across) {
  TALUS_DEMAND_EQ(order.size(), nodes.size());
  first_.resize(nodes.size() + 1);
  size_ = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    TALUS_DEMAND(nodes[i].rows >= 0 && nodes[i].rows <= kMostRows);
    first_[i] = size_;
    size_ += 6 + nodes[i].rows;
  }
  first_.back() = size_;
  size_ += across;
  places_.assign(nodes.size(), {});
  place_of_.resize(nodes.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    place_of_[static_cast<std::size_t>(order[p])] = static_cast<std::uint32_t>(p);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const Node& node = nodes[static_cast<std::size_t>(order[p])];
    Place& place = places_[p];
    place.node = static_cast<std::int32_t>(order[p]);
    place.rows = static_cast<std::int32_t>(node.rows);
    place.parent =
        node.parent < 0
            ? -1
            : static_cast<std::int32_t>(place_of_[static_cast<std::size_t>(node.parent)]);
    TALUS_DEMAND(place.parent < 0 || place.parent > static_cast<std::int32_t>(p));
  }
  across_.assign(static_cast<std::size_t>(across), {});
}

void SaddleTree::clear() {
  for (std::vector<Part>& row : across_) row.clear();
}

void SaddleTree::set_mass(Index node, const Mat6& mass) {
  Columns(places_[place_of_[static_cast<std::size_t>(node)]].A.data()) = mass;
}

void SaddleTree::set_row(Index node, Index row, const Vec6& own, const Vec6& parent) {
  Place& place = places_[place_of_[static_cast<std::size_t>(node)]];
  Columns(place.J.data()).col(row) = own;
  Columns(place.P.data()).col(row) = parent;
}

void SaddleTree::add_across(Index row, Index node, const Vec6& part) {
  across_[static_cast<std::size_t>(row)].push_back({node, part});
}

/// N, G and S⁻¹ of a place, and what they add to A of its parent.
template <int rows>
TALUS_INLINE bool SaddleTree::factorise_place(Place& place, Real* parent, Real& least) {
  Real* const A = place.A.data();
  if (!invert_definite<6>(A, least)) return false;
  if constexpr (rows > 0) {
    Real W[kStride * rows];  // A⁻¹ Jᵀ
    Real* const S = place.S.data();
    for (int k = 0; k < rows; ++k) {
      Eight column = Eight::zero();
      column.add_product(A, &place.J[kStride * k], 6);
      column.put(W + kStride * k);
      column.products<rows>(place.J.data()).put(S + kStride * k);
    }
    for (int k = 0; k < rows; ++k)  // by two products its halves differ, which loses digits
      for (int l = 0; l < k; ++l) S[kStride * l + k] = S[kStride * k + l];
    if (!invert_definite<rows>(S, least)) return false;
    for (int k = 0; k < rows; ++k) {
      Eight column = Eight::zero();
      column.add_product(W, S + kStride * k, rows);
      column.put(&place.G[kStride * k]);
    }
    if constexpr (rows == 6) place.A.fill(0);  // N has the rank 6 − rows
    for (int j = 0; j < 6 && rows < 6; ++j) {  // N = A⁻¹ − G Wᵀ
      Real row[rows];
      for (int k = 0; k < rows; ++k) row[k] = -W[kStride * k + j];
      Eight column = Eight::of(A + kStride * j);
      column.add_product(place.G.data(), row, rows);
      column.put(A + kStride * j);
    }
    if (parent == nullptr) return true;
    Real Q[kStride * rows];  // Pᵀ S⁻¹
    for (int k = 0; k < rows; ++k) {
      Eight column = Eight::zero();
      column.add_product(place.P.data(), S + kStride * k, rows);
      column.put(Q + kStride * k);
    }
    for (int j = 0; j < 6; ++j) {  // A_parent += Q P
      Real row[rows];
      for (int k = 0; k < rows; ++k) row[k] = place.P[kStride * k + j];
      Eight column = Eight::of(parent + kStride * j);
      column.add_product(Q, row, rows);
      column.put(parent + kStride * j);
    }
  }
  return true;
}

/// v⁰ = N f + G g and λ⁰ = S⁻¹ g − Gᵀ f in place of f and g; f_parent += Pᵀ λ⁰.
template <int rows>
TALUS_INLINE void SaddleTree::eliminate(const Place& place, Real* own, Real* parent) {
  Eight v = Eight::zero();
  v.add_product(place.A.data(), own, 6);
  if constexpr (rows > 0) {
    Real lambda[kStride];
    Eight multiplier = Eight::zero();
    multiplier.add_product(place.S.data(), own + 6, rows);
    multiplier -= Eight::of_six(own).products<rows>(place.G.data());
    multiplier.put(lambda);
    v.add_product(place.G.data(), own + 6, rows);
    std::copy_n(lambda, rows, own + 6);
    if (parent != nullptr) {
      Eight force = Eight::zero();
      force.add_product(place.P.data(), lambda, rows);
      force += Eight::of_six(parent);
      force.put_six(parent);
    }
  }
  v.put_six(own);
}

/// v = v⁰ − G P v_parent, λ = λ⁰ − S⁻¹ P v_parent.
template <int rows>
TALUS_INLINE void SaddleTree::substitute(const Place& place, Real* own, const Real* parent) {
  if constexpr (rows > 0) {
    Real rate[kStride], change[kStride];
    Eight::of_six(parent).products<rows>(place.P.data()).put(rate);
    Eight v = Eight::zero(), multiplier = Eight::zero();
    v.add_product(place.G.data(), rate, rows);
    multiplier.add_product(place.S.data(), rate, rows);
    Eight own_v = Eight::of_six(own);
    own_v -= v;
    own_v.put_six(own);
    multiplier.put(change);
    for (int k = 0; k < rows; ++k) own[6 + k] -= change[k];
  }
}

namespace {

/// Calls f with the number of rows as a constant.
template <class F>
TALUS_INLINE auto with_rows(int rows, const F& f) {
  return detail::with_constant<0, 1, 2, 3, 4, 5, 6>(rows, f);
}

}  // namespace

TALUS_WIDE_CLONE bool SaddleTree::factorise_forest(std::span<Place> places, Real& least) {
  for (Place& place : places) {
    Real* const parent =
        place.parent < 0 ? nullptr : places[static_cast<std::size_t>(place.parent)].A.data();
    if (!with_rows(place.rows, [&]<Index rows>() TALUS_INLINE_LAMBDA {
          return factorise_place<rows>(place, parent, least);
        }))
      return false;
  }
  return true;
}

TALUS_WIDE_CLONE void SaddleTree::solve_forest(Real* x) const {
  const auto unknowns = [&](const Place& place) {
    return x + first_[static_cast<std::size_t>(place.node)];
  };
  const auto of_parent = [&](const Place& place) {
    return place.parent < 0 ? nullptr : unknowns(places_[static_cast<std::size_t>(place.parent)]);
  };
  for (const Place& place : places_)
    with_rows(place.rows, [&]<Index rows>() TALUS_INLINE_LAMBDA {
      eliminate<rows>(place, unknowns(place), of_parent(place));
    });
  for (auto place = places_.rbegin(); place != places_.rend(); ++place)
    if (const Real* const parent = of_parent(*place); parent != nullptr)
      with_rows(place->rows, [&]<Index rows>() TALUS_INLINE_LAMBDA {
        substitute<rows>(*place, unknowns(*place), parent);
      });
}

/// C v of a row.
Real SaddleTree::across_rate(std::size_t row, const Real* x) const {
  Real sum = 0;
  for (const Part& of : across_[row])
    sum += of.part.dot(Eigen::Map<const Vec6>(x + first(of.node)));
  return sum;
}

bool SaddleTree::factorise() {
  Real least = 1;
  const bool is_definite = factorise_forest(places_, least);
  least_pivot_ = least;
  if (!is_definite) return false;
  const auto across = static_cast<Index>(across_.size());
  if (across == 0) return true;
  response_.setZero(first_.back(), across);
  MatX T(across, across);
  for (Index j = 0; j < across; ++j) {
    for (const Part& of : across_[static_cast<std::size_t>(j)])
      response_.col(j).segment<6>(first(of.node)) += of.part;
    solve_forest(response_.col(j).data());
    for (Index i = 0; i < across; ++i)
      T(i, j) = across_rate(static_cast<std::size_t>(i), response_.col(j).data());
  }
  complement_.compute(T);
  return T.allFinite() && complement_.has_pivots();
}

void SaddleTree::solve(VecX& x) const {
  TALUS_DEMAND_EQ(x.size(), size_);
  solve_forest(x.data());
  const auto across = static_cast<Index>(across_.size());
  if (across == 0) return;
  VecX missed = x.tail(across);
  for (Index i = 0; i < across; ++i)
    missed[i] -= across_rate(static_cast<std::size_t>(i), x.data());
  x.tail(across) = complement_.solve(missed);
  x.head(first_.back()).noalias() += response_ * x.tail(across);
}

// Z_ii = N + (G P) Z_pp (G P)ᵀ, Z_ip = −G P Z_pp, without the rows across.
void SaddleTree::invert() {
  inverse_.resize(places_.size());
  of_parent_.resize(places_.size());
  for (std::size_t p = places_.size(); p-- > 0;) {
    const Place& place = places_[p];
    inverse_[p] = ConstColumns(place.A.data());
    if (place.parent < 0) continue;
    const Mat6 GP = ConstColumns(place.G.data())
                        .leftCols(place.rows)
                        .lazyProduct(ConstColumns(place.P.data()).leftCols(place.rows).transpose());
    of_parent_[p] = -GP.lazyProduct(inverse_[static_cast<std::size_t>(place.parent)]);
    inverse_[p] -= of_parent_[p].lazyProduct(GP.transpose());
  }
  if (!across_.empty()) weighted_ = complement_.solve(MatX(response_.transpose()));
}

Mat6 SaddleTree::inverse(Index a, Index b) const {
  const std::size_t p = place_of_[static_cast<std::size_t>(a)],
                    q = place_of_[static_cast<std::size_t>(b)];
  Mat6 Z;
  if (p == q) {
    Z = inverse_[p];
  } else if (p < q) {
    TALUS_DEMAND_EQ(static_cast<std::size_t>(places_[p].parent), q);
    Z = of_parent_[p];
  } else {
    TALUS_DEMAND_EQ(static_cast<std::size_t>(places_[q].parent), p);
    Z = of_parent_[q].transpose();
  }
  if (!across_.empty())
    Z -= response_.middleRows<6>(first(a)).lazyProduct(weighted_.middleCols<6>(first(b)));
  return Z;
}

}  // namespace talus::linalg
