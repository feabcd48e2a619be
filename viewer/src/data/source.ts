// Where a record comes from: the server of `talus view`, or the page itself (`talus view --export`).
// src/talus/view/record_source.hpp says what the answers are.

export interface DatasetInfo {
  shape: number[];
  unit: string;
  meaning: string;
}

export interface SeriesInfo {
  name: string;
  unit: string;
  meaning: string;
}

export interface BodyGroup {
  name: string;
  first: number;
  count: number;
  is_set: boolean;
}

export interface Header {
  file: string;
  title: string;
  status: string;
  revision: string;
  /** Equal for what is of one run; empty in an exported page. */
  run: string;
  /** Whether the run can be paused. */
  is_steered?: boolean;
  /** Names of all records that are served, where there are several. */
  records?: string[];
  /** What the steps were asked to meet; 0 in records of earlier versions. */
  tolerance: number;
  dimension: number;
  bodies: number;
  frames: number;
  steps: number;
  /** Steps from a frame with contacts to the next, 0: none has them; every frame in older records. */
  contacts_every?: number;
  initial_energy: number;
  groups: BodyGroup[];
  materials: string[];
  joints?: string[];
  drives?: string[];
  event_kinds?: string;
  series: SeriesInfo[];
  body_series: SeriesInfo[];
  provenance: Record<string, string>;
  datasets: Record<string, DatasetInfo>;
}

export interface Progress {
  run: string;
  revision: string;
  status: string;
  frames: number;
  steps: number;
  contacts: number;
}

export interface Series {
  name: string;
  unit: string;
  time: Float64Array;
  value: Float64Array;
}

export type NumberType = "f32" | "f64";

export interface Source {
  readonly isLive: boolean;
  header(): Promise<Header>;
  progress(): Promise<Progress>;
  /** Rows of datasets, one dataset after the other; count -1: all from `first` on. */
  rows(paths: string[], first: number, count: number, type: NumberType): Promise<ArrayBuffer>;
  series(names: string[]): Promise<Series[]>;
}

/** Something a person should read: the server's or the page's words. */
export class ReadableError extends Error {}

/** The record has been written anew: what has been read of it is of another run. */
export class AnotherRunError extends ReadableError {}

/** Names of datasets in groups, each of which fits into an address: the server takes 8192 letters. */
function inAddresses(paths: string[]): string[][] {
  const groups: string[][] = [[]];
  let length = 0;
  for (const path of paths) {
    length += new URLSearchParams({path}).toString().length + 1;
    if (length > 6000) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)!.push(path);
  }
  return groups;
}

export class HttpSource implements Source {
  readonly isLive = true;
  private readonly given = new URLSearchParams(location.search);
  private run = "";

  address(path: string, query: [string, string][] = []): string {
    const words = new URLSearchParams(query);
    for (const name of ["token", "record"])
      if (this.given.has(name)) words.set(name, this.given.get(name)!);
    const text = words.toString();
    return text === "" ? path : `${path}?${text}`;
  }

