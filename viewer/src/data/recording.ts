// A record as the picture needs it: what is written once, and frames, fetched in blocks when they are looked at.
import {
  drivesOf, jointsOf, kDriveDatasets, kJointDatasets, reactionsAt, readEvents, readReactions, scaleOf, type Drives, type Events, type Joints,
  type ReactionBlock, type Reactions,
} from "./machine";
import {Sensors} from "./sensors";
import {AnotherRunError, type Header, type Progress, type Series, type Source} from "./source";

/** What is known of all shapes of a kind of owner: bodies, or parts of compounds. */
export interface Shapes {
  count: number;
  /** Body that each belongs to. */
  body: Float32Array;
  shape: Float32Array;
  size: Float32Array;
  position: Float32Array;
  orientation: Float32Array;
  surface: Float32Array | null;
}

export interface Surfaces {
  vertexOffset: Float64Array;
  triangleOffset: Float64Array;
  vertex: Float32Array;
  triangle: Float32Array;
}

export interface Poses {
  position: Float32Array;
  orientation: Float32Array;
  presence: Float32Array | null;
}

export interface Velocities {
  linear: Float32Array;
  angular: Float32Array;
}

export interface Contacts {
  count: number;
  bodyA: Float32Array;
  bodyB: Float32Array;
  position: Float32Array;
  normal: Float32Array;
  gap: Float32Array;
  impulse: Float32Array;
}

/** A piece of consecutive frames of one kind. */
interface Block {
  bytes: number;
  first: number;
  frames: number;
  data: Float32Array[];
}

type Kind = "pose" | "velocity" | "contact";

const kBlockBytes = 2 << 20;
const kCacheBytes = 384 << 20;

export class Recording {
  readonly bodyCount: number;
  frameTime = new Float64Array(0);
  frameStep = new Float64Array(0);
  contactOffset = new Float64Array([0]);
  stepTime = new Float64Array(0);
  firstStep = 1;
  shapes!: Shapes;
  parts: Shapes | null = null;
  surfaces: Surfaces | null = null;
  joints: Joints | null = null;
  drives: Drives | null = null;
  events: Events | null = null;
  kind!: Float32Array;
  material!: Float32Array;
  mass!: Float32Array;
  friction!: Float32Array;
  gravity: [number, number, number] = [0, 0, -9.81];
  cell: Float32Array = new Float32Array(6);
  /** Of each body 0xRRGGBB, or 2^24 where the scene names none; null where it never does. */
  colour: Float32Array | null = null;
  /** The eye and what it looks at, where the scene says it. */
  camera: Float32Array | null = null;
  /** Bytes fetched for frames: what a test or a person may want to know. */
  bytesFetched = 0;

  private readonly cache = new Map<string, Block>();
  private cachedBytes = 0;
  private readonly underway = new Map<string, Promise<Block>>();
  /** Grows with what has been seen. */
  readonly reactionScale = {force: 0, moment: 0};
  private reactionBlock: ReactionBlock | null = null;
  private readonly hasPresence: boolean;

  readonly sensors: Sensors;

  private constructor(readonly source: Source, public header: Header) {
    this.sensors = new Sensors(source, header);
    this.bodyCount = header.bodies;
    this.hasPresence = "poses/presence" in header.datasets;
  }

  static async open(source: Source): Promise<Recording> {
    const recording = new Recording(source, await source.header());
    await Promise.all([recording.readFixedPart(), recording.readClocks().then(() => recording.prefetchOverview())]);
    return recording;
  }

  /** Frames that the camera's first place is found from. */
  get overview(): number[] {
    const last = Math.max(this.frameCount - 1, 0);
    return [...new Set([0, last >> 1, last])];
  }
  private prefetchOverview(): void {
    for (const frame of this.overview) this.prefetch(frame, ["pose"]);
  }

  get frameCount(): number {
    return this.frameTime.length;
  }
  get isRunning(): boolean {
    return this.header.status === "running";
  }
  has(path: string): boolean {
    return path in this.header.datasets;
  }

  /** Datasets that do not grow, in one answer. */
  private async fixed(paths: string[]): Promise<Map<string, Float32Array>> {
    const known = paths.filter((path) => this.has(path));
    const buffer = await this.source.rows(known, 0, -1, "f32");
    const found = new Map<string, Float32Array>();
    let offset = 0;
    for (const path of known) {
      const length = this.header.datasets[path]!.shape.reduce((product, extent) => product * extent, 1);
      found.set(path, new Float32Array(buffer, offset, length));
      offset += 4 * length;
    }
    return found;
  }
  private async all64(path: string): Promise<Float64Array<ArrayBuffer>> {
    return new Float64Array(await this.source.rows([path], 0, -1, "f64"));
  }

