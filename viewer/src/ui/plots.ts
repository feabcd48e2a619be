// Curves beside the picture, with a line at the time that is shown; a click goes there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import {nearestIndex, type Recording} from "../data/recording";
import type {Series} from "../data/source";
import {short} from "../scene/colours";
import {button, el} from "./elements";

interface PlotKind {
  key: string;
  title: string;
  names: string[];
  isLogarithmic?: boolean;
}

const kMaxPoints = 4000;
/** Bodies times frames: a second or so of the server's time. */
const kCostly = 3e6;
const kColours = ["#4e79a7", "#e8772e", "#59a14f", "#d6395a", "#7f6bb0", "#3aa6a0", "#b58a2a", "#8a8f98"];

/** At most so many points: of each piece the lowest and the highest, so that no peak is lost. */
export function thinned(series: Series, most = kMaxPoints): {time: number[]; value: (number | null)[]} {
  const n = series.time.length;
  const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);
  if (n <= most) return {time: [...series.time], value: [...series.value].map(finite)};
  const time: number[] = [];
  const value: (number | null)[] = [];
  const pieces = Math.floor(most / 2);
  for (let piece = 0; piece < pieces; ++piece) {
    const first = Math.floor((piece * n) / pieces);
    const last = Math.floor(((piece + 1) * n) / pieces);
    let low = first;
    let high = first;
    for (let i = first; i < last; ++i) {
      if (series.value[i]! < series.value[low]!) low = i;
      if (series.value[i]! > series.value[high]!) high = i;
    }
    for (const i of low < high ? [low, high] : low > high ? [high, low] : [low]) {
      time.push(series.time[i]!);
      value.push(finite(series.value[i]!));
    }
  }
  return {time, value};
}

/** A few powers of ten. */
function decades(_: uPlot, _axis: number, low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const step = Math.max(1, Math.ceil((last - first) / 5));
  return Array.from({length: Math.floor((last - first) / step) + 1}, (_unused, i) => 10 ** (first + i * step));
}

class Plot {
  readonly element = el("div", {class: "plot"});
  private readonly legend = el("div", {class: "plot-legend"});
  private readonly area = el("div", {class: "plot-area"});
  private readonly line = el("div", {class: "plot-line"});
  private entries: {label: HTMLElement; number: HTMLElement}[] = [];
  private chart: uPlot | null = null;
  private series: Series[] = [];
  private time = 0;
  /** Requested though it is costly. */
  isWanted = false;

  constructor(readonly kind: PlotKind, private readonly seek: (time: number) => void) {
    this.element.dataset["plot"] = kind.key;
    this.element.append(el("div", {class: "plot-title"}, kind.title), this.area, this.legend);
  }

