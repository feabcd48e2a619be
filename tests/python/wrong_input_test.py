"""Whatever is wrong in what a user gives is an InputError that names it; nothing crashes."""

import pickle

import numpy as np
import pytest
from conftest import one_of_each_class

import talus

W, B = np.eye(3), [-1.0, 2.0, 0.0]


def csr(**changed):
    """A sparse matrix as of another library, 3×3 diagonal, with something changed."""
    parts = {"shape": (3, 3), "data": np.ones(3), "indices": np.arange(3), "indptr": np.arange(4), **changed}
    matrix = type("Csr", (), parts)()
    type(matrix).tocsr = lambda self: self
    return matrix


@pytest.mark.parametrize("arguments, place, message", [
    (("W", B, 0.5), "W", "real numbers, got str"),
    ((None, B, 0.5), "W", "real numbers, got NoneType"),
    ((1j * W, B, 0.5), "W", "complex128"),
    ((W.astype(object), B, 0.5), "W", "of type object"),
    ((W.astype(bool), B, 0.5), "W", "of type bool"),
    ((np.ma.masked_array(W), B, 0.5), "W", "masked"),
    (([[1, 2], [3]], B, 0.5), "W", "array of numbers"),
    ((3.0, B, 0.5), "W", "single number"),
    ((np.ones(3), B, 0.5), "W", r"two axes, got shape \(3,\)"),
    ((np.ones((3, 3, 3)), B, 0.5), "W", "two axes"),
    ((np.ones((2, 3)), B, 0.5), "W", "expected a 3×3 matrix"),
    ((np.eye(6), B, 0.5), "W", "expected a 3×3 matrix"),
    ((-W, B, 0.5), "W", "diagonal entry > 0 in the normal row of contact 0"),
    ((np.diag([1, np.inf, 1]), B, 0.5), "W", "finite"),
    ((W, "b", 0.5), "b", "str"),
    ((W, {}, 0.5), "b", "dict"),
    ((W, [], 0.5), "W", "0×0"),
    ((W, [[-1.0, 2.0, 0.0]], 0.5), "b", "one axis"),
    ((W, [-1.0, np.nan, 0.0], 0.5), "b", "finite numbers, got nan at index 1"),
    ((W, [-1.0, 2.0], 0.5), "dimension", "got 2 rows"),
    ((W, B, -0.5), "mu", "expected μ ≥ 0, got -0.5 at contact 0"),
    ((W, B, np.nan), "mu", "finite"),
    ((W, B, "0.5"), "mu", "str"),
    ((W, B, True), "mu", "bool"),
    ((W, B, [[0.5]]), "mu", "one axis"),
    ((W, B, [0.5, 0.5, 0.5]), "mu", r"expected 1 \(in space\): b has 3 rows of contacts, the length of mu is 3"),
    ((np.eye(6), [0.0] * 6, [0.5]), "mu",
     r"expected 2 \(in space\) or 3 \(in the plane\): b has 6 rows of contacts, the length of mu is 1"),
    ((np.eye(6), [0.0] * 6, []), "mu", r"expected 2 \(in space\) or 3"),
    ((np.eye(7), [0.0] * 7, [0.5] * 2), "mu", "as many as contacts, with 3 .* b has 7 rows"),
    ((csr(indices=np.array([0, 1, 3])), B, 0.5), "W.indices", "columns 0 to 2, got 3"),
    ((csr(indices=np.array([0, 1, -1])), B, 0.5), "W.indices", "got -1"),
    ((csr(indices=np.array([0, 1])), B, 0.5), "W.indptr", "at most 2 entries"),
    ((csr(indices=np.ones(3)), B, 0.5), "W.indices", "integers"),
    ((csr(indptr=np.array([0, 2, 1, 3])), B, 0.5), "W.indptr", "rising"),
    ((csr(indptr=np.arange(3)), B, 0.5), "W.indptr", "4 numbers"),
    ((csr(indptr=np.array([0, 1, 2, 10**12])), B, 0.5), "W.indptr", "entries"),
    ((csr(shape=(3,)), B, 0.5), "W.shape", "two numbers"),
    ((csr(shape=(10**12, 3)), B, 0.5), "W.shape", "at most"),
    ((csr(data=np.ones(3) * 1j), B, 0.5), "W.data", "complex"),
])
def test_arrays(arguments, place, message):
    """The error names the argument, what was expected and what was found."""
    with pytest.raises(talus.InputError, match=message) as caught:
        talus.solve(*arguments)
    assert caught.value.place == place
    assert str(caught.value).startswith(place + ":")


@pytest.mark.parametrize("options, place, message", [
    ({"solver": "ngs"}, "solver", "did you mean 'nsgs'"),
    ({"solver": 3}, "solver", "expected a text"),
    ({"law": "coulom"}, "law", "did you mean 'coulomb'"),
    ({"tolerance": 0}, "tolerance", r"in \(0, 1\)"),
    ({"tolerance": np.nan}, "tolerance", "nan"),
    ({"tolerance": "small"}, "tolerance", "expected a number, got str"),
    ({"plain_tolerance": -1}, "plain_tolerance", "positive"),
    ({"max_iterations": 0}, "max_iterations", "at least 1"),
    ({"max_iterations": 1.5}, "max_iterations", "integer"),
    ({"max_iterations": 10**30}, "max_iterations", "64 bits"),
    ({"relaxation": 2}, "relaxation", r"in \(0, 2\)"),
    ({"directions": 5}, "directions", "even"),
    ({"time_limit": 0}, "time_limit", "positive"),
    ({"guess": [1.0]}, "guess", "expected 3 numbers or none, got 1"),
    ({"guess": "r"}, "guess", "str"),
])
def test_options(options, place, message):
    """So it does for every option."""
    with pytest.raises(talus.InputError, match=message) as caught:
        talus.solve(W, B, 0.5, **options)
    assert caught.value.place == place


