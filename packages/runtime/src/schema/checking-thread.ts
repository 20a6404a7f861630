import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type JsonSchema, JsonText, type SchemaIssue } from '@ambit/core/internal';
import { threadEnvironment } from '../environment/thread-environment.ts';
import { gathered } from '../output/gathered.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

/** What the thread is sent. */
export interface Question {
  /** Stands for the schema, which is only sent along when the thread may not have it. */
  key: number;
  schema: JsonSchema | undefined;
  /** A value, or the text of one. */
  value: unknown;
  text?: Uint8Array;
}

/** What it sends back; `problem` is the message of an `UnusableSchemaError`. */
export type Answer = { issues: readonly SchemaIssue[] } | { problem: string } | 'schema wanted';

/** A thread that checks one value at a time, and is replaced when a check does not end. */
export interface CheckingThread {
  /** Throws `UnusableSchemaError`, also when the check takes too long. */
  check(schema: JsonSchema, value: unknown, signal?: AbortSignal): Promise<readonly SchemaIssue[]>;
  /** Ends the thread, once all that was asked is answered. */
  close(): Promise<void>;
}

/** For how long a schema that took too long is not tried again. */
const pauseMs = 10_000;

// The same file, from source or built.
const program = new URL(
  `./checking-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * A thread for checks that may take up to `timeoutMs` each. It is started with the first, and does not keep the process
 * alive between two. Whoever waits behind a check that had to be ended is answered by the next thread.
 */
export function checkingThread(timeoutMs: number): CheckingThread {
  let started: Promise<Worker> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** When each schema last took too long. */
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
    // Those who wait behind it with other schemas would pay for every further try.
    if (slowSince < pauseMs) {
      throw new UnusableSchemaError(
        `took longer than ${timeoutMs} ms a moment ago; it is tried again in ${pauseMs / 1000} s`,
      );
    }
    started ??= startWorker(() => {
      started = undefined;
    });
    const worker = await started;
    let deadline: AbortSignal | undefined;
    worker.ref();
    try {
      const ask = async (question: Question): Promise<Answer> => {
        const text = question.text && (await gathered([question.text]));
        worker.postMessage({ ...question, text }, text === undefined ? [] : [text.buffer as ArrayBuffer]);
        deadline ??= AbortSignal.timeout(timeoutMs);
        const [message] = await once(worker, 'message', { signal: deadline });
        return message as Answer;
      };
      const { key, isNew } = keyOf(schema);
      const asked = value instanceof JsonText ? { value: null, text: value.bytes } : { value };
      const given = await ask({ key, schema: isNew ? schema : undefined, ...asked });
      // It keeps few, and one that was started since has none.
      return (given === 'schema wanted' ? await ask({ key, schema, ...asked }) : given) as Exclude<
        Answer,
        string
      >;
    } catch (error) {
      started = undefined;
      await worker.terminate();
      if (deadline?.aborted && typeof schema === 'object') slow.set(schema, performance.now());
      if (deadline?.aborted)
        throw new UnusableSchemaError(`took longer than ${timeoutMs} ms to check this value`, {
          cause: error,
        });
      throw new UnusableSchemaError('ended the thread that checked this value', { cause: error });
    } finally {
      worker.unref();
    }
  };

  return {
    async check(schema, value, signal) {
      const mine = turn.then(() => (signal?.aborted === true ? { issues: [] } : answer(schema, value)));
      turn = mine.catch(() => undefined);
      const given = await mine;
      if ('problem' in given) throw new UnusableSchemaError(given.problem);
      return given.issues;
    },
    async close() {
      await turn;
      await (await started)?.terminate();
      started = undefined;
    },
  };
}

async function startWorker(onDeath: () => void): Promise<Worker> {
  const worker = new Worker(program, {
    env: threadEnvironment(),
    execArgv: [],
    // For what the checker lets in there is plenty; see there.
    resourceLimits: { maxOldGenerationSizeMb: 2048, stackSizeMb: 4 },
  });
  try {
    // It says so when it is ready, so that no check pays for its start.
    await once(worker, 'message');
  } catch (error) {
    onDeath();
    throw error;
  }
  // Without a listener, the death of an idle thread would be the process's.
  worker.on('error', onDeath);
  worker.unref();
  return worker;
}
