#pragma once

#include <talus/cli/command_line.hpp>

namespace talus::cli {

// What a shell offers for the options and arguments of several verbs. Names in a record are those
// of the first record among the words. Cost: reading that record's list of names.

/// Series of a record as `talus plot` takes them; after "body." those of bodies.
[[nodiscard]] Candidates series_candidates();
/// Groups and datasets of a record as `talus export --series` takes them.
[[nodiscard]] Candidates dataset_candidates();
[[nodiscard]] Candidates body_candidates();
[[nodiscard]] Candidates probe_candidates();
[[nodiscard]] Candidates scheme_candidates();
/// Solvers of frictional contact.
[[nodiscard]] Candidates solver_candidates();

/// The same words always.
[[nodiscard]] Candidates candidates(std::vector<std::string> words);

}  // namespace talus::cli
