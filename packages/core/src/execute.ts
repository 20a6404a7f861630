/**
 * Runs a skill under a policy: grants, executors, outcomes. `executeSkill` grants, runs and records a call. `grantCall` and
 * the `execute` of an executor do the first two without a record.
 */
export { Capabilities } from './capability/capabilities.ts';
export { Tier } from './capability/tier.ts';
export type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute/call/execute-request.ts';
export { type ExecuteResult, executeSkill } from './execute/execute-skill.ts';
export type { RunInput, RunResult, SkillExecutor } from './execute/executor/executor.ts';
export { executorFor } from './execute/executor/executor-for.ts';
export type { RunEvent, RunObserver } from './execute/executor/run-event.ts';
export { type SkillState, StateError, type StateTexts, stateBounds } from './execute/executor/skill-state.ts';
export { executionQueue } from './execute/queue/execution-queue.ts';
export { type SharedMemory, sharedMemory } from './execute/queue/shared-memory.ts';
export { type CallBounds, type Grant, grantCall, type Narrowing } from './grant/grant.ts';
export { type Policy, type PolicySettings, policyFrom } from './grant/policy.ts';
export { Outcome } from './outcome/outcome.ts';
export type { ToolSkill } from './skill/skill.ts';
export { asToolSkill } from './skill/tool-skill.ts';
