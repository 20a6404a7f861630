// The program of the JSON thread.
import { parentPort } from 'node:worker_threads';
import { redactStored } from '../secrets/secret-shapes.ts';
import { fileContent } from './file-content.ts';
import type { JsonJob } from './json-thread.ts';
import { readLargeBody } from './read-body.ts';
import { readOutput, readText, stringBytes } from './read-output.ts';
import { readStateChanges } from './state-json.ts';
import { type WrittenJson, withDigest, writeMarked, writtenJson } from './write-json.ts';

/** The answer, and the buffers to transfer with it. */
interface Answer {
  answer: unknown;
  transferred: readonly Pick<WrittenJson, 'bytes'>[];
}

parentPort?.on('message', (job: JsonJob) => {
  const { answer, transferred } = answerTo(job);
  // A transferred buffer is not copied.
  parentPort?.postMessage(
    answer,
    transferred.map(({ bytes }) => bytes.buffer as ArrayBuffer),
  );
});

function answerTo(job: JsonJob): Answer {
  switch (job.kind) {
    case 'body': {
      const answer = readLargeBody(job.bytes);
      return { answer, transferred: 'inputs' in answer ? answer.inputs : [] };
    }
    case 'output': {
      const read = readOutput(job.bytes);
      if ('problem' in read) return { answer: read, transferred: [read] };
      return transferring(writtenJson(JSON.stringify(read.value)));
    }
    case 'text': {
      const read = readText(job.bytes);
      if ('problem' in read) return { answer: read, transferred: [] };
      return transferring(writtenJson(JSON.stringify(read.value)));
    }
    case 'file': {
      const { key, value } = fileContent(job.bytes);
      const written = writtenJson(JSON.stringify(value));
      return { answer: { key, ...written }, transferred: [written] };
    }
    case 'string': {
      const bytes = stringBytes(job.bytes);
      return { answer: bytes, transferred: [{ bytes }] };
    }
    case 'state':
      return { answer: readStateChanges(job.before, job.after), transferred: [] };
    case 'redact':
      return { answer: redactStored(job.text), transferred: [] };
    case 'write':
      return transferring(withDigest(new Uint8Array(Buffer.concat(writeMarked(job.marked)))));
    default:
      return job satisfies never;
  }
}

function transferring(answer: WrittenJson): Answer {
  return { answer, transferred: [answer] };
}
