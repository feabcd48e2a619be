// What is written over the picture: a scale bar, the axes and gravity; in pictures and films also legend and time.
import {Vector3} from "three";
import type {Legend} from "../scene/colours";
import {short} from "../scene/colours";
import type {View} from "../scene/view";

const kAxisColours = ["#d6395a", "#2f9e6e", "#2b6cb0"];

/** 1, 2 or 5 times a power of ten, not above a number. */
export function roundLength(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].find((digit) => digit * power <= most * (1 + 1e-9))! * power;
}

/** Metres as people write them. */
export function lengthText(metres: number): string {
  const [factor, unit] = metres >= 1000 ? [1e-3, "km"] : metres >= 1 ? [1, "m"] : metres >= 0.01 ? [100, "cm"] : metres >= 1e-3 ? [1e3, "mm"] : [1e6, "µm"];
  return `${short(metres * factor, 3)} ${unit}`;
}

function arrow(context: CanvasRenderingContext2D, x: number, y: number, dx: number, dy: number, colour: string): void {
  const size = Math.hypot(dx, dy);
  context.strokeStyle = context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + dx, y + dy);
  context.stroke();
  if (size < 6) return;
  const [ux, uy] = [dx / size, dy / size];
  context.beginPath();
  context.moveTo(x + dx, y + dy);
  context.lineTo(x + dx - 6 * ux + 3 * uy, y + dy - 6 * uy - 3 * ux);
  context.lineTo(x + dx - 6 * ux - 3 * uy, y + dy - 6 * uy + 3 * ux);
  context.fill();
}

export interface Marks {
  /** Directions of the axes, gravity, and the scale bar. */
  hasScale: boolean;
  /** Of a picture to a file, from the corner upwards. */
  legends: Legend[];
  time: string;
}

/** Writes over a picture of a size in CSS pixels. @param gravity in the world, zero if there is none. */
export function annotate(context: CanvasRenderingContext2D, width: number, height: number, view: View,
                         gravity: readonly number[], {hasScale, legends, time}: Marks): void {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim();
  const paper = style.getPropertyValue("--panel").trim();
  const font = Math.max(11, Math.min(16, height / 45));
  context.save();
  context.font = `${font}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.lineWidth = 1.6;
  if (hasScale) {
    const length = roundLength(0.16 * width * view.viewpoint.pixel);
    const pixels = length / view.viewpoint.pixel;
    const [x, y] = [width - 16 - pixels, height - 18];
    context.strokeStyle = context.fillStyle = ink;
    context.beginPath();
    context.moveTo(x, y - 4);
    context.lineTo(x, y);
    context.lineTo(x + pixels, y);
    context.lineTo(x + pixels, y - 4);
    context.stroke();
    context.textAlign = "center";
    context.fillText(lengthText(length), x + pixels / 2, y - 0.9 * font);
    // The axes as they are turned, and where things fall to.
    const [cx, cy, reach] = [width - 44, height - 44 - 3.2 * font, 24];
    const flat = (v: Vector3): [number, number] => {
      const p = v.clone().transformDirection(view.camera.matrixWorldInverse);
      return [reach * p.x, -reach * p.y];
    };
    ["x", "y", "z"].forEach((name, k) => {
      const [dx, dy] = flat(new Vector3().setComponent(k, 1));
      if (Math.hypot(dx, dy) < 3) return;
      arrow(context, cx, cy, dx, dy, kAxisColours[k]!);
      context.fillText(name, cx + 1.32 * dx, cy + 1.32 * dy);
    });
    const g = new Vector3(gravity[0], gravity[1], gravity[2]);
    if (g.length() > 0) {
      const [dx, dy] = flat(g.normalize());
      if (Math.hypot(dx, dy) >= 3) {
        arrow(context, cx - 2.1 * reach, cy - 0.4 * dy, 0.8 * dx, 0.8 * dy, ink);
        context.fillText("g", cx - 2.1 * reach - font, cy);
      }
    }
  }
  if (time !== "") {
    context.textAlign = "left";
    context.fillStyle = ink;
    context.fillText(time, 14, 8 + font);
  }
  let bottom = height - 12;
  for (const legend of legends) bottom = writeLegend(context, bottom, font, ink, paper, legend);
  context.restore();
}

/** Writes a legend that ends at a height; the height at which one above it may end. */
function writeLegend(context: CanvasRenderingContext2D, bottom: number, font: number, ink: string, paper: string, {title, ramp, entries}: Legend): number {
  const rows = entries ?? [];
  if (ramp === undefined && rows.length === 0) return bottom;
  const line = 1.5 * font;
  const lines = 1 + rows.length + (ramp === undefined ? 0 : 2);
  const width = Math.max(13 * font, ...[title, ...rows.map(([name]) => `     ${name}`)].map((text) => context.measureText(text).width)) + 1.4 * font;
  const [x, top] = [12, bottom - line * lines - 0.6 * font];
  context.globalAlpha = 0.82;
  context.fillStyle = paper;
  context.fillRect(x, top, width, line * lines + 0.6 * font);
  context.globalAlpha = 1;
  context.textAlign = "left";
  const write = (text: string, row: number, indent = 0): void => {
    context.fillStyle = ink;
    context.fillText(text, x + 0.7 * font + indent, top + 0.3 * font + (row + 0.5) * line);
  };
  write(title, 0);
  if (ramp !== undefined) {
    const [left, right] = [x + 0.7 * font, x + width - 0.7 * font];
    const gradient = context.createLinearGradient(left, 0, right, 0);
    ramp.colours.forEach((colour, i) => gradient.addColorStop(i / (ramp.colours.length - 1), colour));
    context.fillStyle = gradient;
    context.fillRect(left, top + 0.3 * font + 1.2 * line, right - left, 0.7 * line);
    write(ramp.low, 2);
    context.textAlign = "right";
    context.fillText(ramp.high, right, top + 0.3 * font + 2.5 * line);
    context.textAlign = "left";
  }
  rows.forEach(([name, colour], i) => {
    context.fillStyle = colour;
    context.fillRect(x + 0.7 * font, top + 0.3 * font + (i + 1.2) * line, 0.8 * font, 0.8 * font);
    write(name, 1 + i, 1.3 * font);
  });
  return top - 6;
}
