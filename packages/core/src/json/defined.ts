/**
 * The members of a literal that are not `undefined`, as a `T`. Use it for a type whose optional members must have a value where
 * they are present, such as an answer. `T` is the type that the context expects, or a named one: the compiler checks each
 * member against it and refuses unknown members.
 */
export function defined<T extends object>(members: NoInfer<MayBeUndefined<T>>): T {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  // What is left out is optional in T.
  return Object.fromEntries(present) as T;
}

/** `T`, with `undefined` as a value of each optional member. */
type MayBeUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] };
