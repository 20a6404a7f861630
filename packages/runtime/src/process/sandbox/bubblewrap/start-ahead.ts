import type { SandboxedCommand } from '../sandbox.ts';
import { type Begun, begin, type SandboxHost, type SandboxKind } from './begin-bubblewrap.ts';
import { bubblewrapOptions } from './bubblewrap-arguments.ts';
import { become, canBecome, waitingShell } from './waiting-shell.ts';

/** Most daemons use the limits of one or two tiers. */
const kindsMax = 4;

/** How long no sandbox has started or ended before shells are started: never in the middle of many calls. */
const idleMs = 5;

/**
 * Shells that wait to become bubblewrap, one for each kind of sandbox that was used last. Starting a
 * process takes the daemon about a millisecond per 25 MB of its memory, which a call need not wait
 * for.
 */
export interface StartedAhead {
  /** A sandbox that runs this command; `undefined` if no shell waits that can become it. */
  take(kind: SandboxKind, command: SandboxedCommand): Promise<Begun | undefined>;
  /** A sandbox of this kind starts or has ended. Soon after, a shell waits for the next one. */
  used(kind: SandboxKind): void;
  /** Ends all shells. */
  close(): Promise<void>;
}

export function startAhead(host: SandboxHost): StartedAhead {
  /** By the kind as text, in order of last use. */
  const kinds = new Map<string, { kind: SandboxKind; shell: Begun | undefined }>();
  let refilling = Promise.resolve();
  let isClosed = false;

  const refill = async (): Promise<void> => {
    for (const entry of kinds.values()) {
      if (isClosed || entry.shell !== undefined) continue;
      // A call of this kind reports why it cannot start.
      const shell = await begin(host, entry.kind, {}, waitingShell).catch(() => undefined);
      if (shell === undefined) return;
      if (isClosed || !kinds.has(JSON.stringify(entry.kind))) await end(shell);
      else entry.shell = shell;
    }
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    async take(kind, command) {
      const entry = kinds.get(JSON.stringify(kind));
      const shell = entry?.shell;
      if (entry === undefined || shell === undefined) return undefined;
      const becoming = {
        options: bubblewrapOptions(shell.settings, command),
        ...{ env: command.env, argv: command.argv },
      };
      if (Object.keys(command.contents ?? {}).length > 0 || !canBecome(becoming)) return undefined;
      entry.shell = undefined;
      if (!shell.program.hasExited() && (await become(shell.program, becoming))) return shell;
      await end(shell);
      return undefined;
    },
    used(kind) {
      // A proxy's channel is not among what a shell inherits.
      if (kind.proxy || kind.limits === undefined || isClosed) return;
      const key = JSON.stringify(kind);
      const entry = kinds.get(key) ?? { kind, shell: undefined };
      kinds.delete(key);
      kinds.set(key, entry);
      const [oldest] = kinds;
      if (kinds.size > kindsMax && oldest !== undefined) {
        kinds.delete(oldest[0]);
        if (oldest[1].shell !== undefined) void end(oldest[1].shell);
      }
      timer ??= setTimeout(() => (refilling = refilling.then(refill)), idleMs).unref();
      timer.refresh();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await refilling;
      const shells = [...kinds.values()].flatMap(({ shell }) => shell ?? []);
      kinds.clear();
      await Promise.all(shells.map(end));
    },
  };
}

/** Ends a shell that is not used. */
async function end({ program, cgroup, release }: Begun): Promise<void> {
  program.kill();
  await program.ended;
  await cgroup?.close();
  release();
}
