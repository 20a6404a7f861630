import type { Capabilities } from '@ambit/core/execute';
import {
  declaredGrant,
  declaredLines,
  type InspectedScript,
  type InspectionFinding,
  inspectionSeverities,
  wasmText,
} from '@ambit/core/inspect';
import type { SkillReview } from '@ambit/server/installs';
import { shellWord } from '@ambit/server/trust';
import { plural } from '../../../output/plural.ts';
import { printableLine } from '../../../output/printable.ts';
import type { Printer } from '../../../output/printer.ts';
import { signerText } from '../installs/signer-text.ts';

const filesMax = 12;
const scriptsMax = 12;
const notesMax = 5;

/** A review on one screen. `all`: every note, and what each script names. `next` is its end: what to do. */
export function reviewText(
  print: Printer,
  review: SkillReview,
  { all = false, operator }: { all?: boolean | undefined; operator?: Capabilities | undefined },
  next = nextText(print, review),
): string[] {
  const { problem } = review;
  const head = [review.id, review.version, review.tier].filter((part) => part !== null).join(', ');
  return [
    print.style('bold', printableLine(head)),
    ...(review.description === null ? [] : [`  ${printableLine(review.description)}`]),
    ...(problem === null
      ? []
      : [`  ${print.style('red', printableLine(`It cannot be loaded: ${problem}`))}`]),
    ...review.warnings.map((warning) => `  warning: ${printableLine(warning)}`),
    ...review.hiddenFrom.map((who) => `  hidden from: ${who}`),
    ...(review.digest === null ? [] : [`  digest  ${review.digest}`]),
    placeText(review),
    ...signerLine(print, review),
    ...(review.files.length === 0 ? [] : [`  files   ${printableLine(filesText(review))}`]),
    '',
    // Without files there is nothing to ask for and nothing to find.
    ...(review.files.length === 0 ? [] : readingText(print, review, { all, operator })),
    ...next,
  ];
}

/** Describes the text that was read in its files. */
function readingText(
  print: Printer,
  review: SkillReview,
  { all, operator }: { all: boolean; operator: Capabilities | undefined },
): string[] {
  const { findings, requests } = review;
  return [
    print.style('bold', 'Asks for'),
    ...requests.map((text) => `  ${text.startsWith('  ') ? '  ' : ''}${printableLine(text)}`),
    ...(all ? review.scripts.flatMap(scriptText) : []),
    ...declaresText(print, review, operator),
    ...packagesText(print, review),
    ...pythonText(print, review, all),
    '',
    print.style('bold', `Found: ${countText(findings)}`),
    ...findingsText(print, findings, all),
    '',
  ];
}

/** Describes what it declares for other tools, and the line that grants what a skill without an `ambit.yaml` can be granted. */
function declaresText(print: Printer, review: SkillReview, operator: Capabilities | undefined): string[] {
  const { declares } = review;
  if (declares.length === 0) return [];
  const grant = declaredGrant(review, operator);
  return [
    '',
    print.style('bold', 'Declares for other tools'),
    ...declaredLines(declares).map((line) => `  ${printableLine(line)}`),
    ...(grant === undefined ? [] : [`  To grant it, add to ambit.config.yaml: ${grant}`]),
  ];
}

/** The packages that it needs: locked, declared and guessed. */
function packagesText(
  print: Printer,
  { dependencies, packages }: SkillReview & { packages?: readonly string[] },
): string[] {
  const { declared, refused, guessed } = dependencies;
  const lines = [
    ...(packages ?? []).map((each) => `locked    ${each}`),
    ...declared.map(({ kind, text, file }) => `declared  ${kind === 'npm' ? 'npm:' : ''}${text}  (${file})`),
    ...refused.map(
      ({ text, file, reason }) => `refused   ${text === '' ? file : `${text}  (${file})`}, which ${reason}`,
    ),
    ...guessed.map(({ kind, name }) => `guessed   ${kind === 'npm' ? 'npm:' : ''}${name}, from an import`),
  ];
  return lines.length === 0
    ? []
    : ['', print.style('bold', 'Needs packages'), ...lines.map((line) => `  ${printableLine(line)}`)];
}

/** Lists its Python scripts that run in WebAssembly, and why others do not. */
function pythonText(print: Printer, { scripts, tier }: SkillReview, all: boolean): string[] {
  const lines = scripts.flatMap(({ path, wasm }) =>
    wasm === null || isTrusted(tier) ? [] : [printableLine(`${path}: ${wasmText(wasm)}`)],
  );
  if (lines.length === 0) return [];
  const shown = all ? lines : lines.slice(0, scriptsMax);
  const more = lines.length - shown.length;
  return [
    '',
    print.style('bold', 'Python before you trust it, as far as its text shows'),
    ...shown.map((line) => `  ${line}`),
    ...(more === 0 ? [] : [`  and ${plural(more, 'more script')}; list them with --all`]),
  ];
}

