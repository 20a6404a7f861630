import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type JsonSchema, JsonText, type SchemaIssue } from '@ambit/core/json';
import { threadEnvironment } from '../spawn/environment.ts';
import { gather } from '../stream/gather.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** A message to the thread. */
export interface CheckRequest {
  /** Identifies the schema, which is sent only if the thread may not have it. */
  key: number;
  schema: JsonSchema | undefined;
  /** A value, or its text. */
  value: unknown;
  text?: Uint8Array;
}

/** The thread's answer; `problem` is the message of an `UnusableSchemaError`. */
export type Answer = { issues: readonly SchemaIssue[] } | { problem: string } | 'unknown key';

/** A thread that checks one value at a time and is replaced if a check does not end. */
export interface CheckingThread {
  /** Throws `UnusableSchemaError`, also if the check takes too long. */
  check(schema: JsonSchema, value: unknown, signal?: AbortSignal): Promise<readonly SchemaIssue[]>;
  /** Ends the thread after all pending checks. */
  close(): Promise<void>;
}

/** The time for which a schema that timed out is refused without another try. */
const pauseMs = 10_000;

// The file of the same kind: source or built.
const program = new URL(
  `./checking-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * A thread for checks of up to `timeoutMs` of processor time each. It starts with the first check and
 * does not keep the process alive while idle. If a check is ended, the next thread answers the
 * checks behind it. `processorMs` returns the processor time of this process.
 */
export function checkingThread(timeoutMs: number, processorMs = processorMsOfProcess): CheckingThread {
  let started: Promise<Worker> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** The time at which each schema last timed out. */
  const slow = new WeakMap<object, number>();

  const keys = new WeakMap<object, number>();
  let lastKey = 0;
  const keyOf = (schema: JsonSchema): { key: number; isNew: boolean } => {
    const known = typeof schema === 'object' ? keys.get(schema) : undefined;
    if (known !== undefined) return { key: known, isNew: false };
    lastKey += 1;
    if (typeof schema === 'object') keys.set(schema, lastKey);
    return { key: lastKey, isNew: true };
  };

  const answer = async (schema: JsonSchema, value: unknown): Promise<Exclude<Answer, string>> => {
    const slowSince =
      performance.now() - ((typeof schema === 'object' && slow.get(schema)) || Number.NEGATIVE_INFINITY);
    // Each further try would delay the checks that wait behind it.
    if (slowSince < pauseMs) {
      throw new UnusableSchemaError(
        `timed out after ${timeoutMs} ms; it is tried again after ${pauseMs / 1000} s`,
      );
    }
    started ??= startWorker(() => {
      started = undefined;
    });
    const worker = await started;
    let deadline: Deadline | undefined;
    worker.ref();
    try {
      const send = async (request: CheckRequest): Promise<Answer> => {
        const text = request.text && (await gather([request.text]));
        worker.postMessage({ ...request, text }, text === undefined ? [] : [text.buffer as ArrayBuffer]);
        deadline ??= startDeadline(timeoutMs, processorMs);
        const [message] = await once(worker, 'message', { signal: deadline.signal });
        return message as Answer;
      };
      const { key, isNew } = keyOf(schema);
      const input = value instanceof JsonText ? { value: null, text: value.bytes } : { value };
      const reply = await send({ key, schema: isNew ? schema : undefined, ...input });
      // The thread caches few schemas, and a new thread has none.
      return (reply === 'unknown key' ? await send({ key, schema, ...input }) : reply) as Exclude<
        Answer,
        string
      >;
    } catch (error) {
      started = undefined;
      await worker.terminate();
      if (deadline?.signal.aborted && typeof schema === 'object') slow.set(schema, performance.now());
      if (deadline?.signal.aborted)
        throw new UnusableSchemaError(`took longer than ${timeoutMs} ms to check this value`, {
          cause: error,
        });
      throw new UnusableSchemaError('ended the thread that checked this value', { cause: error });
    } finally {
      deadline?.clear();
      worker.unref();
    }
  };

  return {
    async check(schema, value, signal) {
      const result = queue.then(() => (signal?.aborted === true ? { issues: [] } : answer(schema, value)));
      queue = result.catch(() => undefined);
      const reply = await result;
      if ('problem' in reply) throw new UnusableSchemaError(reply.problem);
      return reply.issues;
    },
    async close() {
      await queue;
      await (await started)?.terminate();
      started = undefined;
    },
  };
}

interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

/**
 * Ends a check that uses `timeoutMs` of processor time. No check uses more than the whole process, so
 * what the process did not use is waited for again: on a busy machine, a thread often has to wait.
 */
function startDeadline(timeoutMs: number, processorMs: () => number): Deadline {
  const over = new AbortController();
  const before = processorMs();
  const look = (): void => {
    const leftMs = timeoutMs - (processorMs() - before);
    if (leftMs <= 0) over.abort();
    else timer = setTimeout(look, Math.max(leftMs, 1));
  };
  let timer = setTimeout(look, timeoutMs);
  return { signal: over.signal, clear: () => clearTimeout(timer) };
}

function processorMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function startWorker(onExit: () => void): Promise<Worker> {
  const worker = new Worker(program, {
    env: threadEnvironment(),
    execArgv: [],
    // Enough for every schema and value that the checker accepts; see `nodesMax` there.
    resourceLimits: { maxOldGenerationSizeMb: 2048, stackSizeMb: 4 },
  });
  try {
    // The thread reports when it is ready, so its start counts against no check.
    await once(worker, 'message');
  } catch (error) {
    onExit();
    throw error;
  }
  // Without a listener, an error in an idle thread would end the process.
  worker.on('error', onExit);
  worker.unref();
  return worker;
}
