// Joints in space: an axle for what turns, a rail for what slides, a ball, the cross of a universal joint, lines for rods and
// ropes; sectors for limits, a ring where a motor is. Everything lies in the frames of the bodies and moves with them.
import {BufferGeometry, Float32BufferAttribute, GLSL3, Group, LineSegments, Mesh, ShaderMaterial} from "three";
import type {Joints} from "../data/machine";
import {kFirstJointId, kPoseCode} from "./shaders";
import {turned} from "./sizes";
import type {BodyTextures} from "./textures";

const [kRevolute, kPrismatic, kWeld, kDistance, kRope, kPinWithPlay] = [0, 1, 2, 3, 4, 6];
const [kSlot, kCylindrical, kUniversal, kBall, kPlanar, kScrew, kBallWithPlay] = [8, 9, 10, 11, 12, 13, 14];

type Point = [number, number, number];

/** How a part is drawn. */
const [kPlain, kPale, kMotor] = [0, 1, 2];

const kPose = /* glsl */ `
${kPoseCode}
vec3 placed(float body, vec3 point) {
  bool isThere;
  int i = int(body + 0.5);
  return body < -0.5 ? point : bodyPosition(i, isThere) + rotate(bodyRotation(i), point);
}
uniform bool uIsPicking;
uniform float uSelected;
const vec3 kJoint = vec3(0.80, 0.20, 0.35);
vec3 shown(float id, float part) {
  if (uIsPicking) {
    int number = ${kFirstJointId} + int(id + 0.5) + 1;
    return vec3(float(number & 255), float((number >> 8) & 255), float((number >> 16) & 255)) / 255.0;
  }
  if (abs(id - uSelected) < 0.5) return vec3(1.0, 0.72, 0.1);
  return part > 1.5 ? vec3(0.0, 0.5, 0.5) : kJoint;
}
`;
const kSolidVertex = /* glsl */ `
${kPose}
in float aBody;
in vec3 aNormal;
in float aId;
in float aPart;
flat out vec3 vColour;
flat out float vAlpha;
void main() {
  vec3 normal = mat3(viewMatrix) * (placed(aBody, aNormal) - placed(aBody, vec3(0.0)));
  vColour = shown(aId, aPart) * (uIsPicking ? 1.0 : 0.72 + 0.28 * normal.z);
  vAlpha = abs(aPart - 1.0) < 0.5 && !uIsPicking ? 0.4 : 1.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(placed(aBody, position), 1.0);
}
`;
const kLinkVertex = /* glsl */ `
${kPose}
in float aBodyA;
in float aBodyB;
in vec3 aPointA;
in vec3 aPointB;
in float end;
in float aId;
in float aLength;  // of a rope; 0: a rod
flat out vec3 vColour;
flat out float vAlpha;
void main() {
  vec3 a = placed(aBodyA, aPointA), b = placed(aBodyB, aPointB);
  bool isSlack = aLength > 0.0 && distance(a, b) < 0.9999 * aLength;
  vColour = shown(aId, 0.0);
  vAlpha = isSlack && !uIsPicking ? 0.35 : 1.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(mix(a, b, end), 1.0);
}
`;
const kFragment = `flat in vec3 vColour;\nflat in float vAlpha;\nout vec4 fragment;\nvoid main() { fragment = vec4(vColour, vAlpha); }`;

/** Triangles in the frames of bodies. */
class Solids {
  readonly position: number[] = [];
  readonly normal: number[] = [];
  readonly body: number[] = [];
  readonly id: number[] = [];
  readonly part: number[] = [];

  constructor(private readonly joints: Joints) {}

  private place(joint: number, isA: boolean): {body: number; point: Point; turn: ArrayLike<number>} {
    const {bodyA, bodyB, pointA, pointB, frameA, frameB} = this.joints;
    const [points, frames] = isA ? [pointA, frameA] : [pointB, frameB];
    return {
      body: (isA ? bodyA : bodyB)[joint]!, point: [...points.subarray(3 * joint, 3 * joint + 3)] as Point,
      turn: frames.subarray(4 * joint, 4 * joint + 4),
    };
  }

  triangle(joint: number, isA: boolean, part: number, corners: Point[], normals: Point[]): void {
    const {body, point, turn} = this.place(joint, isA);
    corners.forEach((corner, k) => {
      this.position.push(...turned(turn, ...corner).map((c, i) => c + point[i]!));
      this.normal.push(...turned(turn, ...normals[k]!));
      this.body.push(body);
      this.id.push(joint);
      this.part.push(part);
    });
  }

