// Several records side by side at the same time and seen from the same place: each is a page of its own, and tells the others.
import type {App} from "../app";
import {el} from "./elements";

type Framed = Window & {talus?: App};

export function compare(names: string[]): void {
  document.title = `${names.join(" | ")} · Talus`;
  const frames = names.map((name, i) => {
    const words = new URLSearchParams(location.search);
    words.set("record", String(i));
    return el("iframe", {title: name, src: `?${words}${location.hash}`});
  });
  document.getElementById("app")!.replaceWith(el("div", {class: "compare"}, ...frames));
  const others = (frame: HTMLIFrameElement): App[] => frames.filter((each) => each !== frame)
      .map((each) => (each.contentWindow as Framed | null)?.talus).filter((app) => app !== undefined);
  for (const frame of frames) {
    frame.addEventListener("load", () => {
      const wait = (): void => {
        const app = (frame.contentWindow as Framed | null)?.talus;
        if (app === undefined || app.player.current === null) {
          setTimeout(wait, 50);
          return;
        }
        app.root.classList.add("side-by-side");
        app.view.resize();
        // One leads: the one that a person moves or that plays.
        app.onMoved = (time, camera) => {
          for (const other of others(frame)) other.moveTo(time, camera);
        };
      };
      wait();
    });
  }
}
