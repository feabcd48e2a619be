#include <talus/model/time_law.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include <talus/base/contract.hpp>

namespace talus::model {
namespace {

Real sinc(Real x) { return std::abs(x) < 1e-9 ? 1 : std::sin(x) / x; }

/// Second derivatives of the natural cubic spline: zero at the ends, by elimination of the
/// tridiagonal system h_l m_l + 2 (h_l + h_r) m + h_r m_r = 6 (s_r − s_l).
std::vector<Real> spline_curvature(const std::vector<Real>& time, const std::vector<Real>& value) {
  const std::size_t n = time.size();
  std::vector<Real> m(n, 0), upper(n, 0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const Real left = time[i] - time[i - 1], right = time[i + 1] - time[i];
    const Real bend = 6 * ((value[i + 1] - value[i]) / right - (value[i] - value[i - 1]) / left);
    const Real pivot = 2 * (left + right) - left * upper[i - 1];
    upper[i] = right / pivot;
    m[i] = (bend - left * m[i - 1]) / pivot;
  }
  for (std::size_t i = n; i-- > 2;) m[i - 1] -= upper[i - 1] * m[i];
  return m;
}

/// One piece of a table: value, derivatives and integral at a distance from its left end.
struct Piece {
  Real value, slope, curvature, third;

