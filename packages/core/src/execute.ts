/**
 * Runs a skill under a policy: grants, executors, outcomes. `executeSkill` grants, runs and records a call. `grantCall` and
 * the `execute` of an executor do the first two without a record.
 */
export { Capabilities } from './capability/capabilities.ts';
export { Tier } from './capability/tier.ts';
export { WorkspaceEnd } from './execute/call/call-workspace.ts';
export type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute/call/execute-request.ts';
export { programsThatFailedToStart } from './execute/call/failure-hint.ts';
export type { CallSpan, SpanFacts, Tracing } from './execute/call/tracing.ts';
export { ChainLink, ChainResult } from './execute/chain-result.ts';
export { type BatchCall, type BatchEnd, type BatchRequest, executeBatch } from './execute/execute-batch.ts';
export { type ChainRequest, executeChain } from './execute/execute-chain.ts';
export { type ExecuteResult, executeSkill } from './execute/execute-skill.ts';
export { executeWithReceipt, type ReceiptedResult, type ReceiptOf } from './execute/execute-with-receipt.ts';
export { CallContext, memoryTexts, recall } from './execute/executor/call-context.ts';
export type { RunInput, RunResult, SkillExecutor } from './execute/executor/executor.ts';
export { executorFor } from './execute/executor/executor-for.ts';
export { neverRun } from './execute/executor/never-run.ts';
export type { Progress, RunEvent, RunObserver } from './execute/executor/run-event.ts';
export {
  type SkillState,
  StateError,
  type StateTexts,
  stateBounds,
  stateFor,
} from './execute/executor/skill-state.ts';
export { endOutdated, prewarmSkills } from './execute/prewarm-skills.ts';
export { type ExecutionQueue, executionQueue, type QueueLoad } from './execute/queue/execution-queue.ts';
export type { QueueSlot } from './execute/queue/queue-slots.ts';
export {
  type MemoryLoad,
  type SharedMemory,
  sharedMemory,
  unlimitedMemory,
} from './execute/queue/shared-memory.ts';
export { type CallBounds, type Grant, grantCall, type Narrowing } from './grant/grant.ts';
export { type Policy, type PolicySettings, policyFrom } from './grant/policy.ts';
export { Outcome } from './outcome/outcome.ts';
export type { ToolSkill } from './skill/skill.ts';
export { asToolSkill } from './skill/tool-skill.ts';
