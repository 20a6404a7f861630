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
export type Usage = Schemas['Usage'];
/** Something that a call asked for and was not given; `remedy` is the line of configuration that gives it. */
export type Denial = Schemas['Denial'];
/** What a run left different in its workspace. */
export type FileChange = Schemas['FileChange'];
/** The body of every refusal (RFC 9457). */
export type Problem = Schemas['Problem'];
/** Why a request was refused: stable, for programs. */
export type ProblemCode = Problem['code'];
export type SkillList = Schemas['SkillList'];
export type SkillDetail = Schemas['SkillDetail'];
export type SkillFiles = Schemas['SkillFiles'];
/** A workspace with its files. */
export type Workspace = Schemas['Workspace'];
export type WorkspaceSummary = Schemas['WorkspaceSummary'];
/** A file of a workspace, without its bytes. */
export type WorkspaceFile = Schemas['WorkspaceFile'];
export type PromptAnswer = Schemas['PromptAnswer'];
/** One call as the log tells it. */
export type CallRecord = Schemas['Record'];
export type AuditPage = Schemas['AuditPage'];
export type AuditStats = Schemas['AuditStats'];
/** An event of the log, as it was written. */
export type AuditEntry = Schemas['FollowedEvent'];
export type Verification = Schemas['Verification'];
export type SignedReceipt = Schemas['SignedReceipt'];

/** A call, or a chain of them, that runs or has run. */
export type Execution = Omit<Schemas['Execution'], 'result' | 'problem'> & {
  /** Of one that ran, where its answer is still kept. */
  result?: ExecuteAnswer | ChainAnswer | BatchAnswer;
  /** Of one that was refused. */
  problem?: Problem;
};

/** An event of a call as it is sent: its name, and its data. */
export type SentEvent = Schemas['CallEvent'];

/** What a call may bring beside its input. */
export type ExecuteRequest = Omit<BodyOf<'executeSkill'>, 'input'>;
export type ChainRequest = BodyOf<'executeChain'>;
export type BatchRequest = BodyOf<'executeBatch'>;
/** What is asked of a new workspace; what is absent is as the daemon has it. */
export type WorkspaceWishes = BodyOf<'createWorkspace'>;
export type PromptRequest = BodyOf<'composePrompt'>;
export type SkillFilter = QueryOf<'listSkills'>;
/** Which records; what is absent does not narrow. */
export type AuditFilter = QueryOf<'countRecords'>;
export type AuditQuery = QueryOf<'listRecords'>;
export type StatsQuery = QueryOf<'getStats'>;
