// What connects bodies, in the plane and in space: joints, drives, what they did in every step, and events.
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
  /** What records of machines in space have besides; in the plane the bodies' frames, zeros, NaN. Frames: w, x, y, z of each. */
  isInSpace: boolean;
  frameA: Float32Array;
  frameB: Float32Array;
  /** Of rods and ropes [m]. */
  length: Float32Array;
  /** Lower and upper limit of the way along the axis [m], then of the turn about it [rad]. */
  limits: Float32Array;
  motor: Float32Array;
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
  /** Of each joint, on body B: x, y, z [N], along the axes of the world; in space of the joint's frame of A. */
  force: Float32Array;
  /** On body B about the joint's point [N m], likewise. */
  moment: Float32Array;
  /** Friction force of each joint of a planar scene [N]. */
  friction: Float32Array;
  /** Of each drive, on body B [N m], or [N]. */
  effort: Float32Array;
  /** Coordinates of joints in space and what acts along them: by dataset, joints/NAME/angle. */
  axes: Map<string, number>;
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

export const kJointDatasets = ["kind", "body_a", "body_b", "point_a", "point_b", "axis_a", "clearance", "frame_a", "frame_b", "length", "limits",
                                "motor"].map((name) => `machine/${name}`);
export const kDriveDatasets = ["quantity", "body_a", "body_b", "point_b", "axis_a"].map((name) => `machine/drive_${name}`);

const unturned = (count: number): Float32Array => Float32Array.from({length: 4 * count}, (_, i) => (i % 4 === 0 ? 1 : 0));

/** Of what has been read of the record's fixed part; null where there are none. */
export function jointsOf(header: Header, found: Map<string, Float32Array>): Joints | null {
  const [kind, bodyA, bodyB, pointA, pointB, axisA, clearance, frameA, frameB, length, limits, motor] = kJointDatasets.map((path) => found.get(path));
  if (kind === undefined) return null;
  return {name: header.joints ?? [], kind, bodyA: bodyA!, bodyB: bodyB!, pointA: pointA!, pointB: pointB!,
          axisA: axisA ?? new Float32Array(3 * kind.length), clearance: clearance ?? new Float32Array(kind.length),
          isInSpace: frameA !== undefined, frameA: frameA ?? unturned(kind.length), frameB: frameB ?? unturned(kind.length),
          length: length ?? new Float32Array(kind.length), limits: limits ?? new Float32Array(4 * kind.length).fill(NaN),
          motor: motor ?? new Float32Array(kind.length)};
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
  /** Of each joint its force, moment and, in the plane, friction; then the effort of each drive; then what joints/ has. */
  data: Float32Array[];
  joints: number;
  isInSpace: boolean;
  /** Datasets of joints/, the last ones of the data. */
  axes: string[];
}

export async function readReactions(source: Source, header: Header, row: number, rowCount: number): Promise<ReactionBlock> {
  const isInSpace = header.dimension !== 2;
  const parts = isInSpace ? ["force", "moment"] : ["force", "moment", "friction"];
  const axes = Object.keys(header.datasets).filter((path) => path.startsWith("joints/"));
  const paths = [
    ...(header.joints ?? []).flatMap((name) => parts.map((part) => `reactions/${name}/${part}`)),
    ...(header.drives ?? []).map((name) => `drives/${name}/effort`), ...axes,
  ];
  const width = (path: string): number => header.datasets[path]?.shape[1] ?? 1;
  const first = row - (row % kReactionRows);
  const rows = Math.min(kReactionRows, rowCount - first);
  const buffer = await source.rows(paths, first, rows, "f32");
  let offset = 0;
  const data = paths.map((path) => {
    const part = new Float32Array(buffer, offset, rows * width(path));
    offset += part.byteLength;
    return part;
  });
  return {first, rows, data, joints: header.joints?.length ?? 0, isInSpace, axes};
}

/** Force and moment of a joint in one row, three components each. */
function ofJoint({data, isInSpace}: ReactionBlock, joint: number, row: number): {force: number[]; moment: number[]} {
  if (!isInSpace) {
    const force = data[3 * joint]!;
    return {force: [force[2 * row]!, force[2 * row + 1]!, 0], moment: [0, 0, data[3 * joint + 1]![row]!]};
  }
  const [force, moment] = [data[2 * joint]!, data[2 * joint + 1]!].map((part) => [...part.subarray(3 * row, 3 * row + 3)]);
  return {force: force!, moment: moment!};
}
const firstDrive = ({joints, isInSpace}: ReactionBlock): number => (isInSpace ? 2 : 3) * joints;
const driveCount = (block: ReactionBlock): number => block.data.length - block.axes.length - firstDrive(block);

export function reactionsAt(block: ReactionBlock, row: number): Reactions {
  const {first, data, joints, isInSpace, axes} = block;
  const k = row - first;
  const all = Array.from({length: joints}, (_, i) => ofJoint(block, i, k));
  return {
    force: Float32Array.from(all.flatMap(({force}) => force)),
    moment: Float32Array.from(all.flatMap(({moment}) => moment)),
    friction: isInSpace ? new Float32Array(joints) : Float32Array.from({length: joints}, (_, i) => data[3 * i + 2]![k]!),
    effort: Float32Array.from({length: driveCount(block)}, (_, i) => data[firstDrive(block) + i]![k]!),
    axes: new Map(axes.map((path, i) => [path, data[data.length - axes.length + i]![k]!])),
  };
}

/** A large but not extraordinary force and moment of a block: what arrows are scaled by. Impacts do not count. */
export interface ReactionScale {
  force: number;
  moment: number;
}

export function scaleOf(block: ReactionBlock, quantity: ArrayLike<number>): ReactionScale {
  const {rows, data, joints} = block;
  const forces: number[] = [];
  const moments: number[] = [];
  const step = Math.ceil(rows / 200);
  for (let k = 0; k < rows; k += step) {
    for (let i = 0; i < joints; ++i) {
      const {force, moment} = ofJoint(block, i, k);
      forces.push(Math.hypot(...force));
      moments.push(Math.hypot(...moment));
    }
    for (let i = 0; i < driveCount(block); ++i)
      (quantity[i] === 1 ? forces : moments).push(Math.abs(data[firstDrive(block) + i]![k]!));
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
