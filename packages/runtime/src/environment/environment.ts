/** The environment of a process. A variable that is not set is absent or `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The named variables that are set. */
export function namedVariables(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}
