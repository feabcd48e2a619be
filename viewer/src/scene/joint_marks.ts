// Joints as they are drawn in books: a ring with a pin, hatched where it is held by the ground; rails for guides; of play the pin's
// place in the hole, larger than it is.
import {
  BufferGeometry, Float32BufferAttribute, GLSL3, Group, LineSegments, Mesh, PlaneGeometry, ShaderMaterial, type InstancedBufferGeometry,
} from "three";
import type {Joints} from "../data/machine";
import type {Poses, Recording} from "../data/recording";
import {instanced} from "./joints";
import {kFirstJointId, kPoseCode} from "./shaders";
import {turned, type Sizes} from "./sizes";
import type {BodyTextures} from "./textures";

const [kPrismatic, kWeld, kDistance, kRope, kGear, kGuideWithPlay, kSlot] = [1, 2, 3, 4, 5, 7, 8];
const isGuide = (kind: number): boolean => [kPrismatic, kGuideWithPlay, kSlot].includes(kind);
const isLink = (kind: number): boolean => kind === kDistance || kind === kRope;

const kEnds = /* glsl */ `
${kPoseCode}
uniform float uSize;
in float aBodyA;
in float aBodyB;
in vec3 aPointA;
in vec3 aPointB;
in float aId;
void ends(out vec3 pa, out vec3 pb) {
  bool hasA, hasB;
  int a = int(aBodyA + 0.5), b = int(aBodyB + 0.5);
  pa = bodyPosition(a, hasA) + rotate(bodyRotation(a), aPointA);
  pb = bodyPosition(b, hasB) + rotate(bodyRotation(b), aPointB);
}
`;
const kColour = "vec3(0.80, 0.20, 0.35)";
const kChosen = "vec3(1.0, 0.72, 0.1)";

const kMarkVertex = /* glsl */ `
${kEnds}
in vec4 aMark;  // end (0 A, 1 B), is on the ground, is a square, clearance
out vec2 vPlace;
flat out vec2 vPin;
flat out vec4 vMark;
flat out int vId;
void main() {
  vec3 pa, pb;
  ends(pa, pb);
  vPlace = 2.7 * position.xy;
  vec2 play = aMark.w > 0.0 ? (pb.xy - pa.xy) / aMark.w : vec2(0.0);
  vPin = 0.42 * play / max(length(play), 1.0);
  vMark = aMark;
  vId = int(aId + 0.5);
  gl_Position = projectionMatrix * viewMatrix * vec4(mix(pa, pb, aMark.x) + vec3(vPlace, 0.0) * uSize, 1.0);
}
`;
const kMarkFragment = /* glsl */ `
uniform bool uIsPicking;
uniform float uSelected;
uniform vec3 uInk;
in vec2 vPlace;
flat in vec2 vPin;
flat in vec4 vMark;
flat in int vId;
out vec4 fragment;
float inside(float distance) { return 1.0 - smoothstep(-0.5, 0.5, distance / fwidth(vPlace.x)); }
void main() {
  float ring = vMark.z > 0.5 ? max(abs(vPlace.x), abs(vPlace.y)) : length(vPlace);
  if (uIsPicking) {
    if (ring > 1.7) discard;
    int id = ${kFirstJointId} + vId + 1;
    fragment = vec4(float(id & 255), float((id >> 8) & 255), float((id >> 16) & 255), 255.0) / 255.0;
    return;
  }
  vec3 colour = abs(float(vId) - uSelected) < 0.5 ? ${kChosen} : ${kColour};
  vec4 c = vec4(0.0);
  if (vMark.y > 0.5) {  // the ground: a triangle on a hatched line
    float down = -vPlace.y;
    float triangle = max(abs(vPlace.x) - 0.62 * down, max(down - 1.9, 0.4 - down));
    float border = abs(triangle) - 0.09;
    float line = max(abs(down - 1.9) - 0.09, abs(vPlace.x) - 1.7);
    float hatch = max(abs(fract((vPlace.x + vPlace.y) * 1.6) - 0.5) / 1.6 / 1.41 - 0.05, max(max(1.9 - down, down - 2.5), abs(vPlace.x) - 1.7));
    c = vec4(1.0, 1.0, 1.0, 0.85 * inside(triangle));
    float ink = max(inside(border), max(inside(line), inside(hatch)));
    c = mix(c, vec4(uInk, 1.0), ink);
  }
  c = mix(c, vec4(colour, 1.0), inside(ring - 1.0));
  c = mix(c, vec4(1.0), inside(ring - 0.74) * (vMark.z > 0.5 ? 0.0 : 1.0));
  c = mix(c, vec4(colour, 1.0), inside(length(vPlace - vPin) - 0.32));
  if (c.a < 0.01) discard;
  fragment = c;
}
`;

