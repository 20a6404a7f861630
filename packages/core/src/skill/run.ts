import { z } from 'zod';
import { Capabilities } from '../capability/capabilities.ts';
import { RequestedLimits } from '../capability/limits.ts';
import { JsonSchema } from '../json/json-schema.ts';
import { isHiddenPath } from './hidden-path.ts';

/** The type of an input or output: JSON that matches a schema, or plain text. */
const Payload = z.union([z.literal('text'), JsonSchema], 'write a JSON Schema, or text for plain text');
export type Payload = z.output<typeof Payload>;

/** One object, so that the schema is compiled only once. */
const textSchema = Object.freeze({ type: 'string' });

/** The schema of a payload as callers see it. Plain text is a JSON string to them. */
export function payloadSchema(payload: Payload | undefined): JsonSchema | undefined {
  return payload === 'text' ? textSchema : payload;
}

const SkillPath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'stay inside the skill folder')
  .refine(
    (path) => !isHiddenPath(path),
    'names that begin with a dot are hidden, and hidden files are not part of a skill; rename the file or its folder',
  )
  .refine((path) => !path.includes('\0') && !path.includes('\\'), 'write a plain path with forward slashes')
  .transform((path) =>
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/'),
  );

const common = {
  entry: SkillPath,
  /** Absent: any JSON. */
  input: Payload.optional(),
  output: Payload.optional(),
  capabilities: Capabilities.prefault({}),
  limits: RequestedLimits.default({}),
};

/** The settings of a run of a host program. */
export const ProcessRun = z.strictObject({
  runtime: z.literal('process'),
  protocol: z.enum(['json', 'command']).default('json'),
  ...common,
  /** The working directory. `workspace` is `/tmp` for a run without one; `skill` is read-only. */
  cwd: z.enum(['workspace', 'skill']).default('workspace'),
  /** The number of programs to start in advance, waiting for input. */
  prewarm: z.int().min(0).max(16).default(0),
});

/** The settings of a run of a module, a JavaScript file or a Python script in WebAssembly. */
export const WasmRun = z.strictObject({
  runtime: z.literal('wasm'),
  /** `command` is for WASI commands and Python scripts. */
  protocol: z.enum(['json', 'command']).default('json'),
  ...common,
  /** The export of an Extism plug-in to call. */
  function: z
    .string()
    .max(200)
    .regex(/^(?!ambit:)\P{Cc}+$/u, 'name an export; names that begin with ambit: are not for skills')
    .optional(),
  /** For a Python script whose name does not end in `.py`. */
  interpreter: z.enum(['python']).optional(),
});

/** The settings of a tool skill's run. */
export const Run = z
  .discriminatedUnion('runtime', [ProcessRun, WasmRun])
  .refine((run) => run.runtime === 'process' || run.function === undefined || !isScript(run), {
    path: ['function'],
    message: 'a script is called by its default export; function is for Extism plug-ins',
  })
  .refine((run) => run.runtime === 'process' || run.function === undefined || !isPython(run), {
    path: ['function'],
    message: 'a Python script runs from its first line; function is for Extism plug-ins',
  })
  .refine(
    (run) => run.runtime === 'process' || run.interpreter === undefined || !/\.(wasm|m?js)$/.test(run.entry),
    {
      path: ['interpreter'],
      message: 'interpreter python is for Python scripts; remove it',
    },
  )
  .refine((run) => run.protocol === 'json' || !isScript(run), {
    path: ['protocol'],
    message: 'a script takes and gives JSON; protocol command is for programs and WASI commands',
  })
  .refine(
    (run) =>
      run.runtime === 'process' || run.protocol === 'json' || run.function === undefined || isPython(run),
    {
      path: ['function'],
      message:
        'protocol command is for WASI commands, which start at _start; function is for Extism plug-ins',
    },
  )
  .refine((run) => run.runtime === 'wasm' || run.protocol === 'json' || run.prewarm === 0, {
    path: ['prewarm'],
    message: 'only a skill with protocol json can be prewarmed: a command gets its arguments with the call',
  })
  .refine(
    (run) =>
      run.runtime === 'wasm' || run.prewarm === 0 || !run.capabilities.filesystem.write.includes('workspace'),
    {
      path: ['prewarm'],
      message: 'a skill with a workspace cannot be prewarmed: its files arrive with the call',
    },
  )
  .refine(
    (run) =>
      run.runtime === 'wasm' ||
      run.prewarm === 0 ||
      (run.capabilities.state === 'none' && run.capabilities.memory === 'none'),
    {
      path: ['prewarm'],
      message: 'a skill with state or memory cannot be prewarmed: it gets both as files with the call',
    },
  );
export type Run = z.output<typeof Run>;

/** The fields of a run that say what its entry is. */
interface EntryFields {
  runtime: string;
  entry: string;
  interpreter?: string | undefined;
}

/** Whether a run's entry is a script for QuickJS. */
export function isScript({ runtime, entry }: EntryFields): boolean {
  return runtime === 'wasm' && /\.m?js$/.test(entry);
}

/** Whether a run's entry is a script for the Python interpreter in WebAssembly. */
export function isPython({ runtime, entry, interpreter }: EntryFields): boolean {
  return runtime === 'wasm' && (interpreter === 'python' || entry.endsWith('.py'));
}

export type Runtime = Run['runtime'];
