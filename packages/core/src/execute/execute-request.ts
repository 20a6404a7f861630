import type { AuditLog } from '../audit/audit-log.ts';
import type { Actor, EntryPoint } from '../audit/event-parts.ts';
import type { PayloadRecording } from '../audit/recorded-payload.ts';
import type { Narrowing } from '../grant/grant.ts';
import type { Policy } from '../grant/policy.ts';
import type { JsonSchemaChecker } from '../json/json-schema.ts';
import type { JsonWriter } from '../json/json-text.ts';
import type { Catalog } from '../skill/catalog.ts';
import type { Runtime } from '../skill/run.ts';
import type { EnterWorkspace } from '../workspace/held-workspace.ts';
import type { WorkspaceFile } from '../workspace/workspace-file.ts';
import type { CallContext } from './call-context.ts';
import type { ExecutionQueue } from './execution-queue.ts';
import type { SkillExecutor } from './executor.ts';
import type { RunObserver } from './run-event.ts';
import type { Tracing } from './tracing.ts';

/** All that `executeSkill` reaches for. Core has no clock, no randomness and no I/O: they come in here. */
export interface ExecuteDeps {
  catalog: Catalog;
  policy: Policy;
  /** What the caller may have of any skill, whatever its call asks for; absent: as policy has it. */
  ceiling?: Narrowing | undefined;
  executors: Readonly<Record<Runtime, SkillExecutor>>;
  audit: AuditLog;
  /** What of inputs and outputs is kept in it. */
  keeping: PayloadRecording;
  schemas: JsonSchemaChecker;
  /** Writes inputs, outputs and answers. */
  json: JsonWriter;
  queue: ExecutionQueue;
  /** Absent: nobody looks. */
  tracing?: Tracing | undefined;
  /** Workspaces that live across calls; absent: there are none. */
  workspaces?: EnterWorkspace | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hex. */
  sha256(content: Uint8Array): string;
}

/** A call, as a transport parsed it. */
export interface ExecuteRequest {
  /** A UUIDv7 that the transport made. */
  executionId: string;
  /** The chain that the call is a link of. */
  parentId?: string;
  skillId: string;
  via: EntryPoint;
  actor: Actor;
  /** What the caller sent: one of the two protocols, or neither; which one the skill speaks is checked here. */
  input: CallerInput;
  narrowing?: Narrowing;
  /** Is called once, when the call's record has begun and is durable. */
  recorded?: (() => void) | undefined;
  /** The id of a workspace of the actor's that it runs in; absent: it has one of its own, for this run. */
  workspace?: string | undefined;
  /** Is told what happens in the call as it happens; absent: nobody looks. */
  onEvent?: RunObserver | undefined;
}

/** `input` is for protocol `json`; `args` and `stdin` are for protocol `command`. */
export interface CallerInput {
  input?: unknown;
  args?: readonly string[] | undefined;
  stdin?: string | undefined;
  /** Which of its scripts; see `asToolSkill`. */
  script?: string | undefined;
  /** For a skill that has a workspace, whichever its protocol. */
  files?: readonly WorkspaceFile[] | undefined;
  context?: CallContext | undefined;
}
