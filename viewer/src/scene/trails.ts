// Where bodies have been: lines through the centres of the last frames, fading into the past.
import {BufferGeometry, Float32BufferAttribute, GLSL3, LineSegments, ShaderMaterial} from "three";
import type {Poses, Recording} from "../data/recording";
import type {BodyTextures} from "./textures";

/** Frames of a trail, and bodies that have one where none is selected. */
const kFrames = 120;
const kBodies = 60;

const kVertex = "in vec4 trail;\nout vec4 vColour;\nvoid main() {\n  vColour = trail;\n" +
    "  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);\n}";
const kFragment = "in vec4 vColour;\nout vec4 fragment;\nvoid main() { fragment = vColour; }";

export class Trails {
  readonly lines: LineSegments<BufferGeometry, ShaderMaterial>;
  /** The only body that has one; -1: the first of all that move. */
  body = -1;
  private request = 0;

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures) {
    this.lines = new LineSegments(new BufferGeometry(), new ShaderMaterial({
      glslVersion: GLSL3, vertexShader: kVertex, fragmentShader: kFragment, transparent: true, depthTest: false, depthWrite: false,
    }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 5;
    this.lines.visible = false;
  }

  private bodies(): number[] {
    if (this.body >= 0) return [this.body];
    const {kind, shapes} = this.recording;
    const moving: number[] = [];
    for (const body of shapes.body) {
      if (kind[body] === 0 && this.textures.hidden[body] === 0) moving.push(body);
      if (moving.length === kBodies) break;
    }
    return moving;
  }

  /** Makes the trails that end at a frame; true if they are still wanted when they are made. */
  async show(frame: number): Promise<boolean> {
    if (!this.lines.visible) return false;
    const request = ++this.request;
    const first = Math.max(0, frame - kFrames);
    const poses: Poses[] = [];
    for (let k = first; k <= frame; ++k) poses.push(await this.recording.poses(k));
    if (request !== this.request) return false;
    const [position, trail]: number[][] = [[], []];
    for (const body of this.bodies())
      for (let k = 1; k < poses.length; ++k) {
        const ends = [poses[k - 1]!, poses[k]!];
        if (ends.some(({presence}) => presence !== null && presence[body] !== 0)) continue;
        const points = ends.map(({position: p}) => [0, 1, 2].map((axis) => this.recording.wrapped(p[3 * body + axis]!, axis)));
        // Through the periodic cell's side, and back in on the other.
        if (points[0]!.some((x, axis) => this.recording.cell[3 + axis]! > 0 && Math.abs(x - points[1]![axis]!) > 0.5 * this.recording.cell[3 + axis]!)) continue;
        position!.push(...points[0]!, ...points[1]!);
        for (const part of [k - 1, k]) trail!.push(0.82, 0.1, 0.3, 0.15 + 0.85 * (part / (poses.length - 1)));
      }
    const {geometry} = this.lines;
    geometry.setAttribute("position", new Float32BufferAttribute(position!, 3));
    geometry.setAttribute("trail", new Float32BufferAttribute(trail!, 4));
    geometry.setDrawRange(0, position!.length / 3);
    return true;
  }
}
