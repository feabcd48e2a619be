"""Random MJCF and URDF files: every way to turn a frame, to size and to weigh a shape, classes, groups, frames, welded bodies."""

import random


class Numbers:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def some(self, count, size=1.0):
        return " ".join(f"{self.random.uniform(-size, size):.6g}" for _ in range(count))

    def positive(self, count, low=0.02, high=0.3):
        return " ".join(f"{self.random.uniform(low, high):.6g}" for _ in range(count))

    def happens(self, share):
        return self.random.random() < share


class Mjcf(Numbers):
    def __init__(self, seed):
        super().__init__(seed)
        self.has_degrees, self.bodies = self.happens(0.5), 0

    def text(self):
        compiler = self.random.choice(["", "inertiafromgeom='true'", "inertiagrouprange='0 1'"])
        sequence = self.random.choice(["xyz", "zyx", "XYZ", "yxz", "zXy", "XZX"])
        return f"""<mujoco>
<compiler angle="{'degree' if self.has_degrees else 'radian'}" eulerseq="{sequence}" {compiler}/>
<option><flag contact="disable"/></option>
<default><geom density="500" group="1"/>
<default class="x"><geom type="box" size="0.1 0.2 0.05"/>
<default class="y"><geom type="capsule" size="0.07 0.1" density="900" group="2"/></default></default></default>
<worldbody>{self.body(0)}{self.body(0)}</worldbody></mujoco>"""

    def turn(self):
        angle = 180 if self.has_degrees else 3
        return self.random.choice([
            "", f'quat="{self.some(4)}"', f'axisangle="{self.some(3)} {self.some(1, angle)}"', f'euler="{self.some(3, angle)}"',
            f'xyaxes="{self.some(6)}"', f'zaxis="{self.some(3)}"'])

    def place(self):
        return f'pos="{self.some(3)}" {self.turn()}'

    def geom(self):
        weight = self.random.choice(["", f'density="{self.positive(1, 100, 2000)}"', f'mass="{self.positive(1, 0.1, 3)}"'])
        shape = self.random.choice([
            f'type="sphere" size="{self.positive(1)}" {self.place()}', f'type="box" size="{self.positive(3)}" {self.place()}',
            f'type="capsule" size="{self.positive(2)}" {self.place()}', f'type="cylinder" size="{self.positive(1)}" fromto="{self.some(6)}"',
            f'type="ellipsoid" size="{self.positive(3)}" {self.place()}', f'type="box" size="{self.positive(2)}" fromto="{self.some(6)}"',
            f'class="{self.random.choice("xy")}" {self.place()}'])
        return f"<geom {shape} {weight}/>\n"

    def body(self, depth):
        self.bodies += 1
        name = f"body {self.bodies}"
        inside = "".join(self.geom() for _ in range(self.random.randrange(1, 4)))
        if self.happens(0.3):
            inside += f'<inertial {self.place()} mass="{self.positive(1, 0.1, 3)}" diaginertia="{self.positive(3, 1, 1.4)}"/>'
        if depth == 0 or self.happens(0.7):
            kind = self.random.choice(["hinge", "slide", "ball"])
            # What weighs whatever group counts: a body that moves has a mass.
            inside += f'<joint type="{kind}" axis="{self.some(3)}" pos="{self.some(3)}"/><geom type="sphere" size="0.05" group="0"/>\n'
        below = "".join(self.body(depth + 1) for _ in range(self.random.randrange(0, 3))) if depth < 3 else ""
        if below and self.happens(0.4):
            below = f'<frame {self.place()} childclass="y">{below}</frame>'
        childclass = self.random.choice(["", 'childclass="y"'])
        return f'<body name="{name}" {self.place()} {childclass}>{inside}{below}</body>\n'


class Urdf(Numbers):
    def text(self):
        links = [f"<link name='link 0'>{self.inertial()}</link>"]
        joints = []
        for i in range(1, self.random.randrange(3, 9)):
            links.append(f"<link name='link {i}'>{self.inertial()}</link>")
            kind = self.random.choice(["fixed", "continuous", "prismatic", "spherical"])
            joints.append(f"<joint name='joint {i}' type='{kind}'><parent link='link {self.random.randrange(i)}'/><child link='link {i}'/>"
                          f"<origin xyz='{self.some(3)}' rpy='{self.some(3, 3)}'/><axis xyz='{self.some(3)}'/></joint>")
        return "<robot name='random'>\n" + "\n".join(links + joints) + "\n</robot>"

    def inertial(self):
        xx, yy, zz = self.positive(3, 1, 1.4).split()
        xy, xz, yz = self.some(3, 0.2).split()
        return (f"<inertial><origin xyz='{self.some(3)}' rpy='{self.some(3, 3)}'/><mass value='{self.positive(1, 0.1, 3)}'/>"
                f"<inertia ixx='{xx}' iyy='{yy}' izz='{zz}' ixy='{xy}' ixz='{xz}' iyz='{yz}'/></inertial>")
