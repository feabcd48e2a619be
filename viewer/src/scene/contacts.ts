import {
  Color, DoubleSide, FrontSide, GLSL3, GreaterDepth, Group, InstancedBufferAttribute, InstancedBufferGeometry, LessEqualDepth, Mesh,
  OctahedronGeometry, ShaderMaterial, Vector3,
} from "three";
import type {Contacts, Recording} from "../data/recording";
import {arrow, cone, kArrowCode, merge, shaft} from "./arrows";
import {short, type Legend} from "./colours";
import {kColourCode, kLightCode, kPoseCode} from "./shaders";
import type {BodyTextures} from "./textures";

export const kContactLayers = ["points", "normals", "forces", "chains", "cones"] as const;
export type ContactLayer = (typeof kContactLayers)[number];

export enum ContactState {
  open,
  sticks,
  slips,
}
export const kStateNames = ["open", "sticks", "slips"];
export const kStateColours = ["#9aa3ad", "#2f9e6e", "#e8772e"];

/** What the record says of one contact, in forces. */
export interface ContactFacts {
  bodyA: number;
  bodyB: number;
  position: [number, number, number];
  normal: [number, number, number];
  gap: number;
  normalForce: number;
  tangentialForce: number;
  friction: number;
  state: ContactState;
}

/** A ratio of tangential to normal force this close to the friction coefficient is on the cone: it slips. */
const kOnCone = 1 - 1e-3;

/** How much is seen of what lies inside of bodies. */
const kBehind = 0.38;

const stateOf = (normal: number, tangential: number, friction: number): ContactState =>
    !(normal > 0) ? ContactState.open
    : tangential >= kOnCone * friction * normal ? ContactState.slips : ContactState.sticks;

export function contactFacts(recording: Recording, contacts: Contacts, i: number, stepSize: number): ContactFacts {
  const v = (values: Float32Array): [number, number, number] =>
      [values[3 * i]!, values[3 * i + 1]!, values[3 * i + 2]!];
  const n = v(contacts.normal);
  const r = v(contacts.impulse);
  const rn = n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
  const rt = Math.hypot(r[0] - rn * n[0], r[1] - rn * n[1], r[2] - rn * n[2]);
  const bodyA = contacts.bodyA[i]!;
  const bodyB = contacts.bodyB[i]!;
  const friction = recording.frictionOf(bodyA, bodyB);
  const state = stateOf(rn, rt, friction);
  return {
    bodyA, bodyB, position: v(contacts.position), normal: n, gap: contacts.gap[i]!,
    normalForce: rn / stepSize, tangentialForce: rt / stepSize, friction, state,
  };
}

/** Colours of forces, weak (0) to strong (1), as the shader has them. */
function heat(t: number): string {
  const smooth = (low: number, high: number): number => {
    const s = Math.min(Math.max((t - low) / (high - low), 0), 1);
    return s * s * (3 - 2 * s);
  };
  const [weak, middle, strong] = [[0.99, 0.8, 0.35], [0.9, 0.3, 0.2], [0.45, 0.05, 0.25]] as const;
  const [a, b] = [smooth(0, 0.55), smooth(0.5, 1)];
  const rgb = weak.map((w, k) => Math.round(255 * ((w + a * (middle[k]! - w)) * (1 - b) + b * strong[k]!)));
  return `rgb(${rgb.join(",")})`;
}

/** Forces this many body sizes long have the last colour. */
const kLongest = 2.5;

