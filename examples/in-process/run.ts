// Calls a skill from this program, in its sandbox and without a daemon: once without a grant, which is refused, and once with
// it. DATA/audit.db has both records. To verify it: ambit audit verify --log DATA/audit.db
//
//   node run.ts SKILLS DATA REPOSITORY
import { createHash, randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { SkillError } from '@ambit/core';
import { executeSkill, executionQueue, policyFrom } from '@ambit/core/execute';
import * as runtime from '@ambit/runtime';
import { openAuditLog } from '@ambit/server';

const [skills = '', data = '', repository = ''] = process.argv.slice(2).map((path) => resolve(path));
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const [sandbox, json] = [runtime.bubblewrapSandbox(), runtime.jsonThread()];
const shared = { sandbox, json, environment: process.env, own: { hidden: [data], readOnly: [skills] } };
const executors = { process: runtime.processExecutor(shared), wasm: runtime.wasmExecutor(shared) };
const catalog = runtime.folderCatalog([{ path: skills, tier: 'local' }]);
const schemas = runtime.jsonSchemaChecker();
const queue = executionQueue({ concurrency: 4, concurrencyPerSkill: 2, queue: 16 });
const audit = await openAuditLog({ file: join(data, 'audit.db') });
await audit.interruptOpen(Date.now()); // Calls that ran when this program crashed.
const deps = { audit, catalog, executors, json, queue, schemas, sha256, now: Date.now };

const call = { skillId: 'git-summary', input: { args: [repository] }, via: 'library', actor: 'bot' } as const;
for (const grant of [{}, { filesystem: { read: [repository] } }]) {
  const policy = policyFrom({ grants: { [call.skillId]: grant } }, sha256);
  const request = { ...call, executionId: randomUUID() };
  await executeSkill({ ...deps, policy }, request, AbortSignal.timeout(60_000))
    .then(({ outcome }) => console.log(JSON.stringify(outcome)))
    .catch((error: SkillError) => console.log(`${error.code}: ${error.message}`));
}
await Promise.all([executors.process.close?.(), executors.wasm.close?.(), catalog.close(), schemas.close()]);
await Promise.all([sandbox.close?.(), json.close(), audit.close()]);
