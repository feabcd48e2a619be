#include <talus/stepping/event.hpp>

namespace talus::stepping {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::impact:
      return "impact";
    case EventKind::touch:
      return "touch";
    case EventKind::detachment:
      return "detachment";
    case EventKind::stick:
      return "stick";
    case EventKind::slip:
      return "slip";
    case EventKind::reversal:
      return "reversal";
    case EventKind::accumulation:
      return "accumulation";
    case EventKind::painleve:
      return "painleve";
    case EventKind::kink:
      return "kink";
    case EventKind::restitution_reduced:
      return "restitution_reduced";
    case EventKind::time_step:
      return "time_step";
    case EventKind::bound:
      return "bound";
  }
  return "";
}

}  // namespace talus::stepping
