// The program of the checking thread.
import { parentPort } from 'node:worker_threads';
import type { Answer, Question } from './checking-thread.ts';
import { compiledSchemas } from './compiled-schemas.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

const schemas = compiledSchemas();
// The first check reads the specification's own schemas.
(await schemas.compile(null, {}))(null);
parentPort?.on('message', (question: Question) => {
  void answer(question).then((given) => parentPort?.postMessage(given));
});
parentPort?.postMessage('ready');

async function answer({ key, schema, value, text }: Question): Promise<Answer> {
  const known = schema === undefined ? schemas.known(key) : schemas.compile(key, schema);
  if (known === undefined) return 'schema wanted';
  try {
    return { issues: (await known)(text === undefined ? value : JSON.parse(new TextDecoder().decode(text))) };
  } catch (error) {
    if (error instanceof UnusableSchemaError) return { problem: error.message };
    throw error;
  }
}
