#include <talus/scene/detail/examples.hpp>

#include <array>

namespace talus::scene::detail {
namespace {

struct Example {
  std::string_view title, yaml;
};

constexpr std::array kExamples = {
    Example{"periodic cell", "periodic: {x: [0, 1], y: [-50 cm, 50 cm]}\n"},
    Example{"damping", "damping: {linear: 0.1, angular: 0.05 Hz}\n"},
    Example{"time", "time: {step: 0.5 ms, end: 2 s}\n"},
    Example{"scheme", R"(scheme: {name: stewart_trinkle, directions: 12, fixed_point: true}
)"},
    Example{"baumgarte", R"(dimension: 2
scheme: {name: event_driven, stabilisation: baumgarte, baumgarte: {alpha: 100, beta: 100, form: squared}}
)"},
    Example{"solver", "solver: {name: nsgs, tolerance: 1e-8, max_iterations: 20000}\n"},
    Example{"record", "record: {every: 10, contacts_every: 1, precision: double}\n"},
    Example{"probe", R"(probes:
  - {name: motion, energy: {}, every: 5}
  - {name: middle, centre: {}, bodies: ball}
  - {name: filled, solid_fraction: {}, region: {min: [-1, -1, 0], max: [1, 1, 50 cm]}}
  - {name: neighbours, coordination: {}}
)"},
    Example{"mass flow", R"(probes:
  - {name: outflow, mass_flow: {point: [0, 0, 10 cm], normal: [0, 0, -1], radius: 5 cm}}
  - {name: slot, mass_flow: {normal: [0, 0, -1], size: [20 cm, 2 cm], along: [1, 0, 0]}}
)"},
    Example{"force distribution", "probes:\n  - {name: chains, forces: {bins: 40, range: 6}}\n"},
    Example{"stress", R"(probes:
  - {name: pressure, stress: {}, region: {min: [-1, -1, 0], max: [1, 1, 1]}}
  - {name: order, fabric: {}}
)"},
    Example{"angle of repose", "probes:\n  - {name: heap, repose: {surface: cone, cell: 2 cm}}\n"},
    Example{"mixing index", R"(probes:
  - {name: mixed, mixing: {tracers: [red], cells: 6}, region: {min: [-1, -1, 0], max: [1, 1, 1]}}
bodies:
  - {name: red, lattice: {shape: {sphere: 1 cm}, count: 3, spacing: 3 cm, origin: [0, 0, 0.1]}, density: 2500}
  - {name: blue, lattice: {shape: {sphere: 1 cm}, count: 3, spacing: 3 cm, origin: [0, 0, 0.3]}, density: 2500}
)"},
    Example{"sink", R"(sinks:
  - {name: drain, region: {max: [.inf, .inf, -1 m]}}
  - {name: lost, outside: {min: [-5, -5, -5], max: [5, 5, 5]}, bodies: ball}
)"},
    Example{"material", R"(materials:
  steel: {density: 7.85 g/cm^3}
  oak: {density: 700 kg/m^3}
)"},
    Example{"contacts", R"(materials:
  steel: {density: 7850}
  oak: {density: 700}
contacts:
  default: {friction: 0.4, restitution: 0.3}
  pairs:
    - {between: [steel, oak], friction: 0.25}
    - {between: [oak, oak], friction: 0.5, rolling_friction: 1 mm, torsional_friction: 0.5 mm}
)"},
    Example{"contact law",
            "contacts: {default: {friction: 0.5, rolling_friction: 0.2 mm, cohesion: 0.1 N}}\n"},
    Example{"friction law", R"(dimension: 2
contacts: {default: {friction: 0.3, friction_law: {tanh: 1 mm/s, viscous: 0.1}}}
)"},
    Example{"stribeck", R"(dimension: 2
contacts: {default: {friction: 0.2, static_friction: 0.3, friction_law: {stribeck: {velocity: 0.1}}}}
)"},
    Example{"dahl", R"(dimension: 2
contacts: {default: {friction: 0.3, friction_law: {dahl: {stiffness: 1e5 N/m}}}}
)"},
    Example{"piecewise linear", R"(dimension: 2
contacts: {default: {friction: 0.3, friction_law: {piecewise_linear: {to: 1 mm/s}}}}
)"},
    Example{"normal force", R"(dimension: 2
contacts: {default: {normal: {hunt_crossley: {stiffness: 1e7, restitution: 0.5}}}}
)"},
    Example{"grain", R"(materials: {skate: {density: 7850}, ice: {density: 917}}
contacts:
  pairs:
    - {between: [skate, ice], friction: 0.01, grain: {of: skate, direction: [1, 0, 0], friction_across: 0.5}}
)"},
    Example{"body", R"(materials: {oak: {density: 700}}
bodies:
  - name: floor
    motion: fixed
    shape: {plane: {}}
  - name: crate
    shape: {box: [60 cm, 40 cm, 40 cm]}
    material: oak
    position: [0, 0, 1]
    orientation: {axis: [0, 0, 1], angle: 30 deg}
    velocity: [1, 0, 0]
    angular_velocity: [0, 0, 60 rpm]
)"},
    Example{"shape", R"(bodies:
  - {name: ball, shape: {sphere: 5 cm}, mass: 1 kg}
  - {name: brick, shape: {box: [20 cm, 10 cm, 5 cm]}, mass: 1 kg, position: [1, 0, 0]}
  - {name: pill, shape: {capsule: {radius: 2 cm, length: 6 cm}}, mass: 1 kg, position: [2, 0, 0]}
  - {name: can, shape: {cylinder: {radius: 3 cm, length: 10 cm}}, mass: 1 kg, position: [3, 0, 0]}
  - {name: silo, shape: {pipe: {radius: 30 cm, length: 1 m, ends: false}}, motion: fixed, position: [5, 0, 0]}
)"},
    Example{"hull", R"(bodies:
  - name: wedge
    shape: {hull: {points: [[0, 0, 0], [0.2, 0, 0], [0, 0.1, 0], [0.2, 0.1, 0], [0, 0, 0.1], [0, 0.1, 0.1]]}}
    density: 2500
)"},
    Example{"clump member", R"(bodies:
  - name: hammer
    density: 2500
    shape:
      clump:
        - {cylinder: {radius: 1 cm, length: 30 cm}}
        - {box: [10 cm, 4 cm, 4 cm], position: [0, 0, 17 cm], orientation: {axis: [0, 0, 1], angle: 45 deg}}
)"},
    Example{"orientation", R"(bodies:
  - {name: tilted, shape: {box: 10 cm}, mass: 1 kg, orientation: {axis: [0, 1, 0], angle: 20 deg}}
  - {name: turned, shape: {box: 10 cm}, mass: 1 kg, position: [1, 0, 0], orientation: {quaternion: [1, 0, 0, 1]}}
)"},
    Example{"disc", R"(dimension: 2
bodies:
  - {name: floor, motion: fixed, shape: {half_plane: {}}}
  - {name: wheel, shape: {disc: 20 cm}, mass: 2 kg, position: [0, 20 cm, 0]}
  - {name: bar, shape: {rod: {length: 50 cm, radius: 2 cm}}, mass: 1 kg, position: [1, 0.5, 0]}
  - {name: roof, shape: {polygon: {corners: [[0, 0], [1, 0], [0.5, 0.4]]}}, mass: 3 kg, position: [3, 1, 0]}
)"},
    Example{"spheres", R"(bodies:
  - {name: beads, spheres: beads.csv, density: 2500}   # x,y,z,r in the first line
)"},
    Example{"lattice", R"(bodies:
  - name: wall
    density: 2000
    lattice: {shape: {box: 10 cm}, count: [5, 1, 4], spacing: 10 cm, origin: [0, 0, 5 cm]}
)"},
    Example{"sizes", R"(bodies:
  - name: gravel
    density: 2600
    lattice: {shape: {sphere: 1 cm}, count: 4, spacing: 5 cm, sizes: {log_normal: {deviation: 0.3, min: 0.5, max: 2}}}
)"},
    Example{"table of sizes", R"(bodies:
  - name: mixture
    density: 2600
    lattice: {shape: {sphere: 1 cm}, count: 4, spacing: 5 cm, sizes: {table: {sizes: [0.5, 1, 2], shares: [20, 50, 30], by: mass}}}
)"},
    Example{"random", R"(bodies:
  - name: cloud
    density: 2500
    random: {shape: {sphere: 2 cm}, count: 50, region: {min: [0, 0, 0], max: [1, 1, 1]}, gap: 1 mm, seed: 7}
)"},
    Example{"packing", R"(bodies:
  - name: bed
    density: 2500
    packing: {shape: {sphere: 5 cm}, fraction: 0.4, region: {min: [0, 0, 0], max: [1, 1, 0.5]}}
)"},
    Example{"source", R"(bodies:
  - name: rain
    density: 2500
    velocity: [0, 0, -1]
    source:
      shape: {sphere: 1 cm}
      count: 500
      rate: 100 Hz             # or mass_rate: 2 kg/s
      start: 0.5 s
      region: {min: [-10 cm, -10 cm, 90 cm], max: [10 cm, 10 cm, 1 m]}
      velocity_spread: 5 cm/s
)"},
    Example{"motion", R"(bodies:
  - {name: belt, motion: kinematic, velocity: [1, 0, 0], shape: {plane: {}}}   # an endless conveyor
  - {name: drum, motion: {rotation: {axis: [0, 1, 0], speed: 20 rpm}}, shape: {pipe: {radius: 0.3, length: 0.2}}, position: [0, 0, 1]}
)"},
    Example{"swing", R"(bodies:
  - {name: door, shape: {box: [1, 5 cm, 2]}, motion: {swing: {axis: [0, 0, 1], through: [-0.5, 0, 0], amplitude: 90 deg, frequency: 0.5}}}
)"},
    Example{"motion table", R"(bodies:
  - name: gate                  # opens by 20 cm between 1 s and 1.5 s
    shape: {box: [1, 1, 2 cm]}
    motion: {table: {times: [0, 1 s, 1.5 s], displacements: [[0, 0, 0], [0, 0, 0], [0, 20 cm, 0]]}}
  - name: lid                   # turns by 60° about its edge
    shape: {box: [1, 1, 2 cm]}
    position: [0, 0, 1]
    motion: {table: {times: [0, 2], angles: [0, 60 deg], axis: [0, 1, 0], through: [0.5, 0, 1]}}
)"},
    Example{"shake", R"(bodies:
  - {name: tray, shape: {box: [1, 1, 2 cm]}, motion: {shake: {amplitude: [0, 0, 2 mm], frequency: 50 Hz}}}
)"},
    Example{"joint", R"(joints:
  - {name: bearing, between: [ground, crank], revolute: {at: [0, 0], pin_radius: 1 cm}, friction: 0.1}
  - {name: guide, between: [ground, block], prismatic: {at: [0.5, 0], axis: [1, 0]}}
  - {name: rod, between: [crank, block], distance: {from: [0.2, 0], to: [0.5, 0]}}
)"},
    Example{"weld", "joints:\n  - {name: fixed, between: [crank, block], weld: {at: [0.3, 0]}}\n"},
    Example{"rope", R"(joints:
  - {name: line, between: [ground, block], rope: {to: [0.5, 0], length: 60 cm, restitution: 0.3}}
)"},
    Example{"line", R"(bodies:
  - {name: lower, shape: {box: [4 cm, 4 cm, 20 cm]}, mass: 1 kg}
  - {name: upper, shape: {box: [4 cm, 4 cm, 20 cm]}, mass: 1 kg, position: [0, 0, 22 cm]}
  - {name: drum, shape: {sphere: 1 mm}, mass: 1 mg, collides: false, position: [1, 0, 0]}
joints:
  - {name: foot, between: lower, weld: {at: [0, 0, -10 cm]}}
  - {name: knee, between: [lower, upper], ball: {at: [0, 0, 11 cm]}}
  - {name: cone, between: [lower, upper], rotation: {}, turn: {limits: [0, 40 deg]}}
  - {name: first part, between: [world, lower], line: {from: [10 cm, 0, -10 cm], to: [2 cm, 0, 9 cm]}}
  - {name: second part, between: [lower, upper], line: {from: [2 cm, 0, 9 cm], to: [2 cm, 0, 20 cm]}}
  - {name: tendon, between: drum, prismatic: {at: [1, 0, 0], axis: [1, 0, 0]}, slide: {motor: {effort: -20 N}}}
couplings:
  - {name: length, terms: [{joint: first part}, {joint: second part}, {joint: tendon, factor: -1}]}
)"},
    Example{"gear", R"(joints:
  - {name: axle a, between: [ground, crank], revolute: {at: [0.1, 0]}}
  - {name: axle b, between: [ground, block], revolute: {at: [0.5, 0]}}
  - {name: wheels, between: [crank, block], gear: 2}
)"},
    Example{"slot",
            "joints:\n  - {name: slot, between: [ground, block], slot: {at: [0.5, 0], axis: [0, "
            "1]}}\n"},
    Example{"revolute clearance", R"(joints:
  - name: worn pin
    between: [ground, crank]
    revolute_clearance: {at: [0, 0], clearance: 0.2 mm, pin_radius: 1 cm, surface: {friction: 0.1, restitution: 0.5}}
)"},
    Example{"translational clearance", R"(joints:
  - name: loose guide
    between: [ground, block]
    translational_clearance: {at: [0.5, 0], axis: [1, 0], length: 6 cm, width: 4 cm, clearance: 0.1 mm}
)"},
    Example{"drive", R"(joints:
  - {name: bearing, between: [ground, crank], revolute: {at: [0, 0]}}
drives:
  - {name: motor, between: [ground, crank], angular_speed: {slope: 10 rad/s^2}}
)"},
    Example{"turn law", R"(bodies:
  - {name: leg, shape: {box: [5 cm, 5 cm, 40 cm]}, mass: 2 kg, position: [0, 0, 80 cm]}
joints:
  - name: hip                 # hangs from the world
    between: leg
    revolute: {at: [0, 0, 1], axis: [0, 1, 0], pin_radius: 5 mm}
    friction: 0.1
    turn:
      limits: [-30 deg, 90 deg]
      spring: {stiffness: 5 N m/rad, rest: 10 deg}
      damping: 0.1 N m s/rad
      motor: {position: {amplitude: 20 deg, frequency: 1 Hz}, stiffness: 80 N m/rad, damping: 2 N m s/rad, max_effort: 30 N m}
)"},
    Example{"slide law", R"(bodies:
  - {name: piston, shape: {cylinder: {radius: 2 cm, length: 10 cm}}, mass: 1 kg}
joints:
  - {name: guide, between: [world, piston], prismatic: {at: [0, 0, 0], axis: [0, 0, 1]}, slide: {limits: [-.inf, 5 cm], motor: {velocity: 10 cm/s, max_effort: 50 N}}}
)"},
    Example{"universal", R"(bodies:
  - {name: shaft, shape: {cylinder: {radius: 1 cm, length: 20 cm}}, mass: 1 kg}
joints:
  - {name: cross, between: shaft, universal: {at: [0, 0, 10 cm], axis: [1, 0, 0], second_axis: [0, 1, 0]}, second_turn: {damping: 0.1}}
)"},
    Example{"coupling", R"(bodies:
  - {name: wheel, shape: {cylinder: {radius: 5 cm, length: 2 cm}}, mass: 1 kg}
  - {name: rack, shape: {box: [20 cm, 2 cm, 2 cm]}, mass: 1 kg, position: [0, -7 cm, 0]}
joints:
  - {name: axle, between: wheel, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: guide, between: rack, prismatic: {at: [0, -7 cm, 0], axis: [1, 0, 0]}}
couplings:
  - {name: teeth, terms: [{joint: guide}, {joint: axle, factor: -0.05}]}   # metres, radians
)"},
    Example{"joint position", R"(bodies:
  - {name: arm, shape: {box: [50 cm, 5 cm, 5 cm]}, mass: 2 kg, position: [25 cm, 0, 0]}
  - {name: hand, shape: {sphere: 5 cm}, mass: 1 kg, position: [50 cm, 0, 0]}
joints:
  - {name: shoulder, between: arm, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}}
  - {name: wrist, between: [arm, hand], ball: {at: [50 cm, 0, 0]}}
joint_positions: {shoulder: 20 deg, wrist: {turn_x: 10 deg, turn_z: -5 deg}}
)"},
    Example{"bushing", R"(bodies:
  - {name: engine, shape: {box: [60 cm, 40 cm, 40 cm]}, mass: 120 kg}
forces:
  - {name: mount, between: engine, bushing: {at: [0, 0, -20 cm], stiffness: [200 N/mm, 200 N/mm, 500 N/mm], angular_stiffness: 5000, damping: 1000}}
  - {name: thrust, between: engine, point_force: {force: 20 N, direction: [1, 0, 0], at: [0, 0, 10 cm], follows: true}}
)"},
    Example{"displacement law", R"(drives:
  - {name: piston, between: [ground, block], displacement: {amplitude: 5 cm, frequency: 2 Hz, mean: 50 cm}, axis: [1, 0]}
)"},
    Example{"torque law", R"(forces:
  - {name: hip, between: [ground, crank], torque: {table: gait.csv, column: hip}}
# gait.csv:  time [ms],hip [N m],knee [N m]
#            0,12.5,3
#            10,12.1,3.4
)"},
    Example{"force element", R"(forces:
  - {name: coil, between: [ground, block], spring: {to: [0.5, 0], stiffness: 2 N/mm, damping: 3 N s/m}}
  - {name: dashpot, between: [crank, block], damper: {damping: 10 N s/m}}
  - {name: twist, between: [ground, crank], torsion_spring: {stiffness: 5 N m/rad}}
  - {name: torque, between: [ground, crank], torque: 0.5 N m}
  - {name: push, between: [ground, block], point_force: {force: {slope: 2, start: 5}, direction: [0, 1]}}
  - {name: winch, between: [ground, block], pull: {force: {times: [0, 1, 2], values: [0, 10 N, 0]}}}
)"},
};

}  // namespace

std::string_view example_of(std::string_view title) {
  for (const Example& example : kExamples)
    if (example.title == title) return example.yaml;
  return "";
}

}  // namespace talus::scene::detail
