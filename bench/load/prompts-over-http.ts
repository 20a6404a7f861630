import { join } from 'node:path';
import { promptComposer } from '../../packages/core/src/prompt.ts';
import { daemonProcess } from '../../test/support/daemon-process.ts';
import { writeSkills } from '../../test/support/skills.ts';
import { verdict } from '../compare.ts';
import { compositionOf } from '../prompt.ts';
import type { LoadGenerator } from './load-generator.ts';
import { printedSummaries, type Slice, slice, summary } from './slices.ts';

const catalogSize = 1000;
/** The number of skills that belong to the requested phase. */
const phaseSize = 10;
const connections = 32;
const [warmUpMs, turnMs] = [2000, 1000];
const targets = { perSecond: 2000, ofComposing: 5 };
const compositions = 20_000;

/**
 * The cost of `POST /prompt` for a phase with ten of a thousand skills. Each request scans the
 * folders.
 */
export async function promptsOverHttp(
  folder: string,
  turns: number,
  run: LoadGenerator['run'],
): Promise<void> {
  const place = join(folder, 'prompts');
  const skills = Object.fromEntries(Array.from({ length: catalogSize }, (_, index) => someSkill(index)));
  await writeSkills(join(place, 'skills'), skills);
  const config = { skills: [{ path: join(place, 'skills'), tier: 'local' }] };
  const daemon = await daemonProcess(place, config, { logFile: join(place, 'log') });
  const ask = (ms: number): Promise<Slice> =>
    slice(daemon.pid, () =>
      run({
        url: `${daemon.url}/prompt`,
        connections,
        ms,
        holds: 'skill-9',
        body: JSON.stringify({ phase: 'plan', systemPrompt: '<identity>You plan.</identity>' }),
        headers: { authorization: `Bearer ${daemon.key}`, 'content-type': 'application/json' },
      }),
    );
  const slices: Slice[] = [];
  try {
    await ask(warmUpMs);
    for (let turn = 0; turn < turns; turn++) slices.push(await ask(turnMs));
  } finally {
    await daemon.stop();
  }
  const prompts = summary(slices);
  console.log(`POST /prompt, ${phaseSize} of ${catalogSize} skills, ${connections} at a time\n`);
  console.log(printedSummaries({ 'POST /prompt': prompts }));
  verdict(
    prompts.perSecond >= targets.perSecond,
    `at least ${targets.perSecond} per second: ${prompts.perSecond.toFixed(0)}`,
  );
  const ofComposing = prompts.cpuUs.own / composingUs();
  verdict(
    ofComposing <= targets.ofComposing,
    `the daemon's CPU time of a prompt, at most ${targets.ofComposing} × composing alone: ${ofComposing.toFixed(1)} ×\n`,
  );
}

/** The CPU time of composing one such prompt, in microseconds. */
function composingUs(): number {
  const [compose, parts] = [promptComposer(), compositionOf(phaseSize)];
  for (let done = 0; done < compositions / 10; done++) compose(parts);
  const before = process.cpuUsage();
  for (let done = 0; done < compositions; done++) compose(parts);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / compositions;
}

function someSkill(index: number): [string, Record<string, string>] {
  const id = `skill-${index}`;
  const phases = index < phaseSize ? ['plan'] : ['implement'];
  return [
    id,
    {
      'SKILL.md': `---\nname: ${id}\ndescription: Profiles table ${index}; use when asked what is in it.\n---\n${'- Read the first rows.\n'.repeat(50)}`,
      'ambit.yaml': JSON.stringify({ phases }),
    },
  ];
}
