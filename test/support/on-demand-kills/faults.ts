import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../until.ts';
import { type Command, randomDelay } from './commands.ts';
import type { ProcessWatch } from './processes.ts';
import type { World } from './world.ts';

/** A round whose commands run. */
interface Struck {
  world: World;
  watch: ProcessWatch;
  random: () => number;
  commands: readonly Command[];
  /** Whether all commands have ended, so there is nothing left to strike. */
  isOver(): boolean;
  /** Lets the agents continue that wait. */
  resume(): void;
}

/** A fault, which strikes the commands of a round at a random moment. */
interface Fault {
  /** The number of commands; several, at random, if absent. */
  commands?: number;
  /** Whether an agent waits until the fault has struck. */
  agentWaits?: boolean;
  /** Whether some commands have another version. */
  otherVersions?: boolean;
  /** Whether a daemon is killed, so that its socket is left, before the commands start. */
  leftSocket?: boolean;
  /** Whether one of the commands, with its children, may start only a few processes. */
  fewProcesses?: boolean;
  /** Whether it fills the disk of the data directory. */
  fillsDisk?: boolean;
  /** The commands that may fail. */
  excuses: 'all' | 'struck' | 'none';
  /** Resolves to the command that it struck, if it was one. */
  strike(round: Struck): Promise<Command | undefined>;
}

const nothing = async (): Promise<undefined> => undefined;

/** The longest time from the start of the commands to a fault. */
const strikeWithinMs = 2000;
const stopMaxMs = 2000;

export const faults: Readonly<Record<string, Fault>> = {
  nothing: { excuses: 'none', strike: nothing },
  'twenty commands': { commands: 20, excuses: 'none', strike: nothing },
  'left socket': { leftSocket: true, excuses: 'none', strike: nothing },
  'other version': { otherVersions: true, excuses: 'none', strike: nothing },
  'daemon killed while it starts': {
    excuses: 'all',
    async strike({ watch, random, isOver }) {
      await until(async () => watch.daemons().length > 0 || isOver());
      await randomDelay(random, 500);
      kill(watch);
      return undefined;
    },
  },
  'daemon killed while a call runs': {
    excuses: 'all',
    async strike({ world, watch, random, commands, isOver }) {
      const files = commands.flatMap(({ attempts }) =>
        attempts.map(({ number }) => join(world.effects, String(number))),
      );
      await until(async () => files.some((file) => existsSync(file)) || isOver());
      await randomDelay(random, 500);
      kill(watch);
      return undefined;
    },
  },
  'daemon killed while an agent waits': {
    agentWaits: true,
    excuses: 'all',
    async strike({ watch, random, resume }) {
      await randomDelay(random, strikeWithinMs);
      kill(watch);
      resume();
      return undefined;
    },
  },
  'daemon stopped': {
    excuses: 'none',
    async strike({ watch, random }) {
      await randomDelay(random, strikeWithinMs);
      const stopped = watch.daemons();
      for (const { pid } of stopped) signal(pid, 'SIGSTOP');
      await randomDelay(random, stopMaxMs);
      for (const { pid } of stopped) signal(pid, 'SIGCONT');
      return undefined;
    },
  },
  'command killed': { excuses: 'struck', strike: (round) => strikeCommand(round, 'SIGKILL') },
  'command interrupted': { excuses: 'struck', strike: (round) => strikeCommand(round, 'SIGINT') },
  'few processes': { fewProcesses: true, excuses: 'all', strike: nothing },
  'disk full': {
    fillsDisk: true,
    excuses: 'all',
    async strike({ world, random }) {
      await randomDelay(random, strikeWithinMs);
      const filler = join(world.dataDir, 'filler');
      try {
        for (const bytes of [1 << 20, 1 << 12]) while (await isWritten(filler, bytes));
        await randomDelay(random, strikeWithinMs);
      } finally {
        await rm(filler, { force: true });
      }
      return undefined;
    },
  },
};

async function isWritten(file: string, bytes: number): Promise<boolean> {
  try {
    await writeFile(file, Buffer.alloc(bytes), { flag: 'a' });
    return true;
  } catch {
    return false;
  }
}

/** Kills the daemons. Stops them first, so that every process that they have started is known. */
export function kill(watch: ProcessWatch): void {
  const killed = watch.daemons();
  for (const { pid } of killed) signal(pid, 'SIGSTOP');
  watch.look();
  for (const { pid } of killed) signal(pid, 'SIGKILL');
}

async function strikeCommand(
  { commands, random }: Struck,
  name: 'SIGKILL' | 'SIGINT',
): Promise<Command | undefined> {
  const struck = commands[Math.floor(random() * commands.length)];
  await randomDelay(random, strikeWithinMs);
  const pid = struck?.pid();
  if (pid !== undefined) signal(pid, name);
  // An agent starts its program again.
  await delay(0);
  return struck;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
