// What the certificate says of every step.
import type {Recording} from "./recording";

/** A number that a step is judged by (ADR 0019). */
export interface Measure {
  name: string;
  value: number;
  /** What it may be at most; 0 where the record does not say. */
  limit: number;
}

/** Of the step that ended at a frame. */
export interface StepCertificate {
  /** The residual that decides over what it may be: certified steps have 1 at most. Records of earlier versions have the
      natural map alone. */
  residual: number;
  /** The same in words. */
  text: string;
  /** Those that were measured, and the one of them that decides. */
  measures: Measure[];
  deciding: Measure | null;
  /** Largest violation of a contact as a velocity [m/s]. */
  velocity: number;
  /** The worst contact, -1 if none is named; its share of the squared residual, and its bodies. */
  contact: number;
  share: number;
  bodyA: number;
  bodyB: number;
  isCertified: boolean;
  /**
   * Of machines in space that have constraints (joints with play are contacts): how well these hold [m/s, rad/s], [-], and
   * how many of them are independent.
   */
  joints: {rate: number; drift: number; rank: number; constraints: number} | null;
}

const kColumns = ["natural_map", "equation_of_motion", "violation", "work", "excess", "worst_velocity", "worst_contact", "worst_share",
                  "worst_body_a", "worst_body_b", "is_certified", "joint_rate", "joint_drift", "rank", "constraints"] as const;

/** As src/talus/certify/certificate.hpp has it. */
const limits = (tolerance: number): number[] => [tolerance, tolerance, Math.min(1000 * tolerance, 0.1), 1];

export class Certificates {
  private columns = new Map<string, Float32Array>();
  private rows = 0;

  constructor(private readonly recording: Recording) {}

  async read(): Promise<void> {
    const known = new Set(this.recording.header.series.map(({name}) => name));
    const names = kColumns.filter((name) => known.has(`certificates/${name}`));
    const rows = this.recording.stepTime.length;
    if (rows === 0) return;
    const buffer = await this.recording.source.rows(names.map((name) => `certificates/${name}`), 0, rows, "f32");
    this.columns = new Map(names.map((name, i) => [name, new Float32Array(buffer, 4 * rows * i, rows)]));
    this.rows = rows;
  }

  get count(): number {
    return this.rows;
  }

  private at(name: (typeof kColumns)[number], row: number): number {
    return this.columns.get(name)?.[row] ?? NaN;
  }

  private residual(row: number): number {
    return this.columns.has("excess") ? this.at("excess", row) : this.at("natural_map", row);
  }

  ofRow(row: number): StepCertificate {
    const {tolerance} = this.recording.header;
    const most = tolerance > 0 ? limits(tolerance) : [0, 0, 0, 0];
    const measures = (["natural_map", "equation_of_motion", "violation", "work"] as const)
        .map((name, i) => ({name: name.replaceAll("_", " "), value: this.at(name, row), limit: most[i]!}))
        .filter(({value}) => !Number.isNaN(value));
    const residual = this.residual(row);
    // What a record of an earlier version was asked is not known.
    const deciding = !(tolerance > 0) ? null : measures.reduce<Measure | null>((worst, measure) =>
        worst === null || measure.value / measure.limit > worst.value / worst.limit ? measure : worst, null);
    const velocity = this.at("worst_velocity", row);
    const text = deciding === null ? this.columns.has("excess") ? `residual ${residual.toPrecision(3)} of what is allowed` : `natural map ${residual.toExponential(2)}`
        : `${deciding.name} ${deciding.value.toExponential(2)}, ${(100 * residual).toPrecision(3)} % of what is allowed` +
          (velocity > 0 ? `, ${velocity.toExponential(1)} m/s` : "");
    return {residual, text, measures, deciding, velocity: velocity || 0, contact: this.at("worst_contact", row),
            share: this.at("worst_share", row), bodyA: this.at("worst_body_a", row), bodyB: this.at("worst_body_b", row),
            isCertified: this.at("is_certified", row) !== 0,
            joints: this.at("constraints", row) > 0 ? {rate: this.at("joint_rate", row), drift: this.at("joint_drift", row),
                                                rank: this.at("rank", row), constraints: this.at("constraints", row)} : null};
  }

  ofFrame(frame: number): StepCertificate | null {
    const row = this.recording.stepRow(frame);
    return row < 0 || row >= this.count ? null : this.ofRow(row);
  }

  /** Row with the largest residual; NaN is larger than all numbers. */
  worstRow(): number {
    let worst = 0;
    for (let row = 1; row < this.rows; ++row)
      if (!(this.residual(row) <= this.residual(worst))) worst = row;
    return worst;
  }
}
