import type { AuditLog } from '../../audit/audit-log.ts';
import type { Actor, EntryPoint } from '../../audit/event-parts.ts';
import type { PayloadRecording } from '../../audit/recorded-payload.ts';
import type { Narrowing } from '../../grant/grant.ts';
import type { Policy } from '../../grant/policy.ts';
import type { JsonSchemaChecker } from '../../json/json-schema.ts';
import type { JsonWriter } from '../../json/json-text.ts';
import type { Catalog } from '../../skill/catalog.ts';
import type { Runtime } from '../../skill/run.ts';
import type { EnterWorkspace } from '../../workspace/held-workspace.ts';
import type { WorkspaceEntry } from '../../workspace/workspace-file.ts';
import type { CallContext } from '../executor/call-context.ts';
import type { SkillExecutor } from '../executor/executor.ts';
import type { RunObserver } from '../executor/run-event.ts';
import type { ExecutionQueue } from '../queue/execution-queue.ts';
import type { KnownGrants } from './granted-call.ts';
import type { Tracing } from './tracing.ts';

/** The dependencies of `executeSkill`. Core has no clock, no randomness and no I/O of its own. */
export interface ExecuteDeps {
  catalog: Catalog;
  policy: Policy;
  /** An upper bound on the caller's grants. Absent: policy alone decides. */
  ceiling?: Narrowing | undefined;
  /** Reuses grants of earlier calls. Absent: each call is decided anew. */
  grants?: KnownGrants | undefined;
  executors: Readonly<Record<Runtime, SkillExecutor>>;
  audit: AuditLog;
  /** The recording of inputs and outputs. Absent: only their digests are stored. */
  payloads?: PayloadRecording | undefined;
  schemas: JsonSchemaChecker;
  /** Writes inputs, outputs and responses. */
  json: JsonWriter;
  queue: ExecutionQueue;
  /** Absent: calls are not traced. */
  tracing?: Tracing | undefined;
  /** Workspaces that persist across calls. Absent: none. */
  workspaces?: EnterWorkspace | undefined;
  /**
   * Whether a path belongs to installed software that every user of this machine can read. Absent:
   * hints name no such path.
   */
  isInstalled?: ((path: string) => boolean) | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hex. */
  sha256(content: Uint8Array): string;
}

/** A call, parsed by a transport. */
export interface ExecuteRequest {
  /** A UUID from the transport, preferably of version 7, which sorts by time. */
  executionId: string;
  /** The chain or batch of the call. */
  parentId?: string;
  skillId: string;
  via: EntryPoint;
  actor: Actor;
  /** The caller's input, not yet checked against the skill's protocol. */
  input: CallerInput;
  narrowing?: Narrowing | undefined;
  /** Called once, when the start of the call's record is durable. */
  recorded?: (() => void) | undefined;
  /** The id of the actor's workspace to run in. Absent: a new one for this run. */
  workspace?: string | undefined;
  /** Whether a skill that has no workspace runs without the named one. Absent: its call is refused. */
  workspaceOptional?: boolean | undefined;
  /** Observes the events of the call. */
  onEvent?: RunObserver | undefined;
}

/**
 * `input` is for protocol `json`; `args` and `stdin` are for protocol `command`. A script without a run in the sidecar also
 * takes `input`, as JSON on its stdin.
 */
export interface CallerInput {
  input?: unknown;
  args?: readonly string[] | undefined;
  /** Text, or any bytes. */
  stdin?: string | Uint8Array | undefined;
  /** The script to run; see `asToolSkill`. */
  script?: string | undefined;
  /** In place of `script` and `args`; see `readCommand`. The record has what it means. */
  command?: string | undefined;
  /** For a skill with a workspace, in either protocol. */
  files?: readonly WorkspaceEntry[] | undefined;
  context?: CallContext | undefined;
}
