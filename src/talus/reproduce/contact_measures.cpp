#include <talus/reproduce/contact_measures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/linalg/small.hpp>
#include <talus/reproduce/svg_plot.hpp>

namespace talus::reproduce {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw InputError(Diagnostic{{}, where, message, "", ""});
}

using OfContact = Real (*)(const ContactStudy&, const RowSpec&);
using OfPopulation = Real (*)(const PopulationStudy&);

Real component(const Vec3& r, const RowSpec& row) {
  const std::array<std::string, 3> names = {"n", "t1", "t2"};
  for (Index i = 0; i < 3; ++i)
    if (names[static_cast<std::size_t>(i)] == row.component) return r[i];
  refuse(row.quantity, "expected the component n, t1 or t2, got '" + row.component + "'");
}

ContactStudy::Solution coulomb(const ContactStudy& s, const RowSpec& row) {
  if (row.number <= static_cast<Index>(s.coulomb.size()))
    return s.coulomb[static_cast<std::size_t>(row.number - 1)];
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  return {Vec3::Constant(nan), nan, false};
}

const std::vector<std::pair<std::string, OfContact>>& contact_measures() {
  static const std::vector<std::pair<std::string, OfContact>> table = {
      {"coulomb_count",
       [](const ContactStudy& s, const RowSpec&) { return static_cast<Real>(s.coulomb.size()); }},
      {"coulomb_energy",
       [](const ContactStudy& s, const RowSpec& row) { return coulomb(s, row).energy; }},
      {"coulomb_impulse",
       [](const ContactStudy& s, const RowSpec& row) {
         return component(coulomb(s, row).impulse, row);
       }},
      {"dissipative_energy",
       [](const ContactStudy& s, const RowSpec&) { return s.dissipative.energy; }},
      {"dissipative_impulse",
       [](const ContactStudy& s, const RowSpec& row) {
         return component(s.dissipative.impulse, row);
       }},
      {"cone_energy", [](const ContactStudy& s, const RowSpec&) { return s.cone.energy; }},
      {"cone_impulse",
       [](const ContactStudy& s, const RowSpec& row) { return component(s.cone.impulse, row); }},
      {"eccentricity", [](const ContactStudy& s, const RowSpec&) { return s.eccentricity; }},
      {"minima",
       [](const ContactStudy& s, const RowSpec&) { return static_cast<Real>(s.minima); }}};
  return table;
}

/// 1 − E_Coulomb/E_dissipative of every contact that slides.
std::vector<Real> deficits(const PopulationStudy& s) {
  std::vector<Real> values;
  for (Index i = 0; i < s.coulomb.size(); ++i)
    if (!s.sticks[static_cast<std::size_t>(i)])
      values.push_back(1 - s.coulomb[i] / s.dissipative[i]);
  return values;
}

Real share(std::ptrdiff_t count, const PopulationStudy& s) {
  return static_cast<Real>(count) / static_cast<Real>(s.coulomb.size());
}

const std::vector<std::pair<std::string, OfPopulation>>& population_measures() {
  static const std::vector<std::pair<std::string, OfPopulation>> table = {
      {"share_sticking",
       [](const PopulationStudy& s) {
         return share(std::count(s.sticks.begin(), s.sticks.end(), true), s);
       }},
      {"share_several",
       [](const PopulationStudy& s) {
         return share(std::count_if(s.coulomb_count.begin(), s.coulomb_count.end(),
                                    [](int count) { return count > 1; }),
                      s);
       }},
      {"share_less",
       [](const PopulationStudy& s) {
         const auto all = deficits(s);
         return share(
             std::count_if(all.begin(), all.end(), [](Real deficit) { return deficit >= 0.01; }),
             s);
       }},
      {"mean_deficit",
       [](const PopulationStudy& s) {
         Real sum = 0;
         const auto all = deficits(s);
         for (const Real deficit : all) sum += deficit;
         return sum / static_cast<Real>(all.size());
       }},
      {"disordered", [](const PopulationStudy& s) { return static_cast<Real>(s.disordered); }}};
  return table;
}

