// What sensors read in every step.
import {kReactionRows} from "./machine";
import type {Header, Source} from "./source";

const kGroup = "sensors/";

export interface Sensor {
  /** Dataset of its readings. */
  path: string;
  name: string;
  unit: string;
  /** Numbers of one reading. */
  width: number;
}

interface Block {
  first: number;
  rows: number;
  data: Float32Array[];
}

export class Sensors {
  readonly list: Sensor[];
  private block: Block | null = null;

  constructor(private readonly source: Source, header: Header) {
    this.list = Object.entries(header.datasets).filter(([path]) => path.startsWith(kGroup)).map(([path, {shape, unit}]) =>
      ({path, name: path.slice(kGroup.length), unit: unit === "1" ? "" : unit, width: shape[1] ?? 1}));
  }

  /** A reading of each sensor in one row of the steps; NaN where there is none. */
  async at(row: number, rowCount: number): Promise<Float32Array[]> {
    let block = this.block;
    if (block === null || row < block.first || row >= block.first + block.rows) {
      const first = row - (row % kReactionRows);
      const rows = Math.min(kReactionRows, rowCount - first);
      const buffer = await this.source.rows(this.list.map(({path}) => path), first, rows, "f32");
      let offset = 0;
      const data = this.list.map(({width}) => {
        const part = new Float32Array(buffer, offset, rows * width);
        offset += part.byteLength;
        return part;
      });
      this.block = block = {first, rows, data};
    }
    const k = row - block.first;
    return block.data.map((part, i) => part.subarray(k * this.list[i]!.width, (k + 1) * this.list[i]!.width));
  }
}
