import { hash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JsonText, type JsonWriter } from '@ambit/core/json';
import { threadEnvironment } from '../spawn/environment.ts';
import { gather } from '../stream/gather.ts';
import { type FileContent, fileContent } from './file-content.ts';
import { inlineBytesMax } from './json-bounds.ts';
import { lanes } from './lanes.ts';
import { markTexts, weigh } from './mark-texts.ts';
import { type ReadBody, type ReadLargeBody, readBody } from './read-body.ts';
import { type NotJson, readOutput, readText, stringBytes } from './read-output.ts';
import { type ReadStateChanges, readStateChanges } from './state-json.ts';
import { type MarkedJson, type WrittenJson, writeMarked } from './write-json.ts';

type JsonSource = 'body' | 'output' | 'text' | 'string' | 'file';

/** A message to the thread. */
export type JsonJob =
  | { kind: JsonSource; bytes: Uint8Array }
  | { kind: 'write'; marked: MarkedJson }
  | { kind: 'state'; before: Uint8Array; after: Uint8Array }
  | { kind: 'redact'; text: string };

/**
 * Reads and writes JSON: small texts in the main thread, large ones in a worker thread, one after
 * another. A large text is returned as a `JsonText`, so its value is never built in the main
 * thread.
 */
export interface JsonThread extends JsonWriter {
  /**
   * The content of a request's body. Each `input` in it may be a `JsonText`. Takes ownership of the
   * bytes.
   */
  readBody(bytes: Uint8Array): Promise<ReadBody>;
  /** Like the function `readOutput`. Takes ownership of the bytes, and returns them with a problem. */
  readOutput(bytes: Uint8Array): Promise<{ value: unknown } | NotJson>;
  /** Like `readOutput`, for plain text. A large one is returned as the `JsonText` of a string. */
  readText(bytes: Uint8Array): Promise<{ value: unknown } | { problem: string }>;
  /** The value of a JSON string, in UTF-8. */
  stringBytes(json: JsonText): Promise<Uint8Array>;
  /** A file as a member of a JSON object. */
  fileContent(bytes: Uint8Array): Promise<FileContent<string | JsonText>>;
  /** Like the function `readStateChanges`, for texts of any length. */
  readStateChanges(before: Uint8Array, after: Uint8Array): Promise<ReadStateChanges>;
  /** Like the function `redactStored`, for a text of any length. */
  redactStored(text: string): Promise<string>;
  /** Ends the thread after all pending work. */
  close(): Promise<void>;
}

// The file of the same kind: source or built.
const program = new URL(
  `./json-program${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/** Smaller texts wait behind at most one larger one. */
const smallBytesMax = 1024 * 1024;
/** A thread that is idle for this long ends and frees its memory. */
const idleMs = 10_000;

function sizeOf(bytes: number): 'small' | 'large' {
  return bytes <= smallBytesMax ? 'small' : 'large';
}

/** A thread that starts with its first job. It does not keep the process alive. */
interface JobThread {
  send(job: JsonJob, transferred: readonly Uint8Array[]): Promise<unknown>;
  end(): Promise<void>;
}

function jobThread(): JobThread {
  let started: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const start = (): Worker => {
    const worker = new Worker(program, {
      env: threadEnvironment(),
      execArgv: [],
      // Everything that a job builds lives as long as the job, so a larger young generation would only delay
      // its collection.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const onExit = (): void => {
      if (started === worker) started = undefined;
    };
    // Without a listener, an error in an idle thread would end the process.
    return worker.on('error', onExit).on('exit', onExit);
  };
  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const worker = started;
    started = undefined;
    await worker?.terminate();
  };
  return {
    async send(job, transferred) {
      clearTimeout(idle);
      started ??= start();
      const worker = started;
      const exited = new AbortController();
      const onExit = (): void => exited.abort();
      worker.once('exit', onExit).ref();
      try {
        worker.postMessage(
          job,
          transferred.map(({ buffer }) => buffer as ArrayBuffer),
        );
        const [done] = await once(worker, 'message', { signal: exited.signal });
        return done;
      } finally {
        worker.off('exit', onExit).unref();
        idle = setTimeout(() => void end(), idleMs).unref();
      }
    },
    end,
  };
}

/** Reads and writes small texts here, and large ones in a thread. */
export function jsonThread(): JsonThread {
  const { enter, empty } = lanes();
  const { send, end } = jobThread();
  // One at a time: reading a text takes many times its length in memory.
  const read = (kind: JsonSource, bytes: Uint8Array): Promise<unknown> =>
    enter(sizeOf(bytes.length), async () => {
      // Transferring a view would transfer its whole buffer, which may hold other data.
      const own = bytes.length === bytes.buffer.byteLength ? bytes : await gather([bytes]);
      return send({ kind, bytes: own }, [own]);
    });
  /** For bytes that their owner still needs. */
  const readCopy = async <Result>(kind: JsonSource, bytes: Uint8Array): Promise<Result> =>
    (await read(kind, await gather([bytes]))) as Result;

  return {
    async readBody(bytes) {
      if (bytes.length <= inlineBytesMax) return readBody(bytes);
      return withInputs((await read('body', bytes)) as ReadLargeBody);
    },
    async readOutput(bytes) {
      if (bytes.length <= inlineBytesMax) return readOutput(bytes);
      return readValue((await read('output', bytes)) as WrittenJson | NotJson);
    },
    async readText(bytes) {
      if (bytes.length <= inlineBytesMax) return readText(bytes);
      return readValue((await read('text', bytes)) as WrittenJson | { problem: string });
    },
    async stringBytes({ bytes }) {
      return bytes.length <= inlineBytesMax ? stringBytes(bytes) : readCopy<Uint8Array>('string', bytes);
    },
    async fileContent(bytes) {
      if (bytes.length <= inlineBytesMax) return fileContent(bytes);
      const { key, ...written } = await readCopy<WrittenJson & Pick<FileContent, 'key'>>('file', bytes);
      return { key, value: textOf(written) };
    },
    async write(value) {
      if (value instanceof JsonText) return value;
      const { bytes: weight, hasTexts } = weigh(value, smallBytesMax);
      if (weight > inlineBytesMax) {
        const job = { kind: 'write', marked: markTexts(value) } as const;
        return textOf((await enter(sizeOf(weight), () => send(job, []))) as WrittenJson);
      }
      const written = hasTexts
        ? await gather(writeMarked(markTexts(value)))
        : Buffer.from(JSON.stringify(value) ?? 'null');
      return new JsonText(written, () => hash('sha256', written));
    },
    async readStateChanges(before, after) {
      const bytes = before.length + after.length;
      if (bytes <= inlineBytesMax) return readStateChanges(before, after);
      const job = { kind: 'state', before, after } as const;
      return (await enter(sizeOf(bytes), () => send(job, []))) as ReadStateChanges;
    },
    async redactStored(text) {
      const job = { kind: 'redact', text } as const;
      return (await enter(sizeOf(2 * text.length), () => send(job, []))) as string;
    },
    async close() {
      await empty();
      await end();
    },
  };
}

function readValue<Problem extends { problem: string }>(
  read: WrittenJson | Problem,
): { value: JsonText } | Problem {
  return 'problem' in read ? read : { value: textOf(read) };
}

function textOf({ bytes, sha256 }: WrittenJson): JsonText {
  return new JsonText(bytes, sha256);
}

/** The body with its inputs inserted again. */
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
