// What the colours of bodies and contacts mean, beside the picture.
import type {Legend} from "../scene/colours";
import {el} from "./elements";

export class LegendBox {
  readonly element = el("div", {class: "legend"});

  show(legends: Legend[]): void {
    const text = JSON.stringify(legends);
    if (this.element.dataset["shown"] === text) return;
    this.element.dataset["shown"] = text;
    const parts: (Node | string)[] = [];
    for (const {title, ramp, entries} of legends) {
      if (ramp !== undefined || (entries !== undefined && entries.length > 0)) parts.push(el("div", {}, title));
      if (ramp !== undefined)
        parts.push(el("div", {class: "ramp", style: `background:linear-gradient(90deg, ${ramp.colours.join(", ")})`}),
                   el("div", {class: "ends"}, el("span", {}, ramp.low), el("span", {}, ramp.high)));
      for (const [name, css] of entries ?? [])
        parts.push(el("span", {class: "entry"}, el("i", {style: `background:${css}`}), name));
    }
    this.element.replaceChildren(...parts);
  }
}
