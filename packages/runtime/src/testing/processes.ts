import { readdirSync, readFileSync } from 'node:fs';

/** The command lines on this machine that contain `words`; zombies have none. */
export function commandLinesWith(words: string): string[] {
  const lines = readdirSync('/proc').map((entry) => {
    try {
      return /^\d+$/.test(entry) ? readFileSync(`/proc/${entry}/cmdline`, 'utf8') : '';
    } catch {
      return '';
    }
  });
  return lines.filter((line) => line.includes(words));
}

/** Calls `then` after `turns` of the event loop. */
export function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}
