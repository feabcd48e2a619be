#pragma once

#include <fmt/format.h>

#include <string>

#include <talus/base/error.hpp>
#include <talus/scene/scene.hpp>

namespace talus::cli {

/// A setting as it is written on the command line, PATH=VALUE.
/// @throws InputError without a path or a sign.
inline scene::Setting setting_of(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0)
    throw InputError(Diagnostic{{"command line"},
                                "--set",
                                fmt::format("expected PATH=VALUE, got \"{}\"", text),
                                "",
                                "as in --set contacts.default.friction=0.3"});
  return {text.substr(0, sign), text.substr(sign + 1)};
}

}  // namespace talus::cli
