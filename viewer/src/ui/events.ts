// What happened when: marks on the timeline, and a list of which each row leads there.
import type {Events} from "../data/machine";
import type {Recording} from "../data/recording";
import {short} from "../scene/colours";
import {el} from "./elements";

const kRows = 40;
/** Of impact, touch, detachment, stick, slip, reversal, accumulation, painleve, corner. */
const kKindColours = ["#d6395a", "#4e79a7", "#8a8f98", "#2f9e6e", "#e8772e", "#b58a2a", "#7f6bb0", "#c0268a", "#3aa6a0"];

export class EventList {
  readonly element = el("div", {class: "events"});
  /** Lies over the slider. */
  readonly marks = el("canvas", {class: "marks", title: "Events: click goes there"});
  onJump: (frame: number) => void = () => undefined;
  /** The event that was chosen; −1: none. */
  selected = -1;

  private readonly kinds = el("select", {name: "event-kind", "aria-label": "Kind of event", change: () => {
    this.filter();
    this.fill();
  }});
  private readonly rows = el("div", {class: "event-rows"});
  private readonly detail = el("div", {class: "inspector event-detail"});
  /** Events of the chosen kind. */
  private shown: number[] = [];
  /** First row of the list that is made. */
  private first = 0;
  private current = -1;
  private time = 0;

  constructor(private readonly recording: Recording) {
    this.element.append(el("div", {class: "row"}, el("span", {}, "Kind"), this.kinds), this.rows, this.detail);
    this.marks.addEventListener("click", (event) => {
      const frame = this.frameOfPixel(event.offsetX);
      const events = this.recording.events;
      if (events === null || events.count === 0) return;
      let best = 0;
      for (let i = 1; i < events.count; ++i)
        if (Math.abs(this.frameOf(i) - frame) < Math.abs(this.frameOf(best) - frame)) best = i;
      this.jump(best);
    });
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
    this.reload();
  }

  /** Takes up what a run has added. */
  reload(): void {
    const events = this.recording.events;
    if (events === null) return;
    const counts = events.kindNames.map(() => 0);
    for (let i = 0; i < events.count; ++i) ++counts[events.kind[i]!]!;
    const chosen = this.kinds.value || "all";
    this.kinds.replaceChildren(el("option", {value: "all"}, `all (${events.count})`), ...events.kindNames.flatMap((name, kind) =>
      counts[kind]! > 0 ? [el("option", {value: String(kind)}, `${name} (${counts[kind]})`)] : []));
    this.kinds.value = [...this.kinds.options].some(({value}) => value === chosen) ? chosen : "all";
    this.filter();
    this.fill();
    this.drawMarks();
  }

  private filter(): void {
    const events = this.recording.events;
    const kind = this.kinds.value;
    this.shown = [];
    for (let i = 0; i < (events?.count ?? 0); ++i)
      if (kind === "all" || events!.kind[i] === Number(kind)) this.shown.push(i);
    this.first = -1;
  }

  /** The frame that shows an event: the first after it. */
  frameOf(event: number): number {
    return this.recording.frameFrom(this.recording.events!.time[event]!);
  }

  jump(event: number): void {
    this.selected = event;
    this.onJump(this.frameOf(event));
    this.first = -1;
    this.fill();
  }

  /** To the next event of the chosen kind, or the one before. */
  step(direction: 1 | -1): void {
    const events = this.recording.events;
    if (events === null || this.shown.length === 0) return;
    let at = this.shown.indexOf(this.selected);
    if (at >= 0 && Math.abs(this.time - this.timeOfFrame(this.frameOf(this.selected))) < 1e-9 * Math.abs(this.time)) at += direction;
    else at = direction > 0 ? this.shown.findIndex((event) => events.time[event]! > this.time)
        : this.shown.findLastIndex((event) => events.time[event]! < this.time);
    if (at >= 0 && at < this.shown.length) this.jump(this.shown[at]!);
  }
  private timeOfFrame(frame: number): number {
    return this.recording.frameTime[frame] ?? 0;
  }

  setTime(time: number): void {
    this.time = time;
    this.fill();
  }

  private name(body: number): string {
    return body < 0 ? "" : this.recording.bodyName(body);
  }
  private bodies(events: Events, i: number): string {
    const names = [this.name(events.bodyA[i]!), this.name(events.bodyB[i]!)].filter((name) => name !== "");
    return `${names.join(" – ")}${events.contact[i]! < 0 && names.length > 0 ? " (joint)" : ""}`;
  }

