#include <fmt/format.h>

#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene {

std::string to_string(const RobotNote& note) {
  const char* word = note.kind == RobotNoteKind::read      ? "read"
                     : note.kind == RobotNoteKind::merged  ? "merged"
                     : note.kind == RobotNoteKind::added   ? "added"
                     : note.kind == RobotNoteKind::ignored ? "ignored"
                                                           : "refused";
  std::string text = fmt::format("{:<8} {}:{}:{}: {}", word, note.where.file, note.where.line,
                                 note.where.column, note.text);
  if (note.count > 1) text += fmt::format(" ({} times)", note.count);
  return text;
}

namespace detail {

void RobotReport::add(RobotNoteKind kind, const XmlPlace& place, const std::string& text) {
  const auto [known, is_new] = known_.emplace(std::pair(kind, text), notes_.size());
  if (!is_new) {
    ++notes_[known->second].count;
    return;
  }
  const std::string file = place.document != nullptr ? place.document->path.string() : "";
  notes_.push_back({kind, {file, place.line, place.column}, text, 1});
}

}  // namespace detail
}  // namespace talus::scene
