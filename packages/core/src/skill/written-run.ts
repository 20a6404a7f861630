import { z } from 'zod';
import { ProcessRun, Run, WasmRun } from './run.ts';

/** A run with a name in `run.scripts`. */
interface NamedRun {
  run: Run;
  description: string | undefined;
}

/** Everything that a sidecar can run. */
export interface Runs {
  /** The default run, for calls without a script. */
  run?: Run;
  namedRuns: Readonly<Record<string, NamedRun>>;
  /** The working directory of scripts without a run. Absent: their workspace. */
  cwd?: 'skill';
}

const { entry, input, output, protocol, capabilities, limits, cwd, prewarm } = ProcessRun.shape;

/** The fields that named runs inherit. `Run` adds the defaults, so that a key which is absent here was not written. */
const inherited = {
  protocol: protocol.unwrap().optional(),
  capabilities: capabilities.unwrap().optional(),
  limits: limits.unwrap().optional(),
};

/** Keys of an entry in `run.scripts`. `input` and `output` are not inherited. */
const own = {
  entry,
  input,
  output,
  description: z.string().min(1).max(1024).optional(),
  ...inherited,
};
const scriptName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'name it with a-z, 0-9 and single hyphens');

/** A plain path is an entry that inherits everything else. */
const scripts = <Written extends z.ZodType>(written: Written) =>
  z.record(scriptName, z.union([entry, written])).default({});

const writtenCwd = cwd.unwrap().optional();

const written = z.discriminatedUnion('runtime', [
  ProcessRun.extend({
    entry: entry.optional(),
    ...inherited,
    cwd: writtenCwd,
    prewarm: prewarm.unwrap().optional(),
    scripts: scripts(z.strictObject({ ...own, cwd: writtenCwd })),
  }),
  WasmRun.extend({
    entry: entry.optional(),
    ...inherited,
    scripts: scripts(
      z.strictObject({
        ...own,
        function: WasmRun.shape.function,
        interpreter: WasmRun.shape.interpreter,
      }),
    ),
  }),
]);

/**
 * `run` in an `ambit.yaml`: an `entry`, which runs by default, named runs under `scripts`, or both; or only `cwd: skill`,
 * for the scripts that no run describes. Parsing produces a complete `Run` for each.
 */
export const WrittenRun = written.transform(({ scripts, ...run }, context): Runs => {
  const { runtime, protocol, capabilities, limits } = run;
  const cwd = run.runtime === 'process' ? run.cwd : undefined;
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
    const value = present({ runtime, protocol, capabilities, limits, cwd, ...present(said) });
    namedRuns[name] = { run: complete(value, ['scripts', name]), description };
  }
  if (run.entry === undefined && Object.keys(scripts).length > 0) return { namedRuns };
  const isOnlyCwd = Object.keys(present(run)).every((key) => key === 'runtime' || key === 'cwd');
  if (isOnlyCwd && cwd === 'skill') return { namedRuns, cwd };
  return { run: complete(run, []), namedRuns };
});

function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
