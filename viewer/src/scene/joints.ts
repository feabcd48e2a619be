// Joints, what they and the drives do, and the frames of bodies. A joint is drawn where it holds its two bodies: a mark at
// each point and a line between them, which has a length only where the joint has play, is a rod or a rope.
import {
  BufferGeometry, DoubleSide, GLSL3, Group, InstancedBufferAttribute, InstancedBufferGeometry, Float32BufferAttribute,
  LineSegments, Mesh, ShaderMaterial, Vector3,
} from "three";
import type {Reactions} from "../data/machine";
import type {Poses, Recording} from "../data/recording";
import {JointGlyphs} from "./joint_glyphs";
import {JointMarks} from "./joint_marks";
import {turned, type Sizes} from "./sizes";
import {kPoseCode} from "./shaders";
import type {BodyTextures} from "./textures";

export const kJointNames = ["revolute", "prismatic", "weld", "distance", "rope", "gear", "revolute with clearance",
                            "translational with clearance", "slot", "cylindrical", "universal", "ball", "planar", "screw",
                            "ball with clearance", "other", "line", "rotation"];

const kAxesVertex = /* glsl */ `
${kPoseCode}
uniform float uSize;
in float aBody;
in vec3 direction;
out vec3 vColour;
void main() {
  bool isThere;
  int body = int(aBody + 0.5);
  vec3 centre = bodyPosition(body, isThere);
  vColour = direction * 0.75 + vec3(0.12);
  vec3 world = centre + rotate(bodyRotation(body), position) * uSize;
  gl_Position = isThere ? projectionMatrix * viewMatrix * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export function instanced(shape: BufferGeometry, count: number, values: Record<string, [Float32Array, number]>):
    InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  for (const [name, attribute] of Object.entries(shape.attributes)) geometry.setAttribute(name, attribute);
  for (const [name, [numbers, width]] of Object.entries(values))
    geometry.setAttribute(name, new InstancedBufferAttribute(numbers, width));
  geometry.instanceCount = count;
  return geometry;
}

const kForceVertex = /* glsl */ `
${kPoseCode}
uniform float uSize;      // of a typical body
uniform float uScale;     // length per newton, or radius per newton metre
uniform bool uIsArc;
uniform float uSelected;
uniform vec3 uColour;
in vec2 ribbon;           // 0 to 1 along it; -1 to 1 across the shaft, beyond that the head
in float aBody;
in vec3 aPoint;
in vec3 aValue;           // a force, or a moment
in float aId;
flat out vec3 vColour;
void main() {
  bool isThere;
  int body = int(aBody + 0.5);
  vec3 base = bodyPosition(body, isThere);
  base += rotate(bodyRotation(body), aPoint);
  float size = length(aValue) * uScale;
  bool isShown = size > 0.0;  // not of NaN
  vec3 world = base;
  if (isShown && uIsArc) {
    // Three quarters of a circle, turning as the moment does; of one along z from the x axis on.
    float width = min(0.02 * uSize, 0.09 * size);
    float angle = 4.7 * ribbon.x;
    vec3 axis = aValue / length(aValue);
    vec3 start = abs(axis.x) > 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
    start = normalize(start - axis * dot(axis, start));
    world += (start * cos(angle) + cross(axis, start) * sin(angle)) * (size + ribbon.y * width);
  } else if (isShown) {
    vec3 along = aValue / length(aValue);
    float width = min(0.02 * uSize, 0.07 * size);
    float head = min(7.0 * width, 0.6 * size);
    float x = ribbon.x < 0.5 ? 0.0 : abs(ribbon.y) > 0.01 ? size - head : size;
    vec3 eye = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);  // towards it
    vec3 across = cross(eye, along);
    world += along * x + across / max(length(across), 1e-6) * (ribbon.y * width);
  }
  vColour = abs(aId - uSelected) < 0.5 ? vec3(1.0, 0.72, 0.1) : uColour;
  gl_Position = isShown ? projectionMatrix * viewMatrix * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const kReactionColour = [0.5, 0.2, 0.72];
export const kDriveColour = [0.0, 0.5, 0.5];
const css = (colour: number[]): string => `rgb(${colour.map((c) => Math.round(255 * c)).join(",")})`;
export const kReactionCss = css(kReactionColour);
export const kDriveCss = css(kDriveColour);

/** A flat arrow along x: corners as `ribbon` above. */
function arrow(): BufferGeometry {
  const shaft = [[0, -1], [1, -1], [1, 1], [0, -1], [1, 1], [0, 1]];
  const head = [[1, -3.2], [1, 0], [1, 3.2]];
  return ribbonOf([...shaft, ...head]);
}
/** A band around three quarters of a circle, with a head. */
function arc(): BufferGeometry {
  const corners: number[][] = [];
  const steps = 40;
  const end = 0.9;
  for (let i = 0; i < steps; ++i) {
    const [a, b] = [(end * i) / steps, (end * (i + 1)) / steps];
    corners.push([a, -1], [b, -1], [b, 1], [a, -1], [b, 1], [a, 1]);
  }
  return ribbonOf([...corners, [end, -3.5], [1, 0], [end, 3.5]]);
}
function ribbonOf(corners: number[][]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(3 * corners.length), 3));
  geometry.setAttribute("ribbon", new Float32BufferAttribute(corners.flat(), 2));
  return geometry;
}

