/** A process's environment, or what stands for one. A variable that is not set is absent or `undefined`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Those of the named variables that are set. */
export function namedVariables(names: readonly string[], environment: Environment): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}
