/** Finds the prepared skills that name something, without scanning each. */
export interface NameIndex {
  /**
   * By place: 1 for a skill that names one of `names`, and with `orNone` for a skill that names
   * nothing.
   */
  fitting(names: readonly string[], orNone: boolean): Uint8Array;
}

/** `named` lists by place what each skill names. */
export function nameIndex(named: readonly (readonly string[])[]): NameIndex {
  const withNone: number[] = [];
  const withName = new Map<string, number[]>();
  for (const [place, names] of named.entries()) {
    if (names.length === 0) withNone.push(place);
    for (const name of names) {
      const places = withName.get(name);
      if (places === undefined) withName.set(name, [place]);
      else places.push(place);
    }
  }
  return {
    fitting(names, orNone) {
      const fits = new Uint8Array(named.length);
      if (orNone) for (const place of withNone) fits[place] = 1;
      for (const name of names) for (const place of withName.get(name) ?? []) fits[place] = 1;
      return fits;
    },
  };
}
