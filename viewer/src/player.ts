// Which frame is shown, and when the next one is.
import type {Reactions} from "./data/machine";
import type {Contacts, Poses, Recording, Velocities} from "./data/recording";

/** Everything of one frame that has been requested. */
export interface FrameData {
  index: number;
  poses: Poses;
  velocities: Velocities | null;
  contacts: Contacts | null;
  /** What joints and drives did in the step that ended here. */
  reactions: Reactions | null;
  /** What each sensor read in that step. */
  readings: Float32Array[] | null;
}

export interface Needs {
  velocities: boolean;
  contacts: boolean;
}

export class Player {
  isPlaying = false;
  /** Seconds of the simulation per second of the clock. */
  speed = 1;
  current: FrameData | null = null;
  /** Jumps to the newest frame of a run as it comes. */
  follows = false;
  onFrame: (frame: FrameData) => void = () => undefined;
  onState: () => void = () => undefined;
  onError: (error: unknown) => void = () => undefined;
  needs: () => Needs = () => ({velocities: false, contacts: false});

  private wanted = 0;
  private isStale = false;
  private isFetching: Promise<void> | null = null;
  private clock = 0;
  private lastTick = 0;

  constructor(private readonly recording: Recording) {}

  get frame(): number {
    return this.current?.index ?? 0;
  }
  get time(): number {
    return this.recording.frameTime[this.frame] ?? 0;
  }

  /** Shows a frame as soon as it is there; of requests that come faster than that, the last one counts. */
  show(frame: number): Promise<void> {
    if (this.recording.frameCount === 0) return Promise.resolve();  // a run that has only begun
    this.wanted = Math.max(0, Math.min(frame, this.recording.frameCount - 1));
    this.isFetching ??= this.fetchWanted().finally(() => {
      this.isFetching = null;
    });
    return this.isFetching;
  }

  /** Once more, because other parts of it are needed now. */
  refresh(): Promise<void> {
    this.isStale = true;
    return this.show(this.wanted);
  }

  private async fetchWanted(): Promise<void> {
    try {
      for (let shown = -1; shown !== this.wanted || this.isStale;) {
        shown = this.wanted;
        this.isStale = false;
        const {velocities, contacts} = this.needs();
        const [p, v, c, r, readings] = await Promise.all([
          this.recording.poses(shown),
          velocities ? this.recording.velocities(shown) : null,
          contacts ? this.recording.contacts(shown) : null,
          this.recording.reactions(shown),
          this.recording.readings(shown),
        ]);
        this.current = {index: shown, poses: p, velocities: v, contacts: c, reactions: r, readings};
        this.onFrame(this.current);
        this.prefetch(shown);
      }
    } catch (error) {
      this.isStale = false;
      this.onError(error);
    }
  }

  private prefetch(frame: number): void {
    const {velocities, contacts} = this.needs();
    const kinds: ("pose" | "velocity" | "contact")[] = ["pose"];
    if (velocities) kinds.push("velocity");
    if (contacts) kinds.push("contact");
    const ahead = this.isPlaying ? [1, 2, 4, 8, 16, 32] : [1, -1];
    for (const offset of ahead) this.recording.prefetch(frame + offset, kinds);
  }

  step(frames: number): void {
    this.pause();
    void this.show(this.wanted + frames);
  }

  /** To a frame that a person has chosen: playing continues from there, following a run does not. */
  jump(frame: number): Promise<void> {
    const shown = this.show(frame);
    this.clock = this.recording.frameTime[this.wanted] ?? 0;
    this.follows = false;
    this.onState();
    return shown;
  }

  seek(time: number): Promise<void> {
    return this.jump(this.recording.nearestFrame(time));
  }

  play(): void {
    if (this.isPlaying) return;
    if (this.wanted >= this.recording.frameCount - 1 && !this.recording.isRunning) this.wanted = 0;
    this.isPlaying = true;
    this.follows = false;
    this.clock = this.recording.frameTime[this.wanted] ?? 0;
    this.lastTick = performance.now();
    requestAnimationFrame(this.tick);
    this.onState();
  }

  pause(): void {
    this.follows = false;
    this.isPlaying = false;
    this.onState();
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  private readonly tick = (): void => {
    if (!this.isPlaying) return;
    const now = performance.now();
    // A tab that was away must not jump.
    this.clock += this.speed * Math.min((now - this.lastTick) / 1000, 0.25);
    this.lastTick = now;
    const end = this.recording.frameTime.at(-1) ?? 0;
    if (this.clock >= end && !this.recording.isRunning) {
      this.clock = end;
      this.isPlaying = false;
      this.onState();
    }
    this.clock = Math.min(this.clock, end);
    const frame = this.recording.frameAt(this.clock);
    if (frame !== this.wanted) void this.show(frame);
    if (this.isPlaying) requestAnimationFrame(this.tick);
  };
}
