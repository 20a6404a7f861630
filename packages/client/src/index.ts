export type {
  AddInstall,
  Approval,
  ApproveInstall,
  ApproveInstalls,
  AuditChain,
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditStats,
  BatchAnswer,
  BatchRequest,
  CallRecord,
  ChainAnswer,
  ChainRequest,
  ClusterNodes,
  ConfigurationValue,
  ConsoleCode,
  ConsoleSession,
  Denial,
  EventPage,
  EventQuery,
  ExecuteAnswer,
  ExecuteRequest,
  ExecutionStatus,
  FileChange,
  InstallChanges,
  InstalledSkill,
  InstallReview,
  ListedKey,
  LockPackages,
  ModelTool,
  OpenedConsoleSession,
  Outcome,
  OwnConsoleSession,
  PolicyDecision,
  PolicyQuestion,
  Problem,
  ProblemCode,
  PromptAnswer,
  PromptRequest,
  Proposal,
  Revocation,
  SignedEventReceipt,
  SignedReceipt,
  SkillDetail,
  SkillFiles,
  SkillFilter,
  SkillList,
  StatsQuery,
  ToolFilter,
  ToolList,
  Usage,
  UsedCapabilities,
  Verification,
  Workspace,
  WorkspaceFile,
  WorkspaceOptions,
  WorkspaceSummary,
} from './api/names.ts';
export type { CallEvent } from './call/call-event.ts';
export type { CallOptions } from './call/call-options.ts';
export type { CallAnswer, StartedCall } from './call/request-call.ts';
export type { AmbitClient, AmbitClientOptions, ExecuteOptions } from './client/ambit-client.ts';
export type { AuditApi, FollowedEntry, FollowOptions } from './client/audit-api.ts';
export type { ConsoleApi } from './client/console-api.ts';
export { isKey } from './client/daemon-of.ts';
export type { ChangeOptions, InstallsApi } from './client/installs-api.ts';
export { ambitClient } from './client/open-client.ts';
export type { WorkspacesApi } from './client/workspaces-api.ts';
export { AmbitClientError } from './failure/ambit-client-error.ts';
export { AmbitError, type AmbitErrorCode } from './failure/ambit-error.ts';
export { AmbitProblem } from './failure/ambit-problem.ts';
export { UnsendableError } from './failure/unsendable-error.ts';
export type { RequestOptions } from './request/end-of.ts';
export { type Retries, usualRetries } from './request/retries.ts';
