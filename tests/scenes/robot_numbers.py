"""Bodies, joints and actuators of URDF and MJCF files, read from the numbers alone: what Talus' reader is compared with.

Nothing is shared with it. A body is what its joints move: links that are welded together are one. Of each: mass, centre of mass and inertia
about it, along the axes of the world, as the file gives the bodies.
"""

import itertools
import math
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NONE = ((0.0, 0.0, 0.0),) * 3


# ---- vectors and matrices

def add(a, b, factor=1.0):
    return tuple(x + factor * y for x, y in zip(a, b))


def times(A, x):
    return tuple(math.fsum(a * b for a, b in zip(row, x)) for row in A)


def product(A, B):
    columns = tuple(zip(*B))
    return tuple(tuple(math.fsum(a * b for a, b in zip(row, column)) for column in columns) for row in A)


def turned(I, R):
    return product(product(R, I), tuple(zip(*R)))


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def unit(a):
    size = math.sqrt(dot(a, a))
    return tuple(x / size for x in a)


def about(axis, angle):
    """Rodrigues: R = cos 1 + sin [a]x + (1 - cos) a aT."""
    a, c, s = unit(axis), math.cos(angle), math.sin(angle)
    skew = ((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))
    return tuple(tuple(c * UNIT[i][j] + s * skew[i][j] + (1 - c) * a[i] * a[j] for j in range(3)) for i in range(3))


def of_quaternion(q):
    n = math.sqrt(math.fsum(x * x for x in q))
    w, x, y, z = (part / n for part in q)
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))


def from_z_to(axis):
    """The smallest turn that takes z along an axis."""
    a = unit(axis)
    if a[2] < -1 + 1e-12:
        return about((1, 0, 0), math.pi)
    normal = cross((0, 0, 1), a)
    return UNIT if dot(normal, normal) == 0 else about(normal, math.atan2(math.sqrt(dot(normal, normal)), a[2]))


class Pose:
    def __init__(self, p=(0.0, 0.0, 0.0), R=UNIT):
        self.p, self.R = tuple(p), R

    def __mul__(self, other):
        return Pose(add(self.p, times(self.R, other.p)), product(self.R, other.R))


class Mass:
    """A mass, its centre and the inertia about it."""

    def __init__(self, mass=0.0, centre=(0.0, 0.0, 0.0), inertia=NONE):
        self.mass, self.centre, self.inertia = mass, tuple(centre), inertia

    def at(self, X):
        return Mass(self.mass, add(X.p, times(X.R, self.centre)), turned(self.inertia, X.R))

    def scaled(self, factor):
        return Mass(self.mass * factor, self.centre, tuple(tuple(factor * x for x in row) for row in self.inertia))


def together(parts):
    """Steiner: inertias about the common centre of mass."""
    mass = math.fsum(part.mass for part in parts)
    if mass == 0:
        return Mass()
    centre = tuple(math.fsum(part.mass * part.centre[k] for part in parts) / mass for k in range(3))
    rows = [[[] for _ in range(3)] for _ in range(3)]
    for part in parts:
        d = add(part.centre, centre, -1)
        for i, j in itertools.product(range(3), repeat=2):
            rows[i][j] += [part.inertia[i][j], part.mass * (dot(d, d) * UNIT[i][j] - d[i] * d[j])]
    return Mass(mass, centre, tuple(tuple(math.fsum(entry) for entry in row) for row in rows))


def diagonal(x, y, z):
    return (x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)


# ---- solids of density 1

def box(a, b, c):
    m = a * b * c
    return Mass(m, inertia=diagonal(m / 12 * (b * b + c * c), m / 12 * (c * c + a * a), m / 12 * (a * a + b * b)))


def ellipsoid(a, b, c):
    m = 4 / 3 * math.pi * a * b * c
    return Mass(m, inertia=diagonal(m / 5 * (b * b + c * c), m / 5 * (c * c + a * a), m / 5 * (a * a + b * b)))


def cylinder(r, length):
    m = math.pi * r * r * length
    across = m * (3 * r * r + length * length) / 12
    return Mass(m, inertia=diagonal(across, across, m * r * r / 2))


def capsule(r, length):
    """A cylinder and two half balls, whose centres are 3/8 r beyond its ends."""
    rod, half = cylinder(r, length), 2 / 3 * math.pi * r ** 3
    reach = length / 2 + 3 / 8 * r
    across = half * (83 / 320 * r * r)
    return together([rod, *(Mass(half, (0, 0, z), diagonal(across, across, half * 0.4 * r * r)) for z in (reach, -reach))])