  private async readFixedPart(): Promise<void> {
    const shapes = ["shape", "shape_size", "shape_position", "shape_orientation", "surface"];
    const found = await this.fixed([
      "bodies/kind", "bodies/colour", "camera", "bodies/material", "bodies/mass", "materials/friction", "gravity", "periodic_cell", "parts/body",
      ...shapes.flatMap((name) => [`bodies/${name}`, `parts/${name}`]), ...kJointDatasets, ...kDriveDatasets,
      "surfaces/vertex", "surfaces/triangle",
    ]);
    const get = (path: string): Float32Array => {
      const values = found.get(path);
      if (values === undefined) throw new Error(`the record has no ${path}`);
      return values;
    };
    const shapesOf = (group: string, body: Float32Array): Shapes => ({
      count: body.length,
      body,
      shape: get(`${group}/shape`),
      size: get(`${group}/shape_size`),
      position: get(`${group}/shape_position`),
      orientation: get(`${group}/shape_orientation`),
      surface: found.get(`${group}/surface`) ?? null,
    });
    [this.kind, this.material, this.mass, this.friction] = [
      get("bodies/kind"), get("bodies/material"), get("bodies/mass"), get("materials/friction")];
    const bodies = new Float32Array(this.bodyCount);
    for (let i = 0; i < bodies.length; ++i) bodies[i] = i;
    this.shapes = shapesOf("bodies", bodies);
    const gravity = get("gravity");
    this.gravity = [gravity[0]!, gravity[1]!, gravity[2]!];
    this.cell = found.get("periodic_cell") ?? this.cell;
    this.colour = found.get("bodies/colour") ?? null;
    this.camera = found.get("camera") ?? null;
    if (found.has("parts/body")) this.parts = shapesOf("parts", get("parts/body"));
    if (found.has("surfaces/vertex"))
      this.surfaces = {
        vertexOffset: await this.all64("surfaces/vertex_offset"),
        triangleOffset: await this.all64("surfaces/triangle_offset"),
        vertex: get("surfaces/vertex"),
        triangle: get("surfaces/triangle"),
      };
    this.joints = jointsOf(this.header, found);
    this.drives = drivesOf(this.header, found);
  }

  private async readClocks(): Promise<void> {
    const [events, time, step, offset, stepTime] = await Promise.all([
      readEvents(this.source, this.header),
      ...["frames/time", "frames/step", "contacts/offset", "steps/time"].map((path) => this.all64(path))]);
    this.events = events;
    // A running record may have grown between the answers.
    const frames = Math.min(time!.length, step!.length, offset!.length - 1);
    this.frameTime = time!.subarray(0, frames);
    this.frameStep = step!.subarray(0, frames);
    this.contactOffset = offset!.subarray(0, frames + 1);
    this.stepTime = stepTime!;
    const known = this.frameStep.findIndex((number) => number > 0);
    if (known >= 0 && this.stepTime.length > 0) {
      // Rows of steps begin where the record does, which need not be at step 1.
      const row = nearestIndex(this.stepTime, this.frameTime[known]!);
      this.firstStep = this.frameStep[known]! - row;
    }
  }

  /** Takes up what a run has added; false if there is nothing new. @throws AnotherRunError */
  async refresh(progress: Progress): Promise<boolean> {
    if (progress.run !== this.header.run) throw new AnotherRunError("This record has been written anew.");
    const hasNews = progress.revision !== this.header.revision;
    this.header = {...this.header, ...progress};
    if (hasNews) await this.readClocks();
    return hasNews;
  }

  /** Row in /steps of the step that ended at a frame; -1 for the first frame. */
  stepRow(frame: number): number {
    const row = (this.frameStep[frame] ?? 0) - this.firstStep;
    return row < this.stepTime.length ? row : -1;
  }

  /** Whether no step that is recorded has ended at a frame or before. */
  isStart(frame: number): boolean {
    return (this.frameStep[frame] ?? 0) < this.firstStep;
  }

  /** Duration of the step that ended at a frame [s]. */
  stepSize(frame: number): number {
    const row = this.stepRow(frame);
    if (row > 0) return this.stepTime[row]! - this.stepTime[row - 1]!;
    if (this.stepTime.length > 1) return this.stepTime[1]! - this.stepTime[0]!;
    return row === 0 ? this.stepTime[0]! : 1;
  }

