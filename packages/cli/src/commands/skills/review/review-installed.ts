import type { InstallReview } from '@ambit/api';
import type { SkillReview } from '@ambit/server/installs';
import { decisionText } from '@ambit/server/trust';
import type { CommandContext } from '../../../command/define-command.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { nextCommand } from '../../../output/next-command.ts';
import { printable, printableLine } from '../../../output/printable.ts';
import type { Printer } from '../../../output/printer.ts';
import { signerText } from '../installs/signer-text.ts';

/** The review of an installed skill; `undefined` if `named` is none. */
export async function installedReview(
  context: CommandContext,
  named: string,
): Promise<{ review: SkillReview & { packages: string[] }; changes: InstallReview } | undefined> {
  // A folder can be reviewed where no configuration can be used.
  const config = await context.loadConfig(context.flags).catch(() => undefined);
  const ids = Object.keys(config?.installed ?? {});
  const isInstalled = ids.some((id) => id === named || id.endsWith(`:${named}`));
  // Another machine has its own lock file.
  if (!isInstalled && context.flags.url === undefined) return undefined;
  if (!/^[a-z0-9:-]+$/.test(named)) return undefined;
  const changes = await withInstalls(context, 'Reading', (installs) => installs.review(named)).catch(
    (error: unknown) => {
      if (!isInstalled && (error as { code?: unknown }).code === 'INSTALL_NOT_FOUND') return undefined;
      throw error;
    },
  );
  if (changes === undefined) return undefined;
  const { skill, digest, reading } = changes;
  const where = skill.folder === '' ? skill.source : `${skill.source}#:${skill.folder}`;
  const [kind, value] = skill.resolved?.split(':') ?? [];
  const resolved =
    kind === 'commit' && value !== undefined
      ? { commit: value }
      : value === undefined
        ? null
        : { sha256: value };
  const tier = skill.state === 'approved' ? skill.tier : skill.state;
  return {
    changes,
    review: {
      id: skill.id,
      ...reading,
      digest,
      tier,
      root: '',
      source: { named: where, resolved },
      packages: changes.packages,
    },
  };
}

/** Describes how a version differs from the approved one, and how to approve it. */
export function installText({ print, flags, terminal }: CommandContext, changes: InstallReview): string[] {
  const { skill, review, approved, gets, wider, narrower, files, reading, provenance, packageChanges } =
    changes;
  const lines: string[] = [
    print.style('bold', 'Signer'),
    `  ${signerText(provenance)}`,
    ...[provenance.change, provenance.problem].flatMap((text) =>
      text === null ? [] : [`  ${print.style('yellow', printableLine(text))}`],
    ),
    '',
    ...namespaceLines(print, changes),
    ...(gets.length === 0
      ? []
      : [
          print.style('bold', skill.state === 'approved' ? 'What it gets' : 'What it gets if you approve it'),
          ...gets.map((text) => `  ${printableLine(text)}`),
          '',
        ]),
  ];
  if (approved !== null && skill.waiting !== null)
    lines.push(
      print.style('bold', 'Differs from the approved version'),
      ...wider.map((text) => `  ${print.style('yellow', 'more')}  ${printableLine(text)}`),
      ...narrower.map((text) => `  less  ${printableLine(text)}`),
      ...(wider.length + narrower.length === 0 ? ['  It asks for the same, and gets the same.'] : []),
      ...packageChanges.map((text) => `  package  ${printableLine(text)}`),
      ...files.map(({ path, change }) => `  ${change.padEnd(7)}  ${printableLine(path)}`),
      '',
      ...files.flatMap(({ diff }) => (diff === null ? [] : printable(diff).trimEnd().split('\n'))),
      '',
    );
  const isRefused = reading.findings.some(({ severity }) => severity === 'refuse');
  const advice = [
    'Findings are advice. The protection is the sandbox and what you grant: grant only what the skill needs.',
  ];
  if (skill.state === 'revoked')
    advice.push(
      `It is revoked, so it cannot be used. ${decisionText(
        terminal,
        `To take that back, run: ${nextCommand(`ambit skills restore ${skill.id}`, flags)}`,
        'A person decides, in a terminal, whether to take that back.',
      )}`,
    );
  else if (reading.problem !== null)
    advice.push(`To fetch its files again, run: ${nextCommand('ambit skills sync', flags)}`);
  else if (provenance.problem !== null)
    advice.push(`To read its source again, run: ${nextCommand(`ambit skills update ${skill.id}`, flags)}`);
  else if (isRefused) advice.push('Do not approve it.');
  else if (skill.state === 'approved')
    advice.push(
      `It is approved. To see how to call it, run: ${nextCommand(`ambit skills show ${skill.id}`, flags)}`,
    );
  else
    advice.push(
      ...(isOpen(changes)
        ? [`To lock its packages, run: ${nextCommand(`ambit skills deps ${skill.id}`, flags)}`]
        : []),
      decisionText(
        terminal,
        `To approve exactly this, run: ${nextCommand(`ambit skills approve ${skill.id} --review ${review}`, flags)}`,
        'A person decides, in a terminal, whether to approve it, after reading this.',
      ),
    );
  return [...lines, print.style('bold', 'Next'), ...advice.map((text) => `  ${text}`)];
}

/** Names the sources that share its namespace and have another host or owner. */
function namespaceLines(print: Printer, { skill: { id }, namespaceSources }: InstallReview): string[] {
  if (namespaceSources.length === 0) return [];
  const sources = namespaceSources.slice(0, 3).join(', ');
  const text = `${id.split(':')[0]} is also the namespace of skills of ${sources}, whose host or owner is another one.`;
  return [print.style('bold', 'Namespace'), `  ${print.style('yellow', printableLine(text))}`, ''];
}

/** Whether it declares packages, and none are locked. */
function isOpen({ packages, reading }: InstallReview): boolean {
  return packages.length === 0 && reading.dependencies.declared.length > 0;
}
