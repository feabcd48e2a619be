// A record as the picture needs it: what is written once, and frames, fetched in blocks when they are looked at.
import type {Header, Progress, Series, Source} from "./source";

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

export interface Joints {
  name: string[];
  kind: Float32Array;
  bodyA: Float32Array;
  bodyB: Float32Array;
  pointA: Float32Array;
  pointB: Float32Array;
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
  kind!: Float32Array;
  material!: Float32Array;
  mass!: Float32Array;
  friction!: Float32Array;
  gravity: [number, number, number] = [0, 0, -9.81];
  cell: Float32Array = new Float32Array(6);
  /** Bytes fetched for frames: what a test or a person may want to know. */
  bytesFetched = 0;

  private readonly cache = new Map<string, Block>();
  private cachedBytes = 0;
  private readonly underway = new Map<string, Promise<Block>>();
  private readonly hasPresence: boolean;

  private constructor(readonly source: Source, public header: Header) {
    this.bodyCount = header.bodies;
    this.hasPresence = "poses/presence" in header.datasets;
  }

  static async open(source: Source): Promise<Recording> {
    const recording = new Recording(source, await source.header());
    await Promise.all([recording.readFixedPart(), recording.readClocks()]);
    return recording;
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

  private async all(path: string): Promise<Float32Array> {
    return new Float32Array(await this.source.rows([path], 0, -1, "f32"));
  }
  private async all64(path: string): Promise<Float64Array<ArrayBuffer>> {
    return new Float64Array(await this.source.rows([path], 0, -1, "f64"));
  }

  private async shapesOf(group: string, body: Float32Array): Promise<Shapes> {
    const surface = `${group}/surface`;
    const [shape, size, position, orientation] = await Promise.all(
        ["shape", "shape_size", "shape_position", "shape_orientation"].map((name) => this.all(`${group}/${name}`)));
    return {
      count: body.length,
      body,
      shape: shape!,
      size: size!,
      position: position!,
      orientation: orientation!,
      surface: this.has(surface) ? await this.all(surface) : null,
    };
  }

  private async readFixedPart(): Promise<void> {
    const bodies = Float32Array.from({length: this.bodyCount}, (_, i) => i);
    [this.kind, this.material, this.mass, this.friction, this.shapes] = await Promise.all([
      this.all("bodies/kind"), this.all("bodies/material"), this.all("bodies/mass"),
      this.all("materials/friction"), this.shapesOf("bodies", bodies),
    ]);
    const gravity = await this.all("gravity");
    this.gravity = [gravity[0]!, gravity[1]!, gravity[2]!];
    if (this.has("periodic_cell")) this.cell = await this.all("periodic_cell");
    if (this.has("parts/body")) this.parts = await this.shapesOf("parts", await this.all("parts/body"));
    if (this.has("surfaces/vertex"))
      this.surfaces = {
        vertexOffset: await this.all64("surfaces/vertex_offset"),
        triangleOffset: await this.all64("surfaces/triangle_offset"),
        vertex: await this.all("surfaces/vertex"),
        triangle: await this.all("surfaces/triangle"),
      };
    if (this.has("machine/kind")) {
      const [kind, bodyA, bodyB, pointA, pointB] = await Promise.all(
          ["kind", "body_a", "body_b", "point_a", "point_b"].map((name) => this.all(`machine/${name}`)));
      this.joints = {
        name: this.header.joints ?? [],
        kind: kind!,
        bodyA: bodyA!,
        bodyB: bodyB!,
        pointA: pointA!,
        pointB: pointB!,
      };
    }
  }

  private async readClocks(): Promise<void> {
    const [time, step, offset, stepTime] = await Promise.all(
        ["frames/time", "frames/step", "contacts/offset", "steps/time"].map((path) => this.all64(path)));
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

  /** Takes up what a run has added; false if there is nothing new. */
  async refresh(progress: Progress): Promise<boolean> {
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
    // Aligned, so that a frame is in one block only. While a run goes on the last one is not full.
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

  async contacts(frame: number): Promise<Contacts> {
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