def of_triangles(triangles):
    """Tetrahedra of the origin and each triangle: integrals of 1, x, x xT."""
    volume, first, second = [], [[], [], []], [[[] for _ in range(3)] for _ in range(3)]
    for a, b, c in triangles:
        v = dot(a, cross(b, c)) / 6
        s = add(add(a, b), c)
        volume.append(v)
        for i in range(3):
            first[i].append(v / 4 * s[i])
            for j in range(3):
                second[i][j].append(v / 20 * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]))
    m = math.fsum(volume)
    centre = tuple(math.fsum(entry) / m for entry in first)
    S = [[math.fsum(second[i][j]) - m * centre[i] * centre[j] for j in range(3)] for i in range(3)]
    trace = S[0][0] + S[1][1] + S[2][2]
    inertia = tuple(tuple((trace if i == j else 0) - S[i][j] for j in range(3)) for i in range(3))
    return Mass(m, centre, inertia) if m > 0 else Mass(-m, centre, tuple(tuple(-x for x in row) for row in inertia))


def hull(points):
    """Every triangle of points that has all others behind it. For few points."""
    found = []
    size = max(abs(x) for point in points for x in point)
    for i, j, k in itertools.combinations(range(len(points)), 3):
        a, b, c = points[i], points[j], points[k]
        n = cross(add(b, a, -1), add(c, a, -1))
        if dot(n, n) < 1e-24 * size ** 4:
            continue
        sides = [dot(unit(n), add(p, a, -1)) for p in points]
        if any(abs(s) < 1e-9 * size for m, s in enumerate(sides) if m not in (i, j, k)):
            on = sorted(m for m, s in enumerate(sides) if abs(s) < 1e-9 * size)
            if (i, j, k) != tuple(on[:3]) or (max(sides) > 1e-9 * size and min(sides) < -1e-9 * size):
                continue
            out = unit(n) if max(sides) <= 1e-9 * size else tuple(-x for x in unit(n))
            middle = tuple(math.fsum(points[m][q] for m in on) / len(on) for q in range(3))
            e1 = unit(add(points[on[0]], middle, -1))
            e2 = cross(out, e1)
            on.sort(key=lambda m: math.atan2(dot(e2, add(points[m], middle, -1)), dot(e1, add(points[m], middle, -1))))
            found += [(middle, points[p], points[q]) for p, q in zip(on, on[1:] + on[:1])]
        elif max(sides) <= 1e-9 * size:
            found.append((a, b, c))
        elif min(sides) >= -1e-9 * size:
            found.append((a, c, b))
    return of_triangles(found)


def mesh_file(path, scale):
    """The triangles of an STL or OBJ file."""
    scaled = lambda point: tuple(x * s for x, s in zip(point, scale))
    if path.suffix.lower() == ".stl":
        data = path.read_bytes()
        count = struct.unpack_from("<I", data, 80)[0]
        corners = [struct.unpack_from("<9f", data, 84 + 50 * i + 12) for i in range(count)]
        return [tuple(scaled(one[3 * k:3 * k + 3]) for k in range(3)) for one in corners]
    points, faces = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append(scaled(tuple(map(float, words[1:4]))))
        elif words[:1] == ["f"]:
            face = [int(word.split("/")[0]) for word in words[1:]]
            faces.append([n - 1 if n > 0 else len(points) + n for n in face])
    return [(points[f[0]], points[f[i]], points[f[i + 1]]) for f in faces for i in range(1, len(f) - 1)]


# ---- files

class Numbers:
    """What a file has: bodies that move by name, moving joints, actuators of joints."""

    def __init__(self):
        self.bodies, self.joints, self.actuators = {}, 0, 0


def vector(text, default=(0.0, 0.0, 0.0)):
    return tuple(map(float, text.replace(",", " ").split())) if text else default


