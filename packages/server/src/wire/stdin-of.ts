import { SkillError } from '@ambit/core';
import type { CallerInput } from '@ambit/core/execute';

/** The stdin of a call: text or bytes. Throws `INPUT_INVALID` for both. */
export function stdinOf({
  stdin,
  stdinBase64,
}: {
  stdin?: string | undefined;
  stdinBase64?: Uint8Array | undefined;
}): CallerInput['stdin'] {
  if (stdin === undefined) return stdinBase64;
  if (stdinBase64 === undefined) return stdin;
  throw new SkillError('INPUT_INVALID', 'send either "stdin" or "stdinBase64", not both');
}