template <class Map>
const auto& entry(const Map& map, const std::string& name, const std::string& where) {
  const auto found = map.find(name);
  if (found == map.end()) refuse(where, "there is no contact or population '" + name + "'");
  return found->second;
}

std::string draw_conic(const FigureSpec& figure, const ContactCase& contact) {
  const ContactStudy s = study(contact);
  const auto tangent = [](const Vec3& r) { return Vec2(r[1], r[2]); };
  const Vec2 c(contact.A(0, 1), contact.A(0, 2));
  const Mat2 reduced = contact.A.bottomRightCorner<2, 2>() - c * c.transpose() / contact.A(0, 0);
  const Vec3 stick = -linalg::ldlt_solve(contact.A, contact.b);
  Real reach = tangent(stick).norm();
  for (const auto& solution : s.coulomb) reach = std::max(reach, tangent(solution.impulse).norm());
  reach = 1.3 * std::max(reach, tangent(s.dissipative.impulse).norm());

  SvgPlot plot(figure.title, "tangential impulse t1 [N s]", "t2 [N s]");
  plot.set_equal_scale();
  std::vector<Vec2> boundary, level;
  constexpr int kPoints = 720;
  const Real open = std::atan2(-c[1], -c[0]);  // a hyperbola or a long ellipse is cut there
  for (int k = 0; k <= kPoints; ++k) {
    const Vec2 x = tangent(on_conic(contact, open + 2 * M_PI * k / kPoints).impulse);
    if (x.norm() <= reach) boundary.push_back(x);
  }
  plot.line(boundary, "cone, u_N = 0", 6);
  const Real above =
      s.dissipative.energy - (stick.dot(contact.A * stick) / 2 + contact.b.dot(stick));
  const Mat2 factor = linalg::cholesky_factor(reduced);
  for (int k = 0; k <= kPoints && above > 0; ++k) {
    const Real angle = 2 * M_PI * k / kPoints;
    const Vec2 unit(std::cos(angle), std::sin(angle));
    const Vec2 x =
        tangent(stick) +
        std::sqrt(2 * above) * factor.transpose().triangularView<Eigen::Upper>().solve(unit);
    if (x.norm() <= reach) level.push_back(x);
  }
  if (!level.empty()) plot.line(level, "equal energy", 7);
  plot.dots({tangent(stick)}, "u = 0", 5);
  for (std::size_t k = 0; k < s.coulomb.size(); ++k)
    plot.dots({tangent(s.coulomb[k].impulse)},
              fmt::format("Coulomb {}{}", k + 1, s.coulomb[k].sticks ? ", sticks" : ""),
              k == 0   ? 0
              : k == 1 ? 2
                       : 4);
  plot.dots({tangent(s.dissipative.impulse)}, "max. dissipation", 1);
  return plot.svg();
}

std::string draw_objective(const FigureSpec& figure, const ContactCase& contact) {
  const ContactStudy s = study(contact);
  Real top = 0;
  for (const auto& solution : s.coulomb) top = std::max(top, std::abs(solution.energy));
  top = 1.5 * std::max(top, std::abs(s.dissipative.energy));
  SvgPlot plot(figure.title, "angle of the tangential impulse [deg]", "change of energy [J]");
  constexpr int kPoints = 1440;
  std::vector<Vec2> curve;
  bool is_first = true;
  const auto end = [&] {
    if (!curve.empty()) plot.line(curve, is_first ? "on the boundary" : "", 6);
    is_first = is_first && curve.empty();
    curve.clear();
  };
  for (int k = 0; k <= kPoints; ++k) {
    const Real degrees = -180 + 360.0 * k / kPoints;
    const Real energy = on_conic(contact, degrees * M_PI / 180).energy;
    if (std::isfinite(energy) && energy < top)
      curve.emplace_back(degrees, energy);
    else
      end();
  }
  end();
  const auto at = [](const ContactStudy::Solution& solution) {
    return Vec2(std::atan2(solution.impulse[2], solution.impulse[1]) * 180 / M_PI, solution.energy);
  };
  for (std::size_t k = 0; k < s.coulomb.size(); ++k)
    plot.dots({at(s.coulomb[k])},
              fmt::format("Coulomb {}{}", k + 1, s.coulomb[k].sticks ? ", sticks" : ""),
              k == 0   ? 0
              : k == 1 ? 2
                       : 4);
  plot.dots({at(s.dissipative)}, "max. dissipation", 1);
  return plot.svg();
}

