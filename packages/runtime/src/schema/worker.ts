// The program of the checking thread.
import { parentPort } from 'node:worker_threads';
import { checkValue } from './check-value.ts';
import type { Answer, Question } from './checking-thread.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

// The first check reads the specification's own schemas.
await checkValue({}, null);
parentPort?.on('message', (question: Question) => {
  void answer(question).then((given) => parentPort?.postMessage(given));
});
parentPort?.postMessage('ready');

async function answer({ schema, value }: Question): Promise<Answer> {
  try {
    return { issues: await checkValue(schema, value) };
  } catch (error) {
    if (error instanceof UnusableSchemaError) return { problem: error.message };
    throw error;
  }
}
