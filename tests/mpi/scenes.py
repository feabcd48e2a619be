"""Small scenes, each large enough that there are several tiles of contacts to share."""

HEAD = """
title: {title}
time: {{step: 1 ms, end: {end} ms}}
solver: {{tolerance: 1e-4, max_iterations: 5000}}
record: {{every: 10}}
materials: {{glass: {{density: 2500 kg/m^3}}}}
contacts: {{default: {{friction: 0.5{resistance}}}}}
"""


def planes(half_width, names="left right front back"):
    """A floor and walls."""
    text = "  - {name: floor, fixed: true, material: glass, shape: {plane: {}}}\n"
    directions = {"left": (1, 0), "right": (-1, 0), "front": (0, 1), "back": (0, -1)}
    for name in names.split():
        x, y = directions[name]
        text += (f"  - {{name: {name}, fixed: true, material: glass, shape: {{plane: {{normal: [{x}, {y}, 0]}}}}, "
                 f"position: [{-x * half_width} mm, {-y * half_width} mm, 0]}}\n")
    return text


def grains(count, spacing=20.2, radius=9.7, z=10, velocity="[0.3, -0.2, -1]", shape="sphere: {radius: %s mm}", x0=None):
    """A lattice of bodies, nearly touching, in motion."""
    nx, ny, nz = count
    x = -(nx - 1) * spacing / 2 if x0 is None else x0
    y = -(ny - 1) * spacing / 2
    body = shape % radius if "%s" in shape else shape
    return f"""  - name: grains
    material: glass
    velocity: {velocity}
    lattice:
      shape: {{{body}}}
      size_spread: 3 %
      count: [{nx}, {ny}, {nz}]
      spacing: [{spacing} mm, {spacing} mm, {spacing} mm]
      origin: [{x} mm, {y} mm, {z} mm]
      jitter: 0.1 mm
      seed: 1
"""


def head(title, end, resistance=""):
    return HEAD.format(title=title, end=end, resistance=resistance)


def bed(side=11, end=40, more="", resistance=""):
    """Grains fall into a box and collapse."""
    return (head("A bed collapses", end, resistance) + more + "bodies:\n" + planes(side * 12) +
            grains((side, side, side)))


def resting():
    """Columns of balls that touch each other, nearly at rest."""
    return (head("Columns at rest", 24) + "bodies:\n" + planes(400) +
            """  - name: grains
    material: glass
    lattice:
      shape: {sphere: {radius: 1 cm}}
      count: [16, 16, 17]
      spacing: [2 cm, 2 cm, 2 cm]
      origin: [-15 cm, -15 cm, 1 cm]
""")


def rolling():
    """Grains that resist rolling and spinning, and stick."""
    resistance = ", rolling_friction: 0.2 mm, torsional_friction: 0.1 mm, cohesion: 0.01 N"
    return head("Grains that stick", 10, resistance) + "bodies:\n" + planes(180) + grains((16, 7, 6))


def rain():
    """Grains fall from a source onto a bed, some of which a sink takes away."""
    return bed(side=11, end=30, more="sinks:\n  - {name: corner, region: {min: [4 cm, 4 cm, -.inf]}}\n") + """  - name: rain
    material: glass
    velocity: [0, 0, -2]
    source:
      shape: {sphere: {radius: 8 mm}}
      size_spread: 10 %
      count: 60
      mass_rate: 5 kg/s
      region: {min: [-5 cm, -5 cm, 26 cm], max: [5 cm, 5 cm, 32 cm]}
      gap: 0.1 mm
"""


def large_ball():
    return (head("A large ball on a bed", 30) + "bodies:\n" + planes(120) + grains((11, 11, 8)) +
            "  - {name: ball, material: glass, shape: {sphere: {radius: 50 mm}}, position: [0, 0, 230 mm], velocity: [0, 0, -4]}\n")


def periodic():
    return (head("Sheared without side walls", 30) + "periodic: {x: [0, 220 mm], y: [0, 220 mm]}\nbodies:\n" +
            planes(0, "") + grains((11, 11, 8), spacing=20, radius=9.6, z=10, velocity="[1, 0.5, -1]", x0=10))


def hopper():
    """Grains run out between boxes."""
    text = head("Outflow", 20) + "bodies:\n" + planes(0, "")
    for name, x, y, size in (("left", -102, 0, "[2 cm, 24 cm, 24 cm]"), ("right", 102, 0, "[2 cm, 24 cm, 24 cm]"),
                             ("front", 0, -102, "[18 cm, 2 cm, 24 cm]"), ("back", 0, 102, "[18 cm, 2 cm, 24 cm]")):
        text += f"  - {{name: {name}, fixed: true, material: glass, shape: {{box: {size}}}, position: [{x} mm, {y} mm, 200 mm]}}\n"
    return text + grains((9, 9, 10), z=12, velocity="[1, -0.7, -1]") + """probes:
  - {name: outflow, every: 10, mass_flow: {point: [0, 0, 8 cm], normal: [0, 0, -1]}}
"""


def boxes():
    return (head("Boxes fall", 10) + "bodies:\n" + planes(100) +
            grains((8, 8, 5), spacing=21.5, z=12, shape="box: [20 mm, 20 mm, 20 mm]"))


def clumps():
    """Pairs of balls that overlap."""
    members = "clump: [{sphere: 8 mm, position: [0, 0, -3 mm]}, {sphere: 6 mm, position: [0, 0, 5 mm]}]"
    return (head("Clumps fall", 10) + "bodies:\n" + planes(180) +
            grains((16, 8, 6), spacing=21.5, z=12, velocity="[0.3, -0.2, -2]", shape=members))


def slow(shape="sphere: {radius: %s mm}", radius=9.6):
    """Grains that nearly touch and hardly move: one search is enough for the first step, and nothing is too deep."""
    return (head("Grains in a box", 10) + "bodies:\n" + planes(150) +
            grains((13, 13, 8), spacing=20, radius=radius, z=10, velocity="[0.01, -0.02, -0.5]", shape=shape))


def sleeping():
    return bed(side=9, end=60, more="scheme: {name: moreau_jean, sleeping: true}\n")


def machine():
    """A pendulum of two links swings into grains."""
    return (head("A machine in grains", 20) + "bodies:\n" + planes(120) + grains((11, 11, 7)) +
            """  - {name: arm, material: glass, shape: {box: [120 mm, 20 mm, 20 mm]}, position: [60 mm, 0, 240 mm]}
  - {name: hand, material: glass, shape: {box: [20 mm, 20 mm, 100 mm]}, position: [110 mm, 0, 190 mm], velocity: [0, 0, -1]}
joints:
  - {name: shoulder, between: [world, arm], revolute: {at: [0, 0, 240 mm], axis: [0, 1, 0]}}
  - {name: wrist, between: [arm, hand], revolute: {at: [110 mm, 0, 240 mm], axis: [0, 1, 0]}}
""")
