import { hash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JsonText, type JsonWriter } from '@ambit/core/internal';
import { threadEnvironment } from '../environment/thread-environment.ts';
import { gathered } from '../output/gathered.ts';
import { type ReadStateChanges, readStateChanges } from '../state/state-json.ts';
import { type FileContent, fileContent } from './file-content.ts';
import { inlineBytesMax } from './json-bounds.ts';
import { lanes } from './lanes.ts';
import { markTexts, weigh } from './mark-texts.ts';
import { type ReadBody, type ReadLargeBody, readBody } from './read-body.ts';
import { readOutput, readText } from './read-output.ts';
import { stringBytes } from './string-bytes.ts';
import { type MarkedJson, type WrittenJson, writeMarked } from './write-json.ts';

type JsonRead = 'body' | 'output' | 'text' | 'string' | 'file';

/** What the thread is sent. */
export type JsonJob =
  | { kind: JsonRead; bytes: Uint8Array }
  | { kind: 'write'; marked: MarkedJson }
  | { kind: 'state'; before: Uint8Array; after: Uint8Array }
  | { kind: 'redact'; text: string; values: readonly string[] };

/**
 * Reads and writes JSON. What is small is done here and now, what is large in a thread, one text after another, and comes
 * back as a `JsonText`: it is never built where requests are served.
 */
export interface JsonThread extends JsonWriter {
  /** What was in a request's body. Its `input`s may be a `JsonText` each. The bytes are its own from now on. */
  readBody(bytes: Uint8Array): Promise<ReadBody>;
  /** The value that a skill wrote, or what is wrong with it: `the skill's output …`. The bytes are its own. */
  readOutput(bytes: Uint8Array): Promise<{ value: unknown } | { problem: string }>;
  /** The same of an output that is plain text: a large one is the `JsonText` of a string. */
  readText(bytes: Uint8Array): Promise<{ value: unknown } | { problem: string }>;
  /** The text that a JSON string stands for, in UTF-8. */
  stringBytes(json: JsonText): Promise<Uint8Array>;
  /** A file as a member of a JSON object. */
  fileContent(bytes: Uint8Array): Promise<FileContent<string | JsonText>>;
  /** As `readStateChanges`, of texts of any length. */
  readStateChanges(before: Uint8Array, after: Uint8Array): Promise<ReadStateChanges>;
  /** As `redactText`, of a text of any length. */
  redactText(text: string, values: readonly string[]): Promise<string>;
  /** Ends the thread, once all that was asked is done. */
  close(): Promise<void>;
}

// The same file, from source or built.
const program = new URL(
  `./json-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** What is smaller does not wait behind more than one that is larger. */
const smallBytesMax = 1024 * 1024;
/** A thread that has nothing to do for so long ends, and gives back its memory. */
const idleMs = 10_000;

function sizeOf(bytes: number): 'small' | 'large' {
  return bytes <= smallBytesMax ? 'small' : 'large';
}

/** The thread is started with the first large text, and keeps no process alive. */
export function jsonThread(): JsonThread {
  let started: Worker | undefined;
  const { enter, empty } = lanes();
  let idle: NodeJS.Timeout | undefined;

  const start = (): Worker => {
    const worker = new Worker(program, {
      env: threadEnvironment(),
      execArgv: [],
      // What a job builds lives as long as the job: with more room for what is young it would only be collected later.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const ended = (): void => {
      if (started === worker) started = undefined;
    };
    // Without a listener, the death of an idle thread would be the process's.
    return worker.on('error', ended).on('exit', ended);
  };
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const worker = started;
    started = undefined;
    await worker?.terminate();
  };

  const ask = async (job: JsonJob, ours: readonly Uint8Array[]): Promise<unknown> => {
    clearTimeout(idle);
    started ??= start();
    const worker = started;
    const over = new AbortController();
    const ended = (): void => over.abort();
    worker.once('exit', ended).ref();
    try {
      worker.postMessage(
        job,
        ours.map(({ buffer }) => buffer as ArrayBuffer),
      );
      const [done] = await once(worker, 'message', { signal: over.signal });
      return done;
    } finally {
      worker.off('exit', ended).unref();
      idle = setTimeout(() => void end(), idleMs).unref();
    }
  };
  // One at a time: what a text takes while it is read is many times its length.
  const read = (kind: JsonRead, bytes: Uint8Array): Promise<unknown> =>
    enter(sizeOf(bytes.length), async () => {
      // A view is sent with all of its buffer, of which the rest may be anybody's.
      const own = bytes.length === bytes.buffer.byteLength ? bytes : await gathered([bytes]);
      return ask({ kind, bytes: own }, [own]);
    });

  return {
    async readBody(bytes) {
      if (bytes.length <= inlineBytesMax) return readBody(bytes);
      return withInputs((await read('body', bytes)) as ReadLargeBody);
    },
    async readOutput(bytes) {
      if (bytes.length <= inlineBytesMax) return readOutput(bytes);
      return readValue((await read('output', bytes)) as ReadOutput);
    },
    async readText(bytes) {
      if (bytes.length <= inlineBytesMax) return readText(bytes);
      return readValue((await read('text', bytes)) as ReadOutput);
    },
    async stringBytes({ bytes }) {
      if (bytes.length <= inlineBytesMax) return stringBytes(bytes);
      return (await read('string', await gathered([bytes]))) as Uint8Array;
    },
    async fileContent(bytes) {
      if (bytes.length <= inlineBytesMax) return fileContent(bytes);
      const { key, ...written } = (await read('file', await gathered([bytes]))) as WrittenJson &
        Pick<FileContent, 'key'>;
      return { key, value: textOf(written) };
    },
    async write(value) {
      if (value instanceof JsonText) return value;
      const { bytes: weight, hasTexts } = weigh(value, smallBytesMax);
      if (weight > inlineBytesMax) {
        const done = await enter(sizeOf(weight), () => ask({ kind: 'write', marked: markTexts(value) }, []));
        return textOf(done as WrittenJson);
      }
      const bytes = hasTexts
        ? await gathered(writeMarked(markTexts(value)))
        : Buffer.from(JSON.stringify(value));
      return new JsonText(bytes, () => hash('sha256', bytes));
    },
    async readStateChanges(before, after) {
      const bytes = before.length + after.length;
      if (bytes <= inlineBytesMax) return readStateChanges(before, after);
      const job = { kind: 'state', before, after } as const;
      return (await enter(sizeOf(bytes), () => ask(job, []))) as ReadStateChanges;
    },
    async redactText(text, values) {
      const job = { kind: 'redact', text, values } as const;
      return (await enter(sizeOf(2 * text.length), () => ask(job, []))) as string;
    },
    async close() {
      await empty();
      await end();
    },
  };
}

type ReadOutput = WrittenJson | { problem: string };

function readValue(read: ReadOutput): { value: JsonText } | { problem: string } {
  return 'problem' in read ? read : { value: textOf(read) };
}

function textOf({ bytes, sha256 }: WrittenJson): JsonText {
  return new JsonText(bytes, sha256);
}

/** The value with its inputs in their places. */
function withInputs(read: ReadLargeBody): ReadBody {
  if (!('inputs' in read)) return read;
  const { inputs, ...rest } = read;
  const body = rest.value as { input?: unknown; calls?: { input?: unknown }[] };
  for (const { index, ...written } of inputs) {
    const holder = index === undefined ? body : body.calls?.[index];
    if (holder !== undefined) holder.input = textOf(written);
  }
  return rest;
}
