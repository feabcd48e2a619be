// What connects the bodies of a planar scene: joints, drives, what they did in every step, and events.
import type {Header, Source} from "./source";

export interface Joints {
  name: string[];
  kind: Float32Array;
  bodyA: Float32Array;
  bodyB: Float32Array;
  pointA: Float32Array;
  pointB: Float32Array;
  /** Of guides; zero where there is none, and in records of earlier versions. */
  axisA: Float32Array;
  /** Play [m]; zero where there is none. */
  clearance: Float32Array;
}

export interface Drives {
  name: string[];
  /** 0: an angle, its effort is a torque; 1: a displacement, its effort is a force. */
  quantity: Float32Array;
  bodyA: Float32Array;
  bodyB: Float32Array;
  pointB: Float32Array;
  axisA: Float32Array;
}

/** What joints and drives did in one step; NaN where that is not known. */
export interface Reactions {
  /** Of each joint, on body B: x, y [N]. */
  force: Float32Array;
  /** On body B about the joint's point [N m]. */
  moment: Float32Array;
  /** Friction force of each joint [N]. */
  friction: Float32Array;
  /** Of each drive, on body B [N m], or [N]. */
  effort: Float32Array;
}

export interface Events {
  count: number;
  kindNames: string[];
  time: Float64Array;
  step: Float32Array;
  kind: Float32Array;
  /** Contact of the machine, or −1 − i for its joint friction i. */
  contact: Float32Array;
  bodyA: Float32Array;
  bodyB: Float32Array;
  /** Pairs: normal and tangential, before and after. */
  impulse: Float32Array;
  gapRate: Float32Array;
  slip: Float32Array;
  energy: Float32Array;
}

export const kJointDatasets = ["kind", "body_a", "body_b", "point_a", "point_b", "axis_a", "clearance"].map((name) => `machine/${name}`);
export const kDriveDatasets = ["quantity", "body_a", "body_b", "point_b", "axis_a"].map((name) => `machine/drive_${name}`);

/** Of what has been read of the record's fixed part; null where there are none. */
export function jointsOf(header: Header, found: Map<string, Float32Array>): Joints | null {
  const [kind, bodyA, bodyB, pointA, pointB, axisA, clearance] = kJointDatasets.map((path) => found.get(path));
  if (kind === undefined) return null;
  return {name: header.joints ?? [], kind, bodyA: bodyA!, bodyB: bodyB!, pointA: pointA!, pointB: pointB!,
          axisA: axisA ?? new Float32Array(3 * kind.length), clearance: clearance ?? new Float32Array(kind.length)};
}

export function drivesOf(header: Header, found: Map<string, Float32Array>): Drives | null {
  const [quantity, bodyA, bodyB, pointB, axisA] = kDriveDatasets.map((path) => found.get(path));
  if (quantity === undefined) return null;
  return {name: header.drives ?? [], quantity, bodyA: bodyA!, bodyB: bodyB!, pointB: pointB!, axisA: axisA!};
}

/** Steps that are fetched at once. */
export const kReactionRows = 1024;

/** What the joints and drives did in some steps, one row each. */
export interface ReactionBlock {
  first: number;
  rows: number;
  /** Of each joint its force, moment and friction, then the effort of each drive. */
  data: Float32Array[];
}

export async function readReactions(source: Source, header: Header, row: number, rowCount: number): Promise<ReactionBlock> {
  const paths = [
    ...(header.joints ?? []).flatMap((name) => ["force", "moment", "friction"].map((part) => `reactions/${name}/${part}`)),
    ...(header.drives ?? []).map((name) => `drives/${name}/effort`),
  ];
  const first = row - (row % kReactionRows);
  const rows = Math.min(kReactionRows, rowCount - first);
  const buffer = await source.rows(paths, first, rows, "f32");
  let offset = 0;
  const data = paths.map((path) => {
    const part = new Float32Array(buffer, offset, rows * (path.endsWith("/force") ? 2 : 1));
    offset += part.byteLength;
    return part;
  });
  return {first, rows, data};
}

export function reactionsAt({first, data}: ReactionBlock, row: number, joints: number): Reactions {
  const k = row - first;
  return {
    force: Float32Array.from({length: 2 * joints}, (_, i) => data[3 * (i >> 1)]![2 * k + (i & 1)]!),
    moment: Float32Array.from({length: joints}, (_, i) => data[3 * i + 1]![k]!),
    friction: Float32Array.from({length: joints}, (_, i) => data[3 * i + 2]![k]!),
    effort: Float32Array.from({length: data.length - 3 * joints}, (_, i) => data[3 * joints + i]![k]!),
  };
}

/** A large but not extraordinary force and moment of a block: what arrows are scaled by. Impacts do not count. */
export interface ReactionScale {
  force: number;
  moment: number;
}

export function scaleOf({rows, data}: ReactionBlock, joints: number, quantity: ArrayLike<number>): ReactionScale {
  const forces: number[] = [];
  const moments: number[] = [];
  const step = Math.ceil(rows / 200);
  for (let k = 0; k < rows; k += step) {
    for (let i = 0; i < joints; ++i) {
      forces.push(Math.hypot(data[3 * i]![2 * k]!, data[3 * i]![2 * k + 1]!));
      moments.push(Math.abs(data[3 * i + 1]![k]!));
    }
    for (let i = 0; i < data.length - 3 * joints; ++i)
      (quantity[i] === 1 ? forces : moments).push(Math.abs(data[3 * joints + i]![k]!));
  }
  const large = (values: number[]): number => {
    const known = values.filter((value) => value > 0).sort((a, b) => a - b);
    return known[Math.floor(0.95 * (known.length - 1))] ?? 0;
  };
  return {force: large(forces), moment: large(moments)};
}

export async function readEvents(source: Source, header: Header): Promise<Events | null> {
  if (!("events/time" in header.datasets)) return null;
  const read = async (name: string): Promise<Float32Array> =>
      new Float32Array(await source.rows([`events/${name}`], 0, -1, "f32"));
  const [time, step, kind, contact, bodyA, bodyB, impulse, gapRate, slip, energy] = await Promise.all([
    source.rows(["events/time"], 0, -1, "f64").then((buffer) => new Float64Array(buffer)),
    ...["step", "kind", "contact", "body_a", "body_b", "impulse", "gap_rate", "slip", "energy"].map(read),
  ] as [Promise<Float64Array>, ...Promise<Float32Array>[]]);
  // A running record may have grown between the answers.
  const count = Math.min(time.length, energy!.length / 2, ...[step, kind, contact, bodyA, bodyB].map((all) => all!.length));
  return {
    count, kindNames: (header.event_kinds ?? "").split(" "), time: time.subarray(0, count), step: step!, kind: kind!,
    contact: contact!, bodyA: bodyA!, bodyB: bodyB!, impulse: impulse!, gapRate: gapRate!, slip: slip!, energy: energy!,
  };
}
