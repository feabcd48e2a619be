#pragma once

#include <type_traits>
#include <variant>

#include <talus/model/time_law.hpp>

namespace talus::model {

/// The law of time of a force element, in the plane or in space; null where it has none.
/// @param kind a variant of elements, constant or not.
template <class Kind>
[[nodiscard]] auto* time_law_of(Kind& kind) {
  using Law = std::conditional_t<std::is_const_v<Kind>, const TimeLaw, TimeLaw>;
  return std::visit(
      [](auto& element) -> Law* {
        if constexpr (requires { element.force; })
          return &element.force;
        else if constexpr (requires { element.moment; })
          return &element.moment;
        else
          return nullptr;
      },
      kind);
}

}  // namespace talus::model
