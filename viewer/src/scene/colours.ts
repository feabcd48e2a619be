// What colours of bodies mean, and the legend that says so.
import type {StepCertificate} from "../data/certificates";
import type {Contacts, Recording, Velocities} from "../data/recording";
import {kPlane} from "./shapes";

export const kColourings = ["body", "speed", "material", "contacts", "certificate"] as const;
export type Coloring = (typeof kColourings)[number];

export interface Legend {
  title: string;
  /** A ramp from low to high with numbers at its ends, or named colours. */
  ramp?: {low: string; high: string; colours: string[]};
  entries?: [name: string, css: string][];
}

type Rgb = [number, number, number];

// Tableau 10, slightly muted: distinct, and legible on light and dark.
const kPalette: Rgb[] = [[78, 121, 167], [242, 142, 43], [89, 161, 79], [225, 87, 89], [118, 183, 178], [237, 201, 72],
                         [176, 122, 161], [255, 157, 167], [156, 117, 95], [120, 144, 190]];
const kNoColour = 0x1000000;
const kWall: Rgb = [168, 173, 180];
const kViridis: Rgb[] = [[68, 1, 84], [70, 50, 127], [54, 92, 141], [39, 127, 142], [31, 161, 135], [74, 194, 109],
                         [159, 218, 58], [253, 231, 37]];

const css = ([r, g, b]: Rgb): string => `rgb(${r},${g},${b})`;

export function viridis(t: number): Rgb {
  const x = Math.min(Math.max(t, 0), 1) * (kViridis.length - 1);
  const k = Math.min(Math.floor(x), kViridis.length - 2);
  const [a, b] = [kViridis[k]!, kViridis[k + 1]!];
  return [0, 1, 2].map((i) => Math.round(a[i]! + (x - k) * (b[i]! - a[i]!))) as Rgb;
}
const kRamp = kViridis.map(css);

/** A few digits, as people write them. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(digits - 2, 1)).replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

export interface ColourInput {
  velocities: Velocities | null;
  contacts: Contacts | null;
  certificate: StepCertificate | null;
}

const kRampSteps = 256;
const kRampColours = Array.from({length: kRampSteps}, (_, i) => viridis(i / (kRampSteps - 1)));

/** Speeds keep their scale while a record plays: it grows with what is seen, and never shrinks. */
export class Colours {
  coloring: Coloring = "body";
  legend: Legend = {title: ""};
  /** Red, green, blue and 255 of each body. */
  readonly bytes: Uint8Array;
  private topSpeed: number;
  private topCount = 0;
  private readonly counts: Uint16Array;
  /** What `bytes` show, where that does not depend on all numbers of a frame. */
  private shown = "";

  /** @param slowest top of the scale of speeds at least [m/s]: what is below is rest, and looks like it. */
  constructor(private readonly recording: Recording, slowest: number) {
    this.topSpeed = slowest;
    this.bytes = new Uint8Array(4 * recording.bodyCount).fill(255);
    this.counts = new Uint16Array(recording.bodyCount);
  }

  private paint(body: number, [r, g, b]: Rgb): void {
    const at = 4 * body;
    this.bytes[at] = r;
    this.bytes[at + 1] = g;
    this.bytes[at + 2] = b;
  }

  /** The colour that the scene gives a body. */
  private own(body: number): Rgb | null {
    const colour = this.recording.colour?.[body] ?? kNoColour;
    return colour < kNoColour ? [colour >> 16, (colour >> 8) & 255, colour & 255] : null;
  }

  /** Colour number of a body: members of a set differ a little, sets differ by hue. */
  private byBody(body: number, group: number): Rgb {
    const own = this.own(body);
    if (own !== null) return own;
    if (this.recording.kind[body] !== 0) return kWall;
    const [r, g, b] = kPalette[group % kPalette.length]!;
    const shade = 0.82 + 0.36 * (((body * 2654435761) >>> 16) % 1024) / 1024;
    return [r, g, b].map((c) => Math.min(255, Math.round(c * shade))) as Rgb;
  }

  /** Numbers of the moving bodies on a scale from 0 to `top`. */
  private paintRamp(value: (body: number) => number, top: number): void {
    const {kind} = this.recording;
    for (let i = 0, n = this.recording.bodyCount; i < n; ++i) {
      if (kind[i] !== 0) this.paint(i, kWall);
      else this.paint(i, kRampColours[Math.min(Math.round((value(i) / top) * (kRampSteps - 1)), kRampSteps - 1)]!);
    }
  }

