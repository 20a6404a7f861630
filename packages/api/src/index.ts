export type { Answer, Answers, BodyOf } from './answer.ts';
export { AuditChain, DaemonEventPage } from './audit/answers.ts';
export { auditContracts, bucketsMax, followersMax, stalledMs } from './audit/contracts.ts';
export { readSpan, readTime, timeForms } from './audit/time.ts';
export { BatchResult, OmittedAnswer } from './calls/batch-answer.ts';
export { ExecuteBody } from './calls/call-bodies.ts';
export { CallEvent } from './calls/call-event.ts';
export { Args, CommandText, Files, ScriptName, StdinBytes } from './calls/call-input.ts';
export { callContracts, waitSecondsMax } from './calls/contracts.ts';
export { type AnsweredFile, ExecuteAnswer } from './calls/execute-answer.ts';
export { ExecutionStatus } from './calls/execution-status.ts';
export { type ClusterNode, ClusterNodes, nodeStatuses } from './cluster.ts';
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
export { daemonContracts } from './daemon.ts';
export { Ready, Unready } from './health.ts';
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
export { promptContracts } from './prompts/contracts.ts';
export { PromptAnswer } from './prompts/prompt-answer.ts';
export { agentTargets, PromptBody } from './prompts/prompt-body.ts';
export { Scope } from './scope.ts';
export { RunView, SkillDetail, SkillFiles, SkillList, SkillSummary } from './skills/answers.ts';
export { skillContracts } from './skills/contracts.ts';
export { SkillPageQuery, SkillQuery, skillsMax } from './skills/queries.ts';
export { ModelTool, ToolList } from './skills/tool.ts';
export { WorkspaceAnswer, WorkspaceFileAnswer, WorkspaceSummary } from './workspaces/answers.ts';
export { workspaceContracts } from './workspaces/contracts.ts';
export { WorkspaceBody } from './workspaces/workspace-body.ts';
