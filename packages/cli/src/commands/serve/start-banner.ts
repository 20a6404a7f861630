import type { Skill } from '@ambit/core';
import { everyRun, mayStart } from '@ambit/core/skill';
import type { RunningDaemon, SandboxState } from '@ambit/server/app';
import { shellWord } from '@ambit/server/trust';
import { printableLine } from '../../output/printable.ts';

/** The report that `ambit serve` prints once it listens: as a banner, or as JSON with `--json`. */
interface StartReport {
  url: string;
  skills: { total: number; executable: number };
  broken: RunningDaemon['broken'];
  sandboxes: RunningDaemon['sandboxes'];
  keyFile: string;
  auditFile: string;
  /** A command for a shell on this machine. It names the key's file. No argument of it contains the key. */
  curl: string;
}

/** Builds the report. A skill counts as executable if its tier and this machine's sandboxes let it run. */
export function startReport({
  url,
  skills,
  broken,
  sandboxes,
  keyFile,
  auditFile,
}: Omit<RunningDaemon, 'close' | 'reload'>): StartReport {
  const executable = skills.filter((skill) => canRun(skill, sandboxes));
  return {
    url,
    skills: { total: skills.length, executable: executable.length },
    broken,
    sandboxes,
    keyFile,
    auditFile,
    curl: curlLine(url, keyFile, executable),
  };
}

/** The banner. Its last line is the command to paste. */
export function startBanner(report: StartReport): string[] {
  const { skills, broken, sandboxes } = report;
  return [
    `Ambit is listening on ${report.url}`,
    '',
    `  skills           ${skills.total}, ${skills.executable} executable`,
    ...(broken.length === 0 ? [] : [`  unusable         ${broken.length}`]),
    ...broken.map(({ root, problem }) => `    ${printableLine(root)}: ${printableLine(problem)}`),
    `  process sandbox  ${sandboxText(sandboxes.process, 'Process skills are refused with SANDBOX_UNAVAILABLE')}`,
    `  wasm sandbox     ${sandboxText(sandboxes.wasm, 'WASM skills are refused with SANDBOX_UNAVAILABLE')}`,
    `  key file         ${report.keyFile}`,
    `  audit log        ${report.auditFile}`,
    '',
    'Try it from another terminal:',
    '',
    report.curl,
  ];
}

function canRun(skill: Skill, sandboxes: RunningDaemon['sandboxes']): boolean {
  return everyRun(skill).some((run) => sandboxes[run.runtime].works && mayStart(skill, run));
}

function sandboxText(sandbox: SandboxState, consequence: string): string {
  if (sandbox.works) return sandbox.name;
  return `none: ${printableLine(sandbox.detail)}. ${consequence}. ${printableLine(sandbox.fix)}`;
}

/** Sample calls of bundled skills. The first executable one is used. */
const samples: readonly [skillId: string, body: object][] = [
  ['text-redact', { input: { text: 'mail me at ada@example.org' } }],
  ['csv-profile', { input: { csv: 'city,seats\nOslo,120\nLima,80\n' } }],
  ['text-diff', { input: { before: 'one\ntwo\n', after: 'one\n2\n' } }],
];

function curlLine(url: string, keyFile: string, executable: readonly Skill[]): string {
  // On stdin: every user of the machine can read the arguments of curl.
  const header = `sed 's/^/Authorization: Bearer /' ${shellWord(keyFile)}`;
  const sample = samples.find(([id]) => executable.some((skill) => skill.id === id));
  if (sample === undefined) return `${header} | curl -s ${url}/skills -H @-`;
  const [id, body] = sample;
  return `${header} | curl -s ${url}/skills/${id}/execute -H @- -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
}