  set(series: Series[]): void {
    this.series = series;
    this.chart?.destroy();
    this.chart = null;
    this.area.replaceChildren();
    this.entries = series.map((one, i) => {
      const number = el("b");
      const isOfMachine = /^(reactions|drives|joints|sensors)\//.test(one.name);  // the name says more than "force" or "x"
      const name = one.name.slice((isOfMachine ? one.name.indexOf("/") : one.name.lastIndexOf("/")) + 1).replace(/_/g, " ");
      const dot = el("i", {style: `background:${kColours[i % kColours.length]}`});
      return {label: el("span", {"data-series": one.name}, dot, `${name} `, number), number};
    });
    this.legend.replaceChildren(...this.entries.map(({label}) => label));
    if (series.length === 0 || series[0]!.time.length === 0) {
      this.area.append(el("p", {class: "quiet"}, "no numbers yet"));
      return;
    }
    // All of a plot share a clock; where they do not, uPlot joins them.
    const tables = series.map((one) => {
      const {time, value} = thinned(one);
      const positive = this.kind.isLogarithmic ? value.map((x) => (x !== null && x > 0 ? x : null)) : value;
      return [time, positive] as uPlot.AlignedData;
    });
    const data = uPlot.join(tables);
    const isZero = !data.slice(1).some((values) => Array.from(values as ArrayLike<number | null | undefined>).some(Boolean));
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--quiet");
    const grid = {stroke: style.getPropertyValue("--line"), width: 1};
    const axis = {stroke: ink, grid, ticks: grid, font: "11px system-ui, sans-serif", size: 34};
    const options: uPlot.Options = {
      width: this.area.clientWidth || 280,
      height: 118,
      pxAlign: 0,  // or slow curves look like stairs
      legend: {show: false},
      cursor: {drag: {x: false, y: false}, points: {show: false}},
      scales: {
        // A record begins at 0, though its first step ends a little later.
        x: {time: false, range: (_, low, high) => [low > 0 && low < 0.05 * high ? 0 : low, high > low ? high : low + 1]},
        // Of curves that are 0 throughout the axis shows 0 and no numbers that are not there.
        y: this.kind.isLogarithmic ? {distr: 3} : isZero ? {range: [-1, 1]} : {},
      },
      series: [{}, ...series.map((_, i) => ({stroke: kColours[i % kColours.length]!, width: 1.4, points: {show: false}, spanGaps: true}))],
      axes: [
        {...axis, size: 26, space: 60, values: (_, splits) => splits.map((x, i) => short(x, 3) + (i === splits.length - 1 ? " s" : ""))},
        {...axis, size: 58, space: 26, ...(this.kind.isLogarithmic ? {splits: decades} : isZero ? {splits: [0]} : {}), values: (_, splits) => splits.map((x) => (x === null ? "" : short(x, 3)))},
      ],
      hooks: {
        ready: [(chart) => chart.over.addEventListener("click", (event) =>
          this.seek(chart.posToVal(event.offsetX, "x")))],
      },
    };
    this.chart = new uPlot(options, data, this.area);
    this.chart.over.append(this.line);
    this.setTime(this.time);
  }

  /** Moves the line and the numbers: the curves themselves are not drawn again. */
  /** Instead of curves a button that fetches them. */
  offer(fetch: () => Promise<void>): void {
    if (this.series.length > 0) return;
    this.area.replaceChildren(button("Make it from all frames", "Takes a while: all frames are read", () => {
      this.isWanted = true;
      this.area.replaceChildren(el("p", {class: "quiet"}, "being made…"));
      void fetch();
    }));
  }

  setTime(time: number): void {
    this.time = time;
    if (this.chart !== null) {
      const x = this.chart.valToPos(time, "x");
      this.line.hidden = !(x >= 0 && x <= this.chart.over.clientWidth);
      this.line.style.transform = `translateX(${x}px)`;
    }
    this.series.forEach((one, i) => {
      const value = one.value[nearestIndex(one.time, time)];
      const unit = one.unit === "1" ? "" : ` ${one.unit}`;
      const {label, number} = this.entries[i]!;
      label.dataset["value"] = value === undefined ? "" : String(value);
      number.textContent = `${value === undefined ? "" : short(value)}${unit}`;
    });
  }

  resize(): void {
    if (this.chart === null || this.area.clientWidth === 0) return;
    this.chart.setSize({width: this.area.clientWidth, height: 118});
    this.setTime(this.time);
  }

  get table(): Series[] {
    return this.series;
  }

  /** Of the axis of values. */
  get range(): (number | undefined)[] {
    return [this.chart?.scales.y?.min, this.chart?.scales.y?.max];
  }
}

/** The list of plots: some that every record has, and what one adds. */
export class Plots {
  readonly element = el("div", {class: "plots"});
  private readonly list = el("div", {});
  private readonly plots = new Map<string, Plot>();
  private time = 0;
  private isShown = false;