const kVertex = /* glsl */ `
${kPoseCode}
${kColourCode}
#define POINTS 0
#define NORMALS 1
#define FORCES 2
#define CHAINS 3
#define CONES 4
uniform int uLayer;
uniform float uSize;       // of a typical body
uniform float uForceScale; // length per impulse
uniform vec3 uStates[3];
uniform vec3 uPlain;
in float part;             // of an arrow: 0 shaft, 1 head, which keeps its proportions
in vec3 aPoint;
in vec3 aNormal;
in vec3 aImpulse;
in vec4 aFacts;            // body A, body B (-1: a wall), friction, state
in float aId;
out vec3 vNormal;
out vec3 vWorld;
flat out vec3 vColour;
flat out int vId;
${kArrowCode}
// Of a contact at least one body that moves is to be seen.
bool isOfShown(vec4 facts) {
  bool hasA = false, hasB = false;
  if (facts.x > -0.5) bodyPosition(int(facts.x + 0.5), hasA);
  if (facts.y > -0.5) bodyPosition(int(facts.y + 0.5), hasB);
  return hasA || hasB;
}
vec3 heat(float t) {  // light to dark: weak to strong; as heat() of this file
  t = clamp(t, 0.0, 1.0);
  return mix(mix(vec3(0.99, 0.80, 0.35), vec3(0.90, 0.30, 0.20), smoothstep(0.0, 0.55, t)), vec3(0.45, 0.05, 0.25), smoothstep(0.5, 1.0, t));
}
void main() {
  vec3 base = wrapped(aPoint);
  int state = int(aFacts.w + 0.5);
  float impulse = length(aImpulse);
  float normalImpulse = dot(aImpulse, aNormal);
  vec3 p = position;
  vec3 n = normal;
  vec3 world = base;
  bool isShown = isOfShown(aFacts);
  vColour = uPlain;
  if (uLayer == POINTS) {
    // A little towards the eye: half of it lies under a surface.
    vec3 eye = isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : normalize(cameraPosition - base);
    world = base + (p + eye) * uSize * 0.09;
    vColour = uStates[state];
  } else if (uLayer == NORMALS || uLayer == FORCES) {
    vec3 along = uLayer == NORMALS ? aNormal : aImpulse;
    float size = uLayer == NORMALS ? uSize * 0.7 : impulse * uForceScale;
    float width = uLayer == NORMALS ? uSize * 0.022 : min(uSize * 0.03, size * 0.1);
    isShown = isShown && size > 0.0;
    mat3 R = frame(isShown ? normalize(along) : vec3(0.0, 0.0, 1.0));
    world = base + onArrow(p, part, R, size, width);
    n = R * n;
    vColour = uLayer == FORCES ? heat(sqrt(impulse * uForceScale / (${kLongest.toFixed(1)} * uSize))) : uPlain;
  } else if (uLayer == CHAINS) {
    bool hasA, hasB;
    int a = int(floor(aFacts.x + 0.5)), b = int(floor(aFacts.y + 0.5));
    // From centre to centre through the contact; at walls and where a body is large the chain ends at the contact.
    float reach = 2.5 * uSize;
    vec3 pa = bodyPosition(max(a, 0), hasA), pb = bodyPosition(max(b, 0), hasB);
    if (a < 0 || length(pa - base) > reach) pa = base;
    if (b < 0 || length(pb - base) > reach) pb = base;
    vec3 line = pb - pa;
    float size = length(line);
    isShown = isShown && normalImpulse > 0.0 && size > 0.0;
    mat3 R = frame(isShown ? line / size : vec3(0.0, 0.0, 1.0));
    float width = min(normalImpulse * uForceScale * 0.07, 0.25 * uSize);
    world = pa + R * vec3(p.xy * width, p.z * size);
    n = R * n;
    vColour = heat(sqrt(normalImpulse * uForceScale / (${kLongest.toFixed(1)} * uSize)));
  } else {
    mat3 R = frame(aNormal);
    float height = 0.6 * uSize;
    world = base + R * (vec3(p.xy * aFacts.z, p.z) * height);
    n = R * normalize(vec3(n.xy, n.z * aFacts.z));
    vColour = uStates[state];
    isShown = isShown && aFacts.z > 0.0;
  }
  vWorld = world;
  vNormal = n;
  vId = int(aId + 0.5);
  if (abs(aId - uSelected) < 0.5) vColour = vec3(1.0, 0.72, 0.1);
  gl_Position = isShown ? projectionMatrix * viewMatrix * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

const kFragment = /* glsl */ `
${kPoseCode}
${kColourCode}
${kLightCode}
uniform bool uIsPicking;
uniform float uOpacity;
in vec3 vNormal;
in vec3 vWorld;
flat in vec3 vColour;
flat in int vId;
out vec4 fragment;
void main() {
  if (uIsPicking) {
    fragment = vec4(idColour(vId + 1), 1.0);
    return;
  }
  vec3 eye = isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : normalize(cameraPosition - vWorld);
  vec3 n = normalize(vNormal);
  if (!gl_FrontFacing) n = -n;
  fragment = vec4(lit(vColour, n, eye, 0.7, 1.0), uOpacity);
}
`;

/** Contact points, normals, forces, force chains, friction cones: instances over the contacts of a frame. */
export class ContactLayers {
  readonly group = new Group();
  readonly visible = new Set<ContactLayer>();
  private readonly meshes = new Map<ContactLayer, Mesh<InstancedBufferGeometry, ShaderMaterial>[]>();
  private readonly uniforms;
  private capacity = 0;
  private count = 0;
  private attributes: Record<string, InstancedBufferAttribute> = {};
  /** Impulse that an arrow of two body sizes stands for [N s]; the largest typical one seen so far. */
  private reference = 0;
  private factor = 1;

  constructor(private readonly recording: Recording, textures: BodyTextures, private readonly bodySize: number) {
    this.uniforms = {
      ...textures.uniforms,
      uSize: {value: bodySize},
      uForceScale: {value: 1},
      uSelected: {value: -1},
      uStates: {value: kStateColours.map((text) => {
        const colour = new Color().setStyle(text, "srgb-linear");  // the numbers as they are written
        return new Vector3(colour.r, colour.g, colour.b);
      })},
      uPlain: {value: new Vector3(0.25, 0.45, 0.75)},
    };
    kContactLayers.forEach((layer, index) => {
      const shape = layer === "points" ? merge([[new OctahedronGeometry(1, 1), 0]])
          : layer === "chains" ? merge([[shaft(), 0]]) : layer === "cones" ? merge([[cone(), 0]]) : arrow();
      const geometry = new InstancedBufferGeometry();
      for (const [name, attribute] of Object.entries(shape.attributes)) geometry.setAttribute(name, attribute);
      // Twice: what is before the bodies, and what is inside of them or behind, fainter.
      this.meshes.set(layer, [LessEqualDepth, GreaterDepth].map((depthFunc) => {
        const isBehind = depthFunc === GreaterDepth;
        const isCone = layer === "cones";
        const material = new ShaderMaterial({
          glslVersion: GLSL3,
          vertexShader: kVertex,
          fragmentShader: kFragment,
          side: isCone ? DoubleSide : FrontSide,
          transparent: isCone || isBehind,
          depthWrite: !isCone && !isBehind,
          depthFunc,
          uniforms: {...this.uniforms, uLayer: {value: index}, uOpacity: {value: (isCone ? 0.45 : 1) * (isBehind ? kBehind : 1)}},
        });
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = false;
        mesh.visible = false;
        mesh.renderOrder = isBehind ? 1 : 3;
        this.group.add(mesh);
        return mesh;
      }));
    });
  }

  get isShown(): boolean {
    return this.visible.size > 0;
  }

  /** What the shown layers mean: the states of contacts, and the colours of forces. @param stepSize in which the impulses act [s] */
  legends(stepSize: number): Legend[] {
    const legends: Legend[] = [];
    if (this.visible.has("points") || this.visible.has("cones"))
      legends.push({title: "Contacts", entries: kStateNames.map((name, i): [string, string] => [name, kStateColours[i]!])});
    if ((this.visible.has("forces") || this.visible.has("chains")) && this.reference > 0) {
      const strongest = kLongest * this.bodySize / this.uniforms.uForceScale.value / stepSize;
      const colours = Array.from({length: 17}, (_, i) => heat(Math.sqrt(i / 16)));
      legends.push({title: "Force of a contact", ramp: {low: "0", high: `${short(strongest, 3)} N`, colours}});
    }
    return legends;
  }

  show(layer: ContactLayer, isVisible: boolean): void {
    if (isVisible) this.visible.add(layer);
    else this.visible.delete(layer);
    for (const mesh of this.meshes.get(layer)!) mesh.visible = isVisible && this.count > 0;
  }

  setFactor(factor: number): void {
    this.factor = factor;
    this.rescale();
  }

  select(contact: number): void {
    this.uniforms.uSelected.value = contact < 0 ? -1 : this.recording.bodyCount + contact;
  }

  private rescale(): void {
    this.uniforms.uForceScale.value = this.reference > 0 ? this.factor * 1.2 * this.bodySize / this.reference : 1;
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    this.capacity = Math.max(64, Math.ceil(1.5 * count));
    const widths = {aPoint: 3, aNormal: 3, aImpulse: 3, aFacts: 4, aId: 1};
    for (const [name, width] of Object.entries(widths)) {
      this.attributes[name] = new InstancedBufferAttribute(new Float32Array(width * this.capacity), width);
      for (const [mesh] of this.meshes.values()) mesh!.geometry.setAttribute(name, this.attributes[name]);
    }
    const ids = this.attributes["aId"]!;
    for (let i = 0; i < this.capacity; ++i) ids.array[i] = this.recording.bodyCount + i;
  }

  set(contacts: Contacts): void {
    const {count} = contacts;
    this.count = count;
    this.reserve(count);
    if (count > 0) {
      const {aPoint, aNormal, aImpulse, aFacts} = this.attributes as Record<string, InstancedBufferAttribute>;
      (aPoint!.array as Float32Array).set(contacts.position);
      (aNormal!.array as Float32Array).set(contacts.normal);
      (aImpulse!.array as Float32Array).set(contacts.impulse);
      const facts = aFacts!.array as Float32Array;
      const {kind} = this.recording;
      const {normal, impulse, bodyA, bodyB} = contacts;
      for (let i = 0; i < count; ++i) {  // as contactFacts, without its objects
        const [a, b] = [bodyA[i]!, bodyB[i]!];
        const [x, y, z] = [impulse[3 * i]!, impulse[3 * i + 1]!, impulse[3 * i + 2]!];
        const along = x * normal[3 * i]! + y * normal[3 * i + 1]! + z * normal[3 * i + 2]!;
        const friction = this.recording.frictionOf(a, b);
        facts[4 * i] = kind[a] === 0 ? a : -1;
        facts[4 * i + 1] = kind[b] === 0 ? b : -1;
        facts[4 * i + 2] = friction;
        facts[4 * i + 3] = stateOf(along, Math.sqrt(Math.max(x * x + y * y + z * z - along * along, 0)), friction);
      }
      const stride = Math.ceil(count / 4000);
      const sizes = Float32Array.from({length: Math.ceil(count / stride)}, (_, k) =>
        Math.hypot(impulse[3 * k * stride]!, impulse[3 * k * stride + 1]!, impulse[3 * k * stride + 2]!)).sort();
      const typical = sizes[Math.floor(0.9 * (sizes.length - 1))]!;
      if (typical > this.reference) {
        this.reference = typical;
        this.rescale();
      }
      for (const attribute of [aPoint, aNormal, aImpulse, aFacts]) attribute!.needsUpdate = true;
    }
    for (const [layer, meshes] of this.meshes)
      for (const mesh of meshes) {
        mesh.geometry.instanceCount = count;
        mesh.visible = this.visible.has(layer) && count > 0;
      }
  }

  /** Chains are left out: under them are the bodies that one wants to pick. */
  preparePicking(isPicking: boolean): void {
    for (const [layer, [mesh, behind]] of this.meshes) {
      const isShown = this.visible.has(layer) && this.count > 0;
      mesh!.material.transparent = layer === "cones" && !isPicking;
      mesh!.visible = isShown && !(isPicking && layer === "chains");
      behind!.visible = isShown && !isPicking;
    }
  }
}
