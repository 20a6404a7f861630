import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../support/daemon-process.ts';

/** A command as a page shows it, and what it says that comes of it. */
export interface ShownCommand {
  command: string;
  /** Lines, with `…` for what differs from run to run. */
  shows: readonly string[];
}

/** The session of README.md. */
export function readmeSession(): Promise<ShownCommand[]> {
  return consoleSession('README.md');
}

/** The commands of the `console` blocks of a page, in order. */
export async function consoleSession(page: string): Promise<ShownCommand[]> {
  const text = await readFile(join(repository, page), 'utf8');
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...shows] = part.trimEnd().split('\n');
        return { command, shows };
      }),
  );
}

/**
 * What is shown as a pattern for what is printed: `…` in a line is any text, alone in a line any lines, also none. How wide
 * the columns of a table are depends on what is in them.
 */
export function patternOf(shows: readonly string[]): RegExp {
  const lines = shows.map((line) =>
    line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(literally).join('.*')}\\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/(?<=\S) {2,}(?=\S)/g, ' {2,}');
}
