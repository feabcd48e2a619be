// Ambient occlusion from the picture's distances: McGuire, Mara and Luebke, "Scalable ambient obscurance" (HPG 2012).

export const kScreenVertex = "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }";

const kPlace = /* glsl */ `
uniform highp sampler2D uDepth;
uniform mat4 uInverse;
vec3 placeAt(ivec2 pixel) {  // in the eye's frame
  ivec2 size = textureSize(uDepth, 0);
  pixel = clamp(pixel, ivec2(0), size - 1);
  float depth = texelFetch(uDepth, pixel, 0).r;
  vec4 p = uInverse * vec4((vec2(pixel) + 0.5) / vec2(size) * 2.0 - 1.0, 2.0 * depth - 1.0, 1.0);
  return p.xyz / p.w;
}
`;

export const kOcclusionFragment = /* glsl */ `
${kPlace}
uniform mat4 uProjection;
uniform float uRadius;
out vec4 fragment;
const int kSamples = 14;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  if (texelFetch(uDepth, pixel, 0).r >= 1.0) { fragment = vec4(1.0); return; }
  vec3 p = placeAt(pixel);
  // Of the two neighbours on each axis the nearer in depth: edges bend no normals.
  vec3 right = placeAt(pixel + ivec2(1, 0)) - p, left = p - placeAt(pixel - ivec2(1, 0));
  vec3 above = placeAt(pixel + ivec2(0, 1)) - p, below = p - placeAt(pixel - ivec2(0, 1));
  vec3 n = normalize(cross(abs(right.z) < abs(left.z) ? right : left, abs(above.z) < abs(below.z) ? above : below));
  float height = float(textureSize(uDepth, 0).y);
  float reach = 0.5 * height * uProjection[1][1] * uRadius / (uProjection[2][3] == 0.0 ? 1.0 : -p.z);
  if (reach < 1.0) { fragment = vec4(1.0); return; }
  reach = min(reach, 0.25 * height);
  float turn = 6.2831853 * fract(0.0625 * float((pixel.x & 3) + 4 * (pixel.y & 3)) * 7.0);
  float sum = 0.0, r2 = uRadius * uRadius;
  for (int i = 0; i < kSamples; ++i) {
    float part = (float(i) + 0.5) / float(kSamples);
    float angle = part * 7.0 * 6.2831853 + turn;
    vec3 v = placeAt(pixel + ivec2(round(part * reach * vec2(cos(angle), sin(angle))))) - p;
    float vv = dot(v, v), f = max(r2 - vv, 0.0);
    sum += f * f * f * max((dot(v, n) - 0.02 * uRadius) / (0.01 * r2 + vv), 0.0);
  }
  fragment = vec4(max(1.0 - sum * 2.6 * uRadius / (r2 * r2 * r2 * float(kSamples)), 0.3));
}
`;

/** The mean of 4 x 4 pixels, the pattern's size, of those at the same depth. */
export const kBlurFragment = /* glsl */ `
${kPlace}
uniform sampler2D uRaw;
uniform float uRadius;
out vec4 fragment;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float z = placeAt(pixel).z, sum = 0.0, weight = 0.0;
  for (int i = -2; i < 2; ++i)
    for (int j = -2; j < 2; ++j) {
      ivec2 other = pixel + ivec2(i, j);
      float w = abs(placeAt(other).z - z) < 0.5 * uRadius ? 1.0 : 1e-3;
      sum += w * texelFetch(uRaw, clamp(other, ivec2(0), textureSize(uRaw, 0) - 1), 0).r;
      weight += w;
    }
  fragment = vec4(sum / weight);
}
`;
