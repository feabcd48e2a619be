"""What the laws say of single contacts, in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import talus

TOLERANCE = 1e-10
# Every W here has eigenvalues between 0.3 and 3 beside a diagonal of 1 to 3, so an answer whose natural map is
# within the tolerance is as near to the exact one, but for a factor of 100.
NEAR = {"rtol": 100 * TOLERANCE, "atol": 100 * TOLERANCE}


def solve(*problem, **options):
    return talus.solve(*problem, tolerance=TOLERANCE, **options).raise_if_uncertified()


def unit(x):
    return x / np.linalg.norm(x)


@pytest.mark.parametrize("slip", [0.1, 0.9, 1.1, 5.0])
def test_a_particle_sticks_inside_the_cone_and_slides_on_it(slip):
    """r_N = −b_N; r_T = −b_T while ‖b_T‖ ≤ μ r_N, otherwise −μ r_N b_T/‖b_T‖."""
    mu, approach, direction = 0.5, 2.0, np.array([0.6, -0.8])
    solution = solve(np.eye(3), [-approach, *(slip * direction)], mu)
    assert_allclose(solution.r, [approach, *(-min(slip, mu * approach) * direction)], **NEAR)
    assert_allclose(solution.u, [0, *(max(slip - mu * approach, 0) * direction)], **NEAR)


def test_a_contact_that_opens_has_no_impulse():
    """b_N > 0: r = 0, u = b, whatever μ."""
    assert_allclose(solve(np.eye(3), [1.0, 2.0, 3.0], 0.7).r, 0)


@pytest.mark.parametrize("coupling", [0.0, 0.3, 0.6])
def test_coulomb_opposes_the_slip_and_maximum_dissipation_the_section_of_the_cone(coupling):
    """Sliding at u_N = 0: u_T ∥ −r_T by Coulomb; u_T ∥ −(r_T/‖r_T‖ + μ c e₁) where the energy is least."""
    mu, W = 0.5, np.eye(3)
    W[0, 1] = W[1, 0] = coupling
    b = np.array([-1.0, 0.0, 3.0])
    energy = {}
    for law in ("coulomb", "maximum_dissipation"):
        solution = solve(W, b, mu, law=law)
        r, u = solution.r, solution.u
        assert_allclose(u[0], 0, **NEAR)
        assert_allclose(np.linalg.norm(r[1:]), mu * r[0], **NEAR)
        normal = unit(r[1:]) + (mu * coupling * np.array([1.0, 0.0]) if law == "maximum_dissipation" else 0)
        assert_allclose(unit(u[1:]), -unit(normal), rtol=1e-6, atol=1e-6)  # √ of the tolerance where energy is flat
        energy[law] = r @ W @ r / 2 + b @ r
    assert energy["maximum_dissipation"] <= energy["coulomb"] + 1e-9
    assert (energy["maximum_dissipation"] < energy["coulomb"] - 1e-3) == (coupling > 0)


def test_cone_complementarity_lifts_off_where_it_slides():
    """The associated law K ∋ r ⟂ u ∈ K* separates a sliding contact with u_N = μ‖u_T‖."""
    u = solve(np.eye(3), [-1.0, 3.0, 0.0], 0.5, law="cone_complementarity").u
    assert_allclose(u[0], 0.5 * np.linalg.norm(u[1:]), **NEAR)
    assert u[0] > 0.5


def test_a_polygon_of_four_corners_bounds_the_sum_of_the_components():
    """Directions ±t1, ±t2: |r_1| + |r_2| ≤ μ r_N, and full friction goes to the corner of the larger slip."""
    r = solve(np.eye(3), [-1.0, 3.0, 2.0], 0.5, law="polyhedral", directions=4).r
    assert_allclose(r, [1.0, -0.5, 0.0], **NEAR)


def test_frictionless_ignores_mu():
    """r_T = 0 whatever μ says."""
    assert_allclose(solve(np.eye(3), [-1.0, 3.0, 2.0], 0.5, law="frictionless").r, [1, 0, 0], **NEAR)


def test_rolling_moment_is_bounded_by_the_normal_impulse():
    """On a diagonal W: ‖r_R‖ = min(μ_r r_N, ‖b_R‖/W_RR) against the rolling velocity."""
    W, b = np.diag([1.0, 2.0, 2.0, 3.0, 3.0]), [-2.0, 0.0, 0.0, 0.3, 0.0]
    assert_allclose(solve(talus.RollingFrictionContact(W, b, 0.5, 0.01)).r[3:], [-0.02, 0], **NEAR)
    assert_allclose(solve(talus.RollingFrictionContact(W, b, 0.5, 1.0)).r[3:], [-0.1, 0], **NEAR)


def test_a_constraint_takes_what_it_needs():
    """u = 0 on the constraint, whatever its impulse: r_e = −b_e/W_ee where nothing couples."""
    solution = solve(talus.BilateralContact(np.diag([2.0, 1.0, 1.0, 1.0]), [4.0, -2.0, 3.0, 0.0], 0.5, 1))
    assert_allclose(solution.r, [-2, 2, -1, 0], **NEAR)
    assert_allclose(solution.u, [0, 0, 2, 0], **NEAR)


def test_friction_of_a_given_bound_saturates():
    """r = −b/W clipped to ±bound."""
    W, b, bound = np.array([1.0, 2.0]), np.array([3.0, -0.5]), np.array([1.0, 2.0])
    assert_allclose(solve(talus.BoundedFriction(np.diag(W), b, bound)).r, np.clip(-b / W, -bound, bound), **NEAR)


def test_global_form_recovers_the_velocities_of_the_system():
    """v = M⁻¹(H r + f) and u = Hᵀ v + w, the same r as of the local form."""
    M, H = np.diag([1.0, 2.0, 2.0]), np.array([[1.0, 0, 0], [0, 1, 0.2], [0, -0.2, 1]])
    f, w = np.array([-2.0, 6.0, 0.0]), np.array([0.0, 0.1, 0.0])
    problem = talus.GlobalFrictionContact(M, H, f, w, [0.5])
    solution, local = solve(problem), solve(problem.to_local())
    assert_allclose(solution.r, local.r, **NEAR)
    assert_allclose(solution.v, np.linalg.solve(M, H @ solution.r + f), **NEAR)
    assert_allclose(solution.u, H.T @ solution.v + w, **NEAR)


def test_bounds_of_a_diagonal_program_clip_its_minimiser():
    """min ½ h x² + g x over [lower, upper]: x = clip(−g/h)."""
    h, g = np.array([2.0, 1.0, 0.5]), np.array([-8.0, -1.0, 2.0])
    assert_allclose(solve(talus.BoxQp(np.diag(h), g, -1.0, 3.0)).x, np.clip(-g / h, -1, 3), **NEAR)


def test_lcp_of_a_positive_definite_matrix_has_its_one_solution():
    """All z > 0: z = −M⁻¹q; the sign of q alone decides on a diagonal M."""
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])
    assert_allclose(solve(talus.Lcp(M, q)).z, np.linalg.solve(M, -q), **NEAR)
    solution = solve(talus.Lcp(np.eye(2), [-1.0, 2.0]))
    assert_allclose((solution.z, solution.w), ([1, 0], [0, 2]), **NEAR)


def test_lcp_without_a_solution_has_a_ray_that_proves_it():
    """M = −1, q = −1: no z ≥ 0 has M z + q ≥ 0; Lemke's method ends on a ray that says so."""
    solution = talus.solve(talus.Lcp([[-1.0]], [-1.0]), solver="lemke")
    assert solution.status == "ray_termination" and not solution.is_certified
    assert solution.ray.proves_infeasible and solution.ray.direction[0] > 0
    with pytest.raises(talus.UncertifiedError, match="ray_termination"):
        solution.raise_if_uncertified()


def test_mixed_lcp_eliminates_its_free_unknowns():
    """0 = x + z + 1, 0 ≤ z ⟂ −x + z − 3 ≥ 0: x = −2, z = 1."""
    solution = solve(talus.Mlcp([[1.0]], [[1.0]], [[-1.0]], [[1.0]], [1.0], [-3.0]))
    assert_allclose((solution.x, solution.z, solution.w), ([-2], [1], [0]), **NEAR)
