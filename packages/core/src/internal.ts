/**
 * Not part of the public API: what the other packages of this repository need of core. Any of it may change or go in any
 * version.
 */
export type {
  CallDenied,
  CallEvent,
  CallFinished,
  CallStarted,
  ConfigReloaded,
  Confirmation,
  DaemonEvent,
  InstallEvent,
  KeyRotated,
  LogPruned,
  SkillApproved,
  SkillInstalled,
} from './audit/audit-event.ts';
export { isCallEvent } from './audit/audit-event.ts';
export {
  type AppendOptions,
  AuditPage,
  AuditPosition,
  AuditStats,
  type CallStats,
  type StatsQuery,
} from './audit/audit-log.ts';
export { eventHash, eventText, genesisHash, placedText, type Sha256 } from './audit/chain.ts';
export {
  breakWindow,
  type ChainedEvent,
  type ChainHead,
  describeBreak,
  isNextEvent,
  type LinkHash,
} from './audit/chain-break.ts';
export type {
  ClusterFinding,
  ClusterTree,
  ClusterVerification,
  NodeEnd,
  NodeEvents,
  NodePosition,
  ReadNodeEvents,
  VerifiedNode,
} from './audit/cluster-audit.ts';
export { daemonEventKinds } from './audit/daemon-event-kinds.ts';
export { type EventFacts, eventFacts } from './audit/event-facts.ts';
export { entryPoints, type RecordedPayload, type RecordedSkill } from './audit/event-parts.ts';
export { receiptFor } from './audit/receipt-for.ts';
export { cursorOf, type RecordFilter, recordFits } from './audit/record-fits.ts';
export type { PayloadPolicy, Redactor } from './audit/recorded-payload.ts';
export {
  type Checkpoint,
  type EventReceipt,
  type Inclusion,
  type Receipt,
  type Signed,
  SignedEventReceipt,
  SignedReceipt,
} from './audit/signed-statements.ts';
export { type CountedCall, statsOf, statsOfCalls } from './audit/stats-of.ts';
export { type Flaw, flawReasons, type ReceiptCheck, Verification } from './audit/verification.ts';
export { amountText, byteAmount } from './capability/amount.ts';
export {
  CapabilityKind,
  capabilityKinds,
  noCapabilities,
  RecordedCapabilities,
} from './capability/capabilities.ts';
export {
  Denial,
  denialText,
  denialTexts,
  grantLine,
  jointGrantLine,
  yamlScalar,
} from './capability/denial.ts';
export { liesWithin, pathsOverlap } from './capability/filesystem.ts';
export {
  CallLimits,
  type LimitName,
  type LimitRange,
  OperatorLimits,
  RequestedLimits,
} from './capability/limits.ts';
export { onlyIfNamed, programsNamed } from './capability/program-sets.ts';
export { type SandboxFolders, sandboxFolders } from './capability/sandbox-folders.ts';
export { SkillGrant } from './capability/skill-grant.ts';
export { RecordedTier, TierSettings, tierCeilings, tiersWith } from './capability/tier.ts';
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
export { NetworkRule, ruleProblem, ruleText } from './egress/network-rule.ts';
export { specialAddress } from './egress/special-address.ts';
export { WorkspaceEnd } from './execute/call/call-workspace.ts';
export { programsThatFailedToStart } from './execute/call/failure-hint.ts';
export type { CallSpan, SpanFacts, Tracing } from './execute/call/tracing.ts';
export { ChainLink, ChainResult } from './execute/chain-result.ts';
export { type BatchCall, type BatchEnd, type BatchRequest, executeBatch } from './execute/execute-batch.ts';
export { type ChainRequest, executeChain } from './execute/execute-chain.ts';
export { executeWithReceipt, type ReceiptedResult, type ReceiptOf } from './execute/execute-with-receipt.ts';
export { CallContext, memoryTexts, recall } from './execute/executor/call-context.ts';
export { neverRun } from './execute/executor/never-run.ts';
export type { Progress } from './execute/executor/run-event.ts';
export { stateFor } from './execute/executor/skill-state.ts';
export { endOutdated, prewarmSkills } from './execute/prewarm-skills.ts';
export type { ExecutionQueue, QueueLimits, QueueLoad, QueueSlot } from './execute/queue/execution-queue.ts';
export { type MemoryLoad, unlimitedMemory } from './execute/queue/shared-memory.ts';
export { decideItem, itemRules, oneItem } from './grant/decide-item.ts';
export { capabilityDenied } from './grant/grant.ts';
export { onlyNarrows, onlyTrusted, tierRemedy } from './grant/judge-item.ts';
export { type LimitedRun, limitedRun, limitRangeOf } from './grant/limit-range.ts';
export { networkRemedy, ruleFor } from './grant/network-remedy.ts';
export { declaredGrant } from './inspect/declared/declared-grant.ts';
export { declaredKinds, declaredLines } from './inspect/declared/declared-lines.ts';
export { safeText } from './inspect/excerpt.ts';
export {
  type InspectionFinding,
  type InspectionRule,
  type InspectionSeverity,
  inspectionRules,
  inspectionSeverities,
  sortedFindings,
} from './inspect/finding.ts';
export { type InspectedScript, type Inspection, inspectSkill } from './inspect/inspect-skill.ts';
export {
  type InspectedFile,
  type InspectedSkill,
  type InspectionPorts,
  inspectionBounds,
} from './inspect/inspected-skill.ts';
export { type ScriptNames, scriptNames } from './inspect/script/script-facts.ts';
export type { WasmNeeds } from './inspect/script/wasm-needs.ts';
export { wasmText } from './inspect/script/wasm-text.ts';
export { matchesPattern } from './install/anchored-pattern.ts';
export { decisionActions, decisionFlaw, decisionText } from './install/decision-text.ts';
export { isOlder } from './install/is-older.ts';
export {
  grantLines,
  limitLines,
  type ScriptGrant,
  scriptGrants,
  widenedGrants,
} from './install/script-grants.ts';
export { type ShownInBrowser, shownInBrowser } from './install/shown-in-browser.ts';
export { requestLines, widenedRequests } from './install/skill-requests.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { isDeeplyFrozen } from './json/deep-freeze.ts';
export type { JsonSchema, JsonSchemaChecker, SchemaIssue } from './json/json-schema.ts';
export { JsonText, type JsonWriter } from './json/json-text.ts';
export { lazy } from './lazy.ts';
export { provesConsistency, provesInclusion } from './merkle/check-proof.ts';
export {
  base64,
  bytesOf,
  noteKeyId,
  noteText,
  readNote,
  readTreeHead,
  type TreeHead,
  treeHeadText,
} from './merkle/signed-note.ts';
export {
  hashFromTiles,
  readTilePath,
  rootFromTiles,
  type Tile,
  tilesOf,
  widthIn,
  withLeaves,
} from './merkle/tiles.ts';
export { consistencyPath, inclusionPath, leafHash } from './merkle/tree.ts';
export { cutText } from './model-text/listed-text.ts';
export { tierMark } from './model-text/model-text.ts';
export { hiddenRuns, markHidden } from './model-text/visible-text.ts';
export { type HostCall, type HostCalls, hostCallsMax } from './outcome/host-calls.ts';
export { type CommandOutput, type Failure, OutcomeStatus, Usage, type Written } from './outcome/outcome.ts';
export { outcomeFilters, recordOutcomes } from './outcome/outcome-statuses.ts';
export { skillErrorCodes } from './outcome/skill-error.ts';
export { thrownText } from './outcome/thrown-text.ts';
export {
  noneObserved,
  type ObservedRun,
  type ObservedUses,
  UsedCapabilities,
  type UsedItems,
  unobserved,
  usedBounds,
  usedCapabilities,
  usedNothing,
} from './outcome/used.ts';
export { promptComposer } from './prompt/compose/compose-prompt.ts';
export { type ExcludedItem, Proposal, type ProposedItem } from './propose/proposal.ts';
export { proposeGrant } from './propose/propose-grant.ts';
export { unmetRequests } from './propose/unmet-requests.ts';
export type { HostPlaces } from './propose/what-it-opens.ts';
export { lintSkill, type SkillLint } from './quality/lint/lint-skill.ts';
export type { LintFinding } from './quality/lint/rules.ts';
export type { CheckedFile, CheckedModule, SkillFolder } from './quality/skill-folder.ts';
export { issueText, type SkillIssue } from './quality/skill-issue.ts';
export { type SkillValidation, validateSkill } from './quality/validate-skill.ts';
export { agentIndexer } from './select/agent-index.ts';
export { circularSkills } from './select/circular-skills.ts';
export { skillSelector } from './select/skill-selector.ts';
export { aliasConflicts, listedId, withoutAlias } from './skill/alias.ts';
export { isBroken, skillUnusable } from './skill/catalog.ts';
export { codexFile, codexFileBytesMax, hiddenByCodex } from './skill/codex-policy.ts';
export {
  type DeclaredVersion,
  declaredVersion,
  meetsVersion,
  scriptBlock,
} from './skill/declared-version.ts';
export { describeMarkdown, plainLine } from './skill/describe-markdown.ts';
export { frontmatterBlock, splitSkillFile } from './skill/frontmatter.ts';
export type { HiddenFrom } from './skill/hidden-from.ts';
export { hiddenText, isHiddenName, isHiddenPath } from './skill/hidden-path.ts';
export { partsOfId, skillIdOf } from './skill/id-parts.ts';
export {
  folderAround,
  innerSkillFolders,
  isInnerSkill,
  mayHaveInnerSkills,
  skillFoldersAmong,
} from './skill/inner-skill.ts';
export { issueWords } from './skill/issue-words.ts';
export { describeIssues, nearest } from './skill/issues.ts';
export { looksSecret } from './skill/looks-secret.ts';
export { markdownFields, readManifest, SkillName } from './skill/manifest.ts';
export { parseLargeYaml, YamlTooLarge } from './skill/parse-yaml.ts';
export { runnablePackages } from './skill/python-module.ts';
export { isPython, isScript, type Payload, type Run } from './skill/run.ts';
export {
  type ContextRequirement,
  emptySidecar,
  McpServers,
  readSidecar,
  type Sidecar,
} from './skill/sidecar.ts';
export {
  declaredRuns,
  digestText,
  isForModels,
  listedScripts,
  type Script,
  type SkillDependencies,
  type SkillFile,
  skillFileNames,
  skillFileOf,
} from './skill/skill.ts';
export { placesByIdAndName, SkillId } from './skill/skill-id.ts';
export { skillIndex } from './skill/skill-index.ts';
export { skillNamed } from './skill/skill-named.ts';
export { skillNotFound } from './skill/skill-not-found.ts';
export { pathsInSkill } from './skill/skill-path.ts';
export { toolNames } from './skill/tool-names.ts';
export {
  callableScripts,
  everyRun,
  firstCall,
  isPlainScript,
  isUnapprovedPython,
  mayStart,
  runtimeOf,
} from './skill/tool-skill.ts';
export { yamlCost } from './skill/yaml-cost.ts';
export { contentsBounds, pathProblem } from './workspace/check-contents.ts';
export { allBytesOf, digestOf, type FileContent, partBytes, partsOf } from './workspace/file-content.ts';
export { openWorkspaces } from './workspace/open-workspaces.ts';
export { type OwnWorkspaces, ownWorkspaces, type Precondition } from './workspace/own-workspaces.ts';
export {
  tarBlock,
  tarEndBytes,
  tarHeader,
  tarPadding,
  tarSum,
} from './workspace/tar-header.ts';
export { expiresAt, type StoredFile, usedBytes, Workspace } from './workspace/workspace.ts';
export {
  type FileChange,
  foldersOf,
  isWorkspacePath,
  staysInside,
  type WorkspaceEntry,
  type WorkspaceFile,
  type WorkspaceLink,
  withParents,
} from './workspace/workspace-file.ts';
export type { SharedWorkspaces, WorkspaceStorage } from './workspace/workspace-storage.ts';
export type { WorkspaceBounds, Workspaces, WorkspacesLoad } from './workspace/workspaces.ts';
