// The box around the bodies of some frames: what "everything" means to the camera.
import {Box3, Vector3} from "three";
import type {Poses, Recording} from "../data/recording";
import {turned, type Sizes} from "./sizes";

/** Moving bodies that the box is found from. */
const kMostBodies = 30000;

/** Of many bodies the few that have flown away do not count, nor those that are not shown. */
export function boxAround(recording: Recording, sizes: Sizes, frames: Poses[], isHidden: (body: number) => boolean): Box3 {
  const n = recording.bodyCount;
  const stride = Math.ceil((n * frames.length) / kMostBodies);  // of very many the camera needs no more than some
  const moving = [0, 1, 2].map(() => ({low: new Float64Array(kMostBodies), high: new Float64Array(kMostBodies)}));
  let count = 0;
  const fixed = new Box3();
  for (const {position, orientation, presence} of frames)
    for (let i = 0; i < n; ++i) {
      const radius = sizes.radius[i]!;
      if (radius === 0 || (presence !== null && presence[i] !== 0) || isHidden(i)) continue;
      const centre = [0, 1, 2].map((k) => recording.wrapped(position[3 * i + k]!, k)) as [number, number, number];
      if (recording.kind[i] === 0) {
        if (i % stride !== 0) continue;
        for (let k = 0; k < 3; ++k) {
          moving[k]!.low[count] = centre[k]! - radius;
          moving[k]!.high[count] = centre[k]! + radius;
        }
        ++count;
        continue;
      }
      for (let corner = 0; corner < 8; ++corner) {
        const [x, y, z] = [0, 1, 2].map((k) => sizes.box[6 * i + k + ((corner >> k) & 1 ? 3 : 0)]!) as [number, number, number];
        fixed.expandByPoint(new Vector3(...turned(orientation.subarray(4 * i, 4 * i + 4), x, y, z)).add(new Vector3(...centre)));
      }
    }
  const share = count > 200 ? 0.01 : 0;
  const at = (values: Float64Array, part: number): number => values.subarray(0, count).sort()[Math.round(part * (count - 1))]!;
  const box = new Box3();
  if (count > 0)
    box.set(new Vector3(...moving.map(({low}) => at(low, share))), new Vector3(...moving.map(({high}) => at(high, 1 - share))));
  // A large floor must not make tiny what moves on it.
  const isLarge = count > 0 && diagonal(fixed) > 4 * diagonal(box);
  if (!fixed.isEmpty() && !isLarge) box.union(fixed);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return box;
}

const diagonal = (box: Box3): number => box.getSize(new Vector3()).length();
