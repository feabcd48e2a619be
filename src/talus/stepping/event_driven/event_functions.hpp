#pragma once

#include <vector>

#include <talus/stepping/event_driven/phase.hpp>

namespace talus::stepping::event_driven {

/// A number that is positive as long as a mode lasts.
struct EventFunction {
  enum class Kind : unsigned char {
    gap_closes,     ///< g of an open contact
    gap_opens,      ///< −g of a compliant contact that touches
    force_ends,     ///< of a compliant contact that presses: its law before it is kept from pulling
    force_returns,  ///< the reverse, of a released one
    normal_ends,    ///< F_N of a closed rigid contact
    slip_ends,      ///< s γ of a slipping friction
    stick_ends,     ///< μ₀ F_N − |F_T| of a sticking friction
    side_ends,      ///< of a closed contact: its corner is at the end of the side it slides on
    painleve_indicator,  ///< ∂g̈/∂F_N under sliding friction (Phase::painleve_indicator)
    force_turns,         ///< a number of the machine at whose zero a force has a kink, on its side
  };
  Kind kind = Kind::gap_closes;
  Index index = 0;  ///< contact; friction element for slip_ends and stick_ends; System::kink
};

/// Its value at a point, with its rate where that is at hand.
struct EventValue {
  Real value = 0, rate = 0;
  bool has_rate = false;
};

/// Those of a phase.
class EventFunctions {
 public:
  EventFunctions(const dynamics::System& machine, const laws::FrictionTable& elements)
      : machine_(machine), elements_(elements) {}
  void set_modes(const laws::Modes& modes);
  /// How far beyond zero a number has not changed its sign yet.
  struct Noise {
    Real gap = 0;         ///< [m]
    Real speed = 0;       ///< of slip velocities, over √own [√kg m/s]
    Real force = 0;       ///< over Phase::force_scale()
    Real rest_gap = 0;    ///< [m] of a contact that is open but does not move:
    Real rest_speed = 0;  ///< [√kg m/s] its rate over √own at most
  };
  void set_noise(const Noise& noise) { noise_ = noise; }
  /// Gaps of open contacts are what they are again: a step depends on its start alone.
  void forget_depths() { depth_.assign(depth_.size(), 0); }
  /// Begins at the point observed last. Open contacts that are a little too deep there and part are
  /// taken as they are, their gaps count from there until the modes change: a time step or a
  /// rebound leaves such. So are those that touch and neither part nor approach: an open contact
  /// that bears nothing because others hold the bodies. Efforts of motors stay on the sides of
  /// their bounds that they are on; where one is at its bound, it may go either way.
  /// @param samples of that point, corrected.
  void begin(const Point& x, const Phase& phase, std::vector<EventValue>& samples);
  /// The function gap_closes of a contact at another point.
  [[nodiscard]] EventValue gap_sample(Index contact, const Point& x);
  [[nodiscard]] const std::vector<EventFunction>& list() const { return list_; }
  /// Values at a point that the phase has just been evaluated at. Allocates nothing where samples
  /// has room.
  void observe(const Point& x, const Rate& rate, const Phase& phase,
               std::vector<EventValue>& samples);
  /// Contact terms of an open or released contact at the point observed last.
  [[nodiscard]] const dynamics::ContactTerms& open_contact(Index i) const { return open_[i]; }

 private:
  const dynamics::System& machine_;
  const laws::FrictionTable& elements_;
  std::vector<EventFunction> list_;
  Noise noise_;
  std::vector<dynamics::ContactTerms> open_;
  std::vector<Real> depth_;  // per contact
  std::vector<Real> sign_;   // per kink of forces: of its number in this phase; 0: at its zero
};

/// F_N of a compliant law per penetration before it is kept from pulling, δ ≥ 0 [N/m]: positive
/// where the surfaces press. Its sign is that of the force, also at δ → 0.
[[nodiscard]] Real pressing_sign(const model::NormalLaw& law, Real penetration, Real rate,
                                 Real impact_rate);

}  // namespace talus::stepping::event_driven