  /** Makes `bytes` and `legend`; false if the colours are what they were. */
  make({velocities, contacts, certificate}: ColourInput): boolean {
    const {recording} = this;
    const n = recording.bodyCount;
    const isWall = (body: number): boolean => recording.kind[body] !== 0;
    const isShown = (what: string): boolean => {
      const is = this.shown === what;
      this.shown = what;
      return is;
    };
    switch (this.coloring) {
      case "body": {
        if (isShown("body")) return false;
        const moving = recording.header.groups.filter((group) => !isWall(group.first));
        // A few sets: a colour each. One set only: a colour per body, or all would look the same.
        const isOneSet = moving.length === 1 && n <= 200;
        this.legend = {
          title: "Colour: body",
          entries: isOneSet || moving.length > 10 ? [] : moving.map((group, i) => [group.name, css(this.own(group.first) ?? kPalette[i % 10]!)]),
        };
        let number = 0;
        for (const group of recording.header.groups) {
          for (let i = group.first; i < group.first + group.count; ++i) this.paint(i, this.byBody(i, isOneSet ? i : number));
          if (!isWall(group.first)) ++number;
        }
        return true;
      }
      case "material":
        if (isShown("material")) return false;
        this.legend = {
          title: "Colour: material",
          entries: recording.header.materials.map((name, i) => [name, css(kPalette[i % kPalette.length]!)]),
        };
        for (let i = 0; i < n; ++i) this.paint(i, kPalette[recording.material[i]! % kPalette.length]!);
        return true;
      case "speed": {
        this.shown = "";
        const v = velocities?.linear;
        const speed = (i: number): number =>
            v === undefined ? 0 : Math.sqrt(v[3 * i]! * v[3 * i]! + v[3 * i + 1]! * v[3 * i + 1]! + v[3 * i + 2]! * v[3 * i + 2]!);
        for (let i = 0; i < n; ++i)
          if (!isWall(i)) this.topSpeed = Math.max(this.topSpeed, speed(i));
        const top = this.topSpeed || 1;
        this.legend = {title: "Speed", ramp: {low: "0", high: `${short(top)} m/s`, colours: kRamp}};
        this.paintRamp(speed, top);
        return true;
      }
      case "contacts": {
        this.shown = "";
        const {counts} = this;
        counts.fill(0);
        for (let i = 0; contacts !== null && i < contacts.count; ++i) {
          ++counts[contacts.bodyA[i]!]!;
          ++counts[contacts.bodyB[i]!]!;
        }
        for (let i = 0; i < n; ++i)
          if (!isWall(i)) this.topCount = Math.max(this.topCount, counts[i]!);
        const top = Math.max(this.topCount, 1);
        this.legend = {title: "Contacts of a body", ramp: {low: "0", high: String(top), colours: kRamp}};
        this.paintRamp((body) => counts[body]!, top);
        return true;
      }
      case "certificate": {
        // A record keeps of every step its residual and the contact that has most of it.
        const calm: Rgb = certificate === null ? [150, 160, 170] : certificate.isCertified ? [96, 165, 130] : [214, 120, 90];
        const worst: Rgb = [214, 39, 90];
        this.legend = {
          title: certificate === null ? "Certificate: no step yet"
              : certificate.text[0]!.toUpperCase() + certificate.text.slice(1),
          entries: certificate === null ? [] : [
            [certificate.isCertified ? "step certified" : "step not certified", css(calm)],
            ...(certificate.bodyA >= 0 && certificate.residual > 0
              ? [[`worst contact, ${Math.round(100 * certificate.share)} % of it`, css(worst)] as [string, string]] : []),
          ],
        };
        const {isCertified} = certificate ?? {isCertified: null};
        // Round-off belongs to no body, and a floor is not at fault as a whole: of its contact the other body tells.
        const isNamed = certificate !== null && certificate.residual > 0;
        const [bodyA, bodyB] = [certificate?.bodyA ?? -1, certificate?.bodyB ?? -1].map((body) =>
          isNamed && body >= 0 && recording.shapes.shape[body] !== kPlane ? body : -1);
        if (isShown(`certificate ${bodyA} ${bodyB} ${isCertified}`)) return false;
        for (let i = 0; i < n; ++i)
          this.paint(i, i === bodyA || i === bodyB ? worst : isWall(i) ? kWall : calm);
        return true;
      }
    }
  }
}
