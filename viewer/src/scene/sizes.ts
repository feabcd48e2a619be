// How large bodies are, in their own frames.
import type {Recording} from "../data/recording";
import {kBox, kCapsule, kCylinder, kMesh, kPipe, kPolytope, kSphere} from "./shapes";

/** Boxes around the bodies' shapes in their frames, and radii of balls that hold them; zero for what has no end. */
export interface Sizes {
  /** low x, y, z, high x, y, z of each body. */
  box: Float32Array;
  radius: Float32Array;
}

export function bodySizes(recording: Recording): Sizes {
  const n = recording.bodyCount;
  const box = new Float32Array(6 * n);
  const radius = new Float32Array(n);
  const isKnown = new Uint8Array(n);
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  const add = (body: number, x: number, y: number, z: number): void => {
    [x, y, z].forEach((value, k) => {
      if (isKnown[body] === 0) box[6 * body + k] = box[6 * body + 3 + k] = value;
      box[6 * body + k] = Math.min(box[6 * body + k]!, value);
      box[6 * body + 3 + k] = Math.max(box[6 * body + 3 + k]!, value);
    });
    isKnown[body] = 1;
    radius[body] = Math.max(radius[body]!, Math.hypot(x, y, z));
  };
  for (const shapes of [recording.shapes, recording.parts]) {
    if (shapes === null) continue;
    for (let i = 0; i < shapes.count; ++i) {
      const code = shapes.shape[i]!;
      const body = shapes.body[i]!;
      const [a, b, c] = shapes.size.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      const [px, py, pz] = shapes.position.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      if (code === kSphere) {
        const before = radius[body]!;
        add(body, px - a, py - a, pz - a);
        add(body, px + a, py + a, pz + a);
        radius[body] = Math.max(before, Math.hypot(px, py, pz) + a);  // not the corner of its box
        continue;
      }
      if (code === kPolytope || code === kMesh) {
        const {vertexOffset, vertex} = recording.surfaces!;
        const surface = shapes.surface![i]!;
        low.fill(Infinity);
        high.fill(-Infinity);
        for (let v = vertexOffset[surface]!; v < vertexOffset[surface + 1]!; ++v)
          for (let k = 0; k < 3; ++k) {
            low[k] = Math.min(low[k]!, vertex[3 * v + k]!);
            high[k] = Math.max(high[k]!, vertex[3 * v + k]!);
          }
      } else {
        const half = code === kBox ? [a, b, c] : code === kCapsule ? [a, a, a + b]
            : code === kCylinder || code === kPipe ? [a, a, b] : null;
        if (half === null) continue;
        half.forEach((value, k) => {
          low[k] = -value;
          high[k] = value;
        });
      }
      const q = shapes.orientation.subarray(4 * i, 4 * i + 4);
      for (let corner = 0; corner < 8; ++corner) {
        const [x, y, z] = [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k]! : low[k]!)) as [number, number, number];
        const p = turned(q, x, y, z);
        add(body, px + p[0], py + p[1], pz + p[2]);
      }
    }
  }
  return {box, radius};
}

/** A vector turned by a quaternion w, x, y, z. */
export function turned(q: ArrayLike<number>, x: number, y: number, z: number): [number, number, number] {
  const [w, a, b, c] = [q[0]!, q[1]!, q[2]!, q[3]!];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  return [x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx];
}
