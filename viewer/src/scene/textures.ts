import {DataTexture, FloatType, NearestFilter, RGBAFormat, UnsignedByteType, Vector3, Vector4} from "three";
import type {Poses, Recording} from "../data/recording";
import {effectUniforms} from "./effects";
import {kTextureWidth} from "./shaders";

/** Poses and colours of all bodies on the graphics processor, and the uniforms that everything shares. */
export class BodyTextures {
  private readonly poseData: Float32Array<ArrayBuffer>;
  private readonly colourData: Uint8Array<ArrayBuffer>;
  readonly poses: DataTexture;
  readonly colours: DataTexture;
  readonly uniforms;
  /** Bodies that are not to be seen: 1. */
  readonly hidden: Uint8Array;

  constructor(private readonly recording: Recording) {
    const count = recording.bodyCount;
    const poseRows = Math.max(1, Math.ceil(2 * count / kTextureWidth));
    const colourRows = Math.max(1, Math.ceil(count / kTextureWidth));
    this.hidden = new Uint8Array(count);
    this.poseData = new Float32Array(4 * kTextureWidth * poseRows);
    this.colourData = new Uint8Array(4 * kTextureWidth * colourRows).fill(200);
    this.poses = new DataTexture(this.poseData, kTextureWidth, poseRows, RGBAFormat, FloatType);
    this.colours = new DataTexture(this.colourData, kTextureWidth, colourRows, RGBAFormat, UnsignedByteType);
    for (const texture of [this.poses, this.colours]) texture.minFilter = texture.magFilter = NearestFilter;
    const cell = recording.cell;
    this.uniforms = {
      uPoses: {value: this.poses},
      uColours: {value: this.colours},
      uCellLow: {value: new Vector3(cell[0], cell[1], cell[2])},
      uCellLength: {value: new Vector3(cell[3], cell[4], cell[5])},
      uSelected: {value: -1},
      uIsPicking: {value: false},
      uIsFlat: {value: recording.header.dimension === 2},
      uUp: {value: new Vector3(0, 0, 1)},
      uKey: {value: new Vector3(0.35, -0.5, 0.8).normalize()},
      uPixels: {value: 1000},
      /** What x with xyz · x > w is cut away. */
      uCut: {value: new Vector4()},
      ...effectUniforms(),
    };
  }

  setPoses({position, orientation, presence}: Poses): void {
    const data = this.poseData;
    for (let i = 0, n = this.recording.bodyCount; i < n; ++i) {
      const at = 8 * i;
      data[at] = position[3 * i]!;
      data[at + 1] = position[3 * i + 1]!;
      data[at + 2] = position[3 * i + 2]!;
      data[at + 3] = this.hidden[i]! + (presence === null ? 0 : presence[i]!);
      data[at + 4] = orientation[4 * i + 1]!;
      data[at + 5] = orientation[4 * i + 2]!;
      data[at + 6] = orientation[4 * i + 3]!;
      data[at + 7] = orientation[4 * i]!;
    }
    this.poses.needsUpdate = true;
  }

  /** @param colours red, green, blue, 255 of each body. */
  setColours(colours: Uint8Array): void {
    this.colourData.set(colours);
    this.colours.needsUpdate = true;
  }

  /** Where a body is drawn: inside the periodic cell. −1: the world. */
  position(body: number): Vector3 {
    if (body < 0) return new Vector3();
    const p = new Vector3().fromArray(this.poseData, 8 * body);
    return p.set(...(p.toArray().map((value, axis) => this.recording.wrapped(value, axis)) as [number, number, number]));
  }

  /** From where a body is drawn to where it is: over whole lengths of the periodic cell. */
  shift(body: number): Vector3 {
    return new Vector3().fromArray(this.poseData, 8 * body).sub(this.position(body));
  }

  /** w, x, y, z */
  rotation(body: number): [number, number, number, number] {
    if (body < 0) return [1, 0, 0, 0];
    const [x, y, z, w] = this.poseData.subarray(8 * body + 4, 8 * body + 8);
    return [w!, x!, y!, z!];
  }

  isThere(body: number): boolean {
    return this.poseData[8 * body + 3]! < 0.5;
  }
}
