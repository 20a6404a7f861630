import type { Config } from '../config/config.ts';
import { openTogether } from '../setup/open-together.ts';

/** A part of the daemon. `Before` has the parts before it, by name. */
interface Part<Name extends string, Before extends object, Opened> {
  name: Name;
  /** Resolves to the part. The next one opens after that; to let it open earlier, return an object with a promise. */
  open(before: Before, daemon: OpenParts): Opened | Promise<Opened>;
  /**
   * Prepares the part for another configuration. Resolves to a function that applies it and cannot fail; rejects if the
   * configuration cannot be used.
   */
  prepare?(opened: NoInfer<Opened>, next: Config, before: Before): Promise<() => void>;
  close?(opened: NoInfer<Opened>, before: Before): unknown;
}

/** The parts that are open so far. */
interface OpenParts {
  /** Prepares each of them for another configuration. */
  prepare(next: Config): Promise<() => void>;
}

/** Parts in the order in which they open. Each gets those before it, so none depends on a later one. */
interface Parts<Given extends object, Opened extends object> {
  add<Name extends string, Value>(
    part: Part<Name, Opened, Value>,
  ): Parts<Given, Opened & Record<Name, Value>>;
  /** Opens all of them or none: if one fails, the ones before it are closed. `close` closes the last one first. */
  open(given: Given): Promise<{ opened: Opened; close(): Promise<void> }>;
}

/** Lists parts. The first one gets what is `Given` to `open`. */
export function parts<Given extends object>(): Parts<Given, Given> {
  return listed([]);
}

function listed<Given extends object, Opened extends object>(
  list: readonly Part<string, object, unknown>[],
): Parts<Given, Opened> {
  return {
    add: (part) => listed([...list, part]),
    open: (given) =>
      openTogether(async (held) => {
        const opened = { ...given } as Record<string, unknown>;
        const daemon: OpenParts = {
          async prepare(next) {
            const prepared: ((() => void) | undefined)[] = [];
            for (const { name, prepare } of list)
              if (name in opened) prepared.push(await prepare?.(opened[name], next, opened));
            return () => {
              for (const apply of prepared) apply?.();
            };
          },
        };
        for (const { name, open, close } of list) {
          const value = await open(opened, daemon);
          opened[name] = value;
          held.defer(() => close?.(value, opened));
        }
        return { opened: opened as Opened, close: held.close };
      }),
  };
}
