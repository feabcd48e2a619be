// Pictures and films of what is seen, and what is written over the picture on the page.
import type {App} from "../app";
import type {Legend} from "../scene/colours";
import {button, el} from "./elements";
import {Film} from "./film";
import {annotate, type Marks} from "./overlay";

export class Pictures {
  readonly overlay = el("canvas", {class: "overlay"});
  readonly filmButton = button("Film", "Save a film, from here to the end", () => this.toggleFilm(), "film");
  private readonly film = new Film(() => this.make());

  constructor(private readonly app: App) {}

  private write(canvas: HTMLCanvasElement, marks: Omit<Marks, "hasScale">): void {
    const {view, recording, options} = this.app;
    const scale = view.renderer.getPixelRatio();
    const context = canvas.getContext("2d")!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    annotate(context, canvas.width / scale, canvas.height / scale, view, recording.gravity, {hasScale: options.get("scale") === "1", ...marks});
  }

  /** Scale and axes, on the page itself. */
  drawOverlay(): void {
    const {width, height} = this.app.view.renderer.domElement;
    [this.overlay.width, this.overlay.height] = [width, height];  // and empty
    this.write(this.overlay, {legends: [], time: ""});
  }

  /** The picture with legend, time and scale, for files. */
  make(isPlain = false): HTMLCanvasElement {
    const {view, player} = this.app;
    view.drawNow();
    const drawn = view.renderer.domElement;
    const canvas = el("canvas", {width: String(drawn.width), height: String(drawn.height)});
    canvas.getContext("2d")!.drawImage(drawn, 0, 0);
    if (!isPlain) this.write(canvas, {legends: this.legends, time: `${this.app.timeText(player.time)} s`});
    return canvas;
  }

  /** That of the colours, and those of the contacts that are shown. */
  get legends(): Legend[] {
    const {colours, player, recording, view} = this.app;
    return [colours.legend, ...view.contacts.legends(recording.stepSize(player.frame))];
  }

  private download(blob: Blob, end: string): void {
    const {recording, player} = this.app;
    const stem = recording.header.file.replace(/\.[^.]*$/, "");
    const link = el("a", {href: URL.createObjectURL(blob), download: `${stem}_${player.time.toPrecision(4)}s.${end}`});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  save(): void {
    this.make().toBlob((blob) => {
      if (blob === null) this.app.toast("The browser gives no picture.");
      else this.download(blob, "png");
    }, "image/png");
  }

  private toggleFilm(): void {
    const {player} = this.app;
    if (this.film.isOn) {
      this.film.stop();
      player.pause();
    } else {
      player.play();
      try {
        this.film.start((film) => this.download(film, film.type.endsWith("mp4") ? "mp4" : "webm"));
      } catch (error) {
        this.app.toast(error);
      }
    }
    this.filmButton.setAttribute("aria-pressed", String(this.film.isOn));
  }

  /** A film ends where playing does. */
  followPlayer(): void {
    if (this.film.isOn && !this.app.player.isPlaying) this.toggleFilm();
  }
}
