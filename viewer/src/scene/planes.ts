// Planes have no end. They are drawn where the bodies are: each as far as the other planes leave it, so that a box of planes
// looks like a box; a floor alone fades out in the distance.
import {
  BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, Quaternion, Vector3, type Box3, type Mesh, type ShaderMaterial,
} from "three";
import type {Recording} from "../data/recording";
import {turned} from "./sizes";
import {kPlane} from "./shapes";
import type {BodyTextures} from "./textures";

interface HalfSpace {
  /** Points x with normal · x >= offset are inside. */
  normal: Vector3;
  offset: number;
}

/** The part of a convex polygon that lies in a half-space. */
export function clipped(polygon: Vector3[], {normal, offset}: HalfSpace): Vector3[] {
  const kept: Vector3[] = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length]!;
    const [a, b] = [normal.dot(p) - offset, normal.dot(q) - offset];
    if (a >= 0) kept.push(p);
    if (a * b < 0) kept.push(p.clone().lerp(q, a / (a - b)));
  });
  return kept;
}

/** Planes of which the normal points up at least so much are floors. */
const kFloor = 0.3;

export class Planes {
  readonly meshes: Mesh<InstancedBufferGeometry, ShaderMaterial>[] = [];
  private readonly bodies: number[] = [];

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures, makeMesh: (geometry: InstancedBufferGeometry) => Mesh<InstancedBufferGeometry, ShaderMaterial>) {
    const {shape, body} = recording.shapes;
    for (let i = 0; i < recording.shapes.count; ++i) {
      if (shape[i] !== kPlane) continue;
      const geometry = new InstancedBufferGeometry();
      const [p, q] = [recording.shapes.position, recording.shapes.orientation];
      const constants: [string, number[]][] = [
        ["aBody", [body[i]!]], ["aPosition", [...p.subarray(3 * i, 3 * i + 3)]],
        ["aRotation", [q[4 * i + 1]!, q[4 * i + 2]!, q[4 * i + 3]!, q[4 * i]!]], ["aSize", [1, 1, 1]], ["aStretch", [0]]];
      for (const [name, values] of constants)
        geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(values), values.length));
      geometry.instanceCount = 1;
      const mesh = makeMesh(geometry);
      mesh.renderOrder = 2;
      this.bodies.push(i);
      this.meshes.push(mesh);
    }
  }

  /** Where a plane is now: a point of it, and the axes of its frame. */
  private place(index: number): {point: Vector3; x: Vector3; y: Vector3; normal: Vector3} {
    const {position, orientation} = this.recording.shapes;
    const i = this.bodies[index]!;
    const [w, x, y, z] = this.textures.rotation(i);
    const [sw, sx, sy, sz] = orientation.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const turn = new Quaternion(x, y, z, w).multiply(new Quaternion(sx, sy, sz, sw));
    const [px, py, pz] = position.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
    return {
      point: this.textures.position(i).add(new Vector3(...turned([w, x, y, z], px, py, pz))),
      x: new Vector3(1, 0, 0).applyQuaternion(turn), y: new Vector3(0, 1, 0).applyQuaternion(turn),
      normal: new Vector3(0, 0, 1).applyQuaternion(turn),
    };
  }

  /** Cuts all planes to size. @param box around what is to be seen. */
  fit(box: Box3, up: Vector3): void {
    const places = this.meshes.map((_, i) => this.place(i));
    const center = box.getCenter(new Vector3());
    const size = box.getSize(new Vector3()).length();
    const roomy = box.clone().expandByScalar(0.04 * size);
    const grid = 10 ** Math.round(Math.log10(size / 8));
    this.meshes.forEach((mesh, index) => {
      const {point, x, y, normal} = places[index]!;
      const isFloor = normal.dot(up) > kFloor;
      const middle = center.clone().addScaledVector(normal, normal.dot(point) - normal.dot(center));
      const reach = 3 * size;
      let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        middle.clone().addScaledVector(x, a! * reach).addScaledVector(y, b! * reach));
      for (const other of places)
        if (other.normal.dot(normal) < 0.99)
          polygon = clipped(polygon, {normal: other.normal, offset: other.normal.dot(other.point) - 1e-6 * size});
      if (!isFloor)
        for (let k = 0; k < 3; ++k)
          for (const sign of [1, -1]) {
            const side = new Vector3().setComponent(k, sign);
            if (Math.abs(side.dot(normal)) > 0.99) continue;
            const bound = sign > 0 ? roomy.min : roomy.max;
            polygon = clipped(polygon, {normal: side, offset: side.dot(bound)});
          }
      const local = polygon.map((p) => [p.clone().sub(point).dot(x), p.clone().sub(point).dot(y)] as const);
      this.fill(mesh.geometry, local);
      const {uGrid, uFade, uFadeRadius} = mesh.material.uniforms;
      uGrid!.value = grid;
      uFade!.value.copy(center);
      uFadeRadius!.value = isFloor ? reach : 1e30;
    });
  }

  /** Triangles around the middle of a polygon, the border marked as an edge. */
  private fill(geometry: InstancedBufferGeometry, polygon: (readonly [number, number])[]): void {
    const n = Math.max(polygon.length, 1);
    const middle = [0, 1].map((k) => polygon.reduce((sum, p) => sum + p[k]!, 0) / n);
    const [position, edge]: number[][] = [[], []];
    polygon.forEach((p, i) => {
      const q = polygon[(i + 1) % n]!;
      position!.push(middle[0]!, middle[1]!, 0, p[0], p[1], 0, q[0], q[1], 0);
      edge!.push(1, 1, 1, 0, 1, 1, 0, 1, 1);
    });
    const count = position!.length / 3;
    const fill = (name: string, values: ArrayLike<number>, width: number): void => {
      geometry.setAttribute(name, new BufferAttribute(Float32Array.from(values), width));
    };
    fill("position", position!, 3);
    fill("normal", Array.from({length: 3 * count}, (_, i) => (i % 3 === 2 ? 1 : 0)), 3);
    fill("edge", edge!, 3);
    fill("cap", new Float32Array(count), 1);
  }
}
