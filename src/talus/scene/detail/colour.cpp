#include <talus/scene/detail/colour.hpp>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <talus/base/text.hpp>

namespace talus::scene::detail {
namespace {

/// The page's own colours, under the names that people have for them.
constexpr auto kColours = std::to_array<std::pair<std::string_view, model::Colour>>({
    {"red", 0xe15759},
    {"orange", 0xf28e2b},
    {"yellow", 0xedc948},
    {"green", 0x59a14f},
    {"teal", 0x76b7b2},
    {"blue", 0x4e79a7},
    {"purple", 0xb07aa1},
    {"pink", 0xff9da7},
    {"brown", 0x9c755f},
    {"grey", 0xa8adb4},
    {"black", 0x2b2f36},
    {"white", 0xf4f5f7},
});

}  // namespace

model::Colour colour_of(const std::optional<std::string>& text, const Place& place,
                        Problems& problems) {
  if (!text) return model::kNoColour;
  std::vector<std::string_view> names;
  for (const auto& [name, colour] : kColours) {
    if (name == *text) return colour;
    names.push_back(name);
  }
  if (text->size() == 7 && text->front() == '#') {
    model::Colour colour = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data() + 1, end, colour, 16);
    if (error == std::errc() && rest == end) return colour;
  }
  const std::string nearest = nearest_word(*text, names);
  problems.add(place,
               "unknown colour \"" + *text + "\"; allowed: \"#rrggbb\", " + join(names, ", "),
               nearest.empty() ? "a colour as in web pages is written in quotes: \"#4e79a7\""
                               : "did you mean " + nearest + "?");
  return model::kNoColour;
}

}  // namespace talus::scene::detail
