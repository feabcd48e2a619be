import "./ui/style.css";
import {App} from "./app";
import {Recording} from "./data/recording";
import {EmbeddedSource, HttpSource, ReadableError} from "./data/source";
import {isJob, report, work} from "./job";
import {compare} from "./ui/compare";
import {el} from "./ui/elements";

declare global {
  interface Window {
    /** For the console, and for tests. */
    talus?: App;
  }
}

function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ReadableError)) console.error(error);
  if (isJob()) report(error);
  document.querySelector(".message")?.remove();
  document.body.append(el("div", {class: "message", role: "alert"}, el("div", {},
      el("h2", {}, "This record cannot be shown"), message)));
}

async function main(): Promise<void> {
  const canvas = document.createElement("canvas");
  if (canvas.getContext("webgl2") === null)
    throw new ReadableError("This browser has no WebGL 2: the picture needs it. Another browser, or graphics drivers, may help.");
  const embedded = EmbeddedSource.find();
  const source = embedded ?? new HttpSource();
  if (source instanceof HttpSource && !new URLSearchParams(location.search).has("record")) {
    const {records} = await source.header();
    if (records !== undefined && records.length > 1 && !isJob()) return compare(records);
  }
  const app = new App(await Recording.open(source), fail);
  window.talus = app;
  await app.start();
  if (source instanceof HttpSource && isJob()) await work(app, source);
}

main().catch(fail);
