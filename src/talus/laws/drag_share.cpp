#include <talus/laws/drag_share.hpp>

#include <cmath>
#include <limits>

namespace talus::laws {
namespace {

constexpr int kMostOpenings = 2;  // while other laws of the step settle

}  // namespace

bool DragShare::follow(bool is_pressed, Real slip, Real drag, Real viscous) {
  const Kind last = kind_;
  if (is_part()) {
    if (-direction_ * drag > viscous * direction_ * slip) kind_ = Kind::full;
  } else if (is_pressed != is_full()) {
    const bool is_back = is_pressed && openings_ > kMostOpenings && slip != 0;
    kind_ = is_back ? Kind::part : is_pressed ? Kind::full : Kind::none;
    openings_ += is_pressed ? 0 : 1;
    direction_ = std::copysign(Real(1), slip);
  }
  return kind_ != last;
}

bool DragShare::give_up() {
  if (!is_part()) return false;
  kind_ = Kind::none;
  openings_ = std::numeric_limits<int>::min();
  return true;
}

}  // namespace talus::laws
