#!/usr/bin/python3
"""Runs the solvers of Siconos and Talus's auto on the same contact problems and certifies both with Talus.

Optional: needs Debian's python3-siconos, python3-h5py, python3-numpy and python3-scipy, and a built talus.
Exit code: 0 done, 2 wrong input or something is missing (with --check always 0).
"""

import argparse
import csv
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[threads] = "1"  # one core for everybody

try:
    import h5py
    import numpy as np
    import scipy.sparse as sparse
    import scipy.sparse.linalg
    import siconos.numerics as sn
    MISSING = None
except ImportError as error:
    MISSING = error

ROOT = Path(__file__).resolve().parents[2]
PLAIN, SCALED = 1e-8, 1e-6  # what an answer must meet: plain relative residual, natural map
ENOUGH = 0.1  # seconds of repeated solves, the shortest counts: as in talus solve
REPEATS = 1000


@dataclass
class Method:
    """A solver of Siconos by the name of its constant, with its default options."""

    name: str
    solver: str
    storage: str = "sparse"  # of W: sparse, blocks or dense
    inner: str = ""  # local solver of Gauss-Seidel


# Not here: SOCLCP and IPM, which solve the relaxed cone problem; NSN with its hybrid strategies, which crash.
LOCAL_3D = [
    Method("NSN-AC", "FRICTION_3D_NSN_AC"),
    Method("NSGS", "FRICTION_3D_NSGS", "blocks"),
    Method("NSGS-AC", "FRICTION_3D_NSGS", "blocks", "FRICTION_3D_ONECONTACT_NSN"),
    Method("NSGS-AC-GP", "FRICTION_3D_NSGS", "blocks", "FRICTION_3D_ONECONTACT_NSN_GP"),
    Method("NSGS-PLI", "FRICTION_3D_NSGS", "blocks", "FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration"),
    Method("NSGS-quartic", "FRICTION_3D_NSGS", "blocks", "FRICTION_3D_ONECONTACT_QUARTIC"),
    Method("NSN-FB", "FRICTION_3D_NSN_FB"),
    Method("NSN-NM", "FRICTION_3D_NSN_NM"),
    Method("PROX", "FRICTION_3D_PROX"),
    Method("ADMM", "FRICTION_3D_ADMM"),
    Method("TFP", "FRICTION_3D_TFP", "blocks"),
    Method("ACLMFP", "FRICTION_3D_ACLMFP", "blocks"),
    Method("VI-EG", "FRICTION_3D_VI_EG", "blocks"),
    Method("VI-FPP", "FRICTION_3D_VI_FPP", "blocks"),
]
LOCAL_2D = [
    Method("NSGS", "FRICTION_2D_NSGS", "blocks"),
    Method("NSGS-dense", "FRICTION_2D_NSGS", "dense"),
    Method("CPG", "FRICTION_2D_CPG", "dense"),
    Method("Lemke", "FRICTION_2D_LEMKE", "dense"),
]
GLOBAL_3D = [
    Method("global NSN-AC", "GLOBAL_FRICTION_3D_NSN_AC"),
    Method("global NSGS", "GLOBAL_FRICTION_3D_NSGS"),
    Method("global ADMM", "GLOBAL_FRICTION_3D_ADMM"),
    Method("global PROX-WR", "GLOBAL_FRICTION_3D_PROX_WR"),
    Method("global ACLMFP", "GLOBAL_FRICTION_3D_ACLMFP"),
]


def constant(name):
    return getattr(sn, "SICONOS_" + name)


def with_long_indices(matrix):
    """Siconos counts with 64 bits; scipy converts silently to what fits."""
    matrix = sparse.csc_matrix(matrix)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def read_matrix(group):
    """A matrix of a file: triplet (nz >= 0), compressed columns (-1) or rows (-2)."""
    shape = int(group["m"][0]), int(group["n"][0])
    nz, i, p, x = int(group["nz"][0]), group["i"][:], group["p"][:], group["x"][:]
    if nz >= 0:
        return sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape).tocsc()
    return sparse.csc_matrix((x, i, p), shape) if nz == -1 else sparse.csr_matrix((x, i, p), shape).tocsc()