  /** Last frame that is not later than a time; 0 before the first. */
  frameAt(time: number): number {
    let low = 0;
    let high = this.frameCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frameTime[middle]! <= time + 1e-12 * Math.abs(time)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** First frame that is not earlier than a time; the last, where all are. */
  frameFrom(time: number): number {
    const frame = this.frameAt(time);
    const isBefore = this.frameTime[frame]! < time - 1e-12 * Math.abs(time);
    return isBefore ? Math.min(frame + 1, this.frameCount - 1) : frame;
  }

  /** Frame nearest to a time. */
  nearestFrame(time: number): number {
    return nearestIndex(this.frameTime, time);
  }

  bodyName(body: number): string {
    const groups = this.header.groups;
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (groups[middle]!.first <= body) low = middle;
      else high = middle - 1;
    }
    const group = groups[low];
    if (group === undefined) return `body ${body}`;
    return group.is_set ? `${group.name}[${body - group.first}]` : group.name;
  }

  findBody(name: string): number {
    const match = /^(.*)\[(\d+)\]$/.exec(name);
    for (const group of this.header.groups) {
      if (!group.is_set && group.name === name) return group.first;
      if (group.is_set && match?.[1] === group.name && Number(match[2]) < group.count)
        return group.first + Number(match[2]);
    }
    return -1;
  }

  /** A coordinate brought back into the periodic cell, as bodies are drawn. */
  wrapped(value: number, axis: number): number {
    const length = this.cell[3 + axis]!;
    return length > 0 ? value - Math.floor((value - this.cell[axis]!) / length) * length : value;
  }

  frictionOf(bodyA: number, bodyB: number): number {
    const count = this.header.materials.length;
    return this.friction[this.material[bodyA]! * count + this.material[bodyB]!] ?? 0;
  }

  private framesPerBlock(kind: Kind): number {
    const width = kind === "pose" ? 8 : kind === "velocity" ? 6 : 12;
    const rows = kind === "contact" ? this.contactOffset.at(-1)! / Math.max(this.frameCount, 1) : this.bodyCount;
    return Math.max(1, Math.min(256, Math.floor(kBlockBytes / (4 * width * Math.max(rows, 1)))));
  }

  private async fetchBlock(kind: Kind, first: number, frames: number): Promise<Block> {
    const n = this.bodyCount;
    let paths: string[];
    let widths: number[];
    let firstRow = first;
    let rows = frames;
    if (kind === "pose") {
      paths = ["poses/position", "poses/orientation"];
      widths = [3 * n, 4 * n];
      if (this.hasPresence) {
        paths.push("poses/presence");
        widths.push(n);
      }
    } else if (kind === "velocity") {
      paths = ["velocities/linear", "velocities/angular"];
      widths = [3 * n, 3 * n];
    } else {
      paths = ["body_a", "body_b", "position", "normal", "gap", "impulse"].map((name) => `contacts/${name}`);
      widths = [1, 1, 3, 3, 1, 3];
      firstRow = this.contactOffset[first]!;
      rows = this.contactOffset[first + frames]! - firstRow;
    }
    const total = widths.reduce((sum, width) => sum + width * rows, 0);
    const buffer = rows > 0 ? await this.source.rows(paths, firstRow, rows, "f32") : new ArrayBuffer(0);
    if (buffer.byteLength !== 4 * total) throw new Error(`the record changed while it was read`);
    this.bytesFetched += buffer.byteLength;
    let offset = 0;
    const data = widths.map((width) => {
      const part = new Float32Array(buffer, offset, width * rows);
      offset += part.byteLength;
      return part;
    });
    return {bytes: buffer.byteLength, first, frames, data};
  }

  private block(kind: Kind, frame: number): Promise<Block> | Block {
    const size = this.framesPerBlock(kind);
    // Aligned, so that a frame is in one block only. While a run continues the last one is not full.
    const first = Math.floor(frame / size) * size;
    const frames = Math.min(size, this.frameCount - first);
    const key = `${kind} ${first} ${frames} ${size}`;
    const cached = this.cache.get(key);
    if (cached !== undefined) {
      this.cache.delete(key);
      this.cache.set(key, cached);  // the most recently used is the last
      return cached;
    }
    let promise = this.underway.get(key);
    if (promise === undefined) {
      promise = this.fetchBlock(kind, first, frames).finally(() => this.underway.delete(key));
      promise = promise.then((block) => {
        this.cache.set(key, block);
        this.cachedBytes += block.bytes;
        for (const [oldest, {bytes}] of this.cache) {
          if (this.cachedBytes <= kCacheBytes || oldest === key) break;
          this.cache.delete(oldest);
          this.cachedBytes -= bytes;
        }
        return block;
      });
      this.underway.set(key, promise);
    }
    return promise;
  }

