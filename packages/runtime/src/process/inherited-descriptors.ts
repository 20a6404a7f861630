import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closeOnExec = 0o2000000;

/**
 * Closes every descriptor that this process was started with beside its standard three, so that no sandbox inherits
 * what a careless parent left open. Node opens its own with close-on-exec; those without it are the inherited ones.
 *
 * Called once, at the very start of a program. Does nothing where there is no `/proc`.
 */
export function closeInheritedDescriptors(): void {
  for (const name of descriptors()) {
    const descriptor = Number(name);
    if (descriptor > 2 && isInherited(descriptor)) closeSync(descriptor);
  }
}

function descriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // The listing's own descriptor is closed by now.
    return false;
  }
}
