/**
 * An error's text without Ambit's own stack frames.
 *
 * @param {string} text
 */
export function withoutOurFrames(text) {
  return text.replaceAll(/^ +at .*(\(ambit(:\d+)*\)|\(native\))\n?/gm, '').trimEnd();
}
