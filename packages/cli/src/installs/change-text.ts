import type { InstallChange, InstallChanges, RefusedInstall } from '@ambit/api';
import { shellWord } from '@ambit/server/trust';
import { nextCommand, type RepeatedFlags } from '../output/next-command.ts';
import { plural } from '../output/plural.ts';
import { printableLine } from '../output/printable.ts';
import type { Printer } from '../output/printer.ts';
import { table } from '../output/table.ts';

/** Describes a change as a table with one line for each skill, and the skills that were left out. */
export function changeLines(print: Printer, { skills, refused }: InstallChanges): string[] {
  const rows = skills.map((each) => [
    each.id,
    each.change,
    each.executable ? 'runs programs' : 'instructions',
    each.publisher ?? '-',
    findingsText(each.findings),
    aboutText(each),
  ]);
  const heads = ['ID', 'CHANGE', 'KIND', 'PUBLISHER', 'FINDINGS', 'ABOUT'];
  const [head = '', ...lines] = table([heads, ...rows], print.width);
  const signers = skills.flatMap(({ id, provenance }) =>
    provenance === null ? [] : [print.style('yellow', printableLine(`${id}: ${provenance}`))],
  );
  return [
    ...(skills.length === 0 ? [] : [print.style('bold', head), ...lines]),
    ...(signers.length === 0 ? [] : ['', ...signers]),
    ...packageLines(print, skills),
    ...refusedLines(print, refused),
  ];
}

function aboutText({ change, wider, description }: InstallChange): string {
  if (change === 'missing') return 'its source no longer has it';
  return wider.length > 0 ? `more: ${wider.join('; ')}` : (description ?? '');
}

/** So many of one code are named: a repository can have hundreds of translated copies. */
const namedMax = 5;

/** The packages that were locked, and why others were not. */
function packageLines(print: Printer, skills: InstallChanges['skills']): string[] {
  const locked = skills.filter(({ packages, change }) => packages.length > 0 && change !== 'unchanged');
  const open = skills.filter(({ packageProblem }) => packageProblem !== null);
  return [
    ...(locked.length === 0 ? [] : ['', print.style('bold', 'Locked packages')]),
    ...locked.map(({ id, packages }) => `  ${printableLine(`${id}: ${packages.join(', ')}`)}`),
    ...(open.length === 0
      ? []
      : ['', print.style('yellow', `Packages of ${plural(open.length, 'skill')} not locked:`)]),
    ...open
      .slice(0, namedMax)
      .map(
        ({ id, packageProblem: problem }) =>
          `  ${printableLine(`${id}: ${problem?.code}: ${problem?.message}`)}`,
      ),
    ...(open.length > namedMax ? [`  and ${open.length - namedMax} more`] : []),
    ...(open[0] === undefined ? [] : [`  Then run: ambit skills deps ${open[0].id}`]),
  ];
}

/** The skills that were left out, and why. */
function refusedLines(print: Printer, refused: readonly RefusedInstall[]): string[] {
  if (refused.length === 0) return [];
  const lines = [...Map.groupBy(refused, ({ code }) => code)].flatMap(([code, each]) => [
    ...each.slice(0, namedMax).map(({ message }) => `  ${printableLine(`${code}: ${message}`)}`),
    ...(each.length > namedMax ? [`  ${code}: ${each.length - namedMax} more, which --json lists`] : []),
  ]);
  return ['', print.style('yellow', 'Left out:'), ...lines];
}

/** Findings that matter, by severity. Notes are left out. */
export function findingsText(findings: InstallChange['findings']): string {
  const texts = ['high', 'medium'].flatMap((severity) => {
    const count = findings[severity] ?? 0;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return texts.length === 0 ? 'none found' : texts.join(', ');
}

/** Describes the next steps for skills that were added. */
export async function nextLines({ skills }: InstallChanges, flags: RepeatedFlags): Promise<string[]> {
  // A skill that is unchanged may be approved already.
  const changed = skills.filter(({ change }) => change !== 'unchanged' && change !== 'approved');
  const first = changed.find(({ executable }) => executable) ?? changed[0];
  if (first === undefined)
    return skills.length === 0 ? [] : ['', `Next: ${nextCommand('ambit skills installed', flags)}`];
  const python = changed.find(({ runsInWasm = [] }) => runsInWasm.length > 0);
  return [
    '',
    stateText(first, python !== undefined),
    `Next: ${nextCommand(`ambit skills review ${first.id}`, flags)}`,
    ...(python === undefined ? [] : [`Or run: ${firstCall(python, flags)}`]),
    // A remote daemon may have it.
    ...(python === undefined || flags.url !== undefined ? [] : await pythonLines()),
  ];
}

/** The remedy, if the interpreter of Python in WebAssembly cannot be used on this machine. */
async function pythonLines(): Promise<string[]> {
  const { pythonPackage } = await import('@ambit/runtime');
  const { wasmPython } = await import('@ambit/server/wire');
  const { fix } = await wasmPython(pythonPackage());
  return fix === undefined ? [] : [`For that, ${fix}`];
}

/** A call that works before the skill is approved. */
function firstCall({ id, runsInWasm: [script = ''] = [] }: InstallChange, flags: RepeatedFlags): string {
  const named = printableLine(shellWord(script));
  return `${nextCommand(`ambit run ${id} --script ${named}`, flags)} -- --help`;
}

function stateText({ change, executable }: InstallChange, hasPython: boolean): string {
  if (change === 'waiting') return 'A later version waits for approval. Read it, then approve it.';
  if (hasPython)
    return 'Python scripts of new skills run in WebAssembly, without network and files of this machine. Other programs do not run yet. Read a skill, then approve it.';
  return executable
    ? 'Programs of new skills do not run yet. Read a skill, then approve it.'
    : 'These skills have only instructions. Until you approve them, prompts list them as untrusted.';
}
