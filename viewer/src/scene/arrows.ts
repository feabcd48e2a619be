// The shapes of arrows, cones and marks.
import {BufferGeometry, ConeGeometry, CylinderGeometry, Float32BufferAttribute} from "three";

/** One geometry of several, with the number of each in `part`. */
export function merge(pieces: [BufferGeometry, number][]): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  const part: number[] = [];
  for (const [piece, number] of pieces) {
    const flat = piece.index === null ? piece : piece.toNonIndexed();
    positions.push(...(flat.getAttribute("position").array as Float32Array));
    normals.push(...(flat.getAttribute("normal").array as Float32Array));
    part.push(...new Array<number>(flat.getAttribute("position").count).fill(number));
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new Float32BufferAttribute(normals, 3));
  geometry.setAttribute("part", new Float32BufferAttribute(part, 1));
  return geometry;
}

/** Along +z from 0 to 1. */
export const shaft = (): BufferGeometry =>
    new CylinderGeometry(1, 1, 1, 8, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
export const head = (): BufferGeometry => new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
export const arrow = (): BufferGeometry => merge([[shaft(), 0], [head(), 1]]);
/** Apex at the origin, open towards +z, radius 1 at height 1. */
export const cone = (): BufferGeometry =>
    new ConeGeometry(1, 1, 28, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);

/** GLSL: a frame of which z is given, and an arrow along a vector from its base, `size` long and 2 `width` thick. */
export const kArrowCode = /* glsl */ `
mat3 frame(vec3 z) {
  vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
  return mat3(x, cross(z, x), z);
}
// part: 0 shaft, 1 head, which keeps its proportions.
vec3 onArrow(vec3 p, float part, mat3 R, float size, float width) {
  float head = min(4.5 * width, 0.5 * size);
  float z = part < 0.5 ? p.z * (size - head) : size - head + p.z * head;
  return R * vec3(p.xy * width * (part < 0.5 ? 1.0 : 2.6), z);
}
`;