const kLineVertex = /* glsl */ `
${kEnds}
in float end;
void main() {
  vec3 pa, pb;
  ends(pa, pb);
  gl_Position = projectionMatrix * viewMatrix * vec4(mix(pa, pb, end), 1.0);
}
`;
const kLineFragment = `out vec4 fragment;\nvoid main() { fragment = vec4(${kColour}, 1.0); }`;

const kGuideVertex = /* glsl */ `
${kEnds}
in vec3 aAxis;
in vec4 aGuide;  // from, to along the axis; half width; is on the ground
out vec2 vPlace;
flat out vec4 vGuide;
void main() {
  int a = int(aBodyA + 0.5);
  vec3 pa, pb;
  ends(pa, pb);
  vec3 axis = rotate(bodyRotation(a), aAxis);
  float reach = aGuide.z + 0.9 * uSize;
  vPlace = vec2(mix(aGuide.x, aGuide.y, 0.5 + 0.5 * position.x), position.y * reach);
  vGuide = aGuide;
  gl_Position = projectionMatrix * viewMatrix * vec4(pa + axis * vPlace.x + vec3(-axis.y, axis.x, 0.0) * vPlace.y, 1.0);
}
`;
const kGuideFragment = /* glsl */ `
uniform float uSize;
uniform vec3 uInk;
in vec2 vPlace;
flat in vec4 vGuide;
out vec4 fragment;
void main() {
  float pixel = fwidth(vPlace.y);
  float out_ = abs(vPlace.y) - vGuide.z;
  float rail = 1.0 - smoothstep(0.5, 1.5, abs(out_ - pixel) / pixel);
  float stripe = abs(fract((vPlace.x + vPlace.y) / (0.7 * uSize)) - 0.5) * 0.7 * uSize / 1.41;
  float hatch = vGuide.w * step(0.0, out_) * (1.0 - smoothstep(0.3, 1.2, stripe / pixel));
  float ink = max(rail, hatch);
  if (ink < 0.02) discard;
  fragment = vec4(uInk, ink);
}
`;