  /** Makes the rows around the time that is shown, where they are not there yet. */
  private fill(): void {
    const events = this.recording.events;
    if (events === null || this.element.offsetParent === null) return;
    // The last event that is not later than the time.
    let low = 0;
    let high = this.shown.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events.time[this.shown[middle]!]! <= this.time) low = middle + 1;
      else high = middle;
    }
    const current = this.shown.includes(this.selected) && this.frameOf(this.selected) === this.recording.frameAt(this.time)
        ? this.shown.indexOf(this.selected) : low - 1;
    if (this.first >= 0 && current === this.current) return;
    this.current = current;
    const first = Math.max(0, Math.min(current - kRows / 2, this.shown.length - kRows));
    if (this.first < 0 || Math.abs(first - this.first) > kRows / 4) {
      this.first = first;
      this.rows.replaceChildren(...this.shown.slice(first, first + kRows).map((i) => {
        const kind = events.kind[i]!;
        return el("button", {type: "button", class: "event", "data-event": String(i), click: () => this.jump(i)},
                  el("i", {style: `background:${kKindColours[kind] ?? "#888"}`}), el("span", {}, `${short(events.time[i]!, 6)} s`),
                  el("span", {}, events.kindNames[kind] ?? "?"), el("span", {}, this.bodies(events, i)));
      }));
      if (this.shown.length === 0) this.rows.replaceChildren(el("p", {class: "quiet"}, "no events yet"));
    }
    const event = this.shown[current];
    for (const row of this.rows.querySelectorAll<HTMLElement>("[aria-current]")) row.removeAttribute("aria-current");
    const row = event === undefined ? null : this.rows.querySelector<HTMLElement>(`[data-event="${event}"]`);
    row?.setAttribute("aria-current", "true");
    if (row !== null) this.rows.scrollTop = row.offsetTop - this.rows.clientHeight / 2;
    this.showDetail(events, event);
  }

  private showDetail(events: Events, i: number | undefined): void {
    if (this.detail.dataset["event"] === String(i)) return;
    this.detail.dataset["event"] = String(i);
    if (i === undefined) {
      this.detail.replaceChildren();
      return;
    }
    const pair = (values: Float32Array, unit: string): string =>
        `${short(values[2 * i]!)} → ${short(values[2 * i + 1]!)} ${unit}`;
    const kind = events.kindNames[events.kind[i]!] ?? "?";
    const contact = events.contact[i]!;
    const rows: [string, string][] = [
      ["event", `${i + 1} of ${events.count}: ${kind}`], ["time", `${short(events.time[i]!, 8)} s, in step ${events.step[i]}`],
    ];
    if (events.bodyA[i]! >= 0) rows.push(["bodies", this.bodies(events, i)]);
    if (kind !== "kink") rows.push([contact < 0 ? "joint friction" : "contact", String(contact < 0 ? -1 - contact : contact)]);
    if (events.impulse[2 * i] !== 0 || events.impulse[2 * i + 1] !== 0)
      rows.push(["impulse", `${short(events.impulse[2 * i]!)} normal, ${short(events.impulse[2 * i + 1]!)} tangential N s`]);
    if (kind !== "kink")
      rows.push(["gap's rate", pair(events.gapRate, "m/s")], ["slip", pair(events.slip, "m/s")]);
    rows.push(["energy", pair(events.energy, "J")]);
    this.detail.replaceChildren(el("table", {}, ...rows.map(([name, text]) => el("tr", {}, el("th", {}, name), el("td", {}, text)))));
  }

  // The slider's button is 16 pixels wide and stays inside.
  private pixelOfFrame(frame: number): number {
    return 8 + ((this.marks.clientWidth - 16) * frame) / Math.max(this.recording.frameCount - 1, 1);
  }
  private frameOfPixel(x: number): number {
    return ((x - 8) / Math.max(this.marks.clientWidth - 16, 1)) * (this.recording.frameCount - 1);
  }

  private drawMarks(): void {
    const events = this.recording.events;
    const {marks} = this;
    marks.hidden = events === null || events.count === 0;
    if (marks.hidden) return;
    marks.width = marks.clientWidth * devicePixelRatio;
    marks.height = marks.clientHeight * devicePixelRatio;
    const context = marks.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    for (let i = 0; i < events!.count; ++i) {
      context.fillStyle = kKindColours[events!.kind[i]!] ?? "#888";
      context.fillRect(Math.round(this.pixelOfFrame(this.frameOf(i))) - 1, 0, 2, marks.clientHeight);
    }
  }
}