class LocalProblem:
    """W, q, mu: u = W r + q."""

    methods_3d = LOCAL_3D

    def __init__(self, dimension, mu, W, q):
        self.dimension, self.mu, self.W, self.q = dimension, mu, W, q

    def solution(self, r):
        """What a solution file holds."""
        return {"r": r, "u": self.W @ r + self.q}

    def write(self, path):
        """As an FCLIB file."""
        W = sparse.csc_matrix(self.W)
        with h5py.File(path, "w") as file:
            file["fclib_local/spacedim"] = np.array([self.dimension], dtype=np.int32)
            for name, value in (("m", W.shape[0]), ("n", W.shape[1]), ("nz", -1), ("nzmax", W.nnz)):
                file[f"fclib_local/W/{name}"] = np.array([value], dtype=np.int32)
            for name, values in (("p", W.indptr), ("i", W.indices)):
                file[f"fclib_local/W/{name}"] = values.astype(np.int32)
            file["fclib_local/W/x"] = W.data
            file["fclib_local/vectors/q"], file["fclib_local/vectors/mu"] = self.q, self.mu


class GlobalProblem:
    """M, H, f, w, mu: M v = H r + f, u = H'v + w."""

    methods_3d = GLOBAL_3D

    def __init__(self, dimension, mu, M, H, f, w):
        self.dimension, self.mu, self.M, self.H, self.f, self.w = dimension, mu, M, H, f, w
        self.q = w  # a number per impulse
        self.factors = scipy.sparse.linalg.splu(M)

    def solution(self, r):
        v = self.factors.solve(self.H @ r + self.f)
        return {"r": r, "u": self.H.T @ v + self.w, "v": v}

    def to_local(self):
        """W = H'M^-1 H with the zeros of the elimination dropped, its rounding made symmetric."""
        H = self.H.toarray()
        W = H.T @ self.factors.solve(H)
        if np.abs(W - W.T).max() <= 1e-12 * np.abs(W).max():
            W = (W + W.T) / 2
        return LocalProblem(self.dimension, self.mu, sparse.csc_matrix(W), H.T @ self.factors.solve(self.f) + self.w)


def read_problem(path):
    with h5py.File(path) as file:
        is_global = "fclib_global" in file
        if not is_global and "fclib_local" not in file:
            raise ValueError("neither fclib_local nor fclib_global")
        group = file["fclib_global" if is_global else "fclib_local"]
        if any(name in group for name in ("V", "G", "R")) or "mu_r" in group["vectors"]:
            raise ValueError("bilateral and rolling parts are not compared")
        dimension, mu = int(group["spacedim"][0]), group["vectors/mu"][:]
        if not is_global:
            return LocalProblem(dimension, mu, read_matrix(group["W"]), group["vectors/q"][:])
        return GlobalProblem(dimension, mu, read_matrix(group["M"]), read_matrix(group["H"]), group["vectors/f"][:],
                             group["vectors/w"][:])


def siconos_problem(problem, method):
    """The problem in Siconos's own structures, made anew for each solve: some solvers scale it in place.

    And the CPU seconds of cutting W into blocks, which Talus does inside its solve; Siconos gets it for nothing.
    """
    if method.solver.startswith("GLOBAL"):
        peer = sn.GlobalFrictionContactProblem(problem.dimension)
        peer.numberOfContacts = len(problem.mu)
        peer.M, peer.H = with_long_indices(problem.M), with_long_indices(problem.H)
        peer.q, peer.b, peer.mu = problem.f, problem.w, problem.mu
        return peer, 0
    W = with_long_indices(problem.W)
    start = time.thread_time()
    if method.storage == "blocks":
        W = sn.SBM_from_csparse(problem.dimension, W)[1]
    elif method.storage == "dense":
        W = np.asfortranarray(W.toarray())
    setup = time.thread_time() - start
    return sn.FrictionContactProblem(problem.dimension, W, problem.q, problem.mu), setup


def siconos_options(method, tolerance):
    options = sn.SolverOptions(constant(method.solver))
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 10**8  # the time limit ends it
    if method.inner:
        sn.solver_options_update_internal(options, 0, constant(method.inner))
    return options


