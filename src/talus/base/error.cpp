#include <talus/base/error.hpp>

#include <fmt/format.h>

#include <talus/base/printable.hpp>

namespace talus {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

}  // namespace

std::string to_string(const Diagnostic& diagnostic) {
  const SourcePosition& position = diagnostic.position;
  std::string text;
  if (!position.file.empty()) text += position.file + ':';
  if (position.line > 0) text += fmt::format("{}:{}:", position.line, position.column);
  if (!text.empty()) text += ' ';
  if (!diagnostic.path.empty()) text += diagnostic.path + ": ";
  text += diagnostic.message;
  if (!diagnostic.excerpt.empty()) {
    const std::string number = fmt::format("{:5d}", position.line);
    text += fmt::format("\n{} | {}", number, diagnostic.excerpt);
    if (position.column > 0)
      text += fmt::format("\n{} | {}^", std::string(number.size(), ' '),
                          std::string(position.column - 1, ' '));
  }
  if (!diagnostic.hint.empty()) text += "\nhint: " + diagnostic.hint;
  return printable(text);
}

InputError::InputError(Diagnostic diagnostic)
    : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError file_error(const std::string& file, const std::string& message,
                      const std::string& hint) {
  Diagnostic diagnostic;
  diagnostic.position.file = file;
  diagnostic.message = message;
  diagnostic.hint = hint;
  return InputError(std::move(diagnostic));
}

}  // namespace talus
