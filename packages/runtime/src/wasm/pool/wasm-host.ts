import { SkillError } from '@ambit/core';
import { type FileChange, thrownText, type WorkspaceFile } from '@ambit/core/internal';
import type { Sandbox, SandboxedProgram, StopReason } from '../../process/sandbox/sandbox.ts';
import { boundedLog } from './bounded-log.ts';
import { callClock } from './call-clock.ts';
import { entryCache } from './entry-cache.ts';
import { encodeFrame, type Frame, frameReader } from './frames.ts';
import { type HostKind, hostCommand, hostLimits } from './host-command.ts';
import { type AnswerFrame, type CallFrame, DoneFrame, endedByItself } from './host-protocol.ts';
import { type LeftFiles, leftFiles } from './left-files.ts';
import { endText, lost, tail } from './lost-host.ts';

/** What a host is answered that asks. */
export interface HostReply {
  frame: AnswerFrame;
  body?: Uint8Array;
}

const nothing = new Uint8Array();

/** One call, for a host. */
interface HostCall {
  key: string;
  /** The entry's parts, for a host that does not have it. */
  entry?: { parts: NonNullable<CallFrame['entry']>; bytes: readonly Uint8Array[] };
  /** The entry is compiled and linked, and not called. */
  loadOnly?: true;
  input: Uint8Array;
  /** What is in the workspace at first; absent: the call has none. */
  files?: readonly WorkspaceFile[] | undefined;
  bounds: CallFrame['bounds'];
  world: CallFrame['world'];
  timeoutMs: number;
  cpuMs: number;
  /** Answers what only the daemon can. Never rejects. */
  answer(name: string, args: readonly unknown[]): Promise<HostReply>;
  /** Gets what the skill writes as it comes, each stream within `bounds.outputBytes`. */
  onPart(stream: 'log' | 'stdout', bytes: Uint8Array): void;
}

/**
 * How a call ended. `log` is what the skill said beside its output, `stdout` what it wrote there with protocol command, and
 * `changes` what it left different in its workspace.
 */
