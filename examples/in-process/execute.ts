// Runs a skill that takes JSON with a grant and an executor alone: no record, no queue, no check of the schemas. Prints how it
// ended; a refused call throws.
//
//   node execute.ts SKILLS SKILL JSON
import { createHash } from 'node:crypto';
import { asToolSkill, executorFor, grantCall, policyFrom } from '@ambit/core/execute';
import { bubblewrapSandbox, folderCatalog, processExecutor, wasmExecutor } from '@ambit/runtime';

const [skills = '', id, input = 'null'] = process.argv.slice(2);
const catalog = folderCatalog([{ path: skills, tier: 'local' }]);
const skill = (await catalog.list()).find((each) => each.id === id);
const tool = skill && asToolSkill(skill);
if (tool === undefined) throw new Error(`${id} is no skill that can be executed`);

const policy = policyFrom({}, (content) => createHash('sha256').update(content).digest('hex'));
const grant = grantCall(policy, tool);
const sandbox = bubblewrapSandbox();
const executors = {
  process: processExecutor({ sandbox, environment: process.env }),
  wasm: wasmExecutor({ sandbox }),
};
const run = { protocol: 'json', value: JSON.parse(input) } as const;
const { outcome } = await executorFor(executors, grant).execute(grant, run, AbortSignal.timeout(60_000));
console.log(JSON.stringify(outcome));
await Promise.all([
  executors.process.close?.(),
  executors.wasm.close?.(),
  catalog.close(),
  sandbox.close?.(),
]);