def solve_once(problem, method, tolerance):
    """One solve from r = 0: impulses, CPU seconds of the driver and of the setup, what it returned (0: success)."""
    (peer, setup), options = siconos_problem(problem, method), siconos_options(method, tolerance)
    r, u = np.zeros_like(problem.q), np.zeros_like(problem.q)
    start = time.thread_time()
    if method.solver.startswith("GLOBAL"):
        v = np.zeros_like(problem.f)
        start = time.thread_time()
        info = sn.gfc3d_driver(peer, r, u, v, options)
    else:
        info = (sn.fc2d_driver if problem.dimension == 2 else sn.fc3d_driver)(peer, r, u, options)
    return r, time.thread_time() - start, setup, info


def child(problem, method, tolerance, limit, folder):
    """Body of a child process: the answer and the shortest time of repeated solves, in folder/answer.npz."""
    os.chdir(folder)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limit + 2 * ENOUGH)  # CPU time of this process; its end
    total, best, best_setup = 0, math.inf, math.inf
    for _ in range(REPEATS):
        r, seconds, setup, info = solve_once(problem, method, tolerance)
        total, best, best_setup = total + seconds, min(best, seconds), min(best_setup, setup)
        if total > ENOUGH:
            break
    np.savez("answer.npz", r=r, seconds=best, setup=best_setup, info=info)


def solve(problem, method, tolerance, limit, folder):
    """The answer of a child process, or None and why there is none."""
    answer = Path(folder) / "answer.npz"
    answer.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(
        target=child, args=(problem, method, tolerance, limit, folder))
    process.start()
    process.join(10 * limit + 10)  # a busy machine gives less than a second of CPU per second
    if process.is_alive():
        process.kill()
        process.join()
    if not answer.is_file():
        is_late = process.exitcode in (-signal.SIGPROF, -signal.SIGKILL)
        return None, "time_limit" if is_late else "crashed"
    with np.load(answer) as data:
        answer = {name: data[name] for name in data}
    return (answer, "") if answer["seconds"] <= limit else (None, "time_limit")


class Talus:
    """The program, asked for JSON."""

    def __init__(self, program):
        self.program = program

    def ask(self, *arguments):
        result = subprocess.run([self.program, "solve", *map(str, arguments), "--json"], text=True,
                                capture_output=True, check=False)
        if result.returncode not in (0, 3):
            raise RuntimeError(f"talus solve ended with {result.returncode}: {result.stderr.strip()}")
        return json.loads(result.stdout.splitlines()[-1])

    def certify(self, file, problem, r, folder):
        path = Path(folder) / "solution.h5"
        with h5py.File(path, "w") as solution:
            for name, values in problem.solution(r).items():
                solution[f"solution/{name}"] = values
        return self.ask(file, "--certify-only", path)["residuals"]


def is_certified(residuals):
    return residuals["is_finite"] and residuals["plain"] <= PLAIN and residuals["natural_map"] <= SCALED


