import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { repository } from '../../support/daemon-process.ts';
import { userFolders } from '../../support/private-home.ts';

/** Whether a program is installed: it accepts `--version`. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * A folder for PATH with an `ambit` that completes like the real one, and otherwise only prints its words, each as `<word>`,
 * on one line.
 */
export async function echoingAmbit(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const real = `"${process.execPath}" "${join(repository, 'packages/cli/src/ambit.mjs')}"`;
  const script = `#!/bin/sh
case $1 in __complete | completion) exec ${real} "$@" ;; esac
printf '<%s>' "$@"
echo
`;
  await writeFile(join(bin, 'ambit'), script);
  await chmod(join(bin, 'ambit'), 0o755);
  return bin;
}

const prompt = '#ready# ';

const startUp = {
  bash: {
    command: 'bash --rcfile .rc -i',
    file: '.rc',
    text: `PS1='${prompt}'; source <(ambit completion bash)`,
  },
  zsh: {
    command: 'zsh -d -i',
    file: '.zshrc',
    text: `PROMPT='${prompt}'; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(ambit completion zsh)`,
  },
};

/**
 * Types lines into a shell on its own terminal, each after the previous one has finished. Returns the words that
 * `echoingAmbit` got for each line, or what the shell showed if it was not called.
 */
export async function typedAt(
  shell: 'bash' | 'zsh',
  lines: readonly string[],
  { cwd, bin }: { cwd: string; bin: string },
): Promise<string[]> {
  const { command, file, text } = startUp[shell];
  await writeFile(join(cwd, file), `${text}\n`);
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      ZDOTDIR: cwd,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      NO_COLOR: '1',
      ...userFolders(),
    },
  });
  onTestFinished(() => void child.kill());
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    shown += part;
  });
  const shows = async (what: () => boolean): Promise<void> => {
    while (!what()) await once(child.stdout, 'data');
  };
  await shows(() => shown.includes(prompt));
  const printed: string[] = [];
  for (const line of lines) {
    shown = '';
    child.stdin.write(`${line}\n`);
    await shows(() => shown.includes(`\n`) && shown.includes(prompt));
    printed.push(/^<.*>/m.exec(shown.replaceAll('\r', ''))?.[0] ?? shown);
  }
  child.stdin.end('exit\n');
  await once(child, 'close');
  return printed;
}
