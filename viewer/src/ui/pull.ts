// Pulls a body of a run that is shown live: with Ctrl held down, drag it.
import {Plane, Quaternion, Raycaster, Vector2, Vector3} from "three";
import type {Recording} from "../data/recording";
import type {View} from "../scene/view";

/** The run hears of the pointer so often at most. */
const kMilliseconds = 40;

export class Pull {
  private body = -1;
  /** Where it is held, in the body's frame. */
  private readonly point = new Vector3();
  readonly target = new Vector3();
  /** Through the point that is held, seen face on: where the pointer moves. */
  private readonly plane = new Plane();
  private isSending = false;
  private wasPulled = false;

  /** @param tell sends a command to the run. @param canPull whether there is a run that listens. */
  constructor(private readonly view: View, private readonly recording: Recording, private readonly tell: (command: string) => Promise<void>,
              private readonly canPull: () => boolean) {
    // Before the camera's own mouse: the picture does not turn while a body is pulled.
    const scene = view.renderer.domElement.parentElement!;
    scene.addEventListener("pointerdown", (event) => this.begin(event), true);
    scene.addEventListener("pointermove", (event) => this.move(event), true);
    for (const end of ["pointerup", "pointercancel"] as const) scene.addEventListener(end, () => this.end(), true);
    scene.addEventListener("click", (event) => {
      if (this.wasPulled) event.stopPropagation();
      this.wasPulled = false;
    }, true);
  }

  private begin(event: PointerEvent): void {
    const {view} = this;
    if (!(event.ctrlKey || event.metaKey) || event.button !== 0 || event.target !== view.renderer.domElement || !this.canPull()) return;
    const {body} = view.pick(event.offsetX, event.offsetY);
    if (body < 0 || this.recording.kind[body] !== 0) return;
    event.stopPropagation();
    (event.target as Element).setPointerCapture(event.pointerId);
    const centre = view.textures.position(body);
    this.plane.setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), centre);
    this.body = body;
    this.wasPulled = true;
    if (!this.aim(event)) return;
    this.point.copy(this.target).sub(centre).applyQuaternion(this.orientation().invert());
    void this.send();
  }

  private move(event: PointerEvent): void {
    if (this.body < 0) return;
    event.stopPropagation();
    if (this.aim(event)) void this.send();
  }

  private end(): void {
    if (this.body < 0) return;
    this.body = -1;
    this.view.band.hide();
    this.view.draw();
    void this.tell("release");
  }

  /** Takes up where the pointer is in the plane; false if it points past it. */
  private aim(event: PointerEvent): boolean {
    const {clientWidth, clientHeight} = this.view.renderer.domElement;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * event.offsetX) / clientWidth - 1, 1 - (2 * event.offsetY) / clientHeight), this.view.camera);
    const found = ray.ray.intersectPlane(this.plane, this.target) !== null;
    if (found) this.show();
    return found;
  }

  private orientation(): Quaternion {
    const [w, x, y, z] = this.view.textures.rotation(this.body);
    return new Quaternion(x, y, z, w);
  }

  /** Draws the band from where the body is now. */
  show(): void {
    if (this.body < 0) return;
    const held = this.point.clone().applyQuaternion(this.orientation()).add(this.view.textures.position(this.body));
    this.view.band.show(held, this.target);
    this.view.draw();
  }

  /** Tells the run of the last place of the pointer, and after a while of the one it has then. */
  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    for (let said = ""; this.body >= 0;) {
      const target = this.target.clone().add(this.view.textures.shift(this.body));
      const command = `pull ${[this.body, ...this.point.toArray(), ...target.toArray()].join(" ")}`;
      if (command === said) break;
      said = command;
      await this.tell(command);
      await new Promise((resolve) => setTimeout(resolve, kMilliseconds));
    }
    this.isSending = false;
  }
}