def urdf(file):
    root = ElementTree.parse(file).getroot()
    joints = [joint for joint in root.findall("joint") if joint.find("child") is not None]
    parent = {}
    for joint in joints:
        parent.setdefault(joint.find("child").get("link"), joint)
    names = [link.get("name") for link in root.findall("link")]
    if "world" not in names and any(joint.find("parent").get("link") == "world" for joint in joints):
        names.append("world")

    def frame(element):
        origin = element.find("origin")
        if origin is None:
            return Pose()
        roll, pitch, yaw = vector(origin.get("rpy"))
        R = product(product(about((0, 0, 1), yaw), about((0, 1, 0), pitch)), about((1, 0, 0), roll))
        return Pose(vector(origin.get("xyz")), R)

    def holds(joint):
        limit = joint.find("limit")
        is_locked = (joint.get("type") in ("revolute", "prismatic") and limit is not None and
                     (limit.get("lower") or limit.get("upper")) is not None and
                     float(limit.get("lower", 0)) == float(limit.get("upper", 0)))
        return joint.get("type") == "fixed" or is_locked

    def world(name):
        return world(parent[name].find("parent").get("link")) * frame(parent[name]) if name in parent else Pose()

    def body_of(name):
        while name in parent and holds(parent[name]):
            name = parent[name].find("parent").get("link")
        return name

    parts = {}
    for link in root.findall("link"):
        inertial = link.find("inertial")
        mass = float(inertial.find("mass").get("value")) if inertial is not None else 0.0
        parts.setdefault(body_of(link.get("name")), [])
        if mass == 0:
            continue
        entry = lambda key, of=inertial.find("inertia"): float(of.get(key, 0))
        inertia = ((entry("ixx"), entry("ixy"), entry("ixz")), (entry("ixy"), entry("iyy"), entry("iyz")),
                   (entry("ixz"), entry("iyz"), entry("izz")))
        parts[body_of(link.get("name"))].append(Mass(mass, inertia=inertia).at(world(link.get("name")) * frame(inertial)))
    numbers = Numbers()
    numbers.joints = sum(not holds(joint) and joint.get("type") != "floating" for joint in joints)
    driven = {joint.get("name") for one in root.findall("transmission") for joint in one.findall("joint")}
    numbers.actuators = sum(joint.get("name") in driven and not holds(joint) and
                            float(joint.find("limit").get("effort", 0)) > 0
                            for joint in joints if joint.find("limit") is not None)
    base = body_of(names[0] if names[0] not in parent else next(name for name in names if name not in parent))
    for name, masses in parts.items():
        whole = together(masses)
        if whole.mass > 0 and name != "world" and not (name == base and base == "world"):
            numbers.bodies[name] = whole
    return numbers


ACTUATORS = {"motor", "position", "velocity", "general", "damper", "intvelocity", "cylinder", "muscle", "adhesion", "plugin"}
MOVES = {"hinge", "slide", "ball", "free"}


