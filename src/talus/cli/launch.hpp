#pragma once

#include <optional>

namespace talus::cli {

/// Makes of this process what was asked for, before any work: with `--ranks N` and no launcher, as
/// many processes of talus-mpi by mpirun, for which it waits: it alone hears signals, and passes
/// them on; among several processes that a launcher has started, if this program has no MPI,
/// talus-mpi in its place.
/// @param ranks that were asked for; 0: nothing was.
/// @return the exit code of those processes, 128 and more where a signal has ended one of them,
/// that of an interrupted run where this one was told to end; nothing where the work is to be done
/// here.
/// @throws InputError if there is no talus-mpi or no mpirun, or the launcher has started another
/// number of processes.
[[nodiscard]] std::optional<int> become_ranks(int ranks);

}  // namespace talus::cli
