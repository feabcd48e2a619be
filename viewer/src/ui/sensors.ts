// Sensors with what they read: a table that follows the timeline.
import type {Sensor} from "../data/sensors";
import {short} from "../scene/colours";
import {button, el} from "./elements";

const kMost = 200;

export class SensorTable {
  readonly element = el("div", {class: "machine inspector"});
  private readonly cells: HTMLElement[];

  constructor(private readonly sensors: Sensor[], plot: (title: string, series: string) => void) {
    const shown = sensors.slice(0, kMost);
    this.cells = shown.map(({name}) => el("td", {"data-sensor": name}));
    this.element.append(el("table", {}, el("tr", {}, el("th", {}, ""), el("th", {}, "reading")), ...shown.map(({name, path, unit}, i) =>
      el("tr", {}, el("th", {}, button(name, `Plot what ${name} reads`, () => plot(unit === "" ? name : `${name} [${unit}]`, path))), this.cells[i]!))));
  }

  show(readings: Float32Array[] | null): void {
    this.cells.forEach((cell, i) => {
      const reading = readings?.[i];
      const isKnown = reading !== undefined && reading.every(Number.isFinite);
      const numbers = isKnown ? [...reading].map((value) => short(value, 3)).join(", ") : "–";
      cell.textContent = isKnown ? `${reading.length > 1 ? `(${numbers})` : numbers} ${this.sensors[i]!.unit}`.trimEnd() : numbers;
    });
  }
}
