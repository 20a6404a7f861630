// The program of the JSON thread.
import { parentPort } from 'node:worker_threads';
import { redactText } from '../secrets/redact/redaction-list.ts';
import { readStateChanges } from '../state/state-json.ts';
import { fileContent } from './file-content.ts';
import type { JsonJob } from './json-thread.ts';
import { readLargeBody } from './read-body.ts';
import { readOutput, readText } from './read-output.ts';
import { stringBytes } from './string-bytes.ts';
import { digested, type WrittenJson, writeMarked, writtenJson } from './write-json.ts';

/** What is sent back, and what of it is handed over. */
interface Done {
  done: unknown;
  handed: readonly Pick<WrittenJson, 'bytes'>[];
}

parentPort?.on('message', (job: JsonJob) => {
  const { done, handed } = doneOf(job);
  // What is handed over is not copied.
  parentPort?.postMessage(
    done,
    handed.map(({ bytes }) => bytes.buffer as ArrayBuffer),
  );
});

function doneOf(job: JsonJob): Done {
  switch (job.kind) {
    case 'body': {
      const done = readLargeBody(job.bytes);
      return { done, handed: 'inputs' in done ? done.inputs : [] };
    }
    case 'output':
    case 'text': {
      const read = job.kind === 'text' ? readText(job.bytes) : readOutput(job.bytes);
      return 'problem' in read
        ? { done: read, handed: [] }
        : handedOver(writtenJson(JSON.stringify(read.value)));
    }
    case 'file': {
      const { key, value } = fileContent(job.bytes);
      const written = writtenJson(JSON.stringify(value));
      return { done: { key, ...written }, handed: [written] };
    }
    case 'string': {
      const bytes = stringBytes(job.bytes);
      return { done: bytes, handed: [{ bytes }] };
    }
    case 'state':
      return { done: readStateChanges(job.before, job.after), handed: [] };
    case 'redact':
      return { done: redactText(job.text, job.values), handed: [] };
    case 'write':
      return handedOver(digested(new Uint8Array(Buffer.concat(writeMarked(job.marked)))));
    default:
      return job satisfies never;
  }
}

function handedOver(done: WrittenJson): Done {
  return { done, handed: [done] };
}