/** Of a typical body, the radius of a mark. */
const kMarkSize = 0.035;
/** The same of a joint in space. */
const kGlyphSize = 0.1;
/** How near the pointer must be to a joint to be told its name [CSS pixels]. */
const kHoverReach = 14;
const kNothing = new Group();

/** Where an arrow stands and whose number it has. */
interface Arrow {
  id: number;
  body: number;
  point: number[];
}

/** Arrows of one colour, all straight or all bent, with values that change from frame to frame. */
class Arrows {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly values: InstancedBufferAttribute;

  constructor(list: Arrow[], isArc: boolean, colour: number[], textures: BodyTextures, bodySize: number) {
    const geometry = instanced(isArc ? arc() : arrow(), list.length, {
      aId: [Float32Array.from(list, ({id}) => id), 1],
      aBody: [Float32Array.from(list, ({body}) => body), 1],
      aPoint: [Float32Array.from(list.flatMap(({point}) => point)), 3],
      aValue: [new Float32Array(3 * list.length), 3],
    });
    this.values = geometry.getAttribute("aValue") as InstancedBufferAttribute;
    const material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: kForceVertex,
      fragmentShader: `flat in vec3 vColour;\nout vec4 fragment;\nvoid main() { fragment = vec4(vColour, 1.0); }`,
      uniforms: {
        ...textures.uniforms, uSize: {value: bodySize}, uScale: {value: 1}, uIsArc: {value: isArc}, uSelected: {value: -1},
        uColour: {value: new Vector3(...colour)},
      },
      side: DoubleSide,
      depthTest: false,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
  }

  /** @param value of each arrow. @param scale length per value. */
  set(value: (index: number) => ArrayLike<number>, scale: number): void {
    for (let i = 0; i < this.values.count; ++i) this.values.array.set(Array.from(value(i)), 3 * i);
    this.values.needsUpdate = true;
    this.mesh.material.uniforms["uScale"]!.value = scale;
  }

  select(id: number): void {
    this.mesh.material.uniforms["uSelected"]!.value = id;
  }
}

