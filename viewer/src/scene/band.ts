// A line from a body that is pulled to where the pointer pulls it.
import {BufferGeometry, Float32BufferAttribute, GLSL3, LineSegments, ShaderMaterial, type Vector3} from "three";

const kVertex = "void main() { gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }";
const kFragment = "out vec4 fragment;\nvoid main() { fragment = vec4(0.82, 0.1, 0.3, 1.0); }";

export class Band {
  readonly line = new LineSegments(new BufferGeometry(), new ShaderMaterial({
    glslVersion: GLSL3, vertexShader: kVertex, fragmentShader: kFragment, depthTest: false, depthWrite: false,
  }));

  constructor() {
    this.line.frustumCulled = false;
    this.line.renderOrder = 6;
    this.line.visible = false;
  }

  show(from: Vector3, to: Vector3): void {
    this.line.geometry.setAttribute("position", new Float32BufferAttribute([...from.toArray(), ...to.toArray()], 3));
    this.line.visible = true;
  }

  hide(): void {
    this.line.visible = false;
  }
}
