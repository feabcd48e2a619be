#pragma once

#include <string>

namespace talus::scene {

/// The JSON schema (draft 7) of scene files, for editors that check while one types. Made from the
/// schema that load() reads by; ends with a line break.
[[nodiscard]] std::string json_schema();

/// The reference page of scene files in Markdown, made from the same schema; ends with a line
/// break.
[[nodiscard]] std::string reference_page();

}  // namespace talus::scene