export class JointMarks {
  readonly group = new Group();
  private readonly unpicked: (Mesh | LineSegments)[] = [];
  private readonly guides: {joint: number; range: [number, number]}[] = [];
  private guideMesh: Mesh<InstancedBufferGeometry, ShaderMaterial> | null = null;

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures, private readonly joints: Joints,
              private readonly uniforms: Record<string, {value: unknown}>, private readonly size: number, private readonly sizes: Sizes) {
    const all = joints.name.map((_, i) => i);
    const marks = all.flatMap((i) => {
      const kind = joints.kind[i]!;
      return kind === kGear ? [] : (isGuide(kind) ? [1] : isLink(kind) ? [0, 1] : [0]).map((end) => ({i, end}));
    });
    const [bodyA, bodyB] = [joints.bodyA, joints.bodyB];
    const isOnGround = ({i, end}: {i: number; end: number}): boolean => {
      const own = recording.kind[end === 0 ? bodyA[i]! : bodyB[i]!] !== 0;
      const isPin = !isGuide(joints.kind[i]!) && !isLink(joints.kind[i]!);
      return own || (isPin && recording.kind[bodyB[i]!] !== 0);
    };
    const quad = new PlaneGeometry(2, 2).toNonIndexed();
    this.add(new Mesh(instanced(quad, marks.length, {
      ...this.values(marks.map(({i}) => i)),
      aMark: [Float32Array.from(marks.flatMap((mark) =>
        [mark.end, isOnGround(mark) ? 1 : 0, joints.kind[mark.i] === kWeld ? 1 : 0, isGuide(joints.kind[mark.i]!) ? 0 : joints.clearance[mark.i]!])), 4],
    }), this.material(kMarkVertex, kMarkFragment)), 4);
    const links = all.filter((i) => isLink(joints.kind[i]!));
    const line = new BufferGeometry();
    line.setAttribute("position", new Float32BufferAttribute(6, 3));
    line.setAttribute("end", new Float32BufferAttribute([0, 1], 1));
    this.unpicked.push(this.add(new LineSegments(instanced(line, links.length, this.values(links)), this.material(kLineVertex, kLineFragment)), 4));
    this.guides = all.filter((i) => isGuide(joints.kind[i]!) && Math.hypot(...joints.axisA.subarray(3 * i, 3 * i + 3)) > 0)
        .map((joint) => ({joint, range: [Infinity, -Infinity]}));
  }

  private values(list: number[]): Record<string, [Float32Array, number]> {
    const {bodyA, bodyB, pointA, pointB} = this.joints;
    const each = (values: Float32Array, width: number): [Float32Array, number] =>
        [Float32Array.from(list.flatMap((i) => [...values.subarray(width * i, width * (i + 1))])), width];
    return {aBodyA: each(bodyA, 1), aBodyB: each(bodyB, 1), aPointA: each(pointA, 3), aPointB: each(pointB, 3), aId: [Float32Array.from(list), 1]};
  }

  private material(vertexShader: string, fragmentShader: string): ShaderMaterial {
    return new ShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, depthTest: false, transparent: true,
      uniforms: {...this.textures.uniforms, ...this.uniforms, uSize: {value: this.size}},
    });
  }

  private add<M extends Mesh | LineSegments>(mesh: M, order: number): M {
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.group.add(mesh);
    return mesh;
  }

  /** Rails are as long as their blocks go in some frames. */
  setExtent(frames: Poses[]): void {
    if (this.guides.length === 0) return;
    const {bodyA, bodyB, pointA, pointB, axisA, clearance} = this.joints;
    const values: number[] = [];
    for (const {joint: i, range} of this.guides) {
      const at = (poses: Poses, body: number, points: Float32Array): number[] => {
        const [x, y, z] = points.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
        return turned(poses.orientation.subarray(4 * body, 4 * body + 4), x, y, z).map((c, k) => c + poses.position[3 * body + k]!);
      };
      for (const poses of frames) {
        const [a, b] = [at(poses, bodyA[i]!, pointA), at(poses, bodyB[i]!, pointB)];
        const [x, y, z] = axisA.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
        const axis = turned(poses.orientation.subarray(4 * bodyA[i]!, 4 * bodyA[i]! + 4), x, y, z);
        const along = axis.reduce((sum, c, k) => sum + c * (b[k]! - a[k]!), 0);
        range[0] = Math.min(range[0], along);
        range[1] = Math.max(range[1], along);
      }
      const box = this.sizes.box.subarray(6 * bodyB[i]!, 6 * bodyB[i]! + 6);
      const [length, width] = [0.5 * (box[3]! - box[0]!), 0.5 * (box[4]! - box[1]!)];
      const half = this.joints.kind[i] === kSlot ? this.size : (width > 0 ? width : this.size) + 0.5 * clearance[i]!;
      const more = Math.max(length, 2 * this.size) + this.size;
      values.push(range[0] - more, range[1] + more, half, this.recording.kind[bodyA[i]!] !== 0 ? 1 : 0);
    }
    const list = this.guides.map(({joint}) => joint);
    const geometry = instanced(new PlaneGeometry(2, 2).toNonIndexed(), list.length, {
      ...this.values(list), aGuide: [Float32Array.from(values), 4],
      aAxis: [Float32Array.from(list.flatMap((i) => [...axisA.subarray(3 * i, 3 * i + 3)])), 3],
    });
    if (this.guideMesh !== null) this.guideMesh.geometry = geometry;
    else {
      this.guideMesh = this.add(new Mesh(geometry, this.material(kGuideVertex, kGuideFragment)), -0.5);
      this.unpicked.push(this.guideMesh);
    }
  }

  /** While one picks there are marks only, larger than they look. */
  preparePicking(isPicking: boolean): void {
    for (const mesh of this.unpicked) mesh.visible = !isPicking;
  }
}
