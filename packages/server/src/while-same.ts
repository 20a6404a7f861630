/** Caches results by object, while the object is in use. A result can be the key of another such cache. */
export function whileSame<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const made = new WeakMap<From, To>();
  return (from) => {
    const known = made.get(from) ?? make(from);
    made.set(from, known);
    return known;
  };
}
