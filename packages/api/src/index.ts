export type { Answer, Answers, BodyOf } from './answer.ts';
export { AuditChain, DaemonEventPage, type FollowedEvent } from './audit/answers.ts';
export { auditContracts, bucketsMax, followersMax, stalledMs } from './audit/contracts.ts';
export { readSpan, readTime, timeForms } from './audit/time.ts';
export {
  type AnsweredFile,
  type BatchResult,
  CallEvent,
  ExecuteAnswer,
  ExecutionStatus,
  type OmittedAnswer,
} from './calls/answers.ts';
export {
  Args,
  CommandText,
  ExecuteBody,
  Files,
  type GivenFiles,
  ScriptName,
  StdinBytes,
} from './calls/bodies.ts';
export { callContracts, waitSecondsMax } from './calls/contracts.ts';
export {
  commandCodes,
  type ExitCode,
  exitCodes,
  isProblemCode,
  type ProblemCode,
  problemCodes,
  type RefusalCode,
  refusedOf,
} from './codes.ts';
export { configurationContracts } from './configuration.ts';
export {
  ConsoleSessions,
  consoleContracts,
  decisionCharactersMax,
  OwnConsoleSession,
  readingScopes,
} from './console.ts';
export { groups, type RouteContract, type RouteScope, stepUpOf } from './contract.ts';
export { contracts } from './contracts.ts';
export { type ClusterNode, ClusterNodes, daemonContracts, nodeStatuses, Ready, Unready } from './daemon.ts';
export {
  ApprovalAnswer,
  InstallChange,
  InstallChanges,
  InstalledSummary,
  InstallReview,
  InstallState,
  RefusedInstall,
  RevocationAnswer,
} from './installs/answers.ts';
export { confirmationHeader, installContracts } from './installs/contracts.ts';
export { KeyTime, keyRights } from './key-rights.ts';
export { mcpContracts } from './mcp.ts';
export { Narrowing } from './narrowing.ts';
export { Problem, problemMediaType } from './problem.ts';
export { problemsOf } from './problems-of.ts';
export { PromptAnswer, promptContracts } from './prompts/contracts.ts';
export { agentTargets, PromptBody } from './prompts/prompt-body.ts';
export type { Routes } from './route-types.ts';
export { Scope } from './scope.ts';
export { RunView, SkillDetail, SkillFiles, SkillList, SkillSummary } from './skills/answers.ts';
export { skillContracts } from './skills/contracts.ts';
export { SkillPageQuery, SkillQuery, skillsMax } from './skills/queries.ts';
export { ModelTool, ToolList } from './skills/tool.ts';
export {
  WorkspaceAnswer,
  WorkspaceBody,
  WorkspaceFileAnswer,
  WorkspaceSummary,
} from './workspaces/bodies.ts';
export { workspaceContracts } from './workspaces/contracts.ts';
