import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../support/daemon-process.ts';

/** A documented command and its documented output. */
export interface ShownCommand {
  command: string;
  /** Lines of output, with `…` for text that differs between runs. */
  shows: readonly string[];
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
 * Converts documented output to a pattern. `…` in a line matches any text, and alone any number of lines. Spaces between
 * columns of a table may differ.
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
