// The program of the checking thread.
import { parentPort } from 'node:worker_threads';
import type { Answer, CheckRequest } from './checking-thread.ts';
import { compiledSchemas } from './compiled-schemas.ts';
import { UnusableSchemaError } from './unusable-schema-error.ts';

const schemas = compiledSchemas();
// The first check loads the specification's own schemas.
(await schemas.compile(null, {}))(null);
parentPort?.on('message', (request: CheckRequest) => {
  void handle(request).then((answer) => parentPort?.postMessage(answer));
});
parentPort?.postMessage('ready');

async function handle({ key, schema, value, text }: CheckRequest): Promise<Answer> {
  const known = schema === undefined ? schemas.known(key) : schemas.compile(key, schema);
  if (known === undefined) return 'unknown key';
  try {
    return { issues: (await known)(text === undefined ? value : JSON.parse(new TextDecoder().decode(text))) };
  } catch (error) {
    if (error instanceof UnusableSchemaError) return { problem: error.message };
    throw error;
  }
}
