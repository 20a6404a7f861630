import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Daemon, repository } from '../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../support/skills.ts';

/** The configuration of the daemon in the pictures, with its skills below `folder`. */
export async function sampleConfig(folder: string): Promise<object> {
  const skills = join(folder, 'skills');
  await mkdir(join(skills, 'unfinished'), { recursive: true });
  await writeFile(join(skills, 'unfinished/SKILL.md'), 'Not written yet.\n');
  return {
    skills: [{ path: skills, tier: 'local' }],
    grants: { 'git-summary': { filesystem: { read: [repository] } } },
    phases: {
      implement: { tools: ['Read', 'Edit', 'Bash'], skills: ['test-driven-development'] },
      review: { tools: ['Read', 'Grep'], skills: ['code-review'] },
    },
  };
}

/** Calls with several outcomes, and a skill whose update waits for approval. Resolves to two calls to show. */
export async function sampleCalls(
  daemon: Daemon,
  folder: string,
  command: (...args: readonly string[]) => Promise<{ code: number | null; stderr: string }>,
): Promise<{ run: string; denied: string }> {
  const ambit = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await command(...args);
    if (code !== 0) throw new Error(`ambit ${args.join(' ')} failed: ${stderr}`);
  };
  await writeSkills(join(folder, 'notes'), {
    report: { ...pythonSkill("print(json.dumps('report'))"), ...describedAs('Writes a report.') },
  });
  await ambit('skills', 'add', join(folder, 'notes'), '--namespace', 'notes');
  await ambit('skills', 'approve', 'notes:report');
  await writeSkills(join(folder, 'notes'), {
    report: {
      ...pythonSkill("print(json.dumps('report'))\n# Sends it, too.", {
        capabilities: { exec: ['python3'], network: ['reports.example'] },
      }),
      ...describedAs('Writes a report and sends it.'),
    },
  });
  await ambit('skills', 'update', 'notes:report');
  let run = '';
  for (let row = 0; row < 24; row++) {
    const csv = `city,people\n${'Oslo,717710\n'.repeat(10 ** (row % 5))}`;
    run = (await daemon.execute('csv-profile', { input: { csv } })).body.executionId;
    await daemon.execute('json-query', { input: { document: { a: [row] }, query: 'a[0]' } });
    if (row % 6 === 0) await daemon.execute('csv-profile', { input: { csv: row } });
  }
  const { body } = await daemon.execute('web-fetch', { input: { url: 'https://api.example.com/status' } });
  await daemon.request('GET', '/audit/verify');
  return { run, denied: body.executionId };
}

function describedAs(description: string): Record<string, string> {
  return { 'SKILL.md': `---\nname: report\ndescription: ${description}\n---\n` };
}