  /** A round bar along an axis (0 x, 1 y, 2 z) of the joint's frame. */
  bar(joint: number, isA: boolean, part: number, axis: number, from: number, to: number, radius: number, sides = 12): void {
    const on = (angle: number, r: number, along: number): Point => {
      const p: Point = [0, 0, 0];
      p[axis] = along;
      p[(axis + 1) % 3] = r * Math.cos(angle);
      p[(axis + 2) % 3] = r * Math.sin(angle);
      return p;
    };
    for (let k = 0; k < sides; ++k) {
      const [a, b] = [(2 * Math.PI * k) / sides, (2 * Math.PI * (k + 1)) / sides];
      const [na, nb] = [on(a, 1, 0), on(b, 1, 0)];
      const [p, q, r, s] = [on(a, radius, from), on(b, radius, from), on(b, radius, to), on(a, radius, to)];
      this.triangle(joint, isA, part, [p, q, r], [na, nb, nb]);
      this.triangle(joint, isA, part, [p, r, s], [na, nb, na]);
      this.triangle(joint, isA, part, [on(0, 0, to), s, r], [on(0, 0, 1), on(0, 0, 1), on(0, 0, 1)]);
      this.triangle(joint, isA, part, [on(0, 0, from), q, p], [on(0, 0, -1), on(0, 0, -1), on(0, 0, -1)]);
    }
  }

  ball(joint: number, isA: boolean, part: number, radius: number): void {
    const [rows, columns] = [8, 12];
    const on = (i: number, k: number): Point => {
      const [theta, phi] = [(Math.PI * i) / rows, (2 * Math.PI * k) / columns];
      return [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
    };
    const scaled = (p: Point): Point => [radius * p[0], radius * p[1], radius * p[2]];
    for (let i = 0; i < rows; ++i)
      for (let k = 0; k < columns; ++k) {
        const [a, b, c, d] = [on(i, k), on(i + 1, k), on(i + 1, k + 1), on(i, k + 1)];
        if (i + 1 < rows) this.triangle(joint, isA, part, [scaled(a), scaled(b), scaled(c)], [a, b, c]);
        if (i > 0) this.triangle(joint, isA, part, [scaled(a), scaled(c), scaled(d)], [a, c, d]);
      }
  }

  box(joint: number, isA: boolean, part: number, half: Point): void {
    for (let axis = 0; axis < 3; ++axis)
      for (const side of [-1, 1]) {
        const corner = (u: number, v: number): Point => {
          const p: Point = [0, 0, 0];
          p[axis] = side * half[axis]!;
          p[(axis + 1) % 3] = side * u * half[(axis + 1) % 3]!;
          p[(axis + 2) % 3] = v * half[(axis + 2) % 3]!;
          return p;
        };
        const normal: Point = [0, 0, 0];
        normal[axis] = side;
        const n = [normal, normal, normal];
        this.triangle(joint, isA, part, [corner(-1, -1), corner(1, -1), corner(1, 1)], n);
        this.triangle(joint, isA, part, [corner(-1, -1), corner(1, 1), corner(-1, 1)], n);
      }
  }

  /** A sector about z of A, from x: seen from both sides. */
  sector(joint: number, from: number, to: number, radius: number): void {
    const pieces = Math.max(2, Math.ceil(Math.abs(to - from) / 0.15));
    const on = (k: number): Point => {
      const angle = from + ((to - from) * k) / pieces;
      return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
    };
    const up: Point = [0, 0, 1];
    for (let k = 0; k < pieces; ++k) {
      this.triangle(joint, true, kPale, [[0, 0, 0], on(k), on(k + 1)], [up, up, up]);
      this.triangle(joint, true, kPale, [[0, 0, 0], on(k + 1), on(k)], [up, up, up]);
    }
  }

  geometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(this.position, 3));
    geometry.setAttribute("aNormal", new Float32BufferAttribute(this.normal, 3));
    for (const [name, values] of [["aBody", this.body], ["aId", this.id], ["aPart", this.part]] as const)
      geometry.setAttribute(name, new Float32BufferAttribute(values, 1));
    return geometry;
  }
}

export class JointGlyphs {
  readonly group = new Group();

