#pragma once

namespace talus::cli {

/// Makes of this process what was asked for, before any work: with `--ranks N` and no launcher, as
/// many processes of talus-mpi by mpirun; among several processes that a launcher has started, if
/// this program has no MPI, talus-mpi in its place. Returns where the work is to be done here.
/// @param ranks that were asked for; 0: nothing was.
/// @throws InputError if there is no talus-mpi or no mpirun, or the launcher has started another
/// number of processes.
void become_ranks(int ranks);

}  // namespace talus::cli
