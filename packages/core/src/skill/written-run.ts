import { z } from 'zod';
import { ProcessRun, Run, WasmRun } from './run.ts';

/** One of several things that a skill can run, by its name in `run.scripts`. */
interface NamedRun {
  run: Run;
  description: string | undefined;
}

/** All that a skill can run by its sidecar. */
export interface Runs {
  /** What runs where a call names no script. */
  run?: Run;
  namedRuns: Readonly<Record<string, NamedRun>>;
}

const { entry, input, output, protocol, capabilities, limits } = ProcessRun.shape;

/** What an entry of `run.scripts` says itself; what it leaves out is as `run` has it, but for `input` and `output`. */
const own = {
  ...{ entry, input, output },
  description: z.string().min(1).max(1024).optional(),
  protocol: protocol.unwrap().optional(),
  capabilities: capabilities.unwrap().optional(),
  limits: limits.unwrap().optional(),
};
const scriptName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'name it with a-z, 0-9 and single hyphens');

/** A path by itself is an entry that is as `run` has it. */
const scripts = <Written extends z.ZodType>(written: Written) =>
  z.record(scriptName, z.union([entry, written])).default({});

const written = z.discriminatedUnion('runtime', [
  ProcessRun.extend({ entry: entry.optional(), scripts: scripts(z.strictObject(own)) }),
  WasmRun.extend({
    entry: entry.optional(),
    scripts: scripts(z.strictObject({ ...own, function: WasmRun.shape.function })),
  }),
]);

/**
 * `run` as an `ambit.yaml` has it: an `entry`, which runs where a call names no script, others by name under `scripts`, or
 * both. Read, it is a complete `Run` for each of them.
 */
export const WrittenRun = written.transform(({ scripts, ...run }, context): Runs => {
  const { runtime, protocol, capabilities, limits } = run;
  const complete = (value: object, at: readonly string[]): Run => {
    const parsed = Run.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues)
      context.issues.push({ ...issue, path: [...at, ...issue.path], input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  };
  const namedRuns: Record<string, NamedRun> = {};
  for (const [name, script] of Object.entries(scripts)) {
    const { description, ...said } = typeof script === 'string' ? { entry: script } : script;
    const value = { runtime, protocol, capabilities, limits, ...present(said) };
    namedRuns[name] = { run: complete(value, ['scripts', name]), description };
  }
  if (run.entry === undefined && Object.keys(scripts).length > 0) return { namedRuns };
  return { run: complete(run, []), namedRuns };
});

function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