  constructor(textures: BodyTextures, private readonly joints: Joints, uniforms: Record<string, {value: unknown}>, private readonly size: number) {
    const solids = new Solids(joints);
    joints.kind.forEach((kind, i) => this.draw(solids, i, kind));
    const material = (vertexShader: string): ShaderMaterial => new ShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader: kFragment, depthTest: false, transparent: true,
      uniforms: {...textures.uniforms, ...uniforms},
    });
    const links = [...joints.kind.keys()].filter((i) => [kDistance, kRope].includes(joints.kind[i]!));
    const line = new LineSegments(this.lines(links), material(kLinkVertex));
    const solid = new Mesh(solids.geometry(), material(kSolidVertex));
    for (const [mesh, order] of [[line, 3.9], [solid, 4]] as const) {
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.group.add(mesh);
    }
  }

  private draw(solids: Solids, i: number, kind: number): void {
    const s = this.size;
    const [low, high, least, most] = this.joints.limits.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const reach = 3.2 * s;
    if (Number.isFinite(least) || Number.isFinite(most)) {
      const from = Number.isFinite(least) ? least : most - 2 * Math.PI;
      const to = Number.isFinite(most) ? most : least + 2 * Math.PI;
      solids.sector(i, from, Math.min(to, from + 2 * Math.PI), 6 * s);
      solids.bar(i, false, kPlain, 0, 0, 6 * s, 0.12 * s, 6);  // where it stands
    }
    if ([kRevolute, kPinWithPlay, kCylindrical, kScrew].includes(kind)) {
      solids.bar(i, true, kPlain, 2, -reach, reach, 0.35 * s);
      solids.bar(i, false, kPlain, 2, -0.9 * s, 0.9 * s, 0.9 * s);
    }
    if ([kPrismatic, kSlot, kCylindrical, kScrew].includes(kind)) {
      const [from, to] = [Number.isFinite(low) ? low : -2 * reach, Number.isFinite(high) ? high : 2 * reach];
      solids.bar(i, true, kPlain, 2, from, to, 0.2 * s, 6);
      for (const stop of [low, high])
        if (Number.isFinite(stop)) solids.bar(i, true, kPlain, 2, stop - 0.1 * s, stop + 0.1 * s, 1.2 * s);
    }
    if (kind === kPrismatic) solids.box(i, false, kPlain, [0.8 * s, 0.8 * s, 1.2 * s]);
    if (kind === kWeld) solids.box(i, false, kPlain, [0.8 * s, 0.8 * s, 0.8 * s]);
    if (kind === kPlanar) solids.box(i, true, kPale, [reach, reach, 0.05 * s]);
    if (kind === kUniversal) {
      solids.bar(i, true, kPlain, 2, -1.6 * s, 1.6 * s, 0.35 * s);
      solids.bar(i, false, kPlain, 0, -1.6 * s, 1.6 * s, 0.35 * s);
    }
    if ([kBall, kBallWithPlay, kSlot].includes(kind)) solids.ball(i, false, kPlain, s);
    if ([kDistance, kRope].includes(kind)) for (const isA of [true, false]) solids.ball(i, isA, kPlain, 0.5 * s);
    if (this.joints.motor[i] === 1) solids.bar(i, true, kMotor, 2, 1.2 * s, 2.0 * s, 1.3 * s);
  }

  private lines(list: number[]): BufferGeometry {
    const {bodyA, bodyB, pointA, pointB, length, kind} = this.joints;
    const both = (values: (i: number) => Iterable<number>): number[] => list.flatMap((i) => [...values(i), ...values(i)]);
    const geometry = new BufferGeometry();
    const add = (name: string, values: number[], width: number): void => {
      geometry.setAttribute(name, new Float32BufferAttribute(values, width));
    };
    add("position", both(() => [0, 0, 0]), 3);
    add("aBodyA", both((i) => [bodyA[i]!]), 1);
    add("aBodyB", both((i) => [bodyB[i]!]), 1);
    add("aPointA", both((i) => pointA.subarray(3 * i, 3 * i + 3)), 3);
    add("aPointB", both((i) => pointB.subarray(3 * i, 3 * i + 3)), 3);
    add("aId", both((i) => [i]), 1);
    add("aLength", both((i) => [kind[i] === kRope ? length[i]! : 0]), 1);
    add("end", list.flatMap(() => [0, 1]), 1);
    return geometry;
  }
}
