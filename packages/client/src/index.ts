export type {
  BatchAnswer,
  BatchRequest,
  CallAnswer,
  ChainAnswer,
  ChainRequest,
  ExecuteAnswer,
  ExecuteRequest,
  ExecutionStatus,
  FileChange,
  Outcome,
  Usage,
  UsedCapabilities,
} from './call/call-answer.ts';
export type { CallEvent } from './call/call-event.ts';
export type { CallOptions } from './call/call-options.ts';
export type { StartedCall } from './call/request-call.ts';
export type {
  AmbitClient,
  AmbitClientOptions,
  ClusterNodes,
  ConfigurationValue,
  ExecuteOptions,
  ListedKey,
  ModelTool,
  PolicyDecision,
  PolicyQuestion,
  PromptAnswer,
  PromptRequest,
  Proposal,
  SkillDetail,
  SkillFiles,
  SkillFilter,
  SkillList,
  ToolFilter,
  ToolList,
} from './client/ambit-client.ts';
export type {
  AuditApi,
  AuditChain,
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditStats,
  CallRecord,
  EventPage,
  EventQuery,
  FollowedEntry,
  FollowOptions,
  SignedEventReceipt,
  SignedReceipt,
  StatsQuery,
  Verification,
} from './client/audit-api.ts';
export type {
  ConsoleApi,
  ConsoleCode,
  ConsoleSession,
  OpenedConsoleSession,
  OwnConsoleSession,
} from './client/console-api.ts';
export { isKey } from './client/daemon-of.ts';
export type {
  AddInstall,
  Approval,
  ApproveInstall,
  ApproveInstalls,
  ChangeOptions,
  InstallChanges,
  InstalledSkill,
  InstallReview,
  InstallsApi,
  LockPackages,
  Revocation,
} from './client/installs-api.ts';
export { ambitClient } from './client/open-client.ts';
export type {
  Workspace,
  WorkspaceFile,
  WorkspaceOptions,
  WorkspaceSummary,
  WorkspacesApi,
} from './client/workspaces-api.ts';
export { AmbitClientError } from './failure/ambit-client-error.ts';
export { AmbitError, type AmbitErrorCode } from './failure/ambit-error.ts';
export { AmbitProblem, type Denial, type Problem, type ProblemCode } from './failure/ambit-problem.ts';
export { UnsendableError } from './failure/unsendable-error.ts';
export type { RequestOptions } from './request/end-of.ts';
export type { Fetch, FetchOptions, FetchResponse } from './request/fetch.ts';
export type { RequestInput } from './request/request-input.ts';
export { type Retries, usualRetries } from './request/retries.ts';
export type { JsonRoute, Route, Routes } from './request/routes.ts';
