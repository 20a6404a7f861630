import type { CallStarted } from '../../audit/audit-event.ts';
import type { Grant, Narrowing } from '../../grant/grant.ts';
import type { Policy } from '../../grant/policy.ts';
import type { Runtime } from '../../skill/run.ts';
import type { Skill, ToolSkill } from '../../skill/skill.ts';
import type { SkillExecutor } from '../executor/executor.ts';

/** The skill's part of the record of a call. */
export type RecordedCall = Pick<CallStarted, 'skill' | 'requested' | 'added'>;

/** A call that policy allows. */
export interface GrantedCall {
  readonly skill: ToolSkill;
  readonly grant: Grant;
  readonly executor: SkillExecutor;
  readonly recorded: RecordedCall;
  /** Whether the grant has no capability at all. */
  readonly isContained: boolean;
}

type Executors = Readonly<Record<Runtime, SkillExecutor>>;

/**
 * The grants of calls that narrow nothing, by skill, then by the key's ceiling or, without one, the
 * policy. A changed skill, key or configuration is another object, so nothing here has to be removed.
 */
export type KnownGrants = WeakMap<
  Skill,
  WeakMap<Narrowing | Policy, GrantedCall & { policy: Policy; executors: Executors }>
>;
