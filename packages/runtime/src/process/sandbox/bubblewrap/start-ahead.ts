import type { SandboxedCommand } from '../sandbox.ts';
import { bubblewrapOptions } from './bubblewrap-arguments.ts';
import { type SandboxHost, type SandboxKind, type StartedProcess, startProcess } from './start-process.ts';
import { canSend, execBubblewrap, waitingShell } from './waiting-shell.ts';

/** Most daemons use the limits of one or two tiers. */
const kindsMax = 4;

/** Shells start once no sandbox has started or ended for this long, so never between calls of a busy daemon. */
const idleMs = 5;

/**
 * Shells that wait to execute bubblewrap, one for each of the latest kinds of sandbox. Starting a process
 * takes the daemon about a millisecond per 25 MB of its memory. A call that gets a waiting shell saves
 * that time.
 */
export interface StartedAhead {
  /** A bubblewrap that runs this command; `undefined` if no shell that can execute it is waiting. */
  take(kind: SandboxKind, command: SandboxedCommand): Promise<StartedProcess | undefined>;
  /** Call when a sandbox of this kind starts, and when it has ended. A shell for the next starts soon after. */
  used(kind: SandboxKind): void;
  /** Ends all shells. */
  close(): Promise<void>;
}

export function startAhead(host: SandboxHost): StartedAhead {
  /** By the kind as text, in order of last use. */
  const kinds = new Map<string, { kind: SandboxKind; shell: StartedProcess | undefined }>();
  let refilling = Promise.resolve();
  let isClosed = false;

  const refill = async (): Promise<void> => {
    for (const [key, entry] of kinds) {
      if (isClosed || entry.shell !== undefined) continue;
      // The next call of this kind reports why it cannot start.
      const shell = await startProcess(host, entry.kind, {}, waitingShell).catch(() => undefined);
      if (shell === undefined) return;
      // Meanwhile the kind may have been dropped, and even used again.
      if (isClosed || kinds.get(key) !== entry) await end(shell);
      else entry.shell = shell;
    }
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    async take(kind, command) {
      const entry = kinds.get(JSON.stringify(kind));
      const shell = entry?.shell;
      if (entry === undefined || shell === undefined) return undefined;
      const { env, argv, contents = {} } = command;
      const sent = { options: bubblewrapOptions(shell.settings, command), env, argv };
      if (Object.keys(contents).length > 0 || !canSend(sent)) return undefined;
      entry.shell = undefined;
      if (!shell.program.hasExited() && (await execBubblewrap(shell.program, sent))) return shell;
      await end(shell);
      return undefined;
    },
    used(kind) {
      // A shell inherits no channel for a proxy. Sandboxes without limits are rare.
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
      timer ??= setTimeout(() => {
        refilling = refilling.then(refill);
      }, idleMs).unref();
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
async function end({ program, cgroup, release }: StartedProcess): Promise<void> {
  program.kill();
  await program.ended;
  await cgroup?.close();
  release();
}
