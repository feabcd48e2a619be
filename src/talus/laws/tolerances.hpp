#pragma once

#include <limits>

#include <talus/base/types.hpp>

/// Tolerances of time integration, one place for all: value, scale and reason. Within a table they
/// rise; what is called round-off is that of numbers of the scale, some hundred operations later.
/// docs/reference/tolerances.md is written from this file (scripts/tolerances.py).
namespace talus::tolerance {

// Gaps and distances
/// of the largest coordinate: a gap of events that come back without time in between, ten times
/// more each time.
inline constexpr Real kGapRoundOff = 1e-16;
/// of the coordinates whose difference a gap is: round-off of it.
inline constexpr Real kGapDifference = 1e-15;
/// of the largest coordinate: what rounding makes of a gap, against which slow speeds are judged.
inline constexpr Real kGapRounding = 1e-14;
/// of the smaller body: a way in a step that is round-off, of a rate that says nothing.
inline constexpr Real kStillWay = 1e-12;
/// of the largest coordinate: a gap of contacts that do not move.
inline constexpr Real kRestGap = 1e-14;
/// of the largest coordinate: no gap at an event, a hundred times what rounding makes of it.
inline constexpr Real kNoGap = 1e-12;
/// of the largest coordinate: no gap at the start, where scenes are written by hand.
inline constexpr Real kStartGap = 1e-9;
/// of the largest coordinate: reported as closed.
inline constexpr Real kClosedGap = 1e-9;
/// of the smaller body: penetration of the first state that is round-off.
inline constexpr Real kStartSlop = 1e-9;
/// of the size of what is constrained: constraints that cannot be met.
inline constexpr Real kViolated = 1e-6;
/// of the overlap that is none: an approach in a step that is no way.
inline constexpr Real kNoWay = 1e-5;
/// of the smaller half thickness: an overlap that is none.
inline constexpr Real kSlightOverlap = 1e-3;
/// of the smaller half thickness: an overlap after a step that is none, twice the slight one.
inline constexpr Real kLateOverlap = 2e-3;
/// of the smallest size: a way in a step on which nothing is met late.
inline constexpr Real kLeastWay = 4e-3;
/// of the overlap that is none: an approach in a step along a side that is slid along, where what
/// solvers leave of rates is a way (kNoWay).
inline constexpr Real kAlongWay = 1e-2;
/// of the overlap that is none: bodies that far apart have not met.
inline constexpr Real kRoom = 1e-2;
/// of the smaller half thickness: what is more is no motion of rigid bodies and is not certified.
inline constexpr Real kMostOverlap = 1e-2;
/// of the smaller body: a joint or a stabilisation that is farther off is visibly apart and is not
/// certified.
inline constexpr Real kMostOff = 1e-2;

// Speeds
/// of √(2T): round-off of a slip velocity, ten times more for each event without time in between.
inline constexpr Real kSpeedNoise = 1e-13;
/// of the velocities and impulses that a rate is the sum of: round-off of it.
inline constexpr Real kRateRounding = 1e-13;
/// of the velocities before an impact: round-off of those after it.
inline constexpr Real kImpactRounding = 1e-13;
/// of the fastest approach: no contact approaches, a sequence of impacts ends.
inline constexpr Real kClosedSpeed = 1e-13;
/// of the speeds that a rate is the difference of: round-off of a state that is judged.
inline constexpr Real kStateSpeedNoise = 1e-12;
/// of the velocities and their change in a step: no slip.
inline constexpr Real kNoSlip = 1e-11;
/// of √(2T), or of the applied forces' speed in a step: a row at rest.
inline constexpr Real kNoSpeed = 1e-10;
/// of the fastest body: a speed out of the plane of grains that is more than what rounding makes in
/// a step of many sweeps.
inline constexpr Real kOutOfPlane = 1e-9;
/// of √(2T): reported as at rest.
inline constexpr Real kRestingSpeed = 1e-9;
/// of the fastest approach: below it one inelastic impact of all ends a sequence.
inline constexpr Real kSlowApproach = 1e-6;
/// of the speeds: more than a stabilisation may leave of the rates.
inline constexpr Real kMostRateOff = 1e-3;
/// of the speeds: Φ̇ that index_3 keeps to second order only.
inline constexpr Real kMostRate = 0.1;

// Forces, impulses and accelerations
/// of the largest normal impulse of a step: a contact that bears nothing.
inline constexpr Real kImpulseRounding = 1e-14;
/// of the accelerations: round-off of a rate's.
inline constexpr Real kAccelerationRounding = 1e-14;
/// of the forces that take the rates away: a reaction of a joint that is none.
inline constexpr Real kReactionRounding = 1e-14;
/// of a joint's friction: the fixed point with its normal force has settled.
inline constexpr Real kFixedPointChange = 1e-14;
/// Change of the mean velocity of a step, of the largest of its parts, after which forces are those
/// of that velocity: rounding of them, with room.
inline constexpr Real kMeanVelocityChange = 1e-12;
/// of an entry of G before the constraints are eliminated: what is left is round-off.
inline constexpr Real kReducedNoise = 1e-13;
/// of the forces: round-off of a normal force or of what is left to a stick.
inline constexpr Real kForceNoise = 1e-12;
/// of the forces: round-off of the inequalities of a state of the contacts.
inline constexpr Real kStateForceNoise = 1e-12;
/// of the accelerations that turning makes of velocities: round-off of a constraint's.
inline constexpr Real kAccelerationNoise = 1e-12;
/// of a rigid contact's answer: a compliant one that is not there.
inline constexpr Real kSoftness = 1e-12;
/// of an impulse: a law that is a function holds.
inline constexpr Real kLawMet = 1e-11;
/// of the accelerations that meet: none, a contact that stays or sticks.
inline constexpr Real kNoAcceleration = 1e-10;
/// of the rates without forces: round-off of a state's rates.
inline constexpr Real kRateNoise = 1e-10;
/// of the energy: round-off of its change in a step.
inline constexpr Real kEnergyRounding = 1e-12;
/// of the works that add up to the change of the energy: an impact that raises none.
inline constexpr Real kEnergyNoise = 1e-10;
/// of the rates: two answers that are one.
inline constexpr Real kSameRates = 1e-8;
/// of a friction's bound: it is at it.
inline constexpr Real kAtBound = 1e-7;
/// of the largest rate of the constraints: one that contradicts the others.
inline constexpr Real kContradiction = 1e-6;
/// of what forces do to the velocity of a contact in a step: restitution that is missed.
inline constexpr Real kMissedImpulse = 5e-4;
/// of the energies of a step, T + T' + U + U' and gravity's work: what integration without control
/// of its error may raise in a step.
inline constexpr Real kEnergyOfFixedSteps = 1e-2;
/// of the same: what it may raise in all before a step says so.
inline constexpr Real kEnergyCreep = 5e-2;
/// of the same: where contacts, limits or motors act, beyond their work.
inline constexpr Real kEnergyOfPushedSteps = 1e-1;
/// of m (h g)²: what rests on contacts trembles by.
inline constexpr Real kEnergyAtRest = 1e-3;

// Times and steps
/// of max(t, h): an event is located.
inline constexpr Real kTimeNoise = 4 * std::numeric_limits<Real>::epsilon();
/// of the numbers that make a cubic: a dip between two points.
inline constexpr Real kDip = 1e-15;
/// of max(t, the scene's step): an adaptive step that is no step.
inline constexpr Real kSmallestStep = 1e-14;
/// of max(t, the scene's step): two events in one instant.
inline constexpr Real kNoTime = 1e-13;
/// of a step: a time that is on the grid of steps.
inline constexpr Real kOnGrid = 1e-9;

// Directions and angles
/// of a direction: the reaction of a pin has settled.
inline constexpr Real kTurned = 1e-12;
/// of a normal: it does not turn on the way.
inline constexpr Real kSameDirection = 1e-9;
/// [rad]: an angle that has been through a quaternion.
inline constexpr Real kSameAngle = 1e-9;
/// [rad]: a body in a step of index_3, whose rule follows no farther turns.
inline constexpr Real kMostTurn = 0.7;
/// cosine: normals of one pair of convex bodies that face away from each other, 120° and more.
inline constexpr Real kOpposed = -0.5;

// Matrices, complementarity problems and Newton's method
/// of the velocities (generalized_alpha) or coordinates (index_3): the last change of Newton's
/// method.
inline constexpr Real kNewtonChange = 1e-13;
/// of the coordinates: difference for a matrix of second order (index_3), above their rounding
/// where nothing moves or steps are short.
inline constexpr Real kCoordinateDifference = 1e-9;
/// of a unit force: the least pivot of what friction in joints leaves of it.
inline constexpr Real kJammed = 1e-12;
/// of an LCP's certificate: an answer at an event.
inline constexpr Real kLcpTolerance = 1e-9;
/// of a matrix with unit diagonal: a principal minor that is negative.
inline constexpr Real kMinor = 1e-9;
/// of Phase::leading: a Painlevé indicator that is zero.
inline constexpr Real kIndicatorNoise = 1e-9;
/// of the scaled matrix: forces that are hardly unique, whose rates kNoAcceleration would decide.
inline constexpr Real kNearlySingularPivot = 1e-8;
/// of the least pivot elsewhere: a position near a singular one.
inline constexpr Real kNearSingular = 1e-8;
/// of the velocities: difference for a matrix of first order (generalized_alpha).
inline constexpr Real kVelocityDifference = 1e-7;
/// of the velocities: difference for a matrix of second order (index_3).
inline constexpr Real kAccelerationDifference = 1e-6;

// Restitution and series of impacts
/// of a restitution: the bisection for the share that raises no energy ends.
inline constexpr Real kShareBisection = 1e-9;
/// of a restitution: less is none, since answers are certified to kLcpTolerance.
inline constexpr Real kLeastShare = 1e-6;
/// of the first impact's speed: a series of impacts is closed at its limit.
inline constexpr Real kSeriesSlower = 1e-5;
/// of the first impact's speed: a contact in the tail of a series.
inline constexpr Real kSeriesTail = 1e-3;
/// of the last three ratios of a series: they agree.
inline constexpr Real kSeriesAgreement = 0.01;

}  // namespace talus::tolerance