/// The outline of a histogram: share of the values in each of the bins.
std::vector<Vec2> outline(const std::vector<Real>& values, Real low, Real high, int bins) {
  std::vector<Real> count(static_cast<std::size_t>(bins), 0);
  for (const Real value : values) {
    const Real place = (value - low) / (high - low) * bins;
    const auto bin = static_cast<std::size_t>(std::clamp(place, Real(0), Real(bins - 1)));
    count[bin] += 1 / static_cast<Real>(values.size());
  }
  std::vector<Vec2> points = {{low, 0}};
  for (std::size_t k = 0; k < count.size(); ++k) {
    const Real left = low + (high - low) * static_cast<Real>(k) / bins;
    points.emplace_back(left, count[k]);
    points.emplace_back(left + (high - low) / bins, count[k]);
  }
  points.emplace_back(high, 0);
  return points;
}

std::string draw_histogram(const FigureSpec& figure, const Population& population) {
  const PopulationStudy s = study(population);
  std::vector<Real> coulomb, dissipative;
  for (Index i = 0; i < s.cone.size(); ++i) {
    if (s.sticks[static_cast<std::size_t>(i)]) continue;
    coulomb.push_back(s.coulomb[i] / s.cone[i]);
    dissipative.push_back(s.dissipative[i] / s.cone[i]);
  }
  SvgPlot plot(figure.title, "dissipation over that of cone complementarity", "share of contacts");
  plot.line(outline(coulomb, 0, 1, 50), "Coulomb", 0);
  plot.line(outline(dissipative, 0, 1, 50), "max. dissipation", 1);
  return plot.svg();
}

std::string draw_deficit(const FigureSpec& figure, const Population& population) {
  SvgPlot plot(figure.title, "1 - E(Coulomb)/E(max. dissipation)", "share of contacts that slide");
  plot.line(outline(deficits(study(population)), 0, 0.2, 50), "", 0);
  return plot.svg();
}

}  // namespace

std::vector<std::string> contact_measure_names() {
  std::vector<std::string> names;
  for (const auto& [name, function] : contact_measures()) names.push_back(name);
  for (const auto& [name, function] : population_measures()) names.push_back(name);
  return names;
}

Real measure_contact(const RowSpec& row, const Paper& paper) {
  for (const auto& [name, function] : contact_measures())
    if (name == row.measure)
      return function(study(entry(paper.contacts, row.contact, row.quantity)), row);
  for (const auto& [name, function] : population_measures())
    if (name == row.measure)
      return function(study(entry(paper.populations, row.contact, row.quantity)));
  refuse(row.quantity, "unknown measure " + row.measure);
}

std::string draw_contact(const FigureSpec& figure, const Paper& paper) {
  if (figure.kind == "conic")
    return draw_conic(figure, entry(paper.contacts, figure.contact, figure.name));
  if (figure.kind == "objective")
    return draw_objective(figure, entry(paper.contacts, figure.contact, figure.name));
  if (figure.kind == "histogram")
    return draw_histogram(figure, entry(paper.populations, figure.contact, figure.name));
  if (figure.kind == "deficit")
    return draw_deficit(figure, entry(paper.populations, figure.contact, figure.name));
  refuse(figure.name,
         "expected a kind of conic, objective, histogram, deficit, got '" + figure.kind + "'");
}

}  // namespace talus::reproduce
