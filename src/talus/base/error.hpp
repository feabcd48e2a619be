#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace talus {

/// A place in a text file; line and column count from 1, 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing wrong with a user's input: where it is, what was found and what is allowed, and a
/// hint.
struct Diagnostic {
  SourcePosition position;
  std::string
      path;  ///< place in the document, e.g. `bodies[2] "crate" › shape › size`; may be empty
  std::string message;  ///< "expected 3 positive lengths [m], got [1.0, -0.5, 1.0]"
  std::string excerpt;  ///< the offending line of the file, without its line break; may be empty
  std::string hint;     ///< "did you mean 'radius'?"; may be empty
};

/// Text of a diagnostic as a user reads it: `file:line:column: path: message`, the line with a
/// caret, the hint.
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);

/// Wrong input from a user: a scene, a problem file, a command line. Programs end with exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic diagnostic);
  explicit InputError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Shorthand for a diagnostic about a whole file.
[[nodiscard]] InputError file_error(const std::string& file, const std::string& message,
                                    const std::string& hint = "");

}  // namespace talus
