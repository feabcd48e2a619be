"""solve and certify, whatever the problem: names of solvers, options, threads, interrupts, memory."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from conftest import EACH_CLASS, REPOSITORY
from numpy.testing import assert_array_equal

import talus

HARD = REPOSITORY / "data" / "fclib" / "spheres_800.hdf5"  # no solver of ours ends on it within seconds


@EACH_CLASS
def test_every_class_is_solved_and_certified(problem):
    """The certificate of `solve` is that of `certify` on the same answer, number by number."""
    solution = talus.solve(problem)
    assert solution.is_certified and solution.certificate.meets(1e-8)
    assert talus.certify(problem, solution) == solution.certificate
    assert any(np.any(x != 0) for x in solution.unknowns.values())


@EACH_CLASS
def test_the_names_of_solvers_are_those_that_take_the_problem(problem):
    """Each name listed runs; every other one has the status unsupported. mprgp takes cone problems of bounds."""
    names = set(talus.solvers(problem)) - ({"mprgp"} if isinstance(problem, talus.ConeProblem) else set())
    assert talus.solvers(problem)[0] == "auto"
    everything = {name for kind in (talus.FrictionContact, talus.Lcp, talus.ConeProblem, talus.RollingFrictionContact)
                  for name in talus.solvers(kind)}
    for name in everything:
        status = talus.solve(problem, solver=name, max_iterations=50).status
        assert (status == "unsupported") == (name not in names), (name, status)


@pytest.mark.parametrize("law", ["coulomb", "maximum_dissipation", "cone_complementarity", "polyhedral",
                                 "frictionless"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_so_are_those_of_a_law(law, dimension):
    """Which solvers take contacts depends on the law and on the dimension."""
    names = talus.solvers(law=law, dimension=dimension)
    b = [-1.0, 2.0, 0.0][:dimension]
    for name in set(talus.solvers()) | set(talus.solvers(talus.ConeProblem)):
        status = talus.solve(np.eye(dimension), b, [0.5], law=law, solver=name, max_iterations=50).status
        assert (status == "unsupported") == (name not in names), (name, status)


@EACH_CLASS
def test_a_solution_as_guess_is_certified_at_once(problem):
    """A start that meets the tolerance costs no iteration and stays as it is."""
    solution = talus.solve(problem)
    guess = solution.r if hasattr(solution, "r") else solution.z if hasattr(solution, "z") else solution.x
    again = talus.solve(problem, guess=guess)
    assert (again.status, again.iterations) == ("converged", 0)


@EACH_CLASS
def test_a_pickled_solution_is_the_same(problem):
    """Pickling keeps every number and word of a solution."""
    solution = talus.solve(problem, history=True)
    copy = pickle.loads(pickle.dumps(solution))
    assert repr(copy) == repr(solution) and copy.certificate == solution.certificate
    assert (copy.detail, copy.counts) == (solution.detail, solution.counts)
    for mine, its in zip(copy.unknowns.values(), solution.unknowns.values()):
        assert_array_equal(mine, its)


def test_history_has_one_number_at_the_start_and_one_per_iteration():
    """History is kept where it is asked for, and only there."""
    problem = talus.read_problem(REPOSITORY / "data" / "fclib" / "wedge_150.hdf5").to_local()
    solution = talus.solve(problem, solver="nsgs", tolerance=1e-4, history=True)
    assert len(solution.history.residual) == solution.iterations + 1 > 2
    assert len(talus.solve(problem, solver="nsgs", tolerance=1e-4).history.residual) == 0


def test_the_plain_residual_is_asked_too_unless_its_tolerance_is_infinite():
    """A tolerance of 1e-3 on the natural map alone leaves a plain residual above it; by default it holds for both."""
    problem = talus.read_problem(REPOSITORY / "data" / "fclib" / "wedge_150.hdf5")
    assert talus.solve(problem, solver="nsgs", tolerance=1e-3, plain_tolerance=np.inf).certificate.plain > 1e-3
    assert talus.solve(problem, solver="nsgs", tolerance=1e-3).certificate.plain <= 1e-3


def test_stages_tell_which_solvers_ran():
    """The stages of the cascade add up to the iterations and counts of the whole."""
    solution = talus.solve(talus.read_problem(REPOSITORY / "data" / "fclib" / "wedge_300.hdf5"))
    assert len(solution.stages) >= 1
    assert sum(stage.iterations for stage in solution.stages) == solution.iterations
    assert sum(stage.counts.products for stage in solution.stages) == solution.counts.products


def test_a_certificate_takes_any_answer_of_the_right_size():
    """NaN meets no tolerance; a wrong answer has a large residual."""
    problem = talus.FrictionContact(np.eye(3), [-1.0, 2.0, 0.0], 0.5)
    assert not talus.certify(problem, [np.nan, 0, 0]).meets(1e-8)
    assert talus.certify(problem, [1.0, 0.5, 0.0]).natural_map > 0.1
    assert set(talus.certify(problem, [1.0, -0.5, 0.0]).as_dict()) >= {"natural_map", "plain", "worst_contact"}


def test_other_threads_run_while_it_solves_until_its_time_is_up():
    """A solve holds no lock of the interpreter; a time limit is a status."""
    problem = talus.read_problem(HARD)
    found = []
    thread = threading.Thread(target=lambda: found.append(talus.solve(problem, time_limit=0.5)))
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.005)
        turns += 1
    assert turns > 5
    assert found[0].status == "time_limit"


def test_threads_get_the_same_bits():
    """The same problem solved in several threads at once has one answer."""
    problem = talus.read_problem(REPOSITORY / "data" / "fclib" / "stack_50.hdf5")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(talus.solve(problem).r.tobytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and len(set(answers)) == 1


def test_an_interrupt_ends_a_solve_with_the_exception_of_its_handler():
    """Ctrl-C is seen between iterations."""
    problem = talus.read_problem(HARD)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            talus.solve(problem, time_limit=60)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_nothing_is_left_behind():
    """Memory does not grow over many solves."""
    def pages():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    W, b = np.eye(30), np.tile([-1.0, 2.0, 0.0], 10)
    for _ in range(1000):
        talus.solve(W, b, 0.5)
    before = pages()
    for _ in range(10000):
        talus.solve(W, b, 0.5)
    assert pages() - before < 1 << 20  # each solve has arrays of 30 numbers: a leak of one is 2.4 MB