  async poses(frame: number): Promise<Poses> {
    const {data, first} = await this.block("pose", frame);
    const n = this.bodyCount;
    const k = frame - first;
    return {
      position: data[0]!.subarray(3 * n * k, 3 * n * (k + 1)),
      orientation: data[1]!.subarray(4 * n * k, 4 * n * (k + 1)),
      presence: data[2]?.subarray(n * k, n * (k + 1)) ?? null,
    };
  }

  async velocities(frame: number): Promise<Velocities> {
    const {data, first} = await this.block("velocity", frame);
    const n = this.bodyCount;
    const k = frame - first;
    return {
      linear: data[0]!.subarray(3 * n * k, 3 * n * (k + 1)),
      angular: data[1]!.subarray(3 * n * k, 3 * n * (k + 1)),
    };
  }

  /** The frame whose contacts stand for those of a frame: the latest one that was recorded with them. */
  contactFrame(frame: number): number {
    const every = this.header.contacts_every ?? 1;
    if (every === 0) return 0;
    while (frame > 0 && this.frameStep[frame]! % every !== 0) --frame;
    return frame;
  }
  async contacts(shown: number): Promise<Contacts> {
    const frame = this.contactFrame(shown);
    const {data, first} = await this.block("contact", frame);
    const start = this.contactOffset[frame]! - this.contactOffset[first]!;
    const count = this.contactOffset[frame + 1]! - this.contactOffset[frame]!;
    const [bodyA, bodyB, position, normal, gap, impulse] = data.map((numbers, i) => {
      const width = [1, 1, 3, 3, 1, 3][i]!;
      return numbers.subarray(width * start, width * (start + count));
    });
    return {
      count,
      bodyA: bodyA!,
      bodyB: bodyB!,
      position: position!,
      normal: normal!,
      gap: gap!,
      impulse: impulse!,
    };
  }

  get hasReactions(): boolean {
    return this.joints !== null || this.drives !== null;
  }
  /** What joints and drives did in the step that ended at a frame; null for the first frame. */
  async reactions(frame: number): Promise<Reactions | null> {
    const row = this.stepRow(frame);
    if (row < 0 || !this.hasReactions) return null;
    let block = this.reactionBlock;
    if (block === null || row < block.first || row >= block.first + block.rows) {
      block = await readReactions(this.source, this.header, row, this.stepTime.length);
      this.reactionBlock = block;
      const {force, moment} = scaleOf(block, this.drives?.quantity ?? []);
      this.reactionScale.force = Math.max(this.reactionScale.force, force);
      this.reactionScale.moment = Math.max(this.reactionScale.moment, moment);
    }
    return reactionsAt(block, row);
  }

  /** What each sensor read in the step that ended at a frame; null for the first frame. */
  async readings(frame: number): Promise<Float32Array[] | null> {
    const row = this.stepRow(frame);
    return row < 0 || this.sensors.list.length === 0 ? null : this.sensors.at(row, this.stepTime.length);
  }

  /** Begins to fetch what will be looked at next. */
  prefetch(frame: number, kinds: Kind[]): void {
    if (frame < 0 || frame >= this.frameCount) return;
    for (const kind of kinds) Promise.resolve(this.block(kind, frame)).catch(() => undefined);
  }

  async series(names: string[]): Promise<Series[]> {
    const bodies = names.filter((name) => name.startsWith("body."));
    if (bodies.length === 0 || this.source.isLive) return this.source.series(names);
    const others = names.filter((name) => !name.startsWith("body."));
    const ours = await Promise.all(bodies.map((name) => this.bodySeries(name)));
    return [...(await this.source.series(others)), ...ours.flat()];
  }

  /** "body.NAME" from the frames themselves, where no server makes it. */
  private async bodySeries(name: string): Promise<Series[]> {
    const body = this.findBody(name.slice("body.".length));
    const all = ["x", "y", "z"].map((axis) => ({
      name: `${name}.${axis}`,
      unit: "m",
      time: this.frameTime,
      value: new Float64Array(this.frameCount),
    }));
    for (let k = 0; k < this.frameCount; ++k) {
      const {position} = await this.poses(k);
      for (let axis = 0; axis < 3; ++axis) all[axis]!.value[k] = position[3 * body + axis]!;
    }
    return all;
  }
}

export function nearestIndex(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && value - sorted[low - 1]! < sorted[low]! - value) return low - 1;
  return low;
}
