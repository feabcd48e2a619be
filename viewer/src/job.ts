// Pictures to files: `talus render` opens the page without a window, says what it wants, and takes the pictures.
import type {App} from "./app";
import {HttpSource} from "./data/source";
import type {Side} from "./scene/view";

interface Job {
  width: number;
  height: number;
  frames: number[];
  times: number[];
  type: string;
  theme: string;
  side: string;
  /** Without legend, time and scale. */
  plain: boolean;
  /** As in a link: cam=…&colour=…&show=… */
  link: string;
}

export async function work(app: App, source: HttpSource): Promise<void> {
  try {
    const job = (await (await fetch(source.address("/api/job"))).json()) as Job;
    app.root.classList.add("bare");
    app.setTheme(job.theme);
    app.view.setFixedSize(job.width, job.height);
    const frames = job.times.length > 0 ? job.times.map((time) => app.recording.nearestFrame(time)) : job.frames;
    // What is in the pictures is what the camera looks at; of a few bodies, all their way.
    const parts = [0, 0.25, 0.5, 0.75, 1];
    const some = parts.map((part) => frames[Math.round(part * (frames.length - 1))]!);
    if (app.recording.bodyCount <= 3) some.push(...parts.map((part) => Math.round(part * (app.recording.frameCount - 1))));
    app.view.setExtent(await Promise.all([...new Set(some)].map((frame) => app.recording.poses(frame))));
    if (job.side !== "") app.view.look(job.side as Side);
    const words = new URLSearchParams(job.link);
    if (!words.has("cam")) words.set("cam", app.view.cameraText());
    if (job.link !== "") app.followLink(words.toString());
    for (const [index, frame] of frames.entries()) {
      await app.player.show(frame);
      await app.player.refresh();
      await app.view.trails.show(frame);
      const blob = await new Promise<Blob | null>((resolve) => app.picture(job.plain).toBlob(resolve, job.type, 0.9));
      if (blob === null) throw new Error("the browser gives no picture");
      await fetch(source.address("/api/picture", [["index", String(index)]]), {method: "POST", body: blob});
    }
  } catch (error) {
    report(error);
  }
}

export const isJob = (): boolean => new URLSearchParams(location.search).has("job");

/** Tells the program that waits for the pictures why there are none. */
export function report(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  void fetch(new HttpSource().address("/api/failure"), {method: "POST", body: message});
}
