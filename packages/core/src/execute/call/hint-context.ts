import type { Grant } from '../../grant/grant.ts';
import { tierRemedy } from '../../grant/judge-item.ts';

/** The reader of a hint, and what Ambit knows about the run besides its output. */
export interface HintContext {
  /** Whether a model reads it: then it says that a person decides, and not how. */
  isForModel?: boolean;
  /** Programs of this machine that the run lacked. */
  missingPrograms?: readonly string[];
  /** Whether a path belongs to installed software that every user of this machine can read. */
  isInstalled?: ((path: string) => boolean) | undefined;
}

/** The grant of a run that failed, and what a hint about it may use. */
export type HintedGrant = Grant & { context: HintContext };

/** Returns the remedy for a tier that lets no program run. A model is not given the line that trusts the skill. */
export function trustRemedy({ skill, context }: HintedGrant): string {
  if (!context.isForModel || skill.isInstalled) return tierRemedy(skill);
  return `ask a person to trust it (to read it: "ambit skills review ${skill.id}")`;
}
