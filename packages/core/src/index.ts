export type { ActivityKind } from './activity/activity-kind.ts';
export { type AgentToolCall, classifyToolCall } from './activity/classify-tool-call.ts';
export { looksSecret } from './activity/looks-secret.ts';
export { type AgentTarget, agentSettings, agentTargets } from './adapters/agent-settings.ts';
export type { TargetFile, TargetInput, TargetSettings } from './adapters/target-settings.ts';
export {
  type Actor,
  type AuditEvent,
  type CallDenied,
  type CallEvent,
  type CallFinished,
  type CallInterrupted,
  type CallStarted,
  type ConfigRefused,
  type ConfigReloaded,
  type ContentDigest,
  type DaemonEvent,
  type DaemonStarted,
  type DaemonStopped,
  type EntryPoint,
  entryPoints,
  type KeyRotated,
  type LogPruned,
  type PolicyChanged,
  type RecordedPayload,
  type RecordedSkill,
  type RecordedWorkspace,
  type RequestDenied,
  type SkillChanged,
  type WorkspaceCreated,
  type WorkspaceRemoved,
  type WorkspaceWritten,
} from './audit/audit-event.ts';
export type {
  AuditLog,
  AuditPage,
  AuditPosition,
  AuditQuery,
  AuditReader,
  AuditStats,
  CallStats,
  StatsQuery,
} from './audit/audit-log.ts';
export { type CallRecord, callRecord, isCallEvent, recordOutcomes } from './audit/call-record.ts';
export { canonicalJson } from './audit/canonical-json.ts';
export { eventHash, eventText, genesisHash, placedText, type Sha256 } from './audit/chain.ts';
export {
  breakWindow,
  type ChainedEvent,
  type ChainHead,
  describeBreak,
  isNextEvent,
  type LinkHash,
} from './audit/chain-break.ts';
export { type EventFacts, eventFacts } from './audit/event-facts.ts';
export { receiptFor } from './audit/receipt-for.ts';
export { type RecordFilter, recordFits } from './audit/record-fits.ts';
export {
  type PayloadPolicy,
  type PayloadRecording,
  type Redactor,
  recordedPayload,
} from './audit/recorded-payload.ts';
export type { Checkpoint, Receipt, Signed } from './audit/signed-statements.ts';
export { type CountedCall, statsOf, statsOfCalls } from './audit/stats-of.ts';
export {
  type Flaw,
  type FlawReason,
  flawReasons,
  type ReceiptCheck,
  type Verification,
  type VerifiedExtent,
} from './audit/verification.ts';
export {
  Capabilities,
  type CapabilityKind,
  capabilityKinds,
  NetworkRule,
  noCapabilities,
} from './capability/capabilities.ts';
export { type Denial, denialText, grantLine, yamlScalar } from './capability/denial.ts';
export { liesWithin, pathsOverlap } from './capability/filesystem.ts';
export { capabilityDenied, type Grant, grantCall, type Narrowing } from './capability/grant.ts';
export { type Limits, type RecordedLimits, RequestedLimits } from './capability/limits.ts';
export { ruleText, type Scheme } from './capability/network.ts';
export { networkRemedy, ruleFor } from './capability/network-remedy.ts';
export type { Policy } from './capability/policy.ts';
export { programsNamed } from './capability/program-sets.ts';
export { Tier, type TierCeiling, tierCeilings } from './capability/tier.ts';
export { type IndexedSkill, type SkillIndex, skillIndex } from './catalogue/skill-index.ts';
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
export { CallContext, memoryTexts, recall } from './execute/call-context.ts';
export { type BatchCall, type BatchEnd, type BatchRequest, executeBatch } from './execute/execute-batch.ts';
export {
  type ChainLink,
  type ChainRequest,
  type ChainResult,
  type ChainStep,
  executeChain,
} from './execute/execute-chain.ts';
export type { CallerInput, ExecuteDeps, ExecuteRequest } from './execute/execute-request.ts';
export { type ExecuteResult, executeSkill } from './execute/execute-skill.ts';
export {
  executeWithReceipt,
  type ReceiptedResult,
  type ReceiptOf,
} from './execute/execute-with-receipt.ts';
export {
  type ExecutionQueue,
  executionQueue,
  type QueuedCall,
  type QueueLimits,
  type QueueLoad,
  type QueueSlot,
} from './execute/execution-queue.ts';
export type { RunInput, RunResult, SkillExecutor, StateChange } from './execute/executor.ts';
export type { JsonSchemaChecker, SchemaIssue } from './execute/json-schema-checker.ts';
export { neverRun } from './execute/never-run.ts';
export type { CommandOutput, Failure, Outcome, OutcomeStatus, Usage, Written } from './execute/outcome.ts';
export { endOutdated, prewarmSkills } from './execute/prewarm-skills.ts';
export type { Progress, RunEvent, RunObserver } from './execute/run-event.ts';
export { SkillError, type SkillErrorCode, skillErrorCodes } from './execute/skill-error.ts';
export { type SkillState, StateError, type StateTexts, stateBounds } from './execute/skill-state.ts';
export { type SpanFacts, type SpanName, type Tracing, untraced } from './execute/tracing.ts';
export {
  type ListedKind,
  noneObserved,
  type ObservedRun,
  type ObservedUses,
  type UsedCapabilities,
  type UsedItem,
  type UsedItems,
  unobserved,
  usedBounds,
  usedCapabilities,
  usedNothing,
} from './execute/used.ts';
export { type FileChange, isWorkspacePath, type WorkspaceFile } from './execute/workspace-file.ts';
export { JsonText, type JsonWriter } from './json/json-text.ts';
export {
  type MergeAction,
  type MergedSkill,
  type MergeMode,
  mergeSkills,
  type PhaseChange,
} from './learn/merge-skills.ts';
export { withPhases } from './learn/with-phases.ts';
export { cutText } from './model-text/listed-text.ts';
export { type ModelSchema, modelSchema } from './model-text/model-schema.ts';
export { modelDescription, modelLine, modelText, tierMark } from './model-text/model-text.ts';
export { markHidden } from './model-text/visible-text.ts';
export { composePrompt, promptComposer } from './prompt/compose/compose-prompt.ts';
export type {
  Composition,
  CompositionInput,
  LeftOutPart,
  Part,
  PartKind,
} from './prompt/compose/composition.ts';
export { explainText } from './prompt/compose/explain-text.ts';
export { withFallback } from './prompt/compose/with-fallback.ts';
export type { GatheredContext } from './prompt/context.ts';
export { type CountTokens, estimateTokens } from './prompt/count-tokens.ts';
export { fillTemplate, type TemplateVariables } from './prompt/fill-template.ts';
export {
  type Cut,
  type FitOptions,
  type FittedSections,
  fitSections,
  type Section,
} from './prompt/fit-sections.ts';
export { type Iteration, iterationPrompt } from './prompt/iteration-prompt.ts';
export { renderContext } from './prompt/render-context.ts';
export { skillContent } from './prompt/skill-content.ts';
export { availableSkillsIndex } from './prompt/skills-index.ts';
export { buildSkillEnhancedPrompt, injectActiveSkillPrompts } from './prompt/xml/inject-skills.ts';
export { generateSkillMetadataXml } from './prompt/xml/skill-metadata.ts';
export { lintSkill, type SkillLint } from './quality/lint/lint-skill.ts';
export { type LintFinding, type LintRule, type LintSeverity, lintRules } from './quality/lint/rules.ts';
export { metadataTokens } from './quality/metadata-tokens.ts';
export type { CheckedFile, CheckedModule, LintedFolder, SkillFolder } from './quality/skill-folder.ts';
export { issueText, type SkillIssue } from './quality/skill-issue.ts';
export { type SkillValidation, validateSkill } from './quality/validate-skill.ts';
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
export { type SplitSkillFile, splitSkillFile } from './skill/frontmatter.ts';
export { hiddenText, isHiddenName, isHiddenPath } from './skill/hidden-path.ts';
export { issueWords } from './skill/issue-words.ts';
export { describeIssues } from './skill/issues.ts';
export { type ReadManifest, readManifest, type SkillManifest, SkillName } from './skill/manifest.ts';
export { runnablePackages } from './skill/python-module.ts';
export {
  isScript,
  type JsonSchema,
  type Payload,
  payloadSchema,
  type Run,
  type Runtime,
} from './skill/run.ts';
export {
  type ContextRequirement,
  emptySidecar,
  McpServers,
  readSidecar,
  type Sidecar,
} from './skill/sidecar.ts';
export {
  asToolSkill,
  declaredRuns,
  digestText,
  isExecutable,
  otherScripts,
  type Script,
  type Skill,
  type SkillFile,
  type ToolSkill,
} from './skill/skill.ts';
export { yamlCost } from './skill/yaml-cost.ts';
export { thrownText } from './thrown-text.ts';
export type { WorkspaceEnd } from './workspace/call-workspace.ts';
export { contentsBounds, pathProblem } from './workspace/check-contents.ts';
export { openWorkspaces, type WorkspacesDeps } from './workspace/open-workspaces.ts';
export {
  type OwnWorkspaces,
  ownWorkspaces,
  type Precondition,
} from './workspace/own-workspaces.ts';
export { contentsDigest, expiresAt, type StoredFile, usedBytes, Workspace } from './workspace/workspace.ts';
export type { WorkspaceLease } from './workspace/workspace-lease.ts';
export type { WorkspaceStorage } from './workspace/workspace-storage.ts';
export type {
  WorkspaceBounds,
  WorkspaceOptions,
  Workspaces,
  WorkspacesLoad,
} from './workspace/workspaces.ts';
