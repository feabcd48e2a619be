// What the certificate says of every step.
import type {Recording} from "./recording";

/** Of the step that ended at a frame. */
export interface StepCertificate {
  naturalMap: number;
  /** The worst contact, -1 if none is named; its share of the squared residual, and its bodies. */
  contact: number;
  share: number;
  bodyA: number;
  bodyB: number;
  isCertified: boolean;
}

const kNames = ["natural_map", "worst_contact", "worst_share", "worst_body_a", "worst_body_b", "is_certified"];

export class Certificates {
  private columns: Float32Array[] = [];

  constructor(private readonly recording: Recording) {}

  async read(): Promise<void> {
    const paths = kNames.map((name) => `certificates/${name}`);
    const rows = this.recording.stepTime.length;
    if (rows === 0) return;
    const buffer = await this.recording.source.rows(paths, 0, rows, "f32");
    this.columns = paths.map((_, i) => new Float32Array(buffer, 4 * rows * i, rows));
  }

  get count(): number {
    return this.columns[0]?.length ?? 0;
  }

  ofRow(row: number): StepCertificate {
    const [naturalMap, contact, share, bodyA, bodyB, isCertified] = this.columns.map((column) => column[row]!);
    return {naturalMap: naturalMap!, contact: contact!, share: share!, bodyA: bodyA!, bodyB: bodyB!,
            isCertified: isCertified !== 0};
  }

  ofFrame(frame: number): StepCertificate | null {
    const row = this.recording.stepRow(frame);
    return row < 0 || row >= this.count ? null : this.ofRow(row);
  }

  /** Row with the largest residual; NaN is larger than all numbers. */
  worstRow(): number {
    const naturalMap = this.columns[0]!;
    let worst = 0;
    for (let row = 1; row < naturalMap.length; ++row)
      if (!(naturalMap[row]! <= naturalMap[worst]!)) worst = row;
    return worst;
  }
}