class Comparison:
    """All runs, a line of CSV each."""

    COLUMNS = ("problem", "contacts", "dimension", "program", "method", "own_tolerance", "status", "cpu_ms",
               "setup_ms", "plain", "natural_map")

    def __init__(self, talus, options):
        self.talus, self.options = talus, options
        self.file = options.output.open("w", newline="", encoding="utf-8")
        self.csv = csv.writer(self.file)
        self.csv.writerow(self.COLUMNS)

    def write(self, name, problem, program, method, tolerance, status, seconds=None, residuals=None,
              setup=None):
        self.csv.writerow((
            name, len(problem.mu), problem.dimension, program, method, f"{tolerance:g}", status,
            *("" if value is None else f"{1e3 * value:.4g}" for value in (seconds, setup)),
            *(("", "") if residuals is None else (f"{residuals[key]:.3e}" for key in ("plain", "natural_map")))))
        self.file.flush()

    def try_method(self, file, name, problem, method, limit, folder):
        """CPU seconds of the certified answers by own tolerance."""
        seconds = {}
        for tolerance in self.options.peer_tol:
            answer, why = solve(problem, method, tolerance, limit, folder)
            if answer is None:
                self.write(name, problem, "siconos", method.name, tolerance, why)
                break
            residuals = {"is_finite": False, "plain": math.nan, "natural_map": math.nan}
            if np.isfinite(answer["r"]).all():
                residuals = self.talus.certify(file, problem, answer["r"], folder)
            status = "certified" if is_certified(residuals) else "claimed" if answer["info"] == 0 else "failed"
            self.write(name, problem, "siconos", method.name, tolerance, status, float(answer["seconds"]), residuals,
                       float(answer["setup"]))
            if status == "certified":
                seconds[tolerance] = float(answer["seconds"])
            if status == "failed" or (seconds and tolerance <= PLAIN):
                break
        return seconds

    def compare(self, file):
        """The lines of the table: a global problem also as a local one, so that like meets like."""
        problem = read_problem(file)
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(problem, LocalProblem):
                yield self.compare_form(file, problem, file.stem, folder)
                return
            if problem.dimension == 3:
                yield self.compare_form(file, problem, file.stem + " (global)", folder)
            local, path = problem.to_local(), Path(folder) / "local.hdf5"
            local.write(path)
            yield self.compare_form(path, local, file.stem + " (local)", folder)

    def compare_form(self, file, problem, name, folder):
        limit = self.options.time_limit
        ours = self.talus.ask(file, "--solver", "auto", "--tol", PLAIN, "--time-limit", limit, "--repeat", REPEATS)
        is_ours = is_certified(ours["residuals"])
        self.write(name, problem, "talus", "auto", PLAIN, "certified" if is_ours else ours["status"],
                   ours["cpu_seconds"], ours["residuals"])
        any_best, best, solved = (math.inf, ""), (math.inf, "-"), 0
        methods = LOCAL_2D if problem.dimension == 2 else problem.methods_3d
        for method in methods:
            allowed = limit if self.options.thorough else min(limit, max(0.2, 2 * best[0]))
            seconds = self.try_method(file, name, problem, method, allowed, folder)
            solved += bool(seconds)
            for tolerance, value in seconds.items():
                any_best = min(any_best, (value, f"{method.name}, {tolerance:g}"))
                if tolerance <= PLAIN:
                    best = min(best, (value, method.name))

        def ratio(value):
            return f"{value / ours['cpu_seconds']:.1f}" if is_ours and value < math.inf else "-"

        def ms(value):
            return f"{1e3 * value:.3g}" if value < math.inf else "-"

        return " | ".join((
            f"| {name}", str(len(problem.mu)), ms(ours["cpu_seconds"]) if is_ours else ours["status"], best[1],
            ms(best[0]), ratio(best[0]), f"{ms(any_best[0])} ({any_best[1]})" if solved else "-",
            ratio(any_best[0]), f"{solved}/{len(methods)} |"))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="folders with FCLIB files, or files")
    parser.add_argument("--check", action="store_true", help="only say whether Siconos can be imported")
    parser.add_argument("--talus", type=Path, default=ROOT / "build/release/src/talus/cli/talus")
    parser.add_argument("--time-limit", type=float, default=20, help="CPU seconds for one solve")
    parser.add_argument("--peer-tol", type=lambda text: [float(word) for word in text.split(",")],
                        default=[1e-6, 1e-8, 1e-10],
                        help="own tolerances of Siconos's methods, loosest first")
    parser.add_argument("--thorough", action="store_true", help="give every method the whole time limit, "
                        "not only twice the time of the best so far")
    parser.add_argument("-o", "--output", type=Path, default=Path("siconos.csv"), help="CSV, a line per run")
    return parser.parse_args()


def main():
    options = parse()
    if MISSING is not None:
        print(f"Siconos is not there ({MISSING}); on Debian: apt-get install python3-siconos python3-h5py "
              "python3-scipy, and use /usr/bin/python3")
        return 0 if options.check else 2
    if options.check:
        print(f"Siconos can be imported: {Path(sn.__file__).parent}")
        return 0
    files = sorted(file for folder in options.folders
                   for file in ([folder] if folder.is_file() else folder.glob("*.hdf5")))
    if not files or not options.talus.is_file():
        print("no *.hdf5 files given" if not files else f"no program {options.talus}; build it or use --talus")
        return 2
    sn.numerics_set_verbose(0)
    comparison = Comparison(Talus(options.talus), options)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\n"
          "| problem | contacts | talus ms | Siconos's best, own tolerance <= 1e-8 | ms | ratio | best of any own "
          "tolerance, ms | ratio | certified |\n|---|--:|--:|---|--:|--:|--:|--:|--:|")
    for file in files:
        try:
            for line in comparison.compare(file):
                print(line, flush=True)
        except (ValueError, KeyError, OSError, RuntimeError) as error:
            print(f"| {file.stem} | skipped: {error} |", flush=True)
    print(f"\nload average {os.getloadavg()[0]:.1f}; written: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
