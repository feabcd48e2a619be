#pragma once

#include <talus/scene/detail/document.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

/// Replaces a value of a parsed document. Only the way from the root to it changes: a value that
/// aliases share changes in this place alone. A key that is not there is added; a list item has to
/// be there, by its number from 0 or by its `name`. What is read from the new value is said to
/// stand where the old one stood.
/// @param text an empty document that takes the new value and must live as long as `document`.
void apply(const Setting& setting, Document& document, Document& text, Problems& problems);

}  // namespace talus::scene::detail
