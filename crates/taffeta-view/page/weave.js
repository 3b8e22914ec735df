// A plain weave on cloth, by its material coordinates: that of pictures (weave.rs of the renderer), which says why the figures are so.

const RELIEF = 0.22;
const TINT = 0.03;
// Pixels per thread at which the pattern begins to show, and at which it shows fully: finer, it would make moiré.
const FADE = [2.2, 4.0];

const TONE = `
varying vec2 vThread;
uniform float woven;
float weaveTone(vec2 place) {
  // On a slope a pixel covers more threads.
  float pixel = max(length(dFdx(place)), length(dFdy(place)));
  float shown = woven * smoothstep(${FADE[0].toFixed(2)}, ${FADE[1].toFixed(2)}, 1.0 / max(pixel, 1e-6));
  vec2 cell = floor(place);
  vec2 within = 2.0 * (place - cell) - 1.0;
  bool isWarp = mod(cell.x + cell.y, 2.0) < 1.0;
  vec2 across = isWarp ? within : within.yx;
  // The thread on top is round, and dives under the next one. The mean of each factor is 2/3.
  float height = dot(vec2(0.65, 0.35), 1.0 - across * across);
  return 1.0 + shown * (${RELIEF} * (height - 2.0 / 3.0) + (isWarp ? ${TINT} : -${TINT}));
}
void main() {`;

/** Has a material show threads where its geometry has the attribute `thread`: places in threads. Returns the strength as a uniform. */
export function weave(material) {
  const woven = { value: 0 };
  material.onBeforeCompile = (shader) => {
    shader.uniforms.woven = woven;
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", "attribute vec2 thread;\nvarying vec2 vThread;\nvoid main() {")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\n\tvThread = thread;");
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", TONE)
      .replace("#include <color_fragment>", "#include <color_fragment>\n\tdiffuseColor.rgb *= weaveTone(vThread);");
  };
  return woven;
}
