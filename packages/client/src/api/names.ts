import type { components } from './generated.ts';
import type { BodyOf, QueryOf } from './operation.ts';

type Schemas = components['schemas'];

/**
 * The response to a call that ran; `outcome.status` says how it ended. `Output` is the type of the output of a call that
 * succeeded.
 */
export type ExecuteAnswer<Output = unknown> = Omit<Schemas['ExecuteAnswer'], 'outcome'> & {
  readonly outcome: Outcome<Output>;
};
/** The response to a chain, up to the last link that ran. */
export type ChainAnswer = Schemas['ChainAnswer'];
/** The responses to a batch, in the order of its calls. */
export type BatchAnswer = Schemas['BatchAnswer'];
/** The end of a run: a union by `status`. */
export type Outcome<Output = unknown> =
  | Exclude<Schemas['Outcome'], { status: 'succeeded' }>
  | (Omit<Extract<Schemas['Outcome'], { status: 'succeeded' }>, 'output'> & { readonly output: Output });
/** The resources that a run consumed; `null` if the daemon's platform cannot measure them. */
export type Usage = Schemas['Usage'];
/** The used part of a run's grant; `null` if the daemon's platform cannot measure it. */
export type UsedCapabilities = Schemas['UsedCapabilities'];
/**
 * A requested capability that the call did not get. `remedy` is the line of configuration that
 * grants it, or what else to do.
 */
export type Denial = Schemas['Denial'];
/** A file that a run created, changed or deleted in its workspace. */
export type FileChange = Schemas['FileChange'];
/** The body of every refusal (RFC 9457). */
export type Problem = Schemas['Problem'];
/** The code of a refusal. Stable. */
export type ProblemCode = Problem['code'];
/**
 * A page of the skills that the key may see. Pass `next` as `after`; it is `null` on the last page.
 */
export type SkillList = Schemas['SkillList'];
/** A page of skills as tools of a model. Pass `next` as `after`; it is `null` on the last page. */
export type ToolList = Schemas['ToolList'];
/** A skill as a tool of a model. */
export type ModelTool = Schemas['ModelTool'];
/** A skill: what it is for, what it requests, and its files. */
export type SkillDetail = Schemas['SkillDetail'];
/** The smallest grant that covers what recorded calls of a skill lacked. */
export type Proposal = Schemas['Proposal'];
/** All files of a skill, without their bytes. */
export type SkillFiles = Schemas['SkillFiles'];
/** A workspace with its files. */
export type Workspace = Schemas['Workspace'];
/** A workspace in a list, without its files. */
export type WorkspaceSummary = Schemas['WorkspaceSummary'];
/** A file of a workspace, without its bytes. */
export type WorkspaceFile = Schemas['WorkspaceFile'];
/** An installed skill. */
export type InstalledSkill = Schemas['InstalledSkill'];
/** The facts by which a person decides about an installed skill. */
export type InstallReview = Schemas['InstallReview'];
/** The effect of a change on each skill. */
export type InstallChanges = Schemas['InstallChanges'];
/** An approval and what it is bound to. */
export type Approval = Schemas['Approval'];
/** A revocation. */
export type Revocation = Schemas['Revocation'];
/** A one-time code of the web console. */
export type ConsoleCode = Schemas['ConsoleCode'];
/** A new session of the web console. */
export type OpenedConsoleSession = Schemas['OpenedConsoleSession'];
/** The session of the web console that sends the request. */
export type OwnConsoleSession = Schemas['OwnConsoleSession'];
/** An open session of the web console. */
export type ConsoleSession = Schemas['ConsoleSessionSummary'];
/** The nodes of a cluster, and the node that lists them. */
export type ClusterNodes = Schemas['ClusterNodes'];
/** A key and its rights. */
export type ListedKey = Schemas['ListedKey'];
/** A value of the configuration in force. */
export type ConfigurationValue = Schemas['ConfigurationValue'];
/** Whether a call may use a capability, and the rule that decides. */
export type PolicyDecision = Schemas['PolicyDecision'];
/** A question to the policy. */
export type PolicyQuestion = BodyOf<'decidePolicy'>;
/** A composed prompt, with the reason for each part. */
export type PromptAnswer = Schemas['PromptAnswer'];
/** A call in the log. */
export type CallRecord = Schemas['CallRecord'];
/** Records, newest first. Pass `next` as `before`; it is `null` on the last page. */
export type AuditPage = Schemas['AuditPage'];
/** Statistics of calls: in total, by skill, and over time if requested. */
export type AuditStats = Schemas['AuditStats'];
/** An event of the log. */
export type AuditEntry = Schemas['FollowedEvent'];
/** Events outside calls, newest first. Pass `next` as `before`; it is `null` on the last page. */
export type EventPage = Schemas['EventPage'];
/** The state of the chain of a daemon's log. */
export type AuditChain = Schemas['AuditChain'];
/** Whether the log is intact; otherwise the first flaw. */
export type Verification = Schemas['Verification'];
/** An event outside calls, signed with the audit signing key. */
export type SignedEventReceipt = Schemas['SignedEventReceipt'];
/** The log's record of a call, signed with the audit signing key. */
export type SignedReceipt = Schemas['SignedReceipt'];

/** A call or chain that is running or has run. */
export type ExecutionStatus = Omit<Schemas['Execution'], 'result' | 'problem'> & {
  /** The response of a call that ran, while it is stored. */
  result?: ExecuteAnswer | ChainAnswer | BatchAnswer;
  /** The problem of a call that was refused. */
  problem?: Problem;
};

/** An event of a call: its name and its data. */
export type SentEvent = Schemas['CallEvent'];

/** The options of a call besides its input. */
export type ExecuteRequest = Omit<BodyOf<'executeSkill'>, 'input'>;
/** Calls that run one after another, each with the results of earlier ones. */
export type ChainRequest = BodyOf<'executeChain'>;
/** Independent calls. */
export type BatchRequest = BodyOf<'executeBatch'>;
/** Options for a new workspace. The daemon has defaults. */
export type WorkspaceOptions = BodyOf<'createWorkspace'>;
/** The source and the skills to install. */
export type AddInstall = BodyOf<'addInstalled'>;
/** The version of an installed skill to approve. */
export type ApproveInstall = BodyOf<'approveInstalled'>;
/** The versions of installed skills to approve, all or none. */
export type ApproveInstalls = BodyOf<'approveAllInstalled'>;
/** Packages to lock for an installed skill. */
export type LockPackages = BodyOf<'lockInstalledPackages'>;
/** The input of a prompt. */
export type PromptRequest = BodyOf<'composePrompt'>;
/** Filters for skills. Absent filters match all. */
export type SkillFilter = QueryOf<'listSkills'>;
/** Filters for tools: the same, and `untrusted`. */
export type ToolFilter = QueryOf<'listTools'>;
/** Filters for records. Absent filters match all. */
export type AuditFilter = QueryOf<'countRecords'>;
/** A filter for records, a `limit`, and the end of the previous page. */
export type AuditQuery = QueryOf<'listRecords'>;
/** Kinds of events, a `limit`, and the end of the previous page. */
export type EventQuery = QueryOf<'listEvents'>;
/** Filters for calls, and the width of a time bucket. Without a width there are no buckets. */
export type StatsQuery = QueryOf<'getStats'>;
