import {
  BufferAttribute, BufferGeometry, DoubleSide, FrontSide, GLSL3, Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh,
  ShaderMaterial, Sphere, Vector3, type Box3,
} from "three";
import type {Recording, Shapes} from "../data/recording";
import * as geometries from "./geometries";
import {Planes} from "./planes";
import {kBox, kCapsule, kCompound, kCylinder, kMesh, kPipe, kPlane, kPolytope, kSphere} from "./shapes";
import {kSolidFragment, kSolidVertex, kSphereFragment, kSphereVertex} from "./shaders";
import {turned} from "./sizes";
import type {BodyTextures} from "./textures";

/** How bodies are drawn: silos and boxes hide what is inside, and grains the force chains between them. */
export type Style = "solid" | "glass" | "hidden";

/** What is drawn of bodies: all but shadows, all, or their numbers alone. */
export type Mode = "plain" | "shaded" | "bare";
const kDefines: Record<Mode, Record<string, string>> = {plain: {}, shaded: {SHADED: ""}, bare: {BARE: ""}};

/** Instances of one shape, one surface and one style, as the graphics processor gets them. */
interface Batch {
  code: number;
  isWall: boolean;
  /** Of surfaces, which; of pipes, 1 if they have ends. */
  which: number;
  count: number;
  body: Float32Array;
  position: Float32Array;
  /** x, y, z, w */
  rotation: Float32Array;
  size: Float32Array;
  stretch: Float32Array;
}

/** A triangle per ball, three corners each: as instances they would be far slower on some graphics processors. */
function sphereGeometry(batch: Batch): BufferGeometry {
  const geometry = new BufferGeometry();
  const thrice = (name: string, values: Float32Array, width: number, stride: number): void => {
    const all = new Float32Array(3 * width * batch.count);
    for (let i = 0, at = 0; i < batch.count; ++i)
      for (let corner = 0; corner < 3; ++corner)
        for (let k = 0; k < width; ++k) all[at++] = values[stride * i + k]!;
    geometry.setAttribute(name, new BufferAttribute(all, width));
  };
  thrice("aBody", batch.body, 1, 1);
  thrice("aPosition", batch.position, 3, 3);
  thrice("aRadius", batch.size, 1, 3);
  geometry.setDrawRange(0, 3 * batch.count);
  return geometry;
}

