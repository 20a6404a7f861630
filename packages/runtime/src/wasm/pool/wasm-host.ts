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
  entry?: { parts: NonNullable<CallFrame['entry']>; bytes: readonly Uint8Array[] } | undefined;
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
 * The end of a call. `log` is the skill's log, `stdout` its output with protocol command, and
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
  const line = hostLine(program);
  await ready(program, line);
  const compiled = entryCache();
  const clock = callClock();
  /** The CPU time before the call; it uses none between calls. */
  let cpuBefore = program.cpuMs();
  return {
    kind,
    gone: line.gone,
    holds: compiled.holds,
    isSpent: () => line.isBroken() || program.hasExited(),
    close: () => program.close(),
    async call(call, signal) {
      const startedAt = performance.now();
      const { key, entry, files, bounds } = call;
      const drop = entry === undefined ? compiled.use(key) : compiled.add(key, sum(entry.bytes));
      const outputs = {
        log: boundedLog(bounds.outputBytes, (part) => call.onPart('log', part)),
        stdout: boundedLog(bounds.outputBytes, (part) => call.onPart('stdout', part)),
        left: files && leftFiles(files, bounds.takeBounds),
      };
      line.bodyBytesMax = Math.max(
        bodyBytesMin,
        bounds.outputBytes,
        outputs.left ? bounds.takeBounds.bytes : 0,
      );
      const cpuUsed = (): number | null => difference(program.cpuMs(), cpuBefore);
      const { end, cpuAfter } = await callOver(
        { program, line, clock, cpuUsed, outputs },
        call,
        drop,
        signal,
      );
      if (end.status === 'done' && end.done.verdict.status === 'refused') compiled.forget(key);
      const used = end.status === 'done' ? difference(cpuAfter, cpuBefore) : null;
      cpuBefore = cpuAfter;
      const durationMs = performance.now() - startedAt;
      return { end, log: outputs.log.bytes(), stdout: outputs.stdout.bytes(), durationMs, cpuMs: used };
    },
  };
}

/** The receiving side of a host process. Each listener is of the running call, and absent between calls. */
interface HostLine {
  onFrame: ((frame: Frame) => void) | undefined;
  onLost: ((detail: string) => void) | undefined;
  onEnded: ((end: ProgramEnd) => void) | undefined;
  /** The longest body of a frame that is read. */
  bodyBytesMax: number;
  /** Whether the host violated the protocol. It is being ended. */
  isBroken(): boolean;
  exited(): ProgramEnd | undefined;
  gone: Promise<void>;
  lastErrors(): string;
}

type ProgramEnd = Awaited<SandboxedProgram['ended']>;

function hostLine(program: SandboxedProgram): HostLine {
  let isBroken = false;
  let exited: ProgramEnd | undefined;
  const line: HostLine = {
    onFrame: undefined,
    onLost: undefined,
    onEnded: undefined,
    bodyBytesMax: bodyBytesMin,
    isBroken: () => isBroken,
    exited: () => exited,
    // One handler for the host: handlers of a pending promise are retained until it settles.
    gone: program.ended.then((end) => {
      exited = end;
      line.onEnded?.(end);
    }),
    lastErrors: stderrTail(program),
  };
  const read = frameReader(() => line.bodyBytesMax);
  program.stdout.on('data', (piece: Uint8Array) => {
    try {
      for (const frame of read(piece)) {
        if (line.onFrame === undefined)
          throw new Error(`unexpected frame of type ${String(frame.header['type'])}`);
        line.onFrame(frame);
      }
    } catch (error) {
      // The host never writes this itself: a skill has taken over the process.
      isBroken = true;
      line.onLost?.((error as Error).message);
      program.stop({ status: 'canceled', reason: 'the host violated the protocol' });
    }
  });
  program.stdout.resume();
  return line;
}

/** The parts of a host that a call uses. */
interface CallParts {
  program: SandboxedProgram;
  line: HostLine;
  clock: ReturnType<typeof callClock>;
  cpuUsed(): number | null;
  outputs: {
    log: ReturnType<typeof boundedLog>;
    stdout: ReturnType<typeof boundedLog>;
    left: LeftFiles | undefined;
  };
}

