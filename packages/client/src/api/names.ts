import type { components } from './generated.ts';
import type { BodyOf, QueryOf } from './operation.ts';

type Schemas = components['schemas'];

/** What came of a call that ran; `outcome.status` says how it ended. */
export type ExecuteAnswer = Schemas['ExecuteAnswer'];
/** What came of a chain, as far as `links` says. */
export type ChainAnswer = Schemas['ChainAnswer'];
/** What came of a batch, in the order of its calls. */
export type BatchAnswer = Schemas['BatchAnswer'];
/** How a run ended: a union by `status`. */
export type Outcome = Schemas['Outcome'];
/** What a run took; `null` where the daemon's platform cannot tell. */
export type Usage = Schemas['Usage'];
/** What a run used of what it was granted; `null` where the daemon's platform cannot tell. */
export type UsedCapabilities = Schemas['UsedCapabilities'];
/** Something that a call asked for and was not given; `remedy` is the line of configuration that gives it. */
export type Denial = Schemas['Denial'];
/** What a run left different in its workspace. */
export type FileChange = Schemas['FileChange'];
/** The body of every refusal (RFC 9457). */
export type Problem = Schemas['Problem'];
/** Why a request was refused: stable, for programs. */
export type ProblemCode = Problem['code'];
/** A page of the skills that the key may see; `next` goes into `after`, and is `null` on the last. */
export type SkillList = Schemas['SkillList'];
/** One skill: what it is for, what it requests, and its files. */
export type SkillDetail = Schemas['SkillDetail'];
/** The files of a skill, all of them, without their bytes. */
export type SkillFiles = Schemas['SkillFiles'];
/** A workspace with its files. */
export type Workspace = Schemas['Workspace'];
/** A workspace in a list, without its files. */
export type WorkspaceSummary = Schemas['WorkspaceSummary'];
/** A file of a workspace, without its bytes. */
export type WorkspaceFile = Schemas['WorkspaceFile'];
/** A composed prompt, and why each part is there. */
export type PromptAnswer = Schemas['PromptAnswer'];
/** One call as the log tells it. */
export type CallRecord = Schemas['CallRecord'];
/** Records, newest first; `next` goes into `before`, and is `null` on the last page. */
export type AuditPage = Schemas['AuditPage'];
/** Figures of the calls: of all, by skill, and over time where that was asked for. */
export type AuditStats = Schemas['AuditStats'];
/** An event of the log, as it was written. */
export type AuditEntry = Schemas['FollowedEvent'];
/** Whether the log is what was written; the first flaw where it is not. */
export type Verification = Schemas['Verification'];
/** What the log says of one call, signed with the log's key. */
export type SignedReceipt = Schemas['SignedReceipt'];

/** A call, or a chain of them, that runs or has run. */
export type ExecutionStatus = Omit<Schemas['Execution'], 'result' | 'problem'> & {
  /** Of one that ran, where its answer is still kept. */
  result?: ExecuteAnswer | ChainAnswer | BatchAnswer;
  /** Of one that was refused. */
  problem?: Problem;
};

/** An event of a call as it is sent: its name, and its data. */
export type SentEvent = Schemas['CallEvent'];

/** What a call may bring beside its input. */
export type ExecuteRequest = Omit<BodyOf<'executeSkill'>, 'input'>;
/** Calls that run one after another, each with what came before. */
export type ChainRequest = BodyOf<'executeChain'>;
/** Calls that do not depend on each other. */
export type BatchRequest = BodyOf<'executeBatch'>;
/** What is asked of a new workspace; what is absent is as the daemon has it. */
export type WorkspaceOptions = BodyOf<'createWorkspace'>;
/** What a prompt is composed of. */
export type PromptRequest = BodyOf<'composePrompt'>;
/** Which skills; what is absent does not narrow. */
export type SkillFilter = QueryOf<'listSkills'>;
/** Which records; what is absent does not narrow. */
export type AuditFilter = QueryOf<'countRecords'>;
/** Which records, and how many at most: a filter, a `limit`, and where the page before ended. */
export type AuditQuery = QueryOf<'listRecords'>;
/** Of which calls, and how wide a bucket over time is; without a width there are none. */
export type StatsQuery = QueryOf<'getStats'>;