  Piece(const TableLaw& t, std::size_t i) {
    const Real h = t.time[i + 1] - t.time[i];
    value = t.value[i];
    slope = (t.value[i + 1] - t.value[i]) / h - h * (2 * t.curvature[i] + t.curvature[i + 1]) / 6;
    curvature = t.curvature[i];
    third = (t.curvature[i + 1] - t.curvature[i]) / h;
  }
  [[nodiscard]] TimeValue at(Real s) const {
    return {value + s * (slope + s * (curvature / 2 + s * third / 6)),
            slope + s * (curvature + s * third / 2), curvature + s * third};
  }
  [[nodiscard]] Real area(Real s) const {
    return s * (value + s * (slope / 2 + s * (curvature / 6 + s * third / 24)));
  }
};

/// The entry to the left of a time that is inside the table.
std::size_t entry_before(const TableLaw& t, Real time) {
  return static_cast<std::size_t>(std::upper_bound(t.time.begin(), t.time.end(), time) -
                                  t.time.begin()) -
         1;
}

TimeValue value_of(const TableLaw& t, Real time) {
  if (time < t.time.front()) return {t.value.front(), 0, 0};
  if (time >= t.time.back()) return {t.value.back(), 0, 0};
  const std::size_t i = entry_before(t, time);
  return Piece(t, i).at(time - t.time[i]);
}

/// ∫ from the first entry's time.
Real area_of(const TableLaw& t, Real time) {
  if (time < t.time.front()) return t.value.front() * (time - t.time.front());
  if (time >= t.time.back()) return t.area.back() + t.value.back() * (time - t.time.back());
  const std::size_t i = entry_before(t, time);
  return t.area[i] + Piece(t, i).area(time - t.time[i]);
}

/// Of a table of straight pieces.
Real slope_after(const TableLaw& t, std::size_t entry) {
  return entry + 1 < t.time.size() ? Piece(t, entry).slope : 0;
}

/// Whether a table is one cubic over a span: between two entries, or outside.
bool is_one_piece(const TableLaw& t, const TimeSpan& span) {
  const auto next = std::upper_bound(t.time.begin(), t.time.end(), span.begin);
  return next == t.time.end() || span.end <= *next;
}

struct Value {
  Real time;
  TimeValue operator()(const ConstantLaw& law) const { return {law.value, 0, 0}; }
  TimeValue operator()(const RampLaw& law) const {
    return {law.value + law.slope * time, law.slope, 0};
  }
  TimeValue operator()(const HarmonicLaw& law) const {
    const Real circular = 2 * std::numbers::pi * law.frequency;
    const Real s = law.amplitude * std::sin(circular * time + law.phase);
    const Real c = law.amplitude * std::cos(circular * time + law.phase);
    return {law.mean + s, circular * c, -circular * circular * s};
  }
  TimeValue operator()(const TableLaw& law) const { return value_of(law, time); }
};

struct Integral {
  Real time;
  Real operator()(const ConstantLaw& law) const { return law.value * time; }
  Real operator()(const RampLaw& law) const { return time * (law.value + law.slope * time / 2); }
  /// cos φ − cos(x + φ) = 2 sin(x/2) sin(x/2 + φ): no cancellation, and right at f = 0.
  Real operator()(const HarmonicLaw& law) const {
    const Real half = std::numbers::pi * law.frequency * time;
    return time * (law.mean + law.amplitude * sinc(half) * std::sin(half + law.phase));
  }
  Real operator()(const TableLaw& law) const { return area_of(law, time) - area_of(law, 0); }
};

/// The mean over a span that is no instant. Of a cubic it is the value at the middle and h²/24 of
/// the second derivative there: nothing cancels where the span is short.
struct Mean {
  TimeSpan span;
  Real operator()(const ConstantLaw& law) const { return law.value; }
  Real operator()(const RampLaw& law) const { return law.value + law.slope * span.middle(); }
  Real operator()(const HarmonicLaw& law) const {
    const Real half = std::numbers::pi * law.frequency * span.length();
    const Real middle = 2 * std::numbers::pi * law.frequency * span.middle() + law.phase;
    return law.mean + law.amplitude * sinc(half) * std::sin(middle);
  }
  Real operator()(const TableLaw& law) const {
    const Real h = span.length();
    const auto of_piece = [&](Real begin, Real end) {
      const TimeValue middle = value_of(law, begin + (end - begin) / 2);
      return middle.value + (end - begin) * (end - begin) / 24 * middle.acceleration;
    };
    if (is_one_piece(law, span)) return of_piece(span.begin, span.end);
    // The mean of what exceeds the first value, piece by piece: a value that holds is its own mean.
    const Real first = value_of(law, span.begin).value;
    Real begin = span.begin, sum = 0;
    for (auto next = std::ranges::upper_bound(law.time, begin); begin < span.end; ++next) {
      const Real end = next == law.time.end() ? span.end : std::min(*next, span.end);
      sum += (end - begin) / h * (of_piece(begin, end) - first);
      begin = end;
      if (next == law.time.end()) break;
    }
    return first + sum;
  }
};

}  // namespace

TableLaw make_table(std::vector<Real> time, std::vector<Real> value, bool is_smooth) {
  TALUS_DEMAND(!time.empty() && time.size() == value.size());
  for (std::size_t i = 1; i < time.size(); ++i) TALUS_DEMAND(time[i - 1] < time[i]);
  TableLaw table{std::move(time), std::move(value), {}, {}, is_smooth};
  const std::size_t n = table.time.size();
  table.curvature = is_smooth ? spline_curvature(table.time, table.value) : std::vector<Real>(n, 0);
  table.area.assign(n, 0);
  for (std::size_t i = 0; i + 1 < n; ++i)
    table.area[i + 1] = table.area[i] + Piece(table, i).area(table.time[i + 1] - table.time[i]);
  return table;
}

bool is_zero(const TimeLaw& law) {
  const auto* constant = std::get_if<ConstantLaw>(&law);
  return constant != nullptr && constant->value == 0;
}

TimeValue evaluate(const TimeLaw& law, Real time) { return std::visit(Value{time}, law); }

TimeValue evaluate_integral(const TimeLaw& law, Real time) {
  const TimeValue rate = evaluate(law, time);
  return {std::visit(Integral{time}, law), rate.value, rate.rate};
}

TimeValue mean(const TimeLaw& law, const TimeSpan& span) {
  const TimeValue first = evaluate(law, span.begin);
  const Real h = span.length();
  if (!(h > 0)) return first;
  const TimeValue last = evaluate(law, span.end);
  return {std::visit(Mean{span}, law), (last.value - first.value) / h,
          (last.rate - first.rate) / h};
}

Real next_kink(const TimeLaw& law, Real time) {
  constexpr Real kNever = std::numeric_limits<Real>::infinity();
  const auto* table = std::get_if<TableLaw>(&law);
  if (table == nullptr) return kNever;
  const std::vector<Real>& times = table->time;
  if (table->is_smooth)  // only where it becomes constant
    return time < times.front() ? times.front() : time < times.back() ? times.back() : kNever;
  const auto next = std::upper_bound(times.begin(), times.end(), time) - times.begin();
  for (auto i = static_cast<std::size_t>(next); i < times.size(); ++i)
    if (slope_after(*table, i) != (i == 0 ? 0 : slope_after(*table, i - 1))) return times[i];
  return kNever;
}

}  // namespace talus::model