  private async get(path: string, query: [string, string][] = []): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.address(path, query));
    } catch {
      throw new ReadableError("The server does not answer: has `talus view` ended?");
    }
    if (response.ok) return response;
    const text = await response.text();
    let message = text;
    try {
      message = (JSON.parse(text) as {error: string}).error;
    } catch {
      // not from our server: its own words
    }
    if (response.status === 409) throw new AnotherRunError("This record has been written anew.");
    throw new ReadableError(message || `The server answered ${response.status}`);
  }

  async header(): Promise<Header> {
    const header = (await (await this.get("/api/header")).json()) as Header;
    this.run = header.run;  // of which all that follows shall be
    return header;
  }
  async progress(): Promise<Progress> {
    return (await this.get("/api/progress")).json() as Promise<Progress>;
  }
  /** Tells the run beside the page: pause, step or go. */
  async steer(command: string): Promise<void> {
    await fetch(this.address("/api/run"), {method: "POST", body: command});
  }
  async rows(paths: string[], first: number, count: number, type: NumberType): Promise<ArrayBuffer> {
    const rest: [string, string][] = [["first", String(first)], ["count", String(count)], ["type", type], ["run", this.run]];
    const parts = await Promise.all(inAddresses(paths).map(async (some) =>
      (await this.get("/api/rows", [...some.map((path): [string, string] => ["path", path]), ...rest])).arrayBuffer()));
    return parts.length === 1 ? parts[0]! : new Blob(parts).arrayBuffer();
  }
  async series(names: string[]): Promise<Series[]> {
    const bytes = await (await this.get("/api/series", [...names.map((name): [string, string] => ["name", name]), ["run", this.run]])).arrayBuffer();
    const view = new Uint8Array(bytes);
    let start = view.indexOf(10) + 1;
    const list = JSON.parse(new TextDecoder().decode(view.subarray(0, start))) as {
      name: string;
      unit: string;
      count: number;
    }[];
    return list.map(({name, unit, count}) => {
      const time = new Float64Array(bytes, start, count);
      const value = new Float64Array(bytes, start + 8 * count, count);
      start += 16 * count;
      return {name, unit, time, value};
    });
  }
}

/** A record in the page: <script data-block="DATASET"> holds base64 of gzip of numbers. */
export class EmbeddedSource implements Source {
  readonly isLive = false;
  private readonly info: Header;
  private readonly blocks = new Map<string, Promise<ArrayBuffer>>();

  constructor(header: Element) {
    this.info = JSON.parse(header.textContent ?? "") as Header;
  }

  static find(): EmbeddedSource | null {
    const header = document.getElementById("talus-header");
    return header === null ? null : new EmbeddedSource(header);
  }

  header(): Promise<Header> {
    return Promise.resolve(this.info);
  }
  progress(): Promise<Progress> {
    const {run, revision, status, frames, steps} = this.info;
    return Promise.resolve({run, revision, status, frames, steps, contacts: 0});
  }

  private block(name: string): Promise<ArrayBuffer> {
    let found = this.blocks.get(name);
    if (found === undefined) {
      found = this.unpack(name);
      this.blocks.set(name, found);
    }
    return found;
  }

  private async unpack(name: string): Promise<ArrayBuffer> {
    const element = document.querySelector(`script[data-block="${CSS.escape(name)}"]`);
    if (element === null) throw new ReadableError(`This page has no '${name}'`);
    const packed = Uint8Array.from(atob(element.textContent ?? ""), (letter) => letter.charCodeAt(0));
    element.textContent = "";
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  async rows(paths: string[], first: number, count: number, type: NumberType): Promise<ArrayBuffer> {
    const pieces: Uint8Array[] = [];
    for (const path of paths) {
      const shape = this.info.datasets[path]?.shape;
      if (shape === undefined) throw new ReadableError(`This page has no '${path}'`);
      const rows = count < 0 ? shape[0]! - first : count;
      const width = shape.slice(1).reduce((product, extent) => product * extent, 1);
      const block = await this.block(path);
      const is64 = block.byteLength === 8 * shape[0]! * width && block.byteLength > 0;
      const numbers = (is64 ? new Float64Array(block) : new Float32Array(block))
          .subarray(first * width, (first + rows) * width);
      const wanted = type === "f64" ? Float64Array.from(numbers) : Float32Array.from(numbers);
      pieces.push(new Uint8Array(wanted.buffer));
    }
    return new Blob(pieces as BlobPart[]).arrayBuffer();
  }

  async series(names: string[]): Promise<Series[]> {
    const all: Series[] = [];
    for (const name of names)
      for (const {name: full, unit} of this.info.series) {
        if (full !== name && !full.startsWith(name + "/") && !full.startsWith(name + ".")) continue;
        const numbers = new Float64Array(await this.block("series:" + full));
        const half = numbers.length / 2;
        all.push({name: full, unit, time: numbers.subarray(0, half), value: numbers.subarray(half)});
      }
    return all;
  }
}
