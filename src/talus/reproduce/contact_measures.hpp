#pragma once

#include <string>
#include <vector>

#include <talus/reproduce/paper.hpp>

namespace talus::reproduce {

// What can be measured of single contacts. Of one contact (E: energy, J):
//   coulomb_count                          solutions of Coulomb's law
//   coulomb_energy, coulomb_impulse        of the number-th, the most dissipative first; component
//   n,
//                                          t1 or t2
//   dissipative_energy, dissipative_impulse, cone_energy, cone_impulse
//   eccentricity, minima                   of the conic, and of E over the angle on it
// Of a population, as shares of all its contacts:
//   share_sticking, share_several          with more than one Coulomb solution
//   share_less                             where the best Coulomb solution dissipates at least 1 %
//                                          less than maximum dissipation
//   mean_deficit                           mean of 1 − E_Coulomb/E_dissipative, of those that slide
//   disordered                             number (not share) of contacts against
//                                          E_cone ≤ E_dissipative ≤ E_Coulomb ≤ −b_N²/2a < 0

/// The names above, in their order.
[[nodiscard]] std::vector<std::string> contact_measure_names();

/// The measure of a row. @throws InputError where the row lacks what it needs.
[[nodiscard]] Real measure_contact(const RowSpec& row, const Paper& paper);

// Kinds of figures:
//   conic       the conic in the plane of r_T with all solutions, and the level of E through that
//   of
//               maximum dissipation
//   objective   E over the angle on the conic, with the solutions that slide
//   histogram   of a population: dissipation over that of cone complementarity
//   deficit     of a population: what Coulomb's best solution lacks against maximum dissipation

/// The figure as SVG. @throws InputError where the specification makes no sense.
[[nodiscard]] std::string draw_contact(const FigureSpec& figure, const Paper& paper);

}  // namespace talus::reproduce