/** All bodies, as a few meshes with an instance per body or part. */
export class Bodies {
  readonly group = new Group();
  private readonly variants = new Map<Mesh, Record<Mode, ShaderMaterial>>();
  /** Fixed and kinematic bodies but for planes, and all others. */
  private readonly walls: Mesh[] = [];
  private readonly moving: Mesh[] = [];
  /** Of planar scenes: a half-plane is a slab behind its surface; the bodies are drawn over it. */
  private readonly slabs: Mesh[] = [];
  private readonly planes: Planes | null;

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures) {
    const batches = new Map<number, Batch>();
    const all = recording.parts === null ? [recording.shapes] : [recording.shapes, recording.parts];
    for (const shapes of all) this.collect(shapes, batches, false);
    for (const batch of batches.values()) {
      for (const [name, width] of [["body", 1], ["position", 3], ["rotation", 4], ["size", 3], ["stretch", 1]] as const)
        batch[name] = new Float32Array(width * batch.count);
      batch.count = 0;
    }
    for (const shapes of all) this.collect(shapes, batches, true);
    for (const batch of batches.values()) this.addMesh(batch);
    this.planes = recording.header.dimension === 2 ? null : new Planes(recording, textures, (geometry) => {
      const materials = this.materials(kPlane);
      for (const material of Object.values(materials)) {
        material.transparent = true;
        material.depthWrite = material === materials.bare;
        material.side = DoubleSide;
      }
      return this.dress(new Mesh(geometry, materials.plain), materials);
    });
  }

  /** Counts the instances of each batch, or fills them in. */
  private collect(shapes: Shapes, batches: Map<number, Batch>, isFilling: boolean): void {
    const none = new Float32Array(0);
    for (let i = 0; i < shapes.count; ++i) {
      const code = shapes.shape[i]!;
      if (code === kCompound || (code === kPlane && this.recording.header.dimension !== 2)) continue;
      const body = shapes.body[i]!;
      const isWall = this.recording.kind[body] !== 0;  // drawn in its own style
      const [a, b, c] = [shapes.size[3 * i]!, shapes.size[3 * i + 1]!, shapes.size[3 * i + 2]!];
      const isSurface = code === kPolytope || code === kMesh;
      const which = isSurface ? shapes.surface![i]! : code === kPipe && c > 0 ? 1 : 0;
      const key = code + 16 * (2 * which + (isWall ? 1 : 0));
      let batch = batches.get(key);
      if (batch === undefined) {
        batch = {code, isWall, which, count: 0, body: none, position: none, rotation: none, size: none, stretch: none};
        batches.set(key, batch);
      }
      const at = batch.count++;
      if (!isFilling) continue;
      batch.body[at] = body;
      for (let k = 0; k < 3; ++k) {
        batch.position[3 * at + k] = shapes.position[3 * i + k]!;
        batch.rotation[4 * at + k] = shapes.orientation[4 * i + 1 + k]!;
      }
      batch.rotation[4 * at + 3] = shapes.orientation[4 * i]!;
      const isBall = code === kSphere || code === kCapsule;
      const isRound = code === kCylinder || code === kPipe;
      const hasSize = isBall || isRound || code === kBox;
      batch.size[3 * at] = hasSize ? a : 1;
      batch.size[3 * at + 1] = code === kBox ? b : hasSize ? a : 1;
      batch.size[3 * at + 2] = code === kBox ? c : isRound ? b : hasSize ? a : 1;
      batch.stretch[at] = code === kCapsule ? b : 0;
    }
  }

  private solidGeometry(batch: Batch): InstancedBufferGeometry {
    const {code, which} = batch;
    let shape: BufferGeometry;
    if (code === kPlane || code === kBox) shape = geometries.box();
    else if (code === kCapsule) shape = geometries.capsule(batch.count);
    else if (code === kCylinder) shape = geometries.cylinder(batch.count);
    else if (code === kPipe) shape = geometries.pipe(which > 0);
    else shape = geometries.surface(this.recording.surfaces!, which);
    const geometry = new InstancedBufferGeometry();
    for (const [name, attribute] of Object.entries(shape.attributes)) geometry.setAttribute(name, attribute);
    geometry.instanceCount = batch.count;
    for (const [name, values, width] of [
      ["aBody", batch.body, 1], ["aPosition", batch.position, 3], ["aRotation", batch.rotation, 4],
      ["aSize", batch.size, 3], ["aStretch", batch.stretch, 1],
    ] as const) geometry.setAttribute(name, new InstancedBufferAttribute(values, width));
    return geometry;
  }

  /** Materials of a mesh, which share their uniforms. */
  private materials(code: number): Record<Mode, ShaderMaterial> {
    const isSphere = code === kSphere;
    const uniforms = {
      ...this.textures.uniforms,
      uOpacity: {value: 1},
      uIsGround: {value: code === kPlane && this.recording.header.dimension !== 2},
      uGrid: {value: 1},
      uFade: {value: new Vector3()},
      uFadeRadius: {value: 1},
      uProjection: {value: null},
    };
    const make = (mode: Mode): ShaderMaterial => new ShaderMaterial({
      glslVersion: GLSL3,
      defines: kDefines[mode],
      vertexShader: isSphere ? kSphereVertex : kSolidVertex,
      fragmentShader: isSphere ? kSphereFragment : kSolidFragment,
      side: code === kMesh ? DoubleSide : FrontSide,
      uniforms,
    });
    return {plain: make("plain"), shaded: make("shaded"), bare: make("bare")};
  }

  /** A mesh with all its materials. */
  private dress<M extends Mesh>(mesh: M, materials: Record<Mode, ShaderMaterial>): M {
    this.variants.set(mesh, materials);
    mesh.frustumCulled = false;
    const uniform = materials.plain.uniforms["uProjection"]!;
    mesh.onBeforeRender = (_renderer, _scene, camera) => {
      uniform.value = camera.projectionMatrix;
      (mesh.material as ShaderMaterial).uniformsNeedUpdate = true;
    };
    this.group.add(mesh);
    return mesh;
  }

  private each(mesh: Mesh, apply: (material: ShaderMaterial) => void): void {
    for (const material of Object.values(this.variants.get(mesh)!)) apply(material);
  }

  setMode(mode: Mode): void {
    for (const [mesh, materials] of this.variants) mesh.material = materials[mode];
  }

  private addMesh(batch: Batch): void {
    const {code, isWall} = batch;
    const materials = this.materials(code);
    const geometry = code === kSphere ? sphereGeometry(batch) : this.solidGeometry(batch);
    const mesh = this.dress(new Mesh(geometry, materials.plain), materials);
    if (code === kPlane) {
      this.slabs.push(mesh);
      this.each(mesh, (material) => {
        material.depthWrite = false;
      });
      mesh.renderOrder = -1;
    } else if (isWall) {
      this.walls.push(mesh);
    } else {
      this.moving.push(mesh);
    }
  }

  setWalls(style: Style): void {
    for (const mesh of this.walls) this.setStyle(mesh, style, 0.25);
    for (const mesh of this.slabs) mesh.visible = style !== "hidden";
    for (const mesh of this.planes?.meshes ?? []) {
      mesh.visible = style !== "hidden";
      mesh.material.uniforms["uOpacity"]!.value = style === "glass" ? 0.35 : 1;
    }
  }

  setMoving(style: Style): void {
    for (const mesh of this.moving) this.setStyle(mesh, style, 0.13);
  }

  private setStyle(mesh: Mesh, style: Style, opacity: number): void {
    const isGlass = style === "glass";
    mesh.visible = style !== "hidden";
    mesh.renderOrder = isGlass ? 4 : 0;  // glass after what is seen through it
    this.each(mesh, (material) => {
      material.transparent = isGlass;
      material.depthWrite = !isGlass;
      material.uniforms["uOpacity"]!.value = isGlass ? opacity : 1;
      material.needsUpdate = true;
    });
  }

  /** Of what is cut one sees the inner sides. */
  setCut(isOn: boolean): void {
    for (const mesh of [...this.walls, ...this.moving])
      this.each(mesh, (material) => {
        material.defines = {...material.defines};
        if (isOn) material.defines["CUT"] = "";
        else delete material.defines["CUT"];
        material.needsUpdate = true;
        if (material.vertexShader === kSphereVertex) return;
        material.userData["side"] ??= material.side;
        material.side = isOn ? DoubleSide : material.userData["side"];
      });
  }

  /** Shows for a while what writes distances: all that is solid, or that of it which throws shadows. */
  whileSolid(throwsShadows: boolean, draw: () => void): void {
    const absent: Mesh[] = [...this.walls, ...this.moving].filter((mesh) => mesh.visible && (mesh.material as ShaderMaterial).transparent);
    if (throwsShadows) absent.push(...(this.planes?.meshes ?? []).filter((mesh) => mesh.visible));
    for (const mesh of absent) mesh.visible = false;
    draw();
    for (const mesh of absent) mesh.visible = true;
  }

  /** Draws planes as far as the scene reaches, centred where it is. */
  setExtent(box: Box3, up: Vector3): void {
    this.planes?.fit(box, up);
    const {radius} = box.getBoundingSphere(new Sphere());
    const reach = 6 * radius;
    const {shapes} = this.recording;
    for (const mesh of this.slabs as Mesh<InstancedBufferGeometry, ShaderMaterial>[]) {
      const [sizes, positions, bodies] = ["aSize", "aPosition", "aBody"].map((name) => mesh.geometry.getAttribute(name)) as
          [InstancedBufferAttribute, InstancedBufferAttribute, InstancedBufferAttribute];
      for (let i = 0; i < sizes.count; ++i) {
        sizes.setXYZ(i, reach, reach, radius);
        const body = bodies.getX(i);
        const z = turned(shapes.orientation.subarray(4 * body, 4 * body + 4), 0, 0, radius);
        const p = shapes.position.subarray(3 * body, 3 * body + 3);
        positions.setXYZ(i, p[0]! - z[0], p[1]! - z[1], p[2]! - z[2]);
      }
      sizes.needsUpdate = positions.needsUpdate = true;
    }
  }
}
