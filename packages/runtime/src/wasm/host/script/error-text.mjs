/** What an error says, or anything else that was thrown in its place. @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * An error's text without the frames that are not the skill's.
 *
 * @param {string} text
 */
export function withoutOurFrames(text) {
  return text.replaceAll(/^ +at .*(\(ambit(:\d+)*\)|\(native\))\n?/gm, '').trimEnd();
}
