import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';
import type { FileChange, WorkspaceEntry, WorkspaceFile } from '@ambit/core/workspace';
import type { Sandbox, SandboxedProgram, StopReason } from '../../process/sandbox/sandbox.ts';
import { boundedLog } from './bounded-log.ts';
import { callClock } from './call-clock.ts';
import { entryCache } from './entry-cache.ts';
import { encodeFrame, type Frame, frameReader } from './frames.ts';
import { type HostKind, hostCommand, hostLimits } from './host-command.ts';
import { type AnswerFrame, type CallFrame, DoneFrame, endedByItself } from './host-protocol.ts';
import { type LeftFiles, leftFiles } from './left-files.ts';
import { endText, lostHost, stderrTail } from './lost-host.ts';

/** The answer to a host's request. */
export interface HostReply {
  frame: AnswerFrame;
  body?: Uint8Array;
  /** The request was refused, although the skill may handle the error. Absent: it was not, or `frame` has `violated`. */
  isRefused?: boolean;
}

const nothing = new Uint8Array();

/** An entry of a workspace, with its content in memory. */
export type HeldEntry =
  | Exclude<WorkspaceEntry, { content: unknown }>
  | (WorkspaceFile & { content: Uint8Array });

/** One call, for a host. */
interface HostCall {
  key: string;
  /** The entry's parts, if the host does not have it. */
  entry?: { parts: NonNullable<CallFrame['entry']>; bytes: readonly Uint8Array[] };
  /** Only compiles and links the entry. */
  loadOnly?: true;
  input: Uint8Array;
  /** The initial files of the workspace; absent if the call has none. */
  files?: readonly HeldEntry[] | undefined;
  bounds: CallFrame['bounds'];
  world: CallFrame['world'];
  timeoutMs: number;
  cpuMs: number;
  /** Handles host functions that only the daemon can. Never rejects. */
  answer(name: string, args: readonly unknown[]): Promise<HostReply>;
  /** Receives the skill's output as it is written, each stream within `bounds.outputBytes`. */
  onPart(stream: 'log' | 'stdout', bytes: Uint8Array): void;
}

/**
 * How a call ended. `log` is the skill's log, `stdout` its output with protocol command, and
 * `changes` are its workspace changes.
 */
export interface HostAnswer {
  end:
    | { status: 'done'; done: DoneFrame; output: Uint8Array; changes: FileChange[] | undefined }
    | StopReason
    /** The host process ended, or violated the protocol. */
    | { status: 'lost'; outOfMemory: boolean; detail: string };
  log: Uint8Array;
  stdout: Uint8Array;
  durationMs: number;
  cpuMs: number | null;
}