function isTrusted(tier: string | null): boolean {
  return tier === 'local' || tier === 'verified';
}

function placeText({ root, source }: SkillReview): string {
  if (source === null) return `  folder  ${printableLine(root)}`;
  const [[kind, value] = []] = Object.entries(source.resolved ?? {});
  return `  source  ${printableLine(source.named)}${kind === undefined ? '' : `, ${kind} ${value}`}`;
}

function signerLine(print: Printer, { signer }: SkillReview): string[] {
  if (signer === undefined) return [];
  const { problem } = signer;
  const text = problem === null ? signerText(signer) : print.style('red', printableLine(problem));
  return [`  signer  ${text}`];
}

function filesText({ files, bytes }: SkillReview): string {
  const shown = files.slice(0, filesMax).map(({ path, bytes: size }) => `${path} (${sizeText(size)})`);
  const more = files.length > filesMax ? ` and ${files.length - filesMax} more` : '';
  return `${plural(files.length, 'file')}, ${sizeText(bytes)}: ${shown.join(', ')}${more}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function scriptText(script: InspectedScript): string[] {
  const { path, language, wasm: _wasm, ...named } = script;
  const facts = Object.entries(named).filter(([, names]) => names.length > 0);
  return [
    printableLine(`${path}, ${language}`),
    ...facts.map(([kind, names]) => printableLine(`${kind}: ${names.join(', ')}`)).map((text) => `  ${text}`),
  ].map((text) => `  ${text}`);
}

function countText(findings: readonly InspectionFinding[]): string {
  const counts = inspectionSeverities
    .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => (severity === 'note' ? plural(count, 'note') : `${count} ${severity}`));
  return counts.length === 0 ? 'no findings' : counts.join(', ');
}

function findingsText(print: Printer, findings: readonly InspectionFinding[], all: boolean): string[] {
  const notes = findings.filter(({ severity }) => severity === 'note');
  const hidden = all ? 0 : Math.max(0, notes.length - notesMax);
  const shown = findings.slice(0, findings.length - hidden);
  return [
    ...shown.flatMap((each) => findingText(print, each)),
    ...(hidden === 0 ? [] : [`  and ${plural(hidden, 'more note')}; list them with --all`]),
  ];
}

const styles = { refuse: 'red', high: 'red', medium: 'yellow', note: 'dim' } as const;

function findingText(print: Printer, finding: InspectionFinding): string[] {
  const { rule, severity, file, line, excerpt, sentence, count } = finding;
  const place =
    file === null
      ? ''
      : `${line === null ? file : `${file}:${line}`}${count > 1 ? ` (and ${count - 1} more)` : ''}  `;
  return [
    `  ${print.style(styles[severity], severity.padEnd(6))}  ${printableLine(place)}${place === '' ? '' : '  '}${print.style('dim', `[${printableLine(rule)}]`)}`,
    ...(excerpt === null ? [] : [`          > ${printableLine(excerpt)}`]),
    `          ${printableLine(sentence)}`,
  ];
}

/** Describes the next step. Never green: the absence of findings proves nothing. */
function nextText(
  print: Printer,
  { id, root, source, findings, problem, tier, executable }: SkillReview,
): string[] {
  const [worst] = findings;
  const advice = [];
  if (problem !== null && source !== null) advice.push('Ask its author to correct it.');
  else if (problem !== null) {
    advice.push(`To see every mistake, run: ambit skills validate ${printableLine(shellWord(root))}`);
  } else if (worst?.severity === 'refuse') {
    advice.push('Do not use this skill. If it is yours, remove the hidden text and review it again.');
  } else if (worst?.severity === 'high' || worst?.severity === 'medium') {
    advice.push(
      'Read each place above before you use the skill, and ask its author about what you do not understand.',
    );
  } else
    advice.push(
      'No rule found a reason to stop. That does not make the skill safe: read SKILL.md and its scripts.',
    );
  advice.push(
    'The protection is the sandbox and what you grant, not this report: grant only what the skill needs.',
  );
  if (problem === null && worst?.severity !== 'refuse') {
    if (source !== null)
      advice.push(`To install it, run: ambit skills add ${printableLine(shellWord(source.named))}`);
    else
      advice.push(
        tier === 'untrusted'
          ? `To use it, add to ambit.config.yaml: skills: [{ path: ${printableLine(JSON.stringify(root))}, tier: ${executable ? 'verified' : 'untrusted'} }]`
          : `To see how to call it, run: ambit skills show ${printableLine(id)}`,
      );
  }
  return [print.style('bold', 'Next'), ...advice.map((text) => `  ${text}`)];
}