export interface HostAnswer {
  end:
    | { status: 'done'; done: DoneFrame; output: Uint8Array; changes: FileChange[] | undefined }
    | StopReason
    /** The host process ended, or said what no host says. */
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
  /** Never rejects. Any end but `done` is the host's own as well. */
  call(call: HostCall, signal: AbortSignal): Promise<HostAnswer>;
  /** Whether it takes no more calls: it has ended, or is being ended for what it said. */
  isSpent(): boolean;
  /** Resolves when it has ended, for whatever reason. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

const startMs = 20_000;
/** Beside the output: what is asked of the daemon. */
const bodyBytesMin = 64 * 1024;

/** Starts a host process and waits until it takes calls. Rejects with `SANDBOX_UNAVAILABLE` when it does not come so far. */
export async function startHost(sandbox: Sandbox, kind: HostKind): Promise<WasmHost> {
  const program = await sandbox.start(hostCommand(kind), hostLimits(kind));
  let bodyBytesMax = bodyBytesMin;
  const uncalled = ({ header }: Frame): void => {
    throw new Error(`a frame of type ${String(header['type'])} that nobody asked for`);
  };
  let spent = false;
  let onFrame: (frame: Frame) => void = uncalled;
  let onLost: (detail: string) => void = () => undefined;
  const lastWords = tail(program);
  const read = frameReader(() => bodyBytesMax);
  program.stdout.on('data', (piece: Uint8Array) => {
    try {
      for (const frame of read(piece)) onFrame(frame);
    } catch (error) {
      // Nothing of ours writes such: something inside has got hold of the process.
      spent = true;
      onLost((error as Error).message);
      program.stop({ status: 'canceled', reason: 'it said what no host says' });
    }
  });
  program.stdout.resume();
  type End = Awaited<typeof program.ended>;
  let over: End | undefined;
  let onEnded: (end: End) => void = () => undefined;
  // Once for the host: what waits for a promise is kept until it settles.
  const gone = program.ended.then((end) => {
    over = end;
    onEnded(end);
  });
  const clock = callClock();
  const kept = entryCache();
  /** Between calls it does nothing. */
  let cpuBefore: number | null = null;

  await ready(program, (listener) => (onFrame = listener), lastWords);
  onFrame = uncalled;
  cpuBefore = program.cpuMs();

  return {
    kind,
    gone,
    holds: kept.holds,
    isSpent: () => spent || program.hasExited(),
    close: () => program.close(),
    async call(
      { key, entry, loadOnly, input, files, bounds, world, timeoutMs, cpuMs, answer, onPart },
      signal,
    ) {
      const startedAt = performance.now();
      const parts = entry?.bytes ?? [];
      const drop = entry === undefined ? kept.use(key) : kept.keep(key, sum(parts));
      const log = boundedLog(bounds.outputBytes, (part) => onPart('log', part));
      const stdout = boundedLog(bounds.outputBytes, (part) => onPart('stdout', part));
      const left = files && leftFiles(files, bounds.takeBounds);
      bodyBytesMax = Math.max(bodyBytesMin, bounds.outputBytes, left ? bounds.takeBounds.bytes : 0);
      const cpuUsed = (): number | null => difference(program.cpuMs(), cpuBefore);
      let cpuAfter: number | null = null;

      const end = await new Promise<HostAnswer['end']>((resolve) => {
        let stopped: StopReason | undefined;
        // The answer is given when the host has ended: nothing of the call goes on then.
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
        const settle = (): void => {
          clock.unwatch();
          signal.removeEventListener('abort', cancel);
          onFrame = uncalled;
          onLost = () => undefined;
          onEnded = () => undefined;
        };
        const finish = (result: HostAnswer['end']): void => {
          settle();
          resolve(result);
        };
        onLost = (detail) => finish({ status: 'lost', outOfMemory: false, detail });
        let asking = false;
        onFrame = (frame) => {
          const { header, body } = frame;
          if (header['type'] === 'log') return log.add(body);
          if (header['type'] === 'stdout' && world.args !== undefined) return stdout.add(body);
          if (header['type'] === 'file' && left !== undefined) return left.add(frame);
          // It waits for each answer: what does not would have answers pile up here.
          if (asking) throw new Error('a frame before it had its answer');
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
            if (body.length > bounds.outputBytes) throw new Error(`an output of ${body.length} bytes`);
            finish({ status: 'done', done, output: body, changes: changesOf(done, left) });
          }
        };
        onEnded = (ended) => finish(stopped ?? lost(ended, lastWords()));
        if (over !== undefined) onEnded(over);
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
                ...(files && { files: files.map(({ path, content }) => ({ path, bytes: content.length })) }),
                bounds,
                world,
              } satisfies CallFrame,
              ...parts,
              input,
              ...(files ?? []).map(({ content }) => content),
            ),
          );
      });
      if (end.status === 'done' && end.done.verdict.status === 'refused') kept.forget(key);
      const used = end.status === 'done' ? difference(cpuAfter, cpuBefore) : null;
      cpuBefore = cpuAfter;
      const durationMs = performance.now() - startedAt;
      return { end, log: log.bytes(), stdout: stdout.bytes(), durationMs, cpuMs: used };
    },
  };
}

/** What came of the workspace, of a call that ended by itself. */
function changesOf(done: DoneFrame, left: LeftFiles | undefined): FileChange[] | undefined {
  return endedByItself(done) ? left?.changes() : undefined;
}

async function ready(
  program: SandboxedProgram,
  listen: (listener: (frame: Frame) => void) => void,
  lastWords: () => string,
): Promise<void> {
  const deadline = setTimeout(() => program.stop({ status: 'timed-out' }), startMs);
  const greeted = new Promise<'ready'>((resolve) => listen(() => resolve('ready')));
  void program.release();
  const first = await Promise.race([greeted, program.ended]);
  clearTimeout(deadline);
  if (first === 'ready') return;
  await program.close();
  throw new SkillError('SANDBOX_UNAVAILABLE', 'the host process for WASM skills did not start', {
    cause: new Error(endText(first, lastWords())),
  });
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

function sum(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.length, 0);
}
