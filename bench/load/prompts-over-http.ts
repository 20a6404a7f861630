import { join } from 'node:path';
import { daemonProcess } from '../../test/support/daemon-process.ts';
import { writeSkills } from '../../test/support/skills.ts';
import type { LoadGenerator } from './load-generator.ts';
import { printedSummaries, type Slice, slice, summary } from './slices.ts';

const catalogSize = 1000;
/** How many skills belong to the requested phase. */
const phaseSize = 10;
const connections = 32;
const [warmUpMs, turnMs] = [2000, 1000];
const target = 2000;

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
        ...{ url: `${daemon.url}/prompt`, connections, ms, holds: 'skill-9' },
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
  console.log(
    `  ${prompts.perSecond >= target ? 'reached' : 'missed '}  at least ${target} per second: ${prompts.perSecond.toFixed(0)}\n`,
  );
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