  constructor(private readonly recording: Recording, private readonly seek: (time: number) => void,
              private readonly onError: (error: unknown) => void) {
    const names = new Set(recording.header.series.map(({name}) => name));
    const has = (wanted: string[]): string[] => wanted.filter((name) => names.has(name));
    const kinds: PlotKind[] = [
      {key: "energy", title: "Energy [J]", names: has(["energies/kinetic", "energies/potential", "energies/total"])},
      names.has("certificates/excess")
          ? {key: "certificate", title: "Certificate: residual over what is allowed", names: ["certificates/excess"], isLogarithmic: true}
          : {key: "certificate", title: "Certificate: natural map", names: has(["certificates/natural_map"]), isLogarithmic: true},
      {key: "penetration", title: "Penetration [m]", names: has(["steps/max_penetration"])},
      {key: "momentum", title: "Momentum [kg m/s]",
       names: names.has("momentum/linear.x") ? ["momentum/linear"] : []},
      {key: "contacts", title: "Contacts", names: has(["steps/contact_count"])},
      {key: "sleeping", title: "Bodies asleep", names: has(["steps/sleeping"])},
    ];
    const drives = [...names].filter((name) => name.startsWith("drives/")).slice(0, 6);
    if (drives.length > 0)
      kinds.push({key: "drives", title: `Drives [${recording.drives?.quantity.some((q) => q === 1) ? "N m, N" : "N m"}]`, names: drives});
    for (const probe of new Set([...names].filter((name) => name.startsWith("probes/")).map((name) => name.split("/")[1]!))) {
      const columns = [...names].filter((name) => name.startsWith(`probes/${probe}/`)).slice(0, 6);
      kinds.push({key: `probe ${probe}`, title: `Probe ${probe}`, names: columns});
    }
    const others = el("select", {name: "add-plot", change: () => {
      if (others.value !== "") this.add({key: others.value, title: others.value, names: [others.value]});
      others.value = "";
    }}, el("option", {value: ""}, "Add a plot…"),
                      ...recording.header.series.map(({name, meaning}) => el("option", {value: name, title: meaning}, name)));
    this.element.append(this.list, el("div", {class: "row"}, others));
    for (const kind of kinds) if (kind.names.length > 0) this.make(kind);
    let width = 0;
    new ResizeObserver(() => {  // also when the panel is opened or closed
      this.isShown = this.element.offsetParent !== null;
      if (this.element.clientWidth !== width) this.resize();
      width = this.element.clientWidth;
      this.setTime(this.time);
    }).observe(this.element);
  }

  private make(kind: PlotKind): Plot {
    const plot = new Plot(kind, this.seek);
    this.plots.set(kind.key, plot);
    this.list.append(plot.element);
    return plot;
  }

  add(kind: PlotKind): void {
    if (this.plots.has(kind.key)) return;
    const plot = this.make(kind);
    plot.element.append(button("×", "Remove this plot", () => {
      plot.element.remove();
      this.plots.delete(kind.key);
    }));
    this.fill(plot).catch(this.onError);
  }

  private async fill(plot: Plot): Promise<void> {
    plot.set(await this.recording.series(plot.kind.names));
    plot.setTime(this.time);
  }

  /** Fetches all numbers anew: at the start, and when a run has added to the record. */
  async reload(): Promise<void> {
    for (const plot of this.plots.values()) {
      // Made from all frames: where they are many it is asked for, or waits for the run's end.
      const isCostly = plot.kind.key === "momentum" && !plot.isWanted &&
          (this.recording.isRunning ? 100 : 1) * this.recording.bodyCount * this.recording.frameCount > kCostly;
      if (!isCostly) await this.fill(plot);
      else plot.offer(() => this.fill(plot).catch(this.onError));
    }
  }

  setTime(time: number): void {
    this.time = time;
    if (!this.isShown) return;
    for (const plot of this.plots.values()) plot.setTime(time);
  }

  resize(): void {
    for (const plot of this.plots.values()) plot.resize();
  }

  /** Numbers of a plot and the range of its axis, for those who look at the page from outside. */
  table(key: string): Series[] {
    return this.plots.get(key)?.table ?? [];
  }
  range(key: string): (number | undefined)[] {
    return this.plots.get(key)?.range ?? [];
  }
}