class Mjcf:
    def __init__(self, file):
        self.folder = Path(file).parent
        self.root = self.expanded(ElementTree.parse(file).getroot())
        self.classes, self.meshes, self.numbers, self.bodies = {}, {}, Numbers(), 0
        self.compiler = {}
        for one in self.root.findall("compiler"):
            self.compiler.update(one.attrib)
        self.angle = 1.0 if self.compiler.get("angle") == "radian" else math.pi / 180
        for one in self.root.findall("default"):
            self.read_class(one, None)
        for one in self.root.findall("asset/mesh"):
            name = one.get("name") or Path(one.get("file")).stem
            self.meshes[name] = one
        for world in self.root.findall("worldbody"):
            self.read_body(world, Pose(), None, None)
        self.numbers.actuators = sum(one.tag in ACTUATORS for list_ in self.root.findall("actuator") for one in list_)

    def expanded(self, root):
        whole = ElementTree.Element(root.tag, root.attrib)
        for child in root:
            if child.tag == "include":
                whole.extend(self.expanded(ElementTree.parse(self.folder / child.get("file")).getroot()))
            else:
                whole.append(self.expanded(child))
        return whole

    def read_class(self, element, parent):
        name = element.get("class") if parent is not None else "main"
        own = {tag: dict(values) for tag, values in self.classes.get(parent, {}).items()}
        for child in element:
            if child.tag != "default":
                own.setdefault(child.tag, {}).update(child.attrib)
        own_before = self.classes.get(name, {})
        self.classes[name] = {**own_before, **own}
        if parent is None and element.get("class"):
            self.classes[element.get("class")] = self.classes[name]
        for child in element.findall("default"):
            self.read_class(child, name)

    def values(self, element, tag, around):
        name = element.get("class") or around or "main"
        return {**self.classes.get(name, {}).get(tag, {}), **element.attrib}

    def rotation(self, values):
        if "quat" in values:
            return of_quaternion(vector(values["quat"]))
        if "axisangle" in values:
            *axis, angle = vector(values["axisangle"])
            return about(axis, angle * self.angle)
        if "euler" in values:
            R = UNIT
            for letter, angle in zip(self.compiler.get("eulerseq", "xyz"), vector(values["euler"])):
                turn = about(UNIT["xyz".index(letter.lower())], angle * self.angle)
                R = product(turn, R) if letter.isupper() else product(R, turn)
            return R
        if "xyaxes" in values:
            numbers = vector(values["xyaxes"])
            x = unit(numbers[:3])
            z = unit(cross(x, numbers[3:]))
            return tuple(zip(x, cross(z, x), z))
        return from_z_to(vector(values["zaxis"])) if "zaxis" in values else UNIT

    def pose(self, values):
        return Pose(vector(values.get("pos")), self.rotation(values))

    def read_body(self, element, X, above, around):
        """X of the body in the world; above: the parts of the body that it is welded to, None: the world."""
        around = element.get("childclass", around)
        laws = [self.values(one, "joint", around) for one in element.findall("joint")]
        joints = [law.get("type", "hinge") for law in laws]
        joints += ["free"] * len(element.findall("freejoint"))
        parts = above
        if element.tag == "body":
            self.bodies += 1
            if joints:
                parts = []
            self.numbers.joints += sum(kind != "free" for kind in joints)
            if parts is not None:
                parts += self.masses(element, X, around)
        self.read_inside(element, X, parts, around)
        if element.tag == "body" and joints:
            whole = together(parts)
            if joints == ["ball"] and above is None:  # its armature turns as the body does
                armature = float(laws[0].get("armature", 0))
                whole.inertia = tuple(add(row, axis, armature) for row, axis in zip(whole.inertia, UNIT))
            if whole.mass > 0:
                self.numbers.bodies[element.get("name", f"body {self.bodies}")] = whole

    def read_inside(self, element, X, parts, around):
        for child in element:
            if child.tag == "body":
                self.read_body(child, X * self.pose(child.attrib), parts, around)
            elif child.tag == "frame":
                self.read_inside(child, X * self.pose(child.attrib), parts, child.get("childclass", around))
            elif child.tag == "replicate":
                step = Pose(vector(child.get("offset")), self.rotation(child.attrib))
                at = X
                for _ in range(int(child.get("count"))):
                    self.read_inside(child, at, parts, around)
                    at = at * step

    def masses(self, element, X, around):
        inertial = element.find("inertial")
        source = self.compiler.get("inertiafromgeom", "auto")
        if source == "false" or (source == "auto" and inertial is not None):
            if inertial is None:
                return []
            x = vector(inertial.get("fullinertia")) if inertial.get("fullinertia") else None
            d = vector(inertial.get("diaginertia"))
            inertia = ((x[0], x[3], x[4]), (x[3], x[1], x[5]), (x[4], x[5], x[2])) if x else diagonal(*d)
            return [Mass(float(inertial.get("mass")), inertia=inertia).at(X * self.pose(inertial.attrib))]
        low, high = vector(self.compiler.get("inertiagrouprange"), (0, 5))
        found = []
        for geom in element.findall("geom"):
            values = self.values(geom, "geom", around)
            if low <= int(values.get("group", 0)) <= high:
                found.append(self.geom(values).at(X))
        return found

    def geom(self, values):
        kind = values.get("type", "mesh" if "mesh" in values else "sphere")
        size = vector(values.get("size"))
        X = self.pose(values)
        if "fromto" in values and kind != "sphere":
            ends = vector(values["fromto"])
            a, b = ends[:3], ends[3:]
            X = Pose(tuple((x + y) / 2 for x, y in zip(a, b)), from_z_to(add(a, b, -1)))
            half = math.sqrt(dot(add(a, b, -1), add(a, b, -1))) / 2
            size = (size[0], half) if kind in ("capsule", "cylinder") else (size[0], size[1], half)
        if kind == "sphere":
            solid = ellipsoid(size[0], size[0], size[0])
        elif kind == "ellipsoid":
            solid = ellipsoid(*size)
        elif kind == "box":
            solid = box(*(2 * x for x in size))
        elif kind in ("capsule", "cylinder"):
            solid = (capsule if kind == "capsule" else cylinder)(size[0], 2 * size[1])
        else:
            solid = self.mesh(values["mesh"])
        factor = float(values["mass"]) / solid.mass if "mass" in values else float(values.get("density", 1000))
        return solid.scaled(factor).at(X)

    def mesh(self, name):
        one = self.meshes[name]
        scale = vector(self.values(one, "mesh", None).get("scale"), (1.0, 1.0, 1.0))
        if one.get("vertex"):
            x = vector(one.get("vertex"))
            return hull([tuple(v * s for v, s in zip(x[i:i + 3], scale)) for i in range(0, len(x), 3)])
        return of_triangles(mesh_file(self.folder / self.compiler.get("meshdir", "") / one.get("file"), scale))


def read(file):
    return urdf(file) if Path(file).suffix == ".urdf" else Mjcf(file).numbers
