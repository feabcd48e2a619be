"""Problems as Python objects: arrays in and out, pickling, sparse matrices."""

import pickle

import numpy as np
import pytest
from conftest import EACH_CLASS
from numpy.testing import assert_array_equal

import talus


class Csr:
    """A sparse matrix of another library, as far as talus looks."""

    def __init__(self, shape, data, indices, indptr):
        self.shape, self.data, self.indices, self.indptr = shape, data, indices, indptr

    def tocsr(self):
        return self


def members(problem):
    """What a problem is made of, as text that tells every bit."""
    return [repr((np.asarray(value).tobytes() if hasattr(value, "__array__") else value))
            for value in (getattr(problem, name) for name in dir(problem)
                          if not name.startswith("_") and not callable(getattr(problem, name)))]


@EACH_CLASS
def test_a_pickled_problem_has_the_same_bits(problem):
    """Pickling changes no number, and the copy has the same answer, bit for bit."""
    copy = pickle.loads(pickle.dumps(problem))
    assert type(copy) is type(problem) and members(copy) == members(problem) and repr(copy) == repr(problem)
    for mine, its in zip(talus.solve(problem).unknowns.values(), talus.solve(copy).unknowns.values()):
        assert mine.tobytes() == its.tobytes()


def test_members_are_views_that_keep_their_problem_alive_and_cannot_be_changed():
    """Arrays of a problem are not copied; they outlive the name of the problem, and are read-only."""
    problem = talus.FrictionContact(np.eye(3), [-1.0, 2.0, 0.0], 0.5)
    first, second = problem.b, problem.b
    assert np.shares_memory(first, second)
    data = problem.W.data
    del problem, second
    assert_array_equal(first, [-1, 2, 0])
    assert_array_equal(data, 1)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 3


@pytest.mark.parametrize("kind", [np.float32, np.int8, np.uint64, np.longdouble, ">f8"])
def test_real_numbers_of_any_type_become_double_precision(kind):
    """Other types of real numbers, strides and byte orders mean the same numbers."""
    W = np.array([[2, 1, 0], [1, 3, 0], [0, 0, 4]]).astype(kind)
    b = np.array([9, -1, 9, 2, 9, 0])[1::2].astype(kind if kind != np.uint64 else float)
    problem = talus.FrictionContact(np.asfortranarray(W)[::-1, ::-1][::-1, ::-1], b, 0.5)
    assert_array_equal(problem.W.toarray(), W.astype(float))
    assert_array_equal(problem.b, b.astype(float))


def test_lists_and_numbers_will_do():
    """Nested lists are matrices; one μ stands for all contacts, in space unless `dimension` says otherwise."""
    problem = talus.FrictionContact(np.eye(6).tolist(), [-1, 0, 0, -1, 0, 0], 0.5)
    assert problem.dimension == 3 and problem.mu.tolist() == [0.5, 0.5]
    assert talus.FrictionContact(np.eye(6), np.zeros(6), [0.5] * 3).dimension == 2
    assert talus.FrictionContact(np.eye(6), np.zeros(6), 0.5, dimension=2).mu.tolist() == [0.5] * 3


def test_sparse_matrices_of_other_libraries_keep_their_pattern():
    """Anything with tocsr is read; entries given twice are added, rows need not be sorted, zeros stay."""
    matrix = talus.SparseMatrix(Csr((3, 3), np.array([1.0, 2.0, 3.0, 0.0, 5.0]), np.array([2, 0, 0, 1, 2], np.int64),
                                    np.array([0, 3, 4, 5])))
    assert_array_equal(matrix.toarray(), [[5, 0, 1], [0, 0, 0], [0, 0, 5]])
    assert matrix.nnz == 4
    assert_array_equal(matrix @ [1.0, 10.0, 100.0], [105, 0, 500])
    copy = pickle.loads(pickle.dumps(matrix))
    assert (copy.shape, copy.nnz) == ((3, 3), 4)
    assert_array_equal(np.asarray(copy), matrix.toarray())


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dok", "lil"])
def test_every_form_of_scipy_is_the_same_matrix(form):
    """Matrices of scipy.sparse in any form give the same problem, and go back without a copy."""
    sparse = pytest.importorskip("scipy.sparse")
    W = np.array([[2.0, 1, 0], [1, 3, 0], [0, 0, 4]])
    problem = talus.FrictionContact(getattr(sparse, form + "_matrix")(W), [-1.0, 2.0, 0.0], 0.5)
    assert_array_equal(problem.W.toarray(), W)
    back = problem.W.tocsr()
    assert_array_equal(back.toarray(), W)
    assert np.shares_memory(back.data, problem.W.data)


def test_a_law_is_changed_on_a_copy():
    """with_law leaves the problem as it is."""
    problem = talus.FrictionContact(np.eye(3), [-1.0, 2.0, 0.0], 0.5)
    other = problem.with_law("polyhedral", 6)
    assert (other.law, other.directions, problem.law, problem.directions) == ("polyhedral", 6, "coulomb", 8)


def test_the_cone_form_has_the_same_numbers():
    """to_cone_problem keeps W and b; one friction cone per contact."""
    problem = talus.FrictionContact(np.eye(6), [-1.0, 2, 0, -1, 1, 0], [0.5, 0.2])
    cones = problem.to_cone_problem()
    assert_array_equal(cones.b, problem.b)
    assert [(c.kind, c.size, c.mu) for c in cones.cones] == [("friction", 3, 0.5), ("friction", 3, 0.2)]
