// Joints, and the frames of bodies. A joint is drawn where it holds its two bodies: a mark at each point and a line
// between them, which has a length only where the joint has play, is a rod or a rope. Reaction forces of joints have
// their place here when records have them.
import {
  BufferGeometry, GLSL3, Group, InstancedBufferAttribute, InstancedBufferGeometry, Float32BufferAttribute, LineSegments,
  Mesh, OctahedronGeometry, ShaderMaterial,
} from "three";
import type {Recording} from "../data/recording";
import {kPoseCode} from "./shaders";
import type {BodyTextures} from "./textures";

export const kJointNames = ["revolute", "prismatic", "weld", "distance", "rope", "gear", "revolute with clearance",
                            "translational with clearance"];

const kJointVertex = /* glsl */ `
${kPoseCode}
uniform float uSize;
uniform bool uIsLine;
in float aBodyA;
in float aBodyB;
in vec3 aPointA;
in vec3 aPointB;
in float end;
void main() {
  bool hasA, hasB;
  int a = int(aBodyA + 0.5), b = int(aBodyB + 0.5);
  vec3 pa = bodyPosition(a, hasA);
  vec3 pb = bodyPosition(b, hasB);
  pa += rotate(bodyRotation(a), aPointA);
  pb += rotate(bodyRotation(b), aPointB);
  vec3 world = uIsLine ? mix(pa, pb, end) : mix(pa, pb, end) + position * uSize;
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;
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

function instanced(shape: BufferGeometry, count: number, values: Record<string, [Float32Array, number]>):
    InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  for (const [name, attribute] of Object.entries(shape.attributes)) geometry.setAttribute(name, attribute);
  for (const [name, [numbers, width]] of Object.entries(values))
    geometry.setAttribute(name, new InstancedBufferAttribute(numbers, width));
  geometry.instanceCount = count;
  return geometry;
}

/** Marks and lines of all joints; null where the record has none. */
export function makeJoints(recording: Recording, textures: BodyTextures, bodySize: number): Group | null {
  const joints = recording.joints;
  if (joints === null) return null;
  const group = new Group();
  const values: Record<string, [Float32Array, number]> = {
    aBodyA: [joints.bodyA, 1], aBodyB: [joints.bodyB, 1], aPointA: [joints.pointA, 3], aPointB: [joints.pointB, 3],
  };
  const material = (isLine: boolean): ShaderMaterial => new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: kJointVertex,
    fragmentShader: `out vec4 fragment;\nvoid main() { fragment = vec4(0.80, 0.20, 0.35, 1.0); }`,
    uniforms: {...textures.uniforms, uSize: {value: 0.05 * bodySize}, uIsLine: {value: isLine}},
    depthTest: false,
  });
  const line = new BufferGeometry();
  line.setAttribute("position", new Float32BufferAttribute(6, 3));
  line.setAttribute("end", new Float32BufferAttribute([0, 1], 1));
  group.add(new LineSegments(instanced(line, joints.kind.length, values), material(true)));
  for (const end of [0, 1]) {
    const mark = new OctahedronGeometry(1, 1);
    mark.setAttribute("end", new Float32BufferAttribute(new Float32Array(mark.getAttribute("position").count).fill(end), 1));
    group.add(new Mesh(instanced(mark, joints.kind.length, values), material(false)));
  }
  for (const child of group.children) {
    child.frustumCulled = false;
    child.renderOrder = 4;
  }
  return group;
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
