// Unit geometries that the shaders scale, and the surfaces of a record. `cap` says what moves with a shape's ends.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, Float32BufferAttribute, SphereGeometry,
} from "three";
import type {Surfaces} from "../data/recording";
import {withEdges} from "./edges";

function withCap(geometry: BufferGeometry, cap: (z: number) => number): BufferGeometry {
  const position = geometry.getAttribute("position");
  const values = Float32Array.from({length: position.count}, (_, i) => cap(position.getZ(i)));
  geometry.setAttribute("cap", new BufferAttribute(values, 1));
  geometry.deleteAttribute("uv");
  return withEdges(geometry);
}

export const box = (): BufferGeometry => withCap(new BoxGeometry(2, 2, 2), () => 0);

/** Sides of a round shape: fewer where there are many, which are small then. */
const sides = (count: number): number => (count <= 1000 ? 48 : count <= 10000 ? 24 : 12);

/** Radius 1 and half length 1 along z. */
export const cylinder = (count: number): BufferGeometry =>
    withCap(new CylinderGeometry(1, 1, 2, sides(count)).rotateX(Math.PI / 2), () => 0);

/** Two half balls of radius 1; their rims are joined by what lies between them. */
export function capsule(count: number): BufferGeometry {
  const round = sides(count);
  // An odd number of bands: none of the vertices lies on the equator, so each belongs to one end.
  const ball = new SphereGeometry(1, round <= 24 ? round : 32, round > 24 ? 17 : round > 12 ? 11 : 7).rotateX(Math.PI / 2);
  return withCap(ball, (z) => Math.sign(z));
}

/** Wall that is seen from inside, with ends or without. */
export function pipe(hasEnds: boolean): BufferGeometry {
  const geometry = new CylinderGeometry(1, 1, 2, 64, 1, !hasEnds).rotateX(Math.PI / 2);
  const index = geometry.getIndex()!;
  for (let i = 0; i < index.count; i += 3) {
    const second = index.getX(i + 1);
    index.setX(i + 1, index.getX(i + 2));
    index.setX(i + 2, second);
  }
  const normal = geometry.getAttribute("normal");
  for (let i = 0; i < normal.count; ++i)
    normal.setXYZ(i, -normal.getX(i), -normal.getY(i), -normal.getZ(i));
  return withCap(geometry, () => 0);
}

/** A surface of the record; triangles with normals of their own, so that edges are seen. */
export function surface(surfaces: Surfaces, index: number): BufferGeometry {
  const firstVertex = surfaces.vertexOffset[index]!;
  const [first, last] = [surfaces.triangleOffset[index]!, surfaces.triangleOffset[index + 1]!];
  const positions = new Float32Array(9 * (last - first));
  for (let corner = 0; corner < 3 * (last - first); ++corner) {
    const vertex = firstVertex + surfaces.triangle[3 * first + corner]!;
    positions.set(surfaces.vertex.subarray(3 * vertex, 3 * vertex + 3), 3 * corner);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return withCap(geometry, () => 0);
}
