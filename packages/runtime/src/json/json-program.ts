// The program of the JSON thread.
import { parentPort } from 'node:worker_threads';
import { fileContent } from './file-content.ts';
import type { JsonJob } from './json-thread.ts';
import { readLargeBody } from './read-body.ts';
import { readOutput } from './read-output.ts';
import { digested, type WrittenJson, writeMarked, writtenJson } from './write-json.ts';

parentPort?.on('message', (job: JsonJob) => {
  const { done, handed } = doneOf(job);
  // What is handed over is not copied.
  parentPort?.postMessage(
    done,
    handed.map(({ bytes }) => bytes.buffer as ArrayBuffer),
  );
});

function doneOf(job: JsonJob): { done: unknown; handed: readonly WrittenJson[] } {
  switch (job.kind) {
    case 'body': {
      const done = readLargeBody(job.bytes);
      return { done, handed: 'inputs' in done ? done.inputs : [] };
    }
    case 'output': {
      const read = readOutput(job.bytes);
      return 'problem' in read
        ? { done: read, handed: [] }
        : handedOver(writtenJson(JSON.stringify(read.value)));
    }
    case 'file': {
      const { key, value } = fileContent(job.bytes);
      const written = writtenJson(JSON.stringify(value));
      return { done: { key, ...written }, handed: [written] };
    }
    case 'write':
      return handedOver(digested(new Uint8Array(Buffer.concat(writeMarked(job.marked)))));
    default:
      return job satisfies never;
  }
}

function handedOver(done: WrittenJson): { done: unknown; handed: readonly WrittenJson[] } {
  return { done, handed: [done] };
}
