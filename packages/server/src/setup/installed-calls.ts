import { type Skill, SkillError } from '@ambit/core';

/** The running calls of installed skills, which end when their skill is revoked or removed. */
export interface InstalledCalls {
  /** Runs a call. Rejects with `SKILL_REVOKED` if its skill was revoked or removed after it was found. */
  run<Result>(
    skill: Skill,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Ends the calls of refused skills, now and from now on. `why` says why a skill is refused; `undefined`: it is not. */
  refuse(why: (skill: Skill) => string | undefined): void;
}

/** Starts without refused skills. */
export function installedCalls(): InstalledCalls {
  const running = new Map<AbortController, Skill>();
  let refused: (skill: Skill) => string | undefined = () => undefined;
  const runInstalled: InstalledCalls['run'] = async (skill, signal, call) => {
    const reason = refused(skill);
    if (reason !== undefined) throw new SkillError('SKILL_REVOKED', `${skill.id} cannot be used: ${reason}`);
    const ended = new AbortController();
    running.set(ended, skill);
    try {
      return await call(AbortSignal.any([signal, ended.signal]));
    } finally {
      running.delete(ended);
    }
  };
  return {
    run: (skill, signal, call) =>
      skill.isInstalled === true ? runInstalled(skill, signal, call) : call(signal),
    refuse(why) {
      refused = why;
      for (const [ended, skill] of running) {
        const reason = why(skill);
        if (reason !== undefined) ended.abort(new Error(`the skill ${skill.id}: ${reason}`));
      }
    },
  };
}
