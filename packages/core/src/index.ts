export type {
  Actor,
  AuditEvent,
  CallDenied,
  CallFinished,
  CallInterrupted,
  CallStarted,
  ContentDigest,
  Door,
  RecordedSkill,
  RequestDenied,
} from './audit/audit-event.ts';
export type { AuditLog, AuditPage, AuditPosition, AuditQuery } from './audit/audit-log.ts';
export { type CallRecord, callRecord, recordOutcomes } from './audit/call-record.ts';
export {
  Capabilities,
  type CapabilityKind,
  capabilityKinds,
  NetworkRule,
  noCapabilities,
} from './capability/capabilities.ts';
export { type Denial, grantLine } from './capability/denial.ts';
export { liesWithin } from './capability/filesystem.ts';
export { type Grant, grantCall, type Narrowing } from './capability/grant.ts';
export { type Limits, RequestedLimits } from './capability/limits.ts';
export { ruleText, type Scheme } from './capability/network.ts';
export type { Policy } from './capability/policy.ts';
export { programsNamed } from './capability/program-sets.ts';
export { Tier, type TierCeiling, tierCeilings } from './capability/tier.ts';
export { canonicalHost, readAuthority } from './egress/canonical-host.ts';
export type { EgressConnection } from './egress/egress-connection.ts';
export {
  deniesAddress,
  type EgressRequest,
  grantsAddress,
  judgeOrigin,
  judgeRequest,
  type Origin,
  type OriginVerdict,
} from './egress/judge-egress.ts';
export { type SpecialAddress, specialAddress } from './egress/special-address.ts';
export { CallContext, recall } from './execute/call-context.ts';
export {
  type ChainLink,
  type ChainRequest,
  type ChainResult,
  type ChainStep,
  executeChain,
} from './execute/execute-chain.ts';
export {
  type CallerInput,
  type ExecuteDeps,
  type ExecuteRequest,
  type ExecuteResult,
  executeSkill,
} from './execute/execute-skill.ts';
export {
  type ExecutionQueue,
  executionQueue,
  type Place,
  type QueueLimits,
} from './execute/execution-queue.ts';
export type { Execution, ExecutionInput, SkillExecutor } from './execute/executor.ts';
export type { JsonSchemaChecker, SchemaIssue } from './execute/json-schema-checker.ts';
export type { CommandOutput, Failure, Outcome, OutcomeStatus, Usage } from './execute/outcome.ts';
export { prewarmSkills } from './execute/prewarm-skills.ts';
export { SkillError, type SkillErrorCode, skillErrorCodes } from './execute/skill-error.ts';
export { type SkillState, StateError, stateBounds } from './execute/skill-state.ts';
export { type FileChange, isWorkspacePath, type WorkspaceFile } from './execute/workspace-file.ts';
export type { GatheredContext } from './prompt/context.ts';
export { type CountTokens, estimateTokens } from './prompt/count-tokens.ts';
export { agentIndex, agentIndexer, type SkillIndexEntry } from './select/agent-index.ts';
export { becauseText, leftOutText } from './select/reason-text.ts';
export type {
  AgentSettings,
  EffectiveMcpServers,
  EffectiveTools,
  LeftOutReason,
  LeftOutSkill,
  PhaseSettings,
  SelectedBecause,
  SelectedSkill,
  Selection,
  SelectionCatalog,
  SelectionRequest,
} from './select/selection.ts';
export { selectSkills, skillSelector } from './select/skill-selector.ts';
export { type BrokenSkill, type Catalog, isBroken } from './skill/catalog.ts';
export { describeIssues } from './skill/issues.ts';
export { type ReadManifest, readManifest, type SkillManifest, SkillName } from './skill/manifest.ts';
export {
  type ContextRequirement,
  emptySidecar,
  type JsonSchema,
  McpServers,
  type Run,
  type Runtime,
  readSidecar,
  type Sidecar,
} from './skill/sidecar.ts';
export {
  asToolSkill,
  digestText,
  isExecutable,
  type Script,
  type Skill,
  type SkillFile,
  type ToolSkill,
} from './skill/skill.ts';
export {
  type CheckedFile,
  type SkillFolder,
  type SkillValidation,
  validateSkill,
} from './skill/validate.ts';
