// Edges of flat faces: each corner of a triangle gets three numbers, of which the first is 0 on the side opposite to the first
// corner, and so on; where that side is no edge it is 1 all over. The fragment shader draws a line where one of them is nearly 0.
import {BufferAttribute, Vector3, type BufferGeometry} from "three";

/** Faces that meet at less than this are one. */
const kFlat = Math.cos((25 * Math.PI) / 180);
/** Above so many triangles a mesh has no edges that one could see. */
const kMostTriangles = 200_000;

/** @param geometry without index, or one is made of it. */
export function withEdges(indexed: BufferGeometry): BufferGeometry {
  const geometry = indexed.index === null ? indexed : indexed.toNonIndexed();
  const position = geometry.getAttribute("position");
  const edge = new Float32Array(3 * position.count).fill(1);
  geometry.setAttribute("edge", new BufferAttribute(edge, 3));
  const triangles = position.count / 3;
  if (triangles > kMostTriangles) return geometry;
  // Corners at one place are one corner.
  const places = new Map<string, number>();
  const corner = Array.from({length: position.count}, (_, i) => {
    const key = [position.getX(i), position.getY(i), position.getZ(i)].map((x) => Math.round(1e5 * x)).join(" ");
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key)!;
  });
  const normals = Array.from({length: triangles}, (_, t) => {
    const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromBufferAttribute(position, 3 * t + k)) as [Vector3, Vector3, Vector3];
    return b.sub(a).cross(c.sub(a)).normalize();
  });
  const sides = new Map<string, number[]>();
  const sideOf = (t: number, k: number): string => {
    const [a, b] = [corner[3 * t + ((k + 1) % 3)]!, corner[3 * t + ((k + 2) % 3)]!];
    return a < b ? `${a} ${b}` : `${b} ${a}`;
  };
  for (let t = 0; t < triangles; ++t)
    for (let k = 0; k < 3; ++k) {
      const key = sideOf(t, k);
      const found = sides.get(key);
      if (found === undefined) sides.set(key, [t]);
      else found.push(t);
    }
  for (let t = 0; t < triangles; ++t)
    for (let k = 0; k < 3; ++k) {
      const others = sides.get(sideOf(t, k))!;
      const isEdge = others.length === 1 || others.some((other) => normals[other]!.dot(normals[t]!) < kFlat);
      if (!isEdge) continue;
      for (let i = 0; i < 3; ++i) edge[9 * t + 3 * i + k] = i === k ? 1 : 0;
    }
  return geometry;
}
