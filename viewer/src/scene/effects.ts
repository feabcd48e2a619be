// Shadows of a lamp that stands still in the world, and ambient occlusion: whether a body rests or falls is seen by both.
// The bodies are drawn once more as the lamp sees them and once as the eye does, for their distances only.
import {
  BufferAttribute, BufferGeometry, DepthTexture, FloatType, GLSL3, LessEqualCompare, LinearFilter, Matrix4, Mesh, NearestFilter,
  NoBlending, OrthographicCamera, PerspectiveCamera, RedFormat, RGBAFormat, Scene, ShaderMaterial, UnsignedByteType, Vector2, Vector3,
  WebGLRenderTarget, type Sphere, type WebGLRenderer,
} from "three";
import {kBlurFragment, kOcclusionFragment, kScreenVertex} from "./occlusion";

/** Of the picture's width and height what the distances for the occlusion have. */
const kOcclusionScale = 0.5;

/** What the shaders of bodies get. */
export interface EffectUniforms {
  uShadow: {value: DepthTexture | null};
  uShadowMatrix: {value: Matrix4};
  /** Size of a pixel of the shadows' picture in it. */
  uShadowTexel: {value: number};
  /** The same in the world. */
  uShadowBias: {value: number};
  uSun: {value: Vector3};
  uOcclusion: {value: unknown};
  /** Size of the picture in pixels. */
  uPicture: {value: Vector2};
}

export const effectUniforms = (): EffectUniforms => ({
  uShadow: {value: null}, uShadowMatrix: {value: new Matrix4()}, uShadowTexel: {value: 0}, uShadowBias: {value: 0},
  uSun: {value: new Vector3(0, 0, 1)}, uOcclusion: {value: null}, uPicture: {value: new Vector2()},
});

export class Effects {
  private readonly shadows: WebGLRenderTarget;
  private readonly distances: WebGLRenderTarget;
  private readonly raw: WebGLRenderTarget;
  private readonly smooth: WebGLRenderTarget;
  private readonly lamp = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private readonly screen = new Scene();
  private readonly quad: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly occlusion: ShaderMaterial;
  private readonly blur: ShaderMaterial;
  private isLampStale = true;

  /** @param radius within which bodies take light from each other [m]. @param shadowSize pixels of the lamp's picture, squared. */
  constructor(private readonly renderer: WebGLRenderer, private readonly uniforms: EffectUniforms, radius: number, private readonly shadowSize: number) {
    const target = (width: number, height: number, depth: DepthTexture | null, format: typeof RedFormat | typeof RGBAFormat): WebGLRenderTarget =>
        new WebGLRenderTarget(width, height, {format, type: UnsignedByteType, depthBuffer: depth !== null, depthTexture: depth,
                                              minFilter: NearestFilter, magFilter: NearestFilter});
    const compared = new DepthTexture(shadowSize, shadowSize, FloatType);
    compared.compareFunction = LessEqualCompare;
    compared.minFilter = compared.magFilter = LinearFilter;  // of four comparisons the mean
    this.shadows = target(shadowSize, shadowSize, compared, RGBAFormat);
    this.distances = target(1, 1, new DepthTexture(1, 1, FloatType), RGBAFormat);
    this.raw = target(1, 1, null, RedFormat);
    this.smooth = target(1, 1, null, RedFormat);
    this.smooth.texture.minFilter = this.smooth.texture.magFilter = LinearFilter;
    const pass = (fragmentShader: string, more: Record<string, {value: unknown}>): ShaderMaterial => new ShaderMaterial({
      glslVersion: GLSL3, vertexShader: kScreenVertex, fragmentShader, uniforms: more, depthTest: false, depthWrite: false, blending: NoBlending,
    });
    const depth = {uDepth: {value: this.distances.depthTexture}, uInverse: {value: new Matrix4()}};
    this.occlusion = pass(kOcclusionFragment, {...depth, uProjection: {value: new Matrix4()}, uRadius: {value: radius}});
    this.blur = pass(kBlurFragment, {...depth, uRaw: {value: this.raw.texture}, uRadius: {value: radius}});
    const triangle = new BufferGeometry();
    triangle.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    this.quad = new Mesh(triangle, this.occlusion);
    this.quad.frustumCulled = false;
    this.screen.add(this.quad);
    uniforms.uShadow.value = this.shadows.depthTexture;
    uniforms.uOcclusion.value = this.smooth.texture;
    uniforms.uShadowTexel.value = 1 / shadowSize;
  }

  /** The lamp lights a ball from a direction. */
  aim({center, radius}: Sphere, direction: Vector3): void {
    const {lamp, uniforms} = this;
    uniforms.uSun.value.copy(direction);
    lamp.position.copy(center).addScaledVector(direction, 2 * radius);
    lamp.up.set(0, 1, 0);
    if (Math.abs(direction.y) > 0.9) lamp.up.set(1, 0, 0);
    lamp.lookAt(center);
    const reach = 1.08 * radius;
    Object.assign(lamp, {left: -reach, right: reach, top: reach, bottom: -reach, near: 0, far: 4 * radius});
    lamp.updateProjectionMatrix();
    lamp.updateMatrixWorld();
    const toTexture = new Matrix4().set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1);
    uniforms.uShadowMatrix.value.copy(toTexture).multiply(lamp.projectionMatrix).multiply(lamp.matrixWorldInverse);
    uniforms.uShadowBias.value = (2 * reach) / this.shadowSize;
    this.isLampStale = true;
  }

  /** Bodies have moved: the lamp's picture is old. */
  touch(): void {
    this.isLampStale = true;
  }

  /** @param draw draws what throws shadows (true), or all that stands in the light (false), for a camera. */
  make(camera: PerspectiveCamera | OrthographicCamera, draw: (camera: PerspectiveCamera | OrthographicCamera, isShadow: boolean) => void): void {
    const {renderer, uniforms} = this;
    const size = renderer.getDrawingBufferSize(new Vector2());
    if (this.isLampStale) {
      renderer.setRenderTarget(this.shadows);
      draw(this.lamp, true);
      this.isLampStale = false;
    }
    const [width, height] = [Math.ceil(kOcclusionScale * size.x), Math.ceil(kOcclusionScale * size.y)];
    for (const target of [this.distances, this.raw, this.smooth]) target.setSize(width, height);
    renderer.setRenderTarget(this.distances);
    draw(camera, false);
    for (const [material, target] of [[this.occlusion, this.raw], [this.blur, this.smooth]] as const) {
      material.uniforms["uInverse"]!.value.copy(camera.projectionMatrixInverse);
      material.uniforms["uProjection"]?.value.copy(camera.projectionMatrix);
      this.quad.material = material;
      renderer.setRenderTarget(target);
      renderer.render(this.screen, camera);
    }
    renderer.setRenderTarget(null);
    uniforms.uPicture.value.copy(size);
  }
}
