#pragma once

#include <string>
#include <string_view>

#include <talus/files/output_file.hpp>

namespace talus::files {

// The kinds of files that Talus tells by a mark in them.

/// Comma-separated values with a heading of Talus' tables.
[[nodiscard]] const OwnKind& table_kind();
/// XML (SVG, VTK) and Markdown with the comment that xml_marked() adds.
[[nodiscard]] const OwnKind& drawing_kind();
[[nodiscard]] const OwnKind& vtk_kind();
[[nodiscard]] const OwnKind& report_kind();
/// PNG, JPEG, PDF or EPS that bears picture_marked()'s comment; films that are made with the same
/// comment.
[[nodiscard]] const OwnKind& picture_kind();
[[nodiscard]] const OwnKind& film_kind();
/// glTF whose generator is Talus.
[[nodiscard]] const OwnKind& gltf_kind();
/// The viewer's page with a record in it.
[[nodiscard]] const OwnKind& page_kind();

/// The comment in films, for the program that makes them.
inline constexpr std::string_view kComment = "written by Talus";
/// An XML or Markdown text with the comment, after the XML declaration if there is one.
[[nodiscard]] std::string xml_marked(std::string text);
/// A PNG, JPEG, PDF or EPS picture with the comment; anything else is returned as it is.
[[nodiscard]] std::string picture_marked(std::string picture);

/// True if a file holds a text in its first `within` bytes.
[[nodiscard]] bool holds(const std::filesystem::path& path, std::string_view text,
                         std::size_t within);

}  // namespace talus::files
