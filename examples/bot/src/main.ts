// A chat in the terminal. Answers the question in its arguments and exits; without arguments, reads
// one question per line.

import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ambitClient } from '@ambit/client';
import { findDaemon } from '@ambit/client/node';
import { explainText } from '@ambit/core';
import { skillBot } from './bot.ts';
import { chooseModel } from './model.ts';
import { skillSource } from './skills.ts';

const usage = `usage: npm run bot -- [options] [question]
  --skills FOLDER    use this folder of skills; repeatable (default: the bundled skills)
  --phase, --agent   select the skills of one phase or agent
  --use ID           include a skill's instructions from the start; repeatable
  --project FOLDER   add the project context that skills request: files, git status
  --url URL          set the daemon's URL (default: AMBIT_URL, or the daemon of .ambit)
  --key-file FILE    set the daemon's key (default: AMBIT_KEY_FILE, AMBIT_KEY, or the key in .ambit)
  --explain          print the prompt and its parts, then exit; needs neither model nor daemon`;

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parse(args);
  const skills = skillSource({ ...values, folders: values.skills });
  const { composition, warnings } = await skills();
  for (const warning of warnings) showWarning(warning);
  if (values.explain) {
    return console.log(printable(`${explainText(composition)}\n\nThe prompt\n\n${composition.prompt}`));
  }

  const model = chooseModel(process.env);
  const daemon = ambitClient(await findDaemon({ url: values.url, keyFile: values['key-file'] }));
  const bot = skillBot({ model, skills, daemon, onWarning: showWarning, onToolCall: showCall });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('stopped')));
  if (positionals.length > 0)
    return console.log(printable(await bot.ask(positionals.join(' '), stop.signal)));
  for await (const question of questions(stop.signal)) {
    // A failed question does not end the chat.
    const answer = bot.ask(question, stop.signal).catch((error: Error) => `! ${error.message}`);
    console.log(printable(`${await answer}\n`));
  }
}

function parse(args: string[]) {
  const repositorySkills = join(import.meta.dirname, '../../../skills');
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        skills: { type: 'string', multiple: true, default: [repositorySkills] },
        phase: { type: 'string' },
        agent: { type: 'string' },
        use: { type: 'string', multiple: true },
        project: { type: 'string' },
        url: { type: 'string' },
        'key-file': { type: 'string' },
        explain: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`);
  }
}

async function* questions(signal: AbortSignal): AsyncGenerator<string> {
  const ready = () => process.stdin.isTTY && process.stderr.write('> ');
  // `terminal: false`, so that Ctrl-C remains a signal.
  const lines = createInterface({ input: process.stdin, terminal: false, signal });
  ready();
  for await (const line of lines) {
    if (line.trim() !== '') yield line;
    ready();
  }
}

function showWarning(warning: string): void {
  console.error(printable(`! ${warning}`));
}

function showCall(tool: string, input: unknown): void {
  console.error(printable(`· ${tool} ${JSON.stringify(input).slice(0, 100)}`));
}

/** Removes control characters, so that text of a model or skill cannot control the terminal. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
}
