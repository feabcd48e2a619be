#pragma once

#include <memory>
#include <string>

#include <talus/problem/bilateral_contact.hpp>

namespace talus::problem {

/// Bilateral constraints eliminated from a contact problem, and the way back.
///
/// With rows e of the constraints and c of the contacts, u_e = 0 gives r_e = −W_ee⁻¹(W_ec r_c +
/// b_e) and the contacts see the Schur complement
///   W' = W_cc − W_ce W_ee⁻¹ W_ec,   b' = b_c − W_ce W_ee⁻¹ b_e.
/// The same velocities and contact impulses; W' is denser than W (constraints couple what they
/// join). Constraints that depend on each other (W_ee singular) are taken if they agree: the
/// constraint impulses returned are then those of least norm, scaled by the diagonal of W_ee.
class ContactForm {
 public:
  /// Throws InputError if the constraints contradict each other (a residual above 1e-8), if a
  /// contact cannot move along its normal because of them (W'_NN ≤ 1e-12 W_NN), or if more than
  /// 2000 constraints depend on each other.
  /// @param problem valid. @param file named in messages. Cost: one sparse LU of W_ee and dm
  /// solves; where it is singular a dense factorisation, O(p³).
  explicit ContactForm(const BilateralContact& problem, const std::string& file = "");
  ~ContactForm();
  ContactForm(ContactForm&&) noexcept;
  ContactForm& operator=(ContactForm&&) noexcept;

  [[nodiscard]] const FrictionContact& problem() const { return contacts_; }

  /// All impulses r = (r_e, r_c), p+dm, for impulses r_c of the contacts, dm.
  [[nodiscard]] VecX impulse(const VecX& contact_impulse) const;

  /// What the conversion changed, one line for people.
  [[nodiscard]] const std::string& change() const { return change_; }

 private:
  struct Factors;
  FrictionContact contacts_;
  std::string change_;
  std::unique_ptr<Factors> factors_;
};

}  // namespace talus::problem
