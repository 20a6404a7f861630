/**
 * Runs a skill under a policy: grants, executors, outcomes.
 */
export { Capabilities } from './capability/capabilities.ts';
export { Tier } from './capability/tier.ts';
export type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute/call/execute-request.ts';
export { type ExecuteResult, executeSkill } from './execute/execute-skill.ts';
export type { RunResult, SkillExecutor } from './execute/executor/executor.ts';
export { executionQueue } from './execute/queue/execution-queue.ts';
export { type CallBounds, type Grant, grantCall, type Narrowing } from './grant/grant.ts';
export type { Policy } from './grant/policy.ts';
export { Outcome } from './outcome/outcome.ts';
