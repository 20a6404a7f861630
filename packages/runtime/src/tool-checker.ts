import { payloadSchema, SkillError } from '@ambit/core';
import type { ToolSkill } from '@ambit/core/execute';
import type { JsonSchema } from '@ambit/core/json';
import { thrownText } from '@ambit/core/outcome';
import { isPython } from '@ambit/core/skill';
import { resolveEntry } from './process/entry.ts';
import type { Sandbox } from './process/sandbox/sandbox.ts';
import { jsonSchemaChecker } from './schema/json-schema-checker.ts';
import { entryOf } from './wasm/entry/entry-of.ts';
import { startHost, type WasmHost } from './wasm/pool/wasm-host.ts';

/** The result of checking a tool without running it. */
export interface ToolCheck {
  errors: string[];
  /** The facts that this machine cannot check. */
  warnings: string[];
}

/** Checks tools like a call does. */
export interface ToolChecker {
  /** Never rejects. */
  check(skill: ToolSkill): Promise<ToolCheck>;
  close(): Promise<void>;
}

const compileMs = 30_000;
const mebibyte = 2 ** 20;

/**
 * Checks what a call would refuse with `SKILL_INVALID`: that schemas are usable, that the entry of
 * a process skill can be started, and that the entry of a WASM skill compiles, links and has the
 * required exports. Compiling happens in the sandbox, as for a call, and no code of the skill runs.
 * `sandbox` is called for the first WASM skill.
 */
export function toolChecker(sandbox: () => Promise<Sandbox>): ToolChecker {
  const schemas = jsonSchemaChecker();
  let host: WasmHost | undefined;
  const openHost = async (): Promise<WasmHost> => {
    if (host === undefined || host.isSpent())
      host = await startHost(await sandbox(), {
        tier: 'local',
        memoryBytes: 256 * mebibyte,
        mounts: [],
        hidden: [],
        python: undefined,
      });
    return host;
  };
  let last: Promise<unknown> = Promise.resolve();
  const checks = [
    async ({ run }: ToolSkill) => {
      for (const payload of [run.input, run.output]) await usable(schemas, payloadSchema(payload));
    },
    async (skill: ToolSkill) => {
      if (skill.run.runtime === 'process') resolveEntry(skill);
      else if (isPython(skill.run)) await entryOf(skill).read();
      else await loadEntry(await openHost(), skill);
    },
  ];
  const check = async (skill: ToolSkill): Promise<ToolCheck> => {
    const found: ToolCheck = { errors: [], warnings: [] };
    for (const each of checks) {
      await each(skill).catch((error: unknown) => {
        const message = thrownText(error).replace(`${skill.id}: `, '');
        if (error instanceof SkillError && error.code === 'SKILL_INVALID') found.errors.push(message);
        else found.warnings.push(`some checks are not possible on this machine: ${message}`);
      });
    }
    return found;
  };
  return {
    // One at a time, because there is one host.
    check(skill) {
      const checked = last.then(() => check(skill));
      last = checked;
      return checked;
    },
    async close() {
      await Promise.all([schemas.close(), host?.close()]);
    },
  };
}

async function usable(
  schemas: ReturnType<typeof jsonSchemaChecker>,
  schema: JsonSchema | undefined,
): Promise<void> {
  if (schema !== undefined) await schemas.check(schema, null);
}

/** Compiles and links an entry in a host. Throws `SKILL_INVALID` if that fails. */
async function loadEntry(host: WasmHost, skill: ToolSkill): Promise<void> {
  const entry = entryOf(skill);
  const { end } = await host.call(
    {
      key: entry.key,
      entry: await entry.read(),
      loadOnly: true,
      input: new Uint8Array(),
      files: undefined,
      bounds: {
        memoryBytes: 0,
        outputBytes: 0,
        fuel: 0,
        tableGrowth: 0,
        diskBytes: 0,
        takeBounds: { bytes: 0, entries: 0, pathBytes: 0, depth: 0 },
      },
      world: { skillId: skill.id, context: null, grantedEnv: [], env: {}, ...noFiles },
      timeoutMs: compileMs,
      cpuMs: compileMs,
      answer: async () => ({ frame: { type: 'answer', message: 'checking only' } }),
      onPart: () => undefined,
    },
    new AbortController().signal,
  );
  const what = `${skill.id}: entry ${skill.run.entry}`;
  if (end.status !== 'done')
    throw new SkillError('SKILL_INVALID', `${what} could not be compiled: the process ended (${end.status})`);
  if (end.done.verdict.status === 'refused')
    throw new SkillError('SKILL_INVALID', `${what} ${end.done.verdict.problem}`);
}

const noFiles = { files: { read: [], write: [] }, fileBytes: 0 };
