/**
 * An error's text without the frames that are not the skill's.
 *
 * @param {string} text
 */
export function withoutOurFrames(text) {
  return text.replaceAll(/^ +at .*(\(ambit(:\d+)*\)|\(native\))\n?/gm, '').trimEnd();
}
