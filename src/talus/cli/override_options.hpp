#pragma once

#include <talus/cli/command_line.hpp>
#include <talus/scene/scene.hpp>

namespace talus::cli {

/// Adds the options that replace values of a scene: --until, --step-size, --scheme, --solver and
/// --tolerance. @param overrides where they are put, as long as the program runs.
void add_override_options(Verb verb, scene::Overrides& overrides);

}  // namespace talus::cli
