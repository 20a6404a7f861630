import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { folderCatalog } from '../packages/runtime/src/index.ts';

const characters = 60 * 1024;
const folders = 6;

/** Sidecars of 60 KiB, each as expensive to parse as possible. */
const shapes: Readonly<Record<string, string>> = {
  'keys on lines': lines((at) => `${at.toString(36)}:\n`),
  'keys in braces': `{${lines((at) => `${at.toString(36)},`)}}`,
  'the same key again': lines(() => ':\n'),
  aliases: `a: &a 1\nb:\n${lines(() => ' - *a\n')}`,
  anchors: lines(() => '&a '),
  'unclosed brackets': lines(() => '['),
  'unknown keys in a list': `context:\n${lines((at) => ` - { type: file, path: a, x${at}: 1 }\n`)}`,
  'one value with blanks': `a: b${' '.repeat(characters)}c`,
};

/**
 * Measures what six discovered folders with hostile sidecars cost the main thread, and a start that waits
 * for the catalog.
 */
export async function yamlBench(folder: string): Promise<void> {
  console.log(`${folders} discovered folders with a sidecar of 60 KiB each\n`);
  console.log(`  ${'sidecar'.padEnd(26)}${'listed after'.padStart(14)}${'worst stall'.padStart(14)}`);
  for (const [title, sidecar] of Object.entries(shapes)) {
    const root = join(folder, title);
    await writeSkills(root, sidecar);
    const catalog = folderCatalog([{ path: root, tier: 'untrusted', discovered: true }]);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const broken = await catalog.broken();
    const tookMs = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, 5));
    delay.disable();
    await catalog.close();
    if (broken.length !== folders) throw new Error(`${title}: ${broken.length} of ${folders} were refused`);
    console.log(`  ${title.padEnd(26)}${ms(tookMs)}${ms(delay.max / 1e6)}`);
  }
  console.log('');
}

function lines(line: (at: number) => string): string {
  let text = '';
  for (let at = 0; text.length < characters; at += 1) text += line(at);
  return text.slice(0, characters);
}

async function writeSkills(root: string, sidecar: string): Promise<void> {
  for (let at = 0; at < folders; at += 1) {
    const place = join(root, `skill-${at}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'SKILL.md'), `---\nname: skill-${at}\ndescription: d\n---\n`);
    await writeFile(join(place, 'ambit.yaml'), sidecar);
  }
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`.padStart(14);
}