@pytest.mark.parametrize("call, place", [
    (lambda: talus.solve(W), "problem"),
    (lambda: talus.solve(talus.FrictionContact(W, B, 0.5), B, 0.5), "b"),
    (lambda: talus.solve(talus.Lcp(W, B), law="coulomb"), "law"),
    (lambda: talus.certify(W, B), "problem"),
    (lambda: talus.certify(talus.Lcp(W, B), B, B), "answer"),
    (lambda: talus.certify(talus.Lcp(W, B), [1.0]), "z"),
    (lambda: talus.certify(talus.FrictionContact(W, B, 0.5), [1.0]), "r"),
    (lambda: talus.FrictionContact(W, B, 0.5).with_law("none"), "law"),
    (lambda: talus.BilateralContact(W, B, 0.5, -1), "equality_count"),
    (lambda: talus.BilateralContact(W, B, 0.5, 4), "equality_count"),
    (lambda: talus.BilateralContact(np.eye(7), np.zeros(7), [0.5], 1), "mu"),
    (lambda: talus.GlobalFrictionContact(np.eye(6), np.eye(6), np.zeros(6), np.zeros(6), [0.5]), "mu"),
    (lambda: talus.RollingFrictionContact(W, B, 0.5, 0.1), "dimension"),
    (lambda: talus.ConeProblem(W, B, "free"), "cones"),
    (lambda: talus.ConeProblem(W, B, ["free"]), "cones"),
    (lambda: talus.ConeProblem(W, B, [talus.Cone("free")]), "cones"),
    (lambda: talus.Cone("fre"), "kind"),
    (lambda: talus.BoxQp(W, B, 1.0, 0.0), "lower"),
    (lambda: talus.Mlcp(W, W, W, W, B, [1.0]), "C"),
    (lambda: talus.SparseMatrix(W) @ [1.0], "x"),
    (lambda: talus.FrictionContact(W, B, 0.5).write("/no/such/folder/x.hdf5"), ""),
    (lambda: talus.read_problem("/no/such/file.hdf5"), ""),
    (lambda: talus.Record("/no/such/file.h5"), ""),
])
def test_calls(call, place):
    """So it does wherever else something can be wrong."""
    with pytest.raises(talus.InputError) as caught:
        call()
    assert caught.value.place == place, caught.value


def test_all_mistakes_of_a_problem_are_told_at_once_and_travel_between_processes():
    """An InputError has one diagnostic per mistake; it is a ValueError, and pickles."""
    with pytest.raises(ValueError) as caught:
        talus.FrictionContact(np.diag([1, np.nan, 1]), [np.inf, 0.0, 0.0], -1.0)
    error = pickle.loads(pickle.dumps(caught.value))
    assert [d.path for d in error.diagnostics] == ["W", "b", "mu", "W"]
    assert str(error) == str(caught.value) and error.diagnostics[2].hint == "use 0 for a frictionless contact"


@pytest.mark.parametrize("state", [(), (1,) * 7, (3, W, B, "x", "coulomb", 8, 0.0)])
def test_a_damaged_pickle_is_refused(state):
    """What is unpickled is checked as what is given."""
    problem = talus.FrictionContact.__new__(talus.FrictionContact)
    with pytest.raises(talus.InputError):
        problem.__setstate__(state)


def test_any_arrays_are_solved_or_refused():
    """For arrays of any numbers, shapes and types, and for any object: a solution or an InputError."""
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as some
    from hypothesis.extra import numpy as arrays

    numbers = some.one_of(some.floats(), some.floats(-2, 2), some.integers(-2, 2).map(float))
    shapes = some.one_of(some.just((3, 3)), some.just((3,)), some.just((1,)),
                         arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6))
    anything = some.one_of(
        arrays.arrays(np.float64, shapes, elements=numbers), numbers,
        some.lists(numbers, max_size=6), arrays.arrays(arrays.array_dtypes(), shapes),
        some.sampled_from([None, "W", b"W", 1j, {}, object(), W, B, csr(), 0.5, np.zeros((0, 0)), np.zeros(0)]))

    @hypothesis.settings(max_examples=300, deadline=None, derandomize=True, database=None,
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(anything, anything, anything, some.sampled_from(talus.solvers()))
    def check(matrix, vector, friction, solver):
        for build in (lambda: talus.FrictionContact(matrix, vector, friction), lambda: talus.Lcp(matrix, vector),
                      lambda: talus.BoxQp(matrix, vector, friction), lambda: talus.SparseMatrix(matrix)):
            try:
                problem = build()
                if not isinstance(problem, talus.SparseMatrix):
                    talus.solve(problem, solver=solver, max_iterations=20)
            except talus.InputError as error:
                assert error.diagnostics[0].message

    check()


def test_members_of_unfinished_objects():
    """An object whose constructor was never called is refused, not read."""
    for kind in {type(problem) for problem in one_of_each_class()}:
        unfinished = kind.__new__(kind)
        for call in (talus.solve, talus.certify, repr, pickle.dumps, lambda p: getattr(p, "b", None) or p.q):
            with pytest.raises((TypeError, ValueError, RuntimeError, AttributeError)):
                call(unfinished)