/** One call, from its frame to the answer or the end of the host. Never rejects. */
function callOver(
  { program, line, clock, cpuUsed, outputs: { log, stdout, left } }: CallParts,
  call: HostCall,
  drop: readonly string[],
  signal: AbortSignal,
): Promise<{ end: HostAnswer['end']; cpuAfter: number | null }> {
  const { promise, resolve } = Promise.withResolvers<{ end: HostAnswer['end']; cpuAfter: number | null }>();
  const { bounds, world, timeoutMs, cpuMs, answer } = call;
  let cpuAfter: number | null = null;
  let stopped: StopReason | undefined;
  // Resolves only when the host has ended: no part of the call runs then.
  const stop = (reason: StopReason): void => {
    stopped ??= reason;
    program.stop(reason);
  };
  const sample = (): void => {
    if ((cpuUsed() ?? 0) > cpuMs) stop({ status: 'out-of-cpu' });
  };
  clock.watch(performance.now() + timeoutMs, sample, () => stop({ status: 'timed-out' }));
  const cancel = (): void => stop({ status: 'canceled', reason: thrownText(signal.reason) });
  signal.addEventListener('abort', cancel, { once: true });
  const finish = (end: HostAnswer['end']): void => {
    clock.unwatch();
    signal.removeEventListener('abort', cancel);
    line.onFrame = undefined;
    line.onLost = undefined;
    line.onEnded = undefined;
    resolve({ end, cpuAfter });
  };
  let asking = false;
  line.onLost = (detail) => finish({ status: 'lost', outOfMemory: false, detail });
  line.onEnded = (ended) => finish(stopped ?? lostHost(ended, line.lastErrors()));
  line.onFrame = (frame) => {
    const { header, body } = frame;
    if (header['type'] === 'log') return log.add(body);
    if (header['type'] === 'stdout' && world.args !== undefined) return stdout.add(body);
    if (header['type'] === 'file' && left !== undefined) return left.add(frame);
    // A host waits for each answer; otherwise answers would pile up here.
    if (asking) throw new Error('a frame before the pending answer');
    if (header['type'] === 'ask') {
      asking = true;
      const args = Array.isArray(header['args']) ? header['args'] : [];
      void answer(String(header['name']), args).then((reply) =>
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
  const exited = line.exited();
  if (exited !== undefined) line.onEnded(exited);
  else if (signal.aborted) cancel();
  else program.stdin.write(callFrame(call, drop));
  return promise;
}

function callFrame(
  { key, entry, loadOnly, input, files, bounds, world }: HostCall,
  drop: readonly string[],
): ReturnType<typeof encodeFrame> {
  const contents = (files ?? []).flatMap((file) => ('content' in file ? [file.content] : []));
  const frame: CallFrame = { type: 'call', key, drop, inputBytes: input.length, bounds, world };
  if (entry !== undefined) frame.entry = entry.parts;
  if (loadOnly) frame.loadOnly = true;
  if (files !== undefined) frame.files = files.map(givenEntry);
  return encodeFrame(frame, ...(entry?.bytes ?? []), input, ...contents);
}

/** An entry of the workspace for a host; the body of the frame has the contents. */
function givenEntry(entry: HeldEntry): NonNullable<CallFrame['files']>[number] {
  return 'content' in entry ? { path: entry.path, bytes: entry.content.length } : entry;
}

/** The workspace changes of a call that ended by itself. */
function changesOf(done: DoneFrame, left: LeftFiles | undefined): FileChange[] | undefined {
  return endedByItself(done) ? left?.changes() : undefined;
}

async function ready(program: SandboxedProgram, line: HostLine): Promise<void> {
  const deadline = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  const { promise: greeted, resolve } = Promise.withResolvers<'ready'>();
  line.onFrame = () => resolve('ready');
  void program.release();
  const first = await Promise.race([greeted, program.ended]);
  clearTimeout(deadline);
  line.onFrame = undefined;
  if (first === 'ready') return;
  await program.close();
  throw new SkillError(
    'SANDBOX_UNAVAILABLE',
    'the WASM host process did not start; run "ambit doctor" to see what is missing',
    {
      cause: new Error(endText(first, line.lastErrors())),
    },
  );
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.length, 0);
}