/** A host process: one call at a time. */
export interface WasmHost {
  readonly kind: HostKind;
  holds(key: string): boolean;
  /** Never rejects. Any end other than `done` also ends the host. */
  call(call: HostCall, signal: AbortSignal): Promise<HostAnswer>;
  /** Whether it takes no more calls: it has ended, or is being ended after a protocol violation. */
  isSpent(): boolean;
  /** Resolves when it has ended for any reason. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

const startMs = 20_000;
/** The minimum, for requests to the daemon. */
const bodyBytesMin = 64 * 1024;

/**
 * Starts a host process and waits until it takes calls. Rejects with `SANDBOX_UNAVAILABLE` if it
 * does not start.
 */
export async function startHost(sandbox: Sandbox, kind: HostKind): Promise<WasmHost> {
  const program = await sandbox.start(hostCommand(kind), hostLimits(kind));
  let bodyBytesMax = bodyBytesMin;
  const uncalled = ({ header }: Frame): void => {
    throw new Error(`unexpected frame of type ${String(header['type'])}`);
  };
  let spent = false;
  let onFrame: (frame: Frame) => void = uncalled;
  let onLost: (detail: string) => void = () => undefined;
  const lastErrors = stderrTail(program);
  const read = frameReader(() => bodyBytesMax);
  program.stdout.on('data', (piece: Uint8Array) => {
    try {
      for (const frame of read(piece)) onFrame(frame);
    } catch (error) {
      // The host never writes this itself: a skill has taken over the process.
      spent = true;
      onLost((error as Error).message);
      program.stop({ status: 'canceled', reason: 'the host violated the protocol' });
    }
  });
  program.stdout.resume();
  type End = Awaited<typeof program.ended>;
  let exited: End | undefined;
  let onEnded: (end: End) => void = () => undefined;
  // One handler for the host: handlers of a pending promise are retained until it settles.
  const gone = program.ended.then((end) => {
    exited = end;
    onEnded(end);
  });
  const clock = callClock();
  const compiled = entryCache();
  /** The CPU time before the call; it uses none between calls. */
  let cpuBefore: number | null = null;

  await ready(program, (listener) => (onFrame = listener), lastErrors);
  onFrame = uncalled;
  cpuBefore = program.cpuMs();

  return {
    kind,
    gone,
    holds: compiled.holds,
    isSpent: () => spent || program.hasExited(),
    close: () => program.close(),
    call({ key, entry, loadOnly, input, files, bounds, world, timeoutMs, cpuMs, answer, onPart }, signal) {
      const startedAt = performance.now();
      const parts = entry?.bytes ?? [];
      const drop = entry === undefined ? compiled.use(key) : compiled.add(key, sum(parts));
      const log = boundedLog(bounds.outputBytes, (part) => onPart('log', part));
      const stdout = boundedLog(bounds.outputBytes, (part) => onPart('stdout', part));
      const left = files && leftFiles(files, bounds.takeBounds);
      bodyBytesMax = Math.max(bodyBytesMin, bounds.outputBytes, left ? bounds.takeBounds.bytes : 0);
      const cpuUsed = (): number | null => difference(program.cpuMs(), cpuBefore);
      let cpuAfter: number | null = null;

      const answerOf = (end: HostAnswer['end']): HostAnswer => {
        if (end.status === 'done' && end.done.verdict.status === 'refused') compiled.forget(key);
        const used = end.status === 'done' ? difference(cpuAfter, cpuBefore) : null;
        cpuBefore = cpuAfter;
        const durationMs = performance.now() - startedAt;
        return { end, log: log.bytes(), stdout: stdout.bytes(), durationMs, cpuMs: used };
      };

      return new Promise((resolve) => {
        let stopped: StopReason | undefined;
        // Resolves only when the host has ended: no part of the call runs then.
        const stop = (reason: StopReason): void => {
          stopped ??= reason;
          program.stop(reason);
        };
        const sample = (): void => {
          if ((cpuUsed() ?? 0) > cpuMs) stop({ status: 'out-of-cpu' });
        };
        clock.watch(startedAt + timeoutMs, sample, () => stop({ status: 'timed-out' }));
        const cancel = (): void => stop({ status: 'canceled', reason: thrownText(signal.reason) });
        signal.addEventListener('abort', cancel, { once: true });
        const stopWatching = (): void => {
          clock.unwatch();
          signal.removeEventListener('abort', cancel);
          onFrame = uncalled;
          onLost = () => undefined;
          onEnded = () => undefined;
        };
        const finish = (result: HostAnswer['end']): void => {
          stopWatching();
          resolve(answerOf(result));
        };
        onLost = (detail) => finish({ status: 'lost', outOfMemory: false, detail });
        let asking = false;
        onFrame = (frame) => {
          const { header, body } = frame;
          if (header['type'] === 'log') return log.add(body);
          if (header['type'] === 'stdout' && world.args !== undefined) return stdout.add(body);
          if (header['type'] === 'file' && left !== undefined) return left.add(frame);
          // A host waits for each answer; otherwise answers would pile up here.
          if (asking) throw new Error('a frame before the pending answer');
          if (header['type'] === 'ask') {
            asking = true;
            const answered = answer(
              String(header['name']),
              Array.isArray(header['args']) ? header['args'] : [],
            );
            void answered.then((reply) =>
              program.stdin.write(encodeFrame(reply.frame, reply.body ?? nothing), () => (asking = false)),
            );
          } else {
            cpuAfter = program.cpuMs();
            const done = DoneFrame.parse(header);
            if (body.length > bounds.outputBytes)
              throw new Error(`an output of ${body.length} bytes, over the limit`);
            finish({ status: 'done', done, output: body, changes: changesOf(done, left) });
          }
        };
        onEnded = (ended) => finish(stopped ?? lostHost(ended, lastErrors()));
        if (exited !== undefined) onEnded(exited);
        else if (signal.aborted) cancel();
        else
          program.stdin.write(
            encodeFrame(
              {
                type: 'call',
                key,
                drop,
                ...(entry && { entry: entry.parts }),
                ...(loadOnly && { loadOnly }),
                inputBytes: input.length,
                ...(files && { files: files.map(givenEntry) }),
                bounds,
                world,
              } satisfies CallFrame,
              ...parts,
              input,
              ...(files ?? []).flatMap((entry) => ('content' in entry ? [entry.content] : [])),
            ),
          );
      });
    },
  };
}

/** An entry of the workspace for a host; the body of the frame has the contents. */
function givenEntry(entry: HeldEntry): NonNullable<CallFrame['files']>[number] {
  return 'content' in entry ? { path: entry.path, bytes: entry.content.length } : entry;
}

/** The workspace changes of a call that ended by itself. */
function changesOf(done: DoneFrame, left: LeftFiles | undefined): FileChange[] | undefined {
  return endedByItself(done) ? left?.changes() : undefined;
}

async function ready(
  program: SandboxedProgram,
  listen: (listener: (frame: Frame) => void) => void,
  lastErrors: () => string,
): Promise<void> {
  const deadline = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  const greeted = new Promise<'ready'>((resolve) => listen(() => resolve('ready')));
  void program.release();
  const first = await Promise.race([greeted, program.ended]);
  clearTimeout(deadline);
  if (first === 'ready') return;
  await program.close();
  throw new SkillError(
    'SANDBOX_UNAVAILABLE',
    'the WASM host process did not start; run "ambit doctor" to see what is missing',
    {
      cause: new Error(endText(first, lastErrors())),
    },
  );
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.length, 0);
}
