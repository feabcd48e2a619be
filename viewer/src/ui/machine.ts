// Joints and drives with what they do: a table that follows the timeline.
import type {Reactions} from "../data/machine";
import type {Recording} from "../data/recording";
import {short} from "../scene/colours";
import {kDriveCss, kReactionCss} from "../scene/joints";
import {button, el} from "./elements";

const kMost = 200;

export const effortUnit = (quantity: number): string => (quantity === 1 ? "N" : "N m");

export class MachineTable {
  readonly element = el("div", {class: "machine inspector"});
  private readonly force: HTMLElement[] = [];
  private readonly moment: HTMLElement[] = [];
  private readonly effort: HTMLElement[] = [];

  constructor(private readonly recording: Recording, select: (joint: number) => void, plot: (series: string) => void) {
    const rows: HTMLElement[] = [];
    const cell = (list: HTMLElement[], name: string): HTMLElement => {
      const made = el("td", {"data-force": name});
      list.push(made);
      return made;
    };
    for (const [i, name] of (recording.joints?.name ?? []).slice(0, kMost).entries())
      rows.push(el("tr", {}, el("th", {}, el("i", {style: `background:${kReactionCss}`}), button(name, `Select ${name}`, () => select(i))),
                   cell(this.force, name), cell(this.moment, name)));
    for (const [i, name] of (recording.drives?.name ?? []).slice(0, kMost).entries()) {
      const isTorque = recording.drives!.quantity[i] !== 1;
      const own = cell(this.effort, name);
      rows.push(el("tr", {}, el("th", {}, el("i", {style: `background:${kDriveCss}`}),
                                button(name, `Plot what ${name} does`, () => plot(`drives/${name}/effort`))),
                   isTorque ? el("td", {}) : own, isTorque ? own : el("td", {})));
    }
    this.element.append(el("table", {}, el("tr", {}, el("th", {}, ""), el("th", {}, "force"), el("th", {}, "moment")), ...rows),
                        el("p", {class: "quiet"}, "On body B of a joint; click one to see more. Drives in the second colour."));
  }

  show(reactions: Reactions | null): void {
    const text = (value: number, unit: string): string => (Number.isFinite(value) ? `${short(value)} ${unit}` : "–");
    const none = reactions === null;
    this.force.forEach((cell, i) => {
      cell.textContent = none ? "–" : text(Math.hypot(...reactions.force.subarray(3 * i, 3 * i + 3)), "N");
    });
    this.moment.forEach((cell, i) => {
      const [x, y, z] = none ? [] : reactions.moment.subarray(3 * i, 3 * i + 3);
      cell.textContent = none ? "–" : text(this.recording.joints!.isInSpace ? Math.hypot(x!, y!, z!) : z!, "N m");
    });
    this.effort.forEach((cell, i) => {
      cell.textContent = none ? "–" : text(reactions.effort[i]!, effortUnit(this.recording.drives!.quantity[i]!));
    });
  }
}
