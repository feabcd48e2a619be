// A film of what is seen, as it plays: from the frame that is shown to the end, or until it is stopped.

export class Film {
  private recorder: MediaRecorder | null = null;
  private timer = 0;

  /** @param draw writes the picture, with legend and time, to a canvas. */
  constructor(private readonly draw: () => HTMLCanvasElement) {}

  get isOn(): boolean {
    return this.recorder !== null;
  }

  /** @param save gets the film when it has ended. */
  start(save: (film: Blob) => void): void {
    const target = document.createElement("canvas");
    const context = target.getContext("2d")!;
    const copy = (): void => {
      const picture = this.draw();
      if (target.width !== picture.width || target.height !== picture.height)
        [target.width, target.height] = [picture.width, picture.height];
      context.drawImage(picture, 0, 0);
    };
    copy();
    const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((each) => MediaRecorder.isTypeSupported(each));
    if (type === undefined) throw new Error("This browser makes no films.");
    const recorder = new MediaRecorder(target.captureStream(30), {mimeType: type, videoBitsPerSecond: 12e6});
    const pieces: Blob[] = [];
    recorder.ondataavailable = ({data}) => pieces.push(data);
    recorder.onstop = () => save(new Blob(pieces, {type: type.split(";")[0]!}));
    recorder.start();
    this.timer = window.setInterval(copy, 1000 / 30);
    this.recorder = recorder;
  }

  stop(): void {
    clearInterval(this.timer);
    this.recorder?.stop();
    this.recorder = null;
  }
}
