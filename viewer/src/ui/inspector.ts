// What is known of the body or the contact that was clicked.
import type {FrameData} from "../player";
import type {Recording} from "../data/recording";
import {kShapeNames} from "../scene/shapes";
import {short} from "../scene/colours";
import {contactFacts, kStateColours, kStateNames} from "../scene/contacts";
import {kJointNames} from "../scene/joints";
import {button, el} from "./elements";
import {effortUnit} from "./machine";

const kKinds = ["dynamic", "fixed", "kinematic"];
const vector = (values: ArrayLike<number>, unit: string): string =>
    `(${[0, 1, 2].map((k) => short(values[k]!)).join(", ")}) ${unit}`;

export class Inspector {
  readonly element = el("div", {class: "inspector"});
  body = -1;
  contact = -1;
  joint = -1;
  onSelect: (body: number, contact: number, joint: number) => void = () => undefined;
  onPresence: (what: "hide" | "only") => void = () => undefined;
  onFocus: () => void = () => undefined;
  onPlot: (title: string, series: string[]) => void = () => undefined;

  constructor(private readonly recording: Recording) {}

  private table(rows: [string, string | Node][]): HTMLTableElement {
    return el("table", {}, ...rows.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, value))));
  }

  private bodyLink(body: number): HTMLButtonElement {
    const name = this.recording.bodyName(body);
    return button(name, `Select ${name}`, () => this.onSelect(body, -1, -1));
  }

  show(frame: FrameData | null): void {
    const isEmpty = frame === null || (this.body < 0 && this.contact < 0 && this.joint < 0);
    if (isEmpty && this.element.querySelector("[name=find]") !== null) return;  // nothing to say of any frame
    this.element.replaceChildren();
    if (isEmpty) {
      this.element.append(el("p", {class: "quiet"}, "Click a body, a contact or a joint."), this.finder());
      return;
    }
    if (this.contact >= 0) this.showContact(frame);
    else if (this.joint >= 0) this.showJoint(frame);
    else this.showBody(frame);
  }

  private finder(): HTMLElement {
    const input = el("input", {type: "search", name: "find", placeholder: "Name of a body…", "aria-label": "Name of a body",
                               list: "body-names", change: () => {
      const body = this.recording.findBody(input.value);
      if (body >= 0) this.onSelect(body, -1, -1);
      input.classList.toggle("wrong", body < 0 && input.value !== "");
    }});
    const names = this.recording.header.groups.slice(0, 500).map((group) =>
      el("option", {value: group.is_set ? `${group.name}[0]` : group.name}));
    return el("div", {}, input, el("datalist", {id: "body-names"}, ...names));
  }

  private showBody({index, poses, velocities, contacts}: FrameData): void {
    const {recording, body} = this;
    const at3 = (values: Float32Array): Float32Array => values.subarray(3 * body, 3 * body + 3);
    const material = recording.header.materials[recording.material[body]!] ?? "";
    const isDynamic = recording.kind[body] === 0;
    const rows: [string, string | Node][] = [
      ["shape", kShapeNames[recording.shapes.shape[body]!] ?? "?"],
      ["kind", `${kKinds[recording.kind[body]!]}${material === "" ? "" : `, ${material}`}`],
    ];
    if (isDynamic) rows.push(["mass", `${short(recording.mass[body]!)} kg`]);
    if (poses.presence !== null && poses.presence[body]! > 0)
      rows.push(["state", poses.presence[body] === 1 ? "waits to come in" : "has been taken out"]);
    rows.push(["position", vector(at3(poses.position), "m")]);
    if (velocities !== null) {
      const v = at3(velocities.linear);
      rows.push(["velocity", vector(v, "m/s")], ["speed", `${short(Math.hypot(...v))} m/s`],
                ["angular velocity", vector(at3(velocities.angular), "rad/s")]);
    }
    if (contacts !== null) {
      const force = [0, 0, 0];
      let count = 0;
      const h = recording.stepSize(index);
      for (let i = 0; i < contacts.count; ++i) {
        const isB = contacts.bodyB[i] === body;
        if (!isB && contacts.bodyA[i] !== body) continue;
        ++count;
        for (let k = 0; k < 3; ++k) force[k]! += (isB ? 1 : -1) * contacts.impulse[3 * i + k]! / h;
      }
      const seen = recording.contactFrame(index);
      const when = seen === index ? "" : `, of step ${recording.frameStep[seen]}`;
      rows.push(["contacts", `${count}${when}`], ["contact force", vector(force, "N")]);
    }
    this.element.append(
        el("h3", {}, recording.bodyName(body)), this.table(rows),
        el("div", {class: "row"}, button("Look at it", "Move the camera there (L)", () => this.onFocus(), "focus"),
           button("Hide", "Hide it, or show it again (I)", () => this.onPresence("hide"), "hide"),
           button("Only this", "Show nothing else, or all again (U)", () => this.onPresence("only"), "only"),
           button("Plot its path", "Plot its position", () => {
             const name = recording.bodyName(body);
             this.onPlot(`${name} [m]`, [`body.${name}`]);
           }, "plot-body"),
           button("Clear", "Select nothing (Esc)", () => this.onSelect(-1, -1, -1))));
  }

  private showJoint({reactions}: FrameData): void {
    const {recording, joint} = this;
    const joints = recording.joints!;
    const name = joints.name[joint]!;
    const [a, b] = [joints.bodyA[joint]!, joints.bodyB[joint]!];
    const rows: [string, string | Node][] = [
      ["joint", kJointNames[joints.kind[joint]!] ?? "?"], ["body A", a < 0 ? "the world" : this.bodyLink(a)],
      ["body B", this.bodyLink(b)],
    ];
    const hasPlay = [4, 6, 7, 14].includes(joints.kind[joint]!);
    if (reactions === null) {
      rows.push(["force on B", "no step has ended here"]);
    } else {
      const of = (values: Float32Array): number[] => [...values.subarray(3 * joint, 3 * joint + 3)];
      const listed = (values: number[]): string => `(${values.map((value) => short(value)).join(", ")})`;
      const [force, moment] = [of(reactions.force), of(reactions.moment)];
      if (joints.isInSpace) {
        rows.push(["force on B", `${listed(force)} N`], ["its size", `${short(Math.hypot(...force))} N`],
                  ["moment on B", `${listed(moment)} N m`]);
        const group = `joints/${name}/`;
        for (const [path, value] of reactions.axes)
          if (path.startsWith(group))
            rows.push([path.slice(group.length).replaceAll("/", " "), button(`${short(value)} ${this.unitOf(path)}`, "Plot it", () => this.onPlot(path, [path]))]);
      } else {
        rows.push(["force on B", `${listed(force.slice(0, 2))} N`], ["its size", `${short(Math.hypot(...force))} N`],
                  ["moment on B", `${short(moment[2]!)} N m`], ["friction", `${short(reactions.friction[joint]!)} N`]);
      }
      recording.drives?.name.forEach((drive, i) => {
        const [da, db] = [recording.drives!.bodyA[i], recording.drives!.bodyB[i]];
        if ((da === a && db === b) || (da === b && db === a))
          rows.push([`drive ${drive}`, `${short(reactions.effort[i]!)} ${effortUnit(recording.drives!.quantity[i]!)}`]);
      });
    }
    this.element.append(
        el("h3", {}, name), this.table(rows),
        joints.isInSpace ? el("p", {class: "quiet"}, "Components are along the axes of the joint's frame on body A.") : "",
        hasPlay ? el("p", {class: "quiet"}, "It has play or is a rope: what it does are contact forces.") : "",
        el("div", {class: "row"}, button("Look at it", "Move the camera there (L)", () => this.onFocus(), "focus"),
           button("Plot its force", "Plot the force on body B", () => this.onPlot(`${name}: force [N]`, [`reactions/${name}/force`]), "plot-joint"),
           button("Plot its moment", "Plot the moment on body B", () => this.onPlot(`${name}: moment [N m]`, [`reactions/${name}/moment`]), "plot-moment"),
           button("Clear", "Select nothing (Esc)", () => this.onSelect(-1, -1, -1))));
  }

  private unitOf(series: string): string {
    return this.recording.header.series.find(({name}) => name === series)?.unit ?? "";
  }

  private showContact({index, contacts}: FrameData): void {
    const {recording} = this;
    if (contacts === null || this.contact >= contacts.count) {
      this.element.append(el("p", {class: "quiet"}, "This frame has no such contact."));
      return;
    }
    const facts = contactFacts(recording, contacts, this.contact, recording.stepSize(index));
    const ratio = facts.normalForce > 0 ? facts.tangentialForce / facts.normalForce : 0;
    const state = el("b", {style: `color:${kStateColours[facts.state]}`}, kStateNames[facts.state]!);
    this.element.append(
        el("h3", {}, `Contact ${this.contact}`),
        this.table([
          ["body A", this.bodyLink(facts.bodyA)],
          ["body B", this.bodyLink(facts.bodyB)],
          ["state", state],
          ["gap", `${short(facts.gap)} m`],
          ["normal force", `${short(facts.normalForce)} N`],
          ["friction force", `${short(facts.tangentialForce)} N`],
          ["ratio", `${short(ratio, 3)} of μ = ${short(facts.friction, 3)}`],
          ["position", vector(facts.position, "m")],
          ["normal", vector(facts.normal, "")],
        ]),
        el("p", {class: "quiet"}, "Forces are the step's impulse over its length."),
        el("div", {class: "row"}, button("Look at it", "Move the camera there (L)", () => this.onFocus(), "focus"),
           button("Clear", "Select nothing (Esc)", () => this.onSelect(-1, -1, -1))));
  }
}
