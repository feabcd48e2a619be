// Velocities of bodies as arrows from their centres; what lies inside of bodies shines through.
import {GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial} from "three";
import type {Recording, Velocities} from "../data/recording";
import {arrow, kArrowCode} from "./arrows";
import {kPoseCode} from "./shaders";
import type {BodyTextures} from "./textures";

const kVertex = /* glsl */ `
${kPoseCode}
${kArrowCode}
uniform float uSize;
uniform float uLength;  // per speed
in float part;
in float aBody;
in vec3 aVelocity;
out float vLight;
void main() {
  bool isThere;
  vec3 base = bodyPosition(int(aBody + 0.5), isThere);
  float size = length(aVelocity) * uLength;
  bool isShown = isThere && size > 0.02 * uSize;
  mat3 R = frame(isShown ? normalize(aVelocity) : vec3(0.0, 0.0, 1.0));
  vec3 world = base + onArrow(position, part, R, size, min(0.035 * uSize, 0.12 * size));
  vLight = 0.75 + 0.25 * (R * normal).z;
  gl_Position = isShown ? projectionMatrix * viewMatrix * vec4(world, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;
const kFragment = "in float vLight;\nout vec4 fragment;\nvoid main() { fragment = vec4(vec3(0.13, 0.40, 0.85) * vLight, 1.0); }";

/** Arrows of so many bodies at most. */
const kMost = 20000;

export class VelocityArrows {
  readonly mesh: Mesh<InstancedBufferGeometry, ShaderMaterial>;
  private readonly bodies: Float32Array;
  private readonly values: InstancedBufferAttribute;
  /** Speed of an arrow of two body sizes; the largest seen so far. */
  private reference = 0;

  constructor(recording: Recording, textures: BodyTextures, private readonly bodySize: number) {
    const moving = recording.shapes.body.filter((body) => recording.kind[body] === 0);
    const stride = Math.max(1, Math.ceil(moving.length / kMost));
    this.bodies = moving.filter((_, i) => i % stride === 0);
    const geometry = new InstancedBufferGeometry();
    for (const [name, attribute] of Object.entries(arrow().attributes)) geometry.setAttribute(name, attribute);
    this.values = new InstancedBufferAttribute(new Float32Array(3 * this.bodies.length), 3);
    geometry.setAttribute("aBody", new InstancedBufferAttribute(this.bodies, 1));
    geometry.setAttribute("aVelocity", this.values);
    geometry.instanceCount = this.bodies.length;
    this.mesh = new Mesh(geometry, new ShaderMaterial({
      glslVersion: GLSL3, vertexShader: kVertex, fragmentShader: kFragment, depthTest: false, transparent: true,
      uniforms: {...textures.uniforms, uSize: {value: bodySize}, uLength: {value: 1}},
    }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 5;
    this.mesh.visible = false;
  }

  set({linear}: Velocities): void {
    const values = this.values.array;
    this.bodies.forEach((body, i) => {
      for (let k = 0; k < 3; ++k) values[3 * i + k] = linear[3 * body + k]!;
      this.reference = Math.max(this.reference, Math.hypot(values[3 * i]!, values[3 * i + 1]!, values[3 * i + 2]!));
    });
    this.values.needsUpdate = true;
    this.mesh.material.uniforms["uLength"]!.value = this.reference > 0 ? (2 * this.bodySize) / this.reference : 0;
  }
}
