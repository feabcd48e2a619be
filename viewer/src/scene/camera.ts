// Where one looks from: the camera, its places, and the mouse that moves it.
import {MOUSE, OrthographicCamera, PerspectiveCamera, Sphere, TOUCH, Vector3, type Box3} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";

export type Side = "front" | "side" | "top" | "corner";
export type Projection = "perspective" | "parallel";

const kFieldOfView = 38;
const kTangent = Math.tan((kFieldOfView * Math.PI) / 360);

export class Viewpoint {
  camera: PerspectiveCamera | OrthographicCamera;
  readonly controls: OrbitControls;
  /** Ball around what "everything" is. */
  readonly extent = new Sphere(new Vector3(), 1);
  private readonly half = new Vector3(1, 1, 1);
  private size: [number, number] = [1, 1];

  /** @param onChange after every movement. */
  constructor(canvas: HTMLCanvasElement, private readonly isPlanar: boolean, readonly up: Vector3, private readonly onChange: () => void) {
    this.camera = this.make(isPlanar ? "parallel" : "perspective");
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.listenToKeyEvents(document.createElement("div"));  // keys are ours
    if (isPlanar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = {LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN};
      this.controls.touches = {ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN};
    }
    this.controls.addEventListener("change", () => onChange());
  }

  private make(projection: Projection): PerspectiveCamera | OrthographicCamera {
    const camera = projection === "parallel" ? new OrthographicCamera(-1, 1, 1, -1, 0.1, 100)
        : new PerspectiveCamera(kFieldOfView, 1, 0.01, 100);
    camera.up.copy(this.up);
    return camera;
  }

  setProjection(projection: Projection): void {
    if (this.isPlanar || (projection === "parallel") === this.camera instanceof OrthographicCamera) return;
    const camera = this.make(projection);
    camera.position.copy(this.camera.position);
    if (this.camera.zoom !== 1)  // what a parallel camera has zoomed, another one comes nearer
      camera.position.sub(this.controls.target).divideScalar(this.camera.zoom).add(this.controls.target);
    this.camera = this.controls.object = camera;
    this.settle();
  }

  /** Says what "everything" is. */
  setBox(box: Box3): void {
    box.getCenter(this.extent.center);
    box.getSize(this.half).multiplyScalar(0.5);
    this.extent.radius = Math.max(this.half.length(), 1e-6);
  }

  setSize(width: number, height: number): void {
    this.size = [width, height];
    this.fit();
  }

  /** The directions to the viewer and to the right, as seen from the front. */
  get front(): {ahead: Vector3; right: Vector3} {
    const ahead = new Vector3(0, -1, 0);
    if (Math.abs(this.up.dot(ahead)) > 0.9) ahead.set(0, 0, 1);
    return {ahead, right: new Vector3().crossVectors(this.up, ahead).negate()};
  }

  /** Seen from a side, everything in the picture. */
  look(side: Side): void {
    const {radius} = this.extent;
    const direction = new Vector3(0, 0, 1);
    if (!this.isPlanar) {
      const {ahead, right} = this.front;
      if (side === "front") direction.copy(ahead);
      else if (side === "side") direction.copy(right).negate();
      else if (side === "top") direction.copy(this.up).addScaledVector(ahead, 1e-3);
      else direction.copy(ahead).addScaledVector(right, -0.62).addScaledVector(this.up, 0.55);
      direction.normalize();
    }
    this.show(direction, this.isPlanar ? 5 * radius : 0);
  }

  /** Everything in the picture, seen from where one looks now. */
  fitAll(): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.show(direction, this.isPlanar ? 5 * this.extent.radius : 0);
  }

  /** @param away distance from the centre; 0: as near as all eight corners of the box allow. */
  private show(direction: Vector3, away: number): void {
    const {center} = this.extent;
    const aspect = this.size[0] / Math.max(this.size[1], 1);
    let distance = away;
    if (away === 0) {
      const right = new Vector3().crossVectors(this.up, direction).normalize();
      const above = new Vector3().crossVectors(direction, right);
      const isParallel = this.camera instanceof OrthographicCamera;
      for (let corner = 0; corner < 8; ++corner) {
        const p = this.half.clone().multiply(new Vector3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));
        const reach = Math.max(Math.abs(p.dot(above)) / kTangent, Math.abs(p.dot(right)) / (kTangent * aspect));
        distance = Math.max(distance, (isParallel ? 0 : p.dot(direction)) + 1.12 * reach);
      }
    }
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.zoom = 1;
    this.settle();
  }

  private settle(): void {
    this.fit();
    this.controls.update();
    this.fit();
    this.camera.updateMatrixWorld();
    this.onChange();
  }

  /** Takes up the picture's proportions, and how far one sees. */
  fit(): void {
    const aspect = this.size[0] / Math.max(this.size[1], 1);
    const reach = this.extent.radius;
    const {camera} = this;
    const distance = camera.position.distanceTo(this.extent.center);
    if (camera instanceof PerspectiveCamera) {
      camera.aspect = aspect;
      camera.near = Math.max(distance - 8 * reach, 2e-3 * Math.max(distance, 1e-2 * reach));
      camera.far = distance + 12 * reach;
    } else {
      // In space as large as a camera with perspective shows what one looks at.
      const half = this.isPlanar ? 1.08 * Math.max(this.half.y, this.half.x / aspect, 1e-6)
          : kTangent * camera.position.distanceTo(this.controls.target);
      camera.top = half;
      camera.bottom = -half;
      camera.left = -half * aspect;
      camera.right = half * aspect;
      camera.near = this.isPlanar ? -1e3 * reach : distance - 12 * reach;
      camera.far = this.isPlanar ? 1e3 * reach : distance + 12 * reach;
    }
    camera.updateProjectionMatrix();
  }

  /** Length in the world of a pixel at what one looks at. */
  get pixel(): number {
    const {camera} = this;
    const height = camera instanceof OrthographicCamera ? (camera.top - camera.bottom) / camera.zoom
        : 2 * kTangent * camera.position.distanceTo(this.controls.target);
    return height / this.size[1];
  }

  /** Moves camera and target alike: a body that is followed stays where it is in the picture. */
  moveBy(offset: Vector3): void {
    this.camera.position.add(offset);
    this.controls.target.add(offset);
    this.controls.update();
  }

  /** Closer, without turning. */
  focus(center: Vector3, radius: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(center);
    if (this.isPlanar) {
      this.camera.position.copy(center).addScaledVector(direction, 4 * this.extent.radius);
      this.camera.zoom = (this.camera as OrthographicCamera).top / (1.08 * radius);
    } else {
      this.camera.position.copy(center).addScaledVector(direction, radius / Math.sin((kFieldOfView * Math.PI) / 360));
      this.camera.zoom = 1;
    }
    this.settle();
  }

  /** Camera as text, for links: position, target, zoom. */
  text(): string {
    const {position, zoom} = this.camera;
    const numbers = [...position.toArray(), ...this.controls.target.toArray(), zoom];
    return numbers.map((x) => Number(x.toPrecision(6))).join(",");
  }

  setText(text: string): boolean {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 7 || !numbers.every(Number.isFinite)) return false;
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.camera.zoom = numbers[6]!;
    this.settle();
    return true;
  }
}
