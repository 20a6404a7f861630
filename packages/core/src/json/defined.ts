/**
 * The members of a literal that are not `undefined`, as a `T`. For types whose optional members are absent or have a value, such
 * as the bodies of requests and answers: write the whole literal, and leave it to this function what is absent. `T` comes from
 * the place that needs the value, or is named: it has the compiler check each member, and refuse unknown ones.
 */
export function defined<T extends object>(members: NoInfer<MayBeUndefined<T>>): T {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  // What is left out is optional in T.
  return Object.fromEntries(present) as T;
}

/** `T`, with `undefined` as a value of each optional member. */
type MayBeUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] };