/** Joints with what they and the drives do: forces as arrows on body B, moments and torques as bent ones. */
export class JointLayer {
  private readonly symbols: JointMarks | JointGlyphs | null = null;
  /** Arrows. */
  readonly forces = new Group();
  private readonly all: Arrows[] = [];
  private readonly uniforms = {uIsPicking: {value: false}, uSelected: {value: -1}, uInk: {value: new Vector3(0.25, 0.28, 0.32)}};
  private readonly reactions: {force: Arrows; moment: Arrows} | null = null;
  private readonly drives: {force: Arrows; moment: Arrows; ofForce: number[]; ofMoment: number[]} | null = null;
  private factor = 1;
  private last: Reactions | null = null;

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures,
              private readonly bodySize: number, sizes: Sizes) {
    const {joints, drives} = recording;
    if (joints !== null) {
      this.symbols = joints.isInSpace ? new JointGlyphs(textures, joints, this.uniforms, kGlyphSize * bodySize)
          : new JointMarks(recording, textures, joints, this.uniforms, kMarkSize * bodySize, sizes);
      const list = joints.name.map((_, i) => ({id: i, body: joints.bodyB[i]!, point: [...joints.pointB.subarray(3 * i, 3 * i + 3)]}));
      this.reactions = {force: this.add(list, false, kReactionColour), moment: this.add(list, true, kReactionColour)};
    }
    if (drives !== null) {
      const indices = drives.name.map((_, i) => i);
      const ofForce = indices.filter((i) => drives.quantity[i] === 1);
      const ofMoment = indices.filter((i) => drives.quantity[i] !== 1);
      const place = (i: number): Arrow => ({id: -2, body: drives.bodyB[i]!, point: this.placeOfDrive(i)});
      this.drives = {
        force: this.add(ofForce.map(place), false, kDriveColour), moment: this.add(ofMoment.map(place), true, kDriveColour),
        ofForce, ofMoment,
      };
    }
    this.forces.visible = false;
  }

  /** Of a torque: the joint of the same two bodies, if there is one. */
  private placeOfDrive(drive: number): number[] {
    const {joints, drives} = this.recording;
    const [a, b] = [drives!.bodyA[drive], drives!.bodyB[drive]];
    if (drives!.quantity[drive] !== 1)
      for (let i = 0; i < (joints?.name.length ?? 0); ++i) {
        if (joints!.bodyA[i] === a && joints!.bodyB[i] === b) return [...joints!.pointB.subarray(3 * i, 3 * i + 3)];
        if (joints!.bodyA[i] === b && joints!.bodyB[i] === a) return [...joints!.pointA.subarray(3 * i, 3 * i + 3)];
      }
    return [...drives!.pointB.subarray(3 * drive, 3 * drive + 3)];
  }

  private add(list: Arrow[], isArc: boolean, colour: number[]): Arrows {
    const arrows = new Arrows(list, isArc, colour, this.textures, this.bodySize);
    this.all.push(arrows);
    this.forces.add(arrows.mesh);
    return arrows;
  }

  setFactor(factor: number): void {
    this.factor = factor;
    this.set(this.last);
  }

  set(reactions: Reactions | null): void {
    this.last = reactions;
    const none = [0, 0, 0];
    const {force, moment} = this.recording.reactionScale;
    const size = 0.4 * this.factor * this.bodySize;
    const [perForce, perMoment] = [force > 0 ? size / force : 1, moment > 0 ? (0.4 * size) / moment : 1];
    if (this.reactions !== null) {
      this.reactions.force.set((i) => (reactions === null ? none : this.inWorld(i, reactions.force)), perForce);
      this.reactions.moment.set((i) => (reactions === null ? none : this.inWorld(i, reactions.moment)), perMoment);
    }
    if (this.drives !== null) {
      const {ofForce, ofMoment} = this.drives;
      const along = (drive: number): number[] => {
        if (reactions === null) return none;
        const {bodyA, axisA, quantity} = this.recording.drives!;
        const isPlanarTorque = this.recording.header.dimension === 2 && quantity[drive] !== 1;
        const [x, y, z] = isPlanarTorque ? [0, 0, 1] : axisA.subarray(3 * drive, 3 * drive + 3);
        return turned(this.textures.rotation(bodyA[drive]!), x!, y!, z!).map((c) => c * reactions.effort[drive]!);
      };
      this.drives.force.set((k) => along(ofForce[k]!), perForce);
      this.drives.moment.set((k) => along(ofMoment[k]!), perMoment);
    }
  }

  /** A vector of a joint's reaction along the axes of the world. */
  private inWorld(joint: number, values: Float32Array): ArrayLike<number> {
    const own = values.subarray(3 * joint, 3 * joint + 3);
    const {isInSpace, frameA, bodyA} = this.recording.joints!;
    if (!isInSpace) return own;
    const inA = turned(frameA.subarray(4 * joint, 4 * joint + 4), own[0]!, own[1]!, own[2]!);
    return turned(this.textures.rotation(bodyA[joint]!), ...inA);
  }

  /** The joint whose place on the canvas is near a point of it; −1: none. */
  near(x: number, y: number, project: (point: Vector3) => [number, number]): number {
    const names = this.marks.visible ? this.recording.joints?.name ?? [] : [];
    let [best, least] = [-1, kHoverReach];
    for (let i = 0; i < names.length; ++i) {
      const [px, py] = project(this.position(i));
      const distance = Math.hypot(px - x, py - y);
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  select(joint: number): void {
    this.uniforms.uSelected.value = joint;
    for (const arrows of this.all) arrows.select(joint < 0 ? -1 : joint);
  }

  /** Where a joint holds body B, in the world. */
  position(joint: number): Vector3 {
    const {bodyB, pointB} = this.recording.joints!;
    const body = bodyB[joint]!;
    const [x, y, z] = pointB.subarray(3 * joint, 3 * joint + 3);
    return this.textures.position(body).add(new Vector3(...turned(this.textures.rotation(body), x!, y!, z!)));
  }

  /** Marks of joints, rods and ropes, and rails. */
  get marks(): Group {
    return this.symbols?.group ?? kNothing;
  }
  setExtent(frames: Poses[]): void {
    if (this.symbols instanceof JointMarks) this.symbols.setExtent(frames);
  }
  setInk(isDark: boolean): void {
    this.uniforms.uInk.value.setScalar(isDark ? 0.82 : 0.27);
  }

  preparePicking(isPicking: boolean): void {
    this.uniforms.uIsPicking.value = isPicking;
    if (this.symbols instanceof JointMarks) this.symbols.preparePicking(isPicking);
  }
}

/** The axes of the frames of bodies: x red, y green, z blue. */
export function makeAxes(bodies: Float32Array, textures: BodyTextures, size: number): LineSegments {
  const lines = new BufferGeometry();
  const position: number[] = [];
  const direction: number[] = [];
  for (let axis = 0; axis < 3; ++axis) {
    const unit = [0, 1, 2].map((k) => (k === axis ? 1 : 0));
    position.push(0, 0, 0, ...unit);
    direction.push(...unit, ...unit);
  }
  lines.setAttribute("position", new Float32BufferAttribute(position, 3));
  lines.setAttribute("direction", new Float32BufferAttribute(direction, 3));
  const material = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: kAxesVertex,
    fragmentShader: `in vec3 vColour;\nout vec4 fragment;\nvoid main() { fragment = vec4(vColour, 1.0); }`,
    uniforms: {...textures.uniforms, uSize: {value: size}},
    depthTest: false,
  });
  const axes = new LineSegments(instanced(lines, bodies.length, {aBody: [bodies, 1]}), material);
  axes.frustumCulled = false;
  axes.renderOrder = 5;
  return axes;
}
