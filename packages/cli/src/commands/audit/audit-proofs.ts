import { resolve } from 'node:path';
import type { Inclusion, Verification } from '@ambit/core/audit';
import { UsageError } from '@ambit/core/outcome';
import type { VerifyRequest } from '@ambit/server/local';
import { type CommandContext, defineCommand } from '../../command/define-command.ts';
import { readInput } from '../../command/read-input.ts';
import { plural } from '../../output/plural.ts';
import { printableLine } from '../../output/printable.ts';
import type { Printer } from '../../output/printer.ts';
import { verifyCluster } from './verify-cluster.ts';
import { whileVerifying } from './while-verifying.ts';

const receiptBytesMax = 1024 * 1024;

/** `ambit audit verify`, `receipt`, `verify-receipt` and `rotate-key`. */
export const auditProofCommands = [
  defineCommand({
    name: 'audit verify',
    summary: 'verify the audit log',
    description:
      'Verify the whole log, with or without a running daemon, and report the first mismatch. Exits with 0 if there is none, otherwise with 3. To detect a truncated end, it needs checkpoints stored elsewhere. Without a public key stored elsewhere, it trusts the key beside the log.',
    options: {
      log: { value: 'file', text: 'verify this copy of a log (default: the log in the data directory)' },
      publicKey: { value: 'file', text: 'trust this key, in PEM (default: audit-key.pub beside the log)' },
      checkpoints: { value: 'file', text: 'compare with these checkpoints, stored elsewhere as JSON lines' },
      cluster: { text: 'verify the logs of all nodes of the cluster, in its database' },
    },
    examples: {
      'ambit audit verify': 'the log in the data directory',
      'ambit audit verify --log backup.db --public-key audit-key.pub': 'a copy, on any machine',
      'ambit audit verify --checkpoints /mnt/elsewhere/checkpoints.jsonl': 'whether its end is missing',
      'ambit audit verify --cluster': 'all nodes of a cluster',
    },
    async run(context, flags) {
      const { print } = context;
      if (flags.cluster === true) return verifyCluster(context);
      const config = await context.loadConfig(flags);
      const { verifyAudit } = await import('@ambit/server/local');
      await whileVerifying(
        context,
        'events',
        (verifying) => verifyAudit(config, { ...paths(context, flags), ...verifying }),
        (found) => verificationText(print, found),
      );
    },
  }),
  defineCommand({
    name: 'audit receipt',
    summary: 'print a signed receipt of a call or of another event',
    description:
      'Print a receipt of a call as JSON, signed with the audit signing key. It contains the skill, policy, decision, capabilities, digests of input and output, the outcome, and the positions of its events in the log. An event outside calls, such as the approval of a skill, has a receipt by its sequence.',
    args: { executionId: { text: 'the id of the call, or the sequence of another event' } },
    examples: {
      'ambit audit receipt 0190e0a4-7c1e-7000-8000-000000000000 > receipt.json': 'for others to verify',
      'ambit audit receipt 42 > approval.json': 'of an event outside calls',
    },
    async run({ loadConfig, print }, flags, { executionId }) {
      const config = await loadConfig(flags);
      const { auditReceipt } = await import('@ambit/server/local');
      const receipt = await auditReceipt(config, executionId);
      if (receipt === undefined)
        throw new UsageError(
          /^\d+$/.test(executionId)
            ? `no receipt for event ${executionId}: it does not exist, was pruned, or belongs to a call, whose receipt needs the id of the call. To find that, run: ambit audit show ${executionId}`
            : `no receipt for ${JSON.stringify(executionId)}: the call does not exist, has not ended, or was refused before it named a skill. To find its id, run: ambit audit --json`,
        );
      print.document(receipt);
    },
  }),
  defineCommand({
    name: 'audit verify-receipt',
    summary: 'verify a receipt',
    description:
      'Verify a receipt with a public key, without a log, a daemon or a network. With --log, the receipt must also match that log. In a cluster, prints which node signed the head of the tree that covers it. Exits with 0 if it is valid, otherwise with 3.',
    args: { file: { text: 'the receipt; - is stdin' } },
    options: {
      publicKey: { value: 'file', text: 'require a signature by this key, in PEM', required: true },
      log: { value: 'file', text: 'compare the receipt with this log' },
      authority: {
        value: 'file',
        text: 'require a tree head by a node that this authority of a cluster certified, in PEM',
      },
    },
    examples: { 'ambit audit verify-receipt receipt.json --public-key audit-key.pub': 'with the key alone' },
    async run(context, flags, { file }) {
      const { print } = context;
      const text = await readInput(context.terminal, file, receiptBytesMax);
      const { log } = paths(context, flags);
      const publicKey = resolve(context.terminal.cwd(), flags.publicKey);
      const authority =
        flags.authority === undefined ? undefined : resolve(context.terminal.cwd(), flags.authority);
      const { checkAuditReceipt } = await import('@ambit/server/local');
      const check = await checkAuditReceipt({ text, publicKey, log, authority });
      if (print.json) print.document(check);
      else if (check.valid) {
        const { receipt, keyId, inclusion } = check;
        print.lines(
          print.style('green', 'The receipt is valid.'),
          receipt.type === 'ambit/receipt/1'
            ? `${receipt.skill.id} ended as ${receipt.outcome} at ${receipt.endedAt} (${receipt.executionId}), signed by the key ${keyId}.`
            : printableLine(
                `Event ${receipt.sequence}, ${receipt.event.kind} at ${new Date(receipt.event.time).toISOString()}, signed by the key ${keyId}: ${JSON.stringify(receipt.event)}`,
              ),
          ...treeText(inclusion, authority !== undefined),
        );
      } else
        print.lines(
          print.style('red', `The receipt is not valid: ${check.reason}.`),
          `${capitalized(check.message)}.`,
        );
      context.exitCode = check.valid ? 0 : 3;
    },
  }),
  defineCommand({
    name: 'audit rotate-key',
    summary: 'rotate the signing key',
    description:
      'Create a new signing key for the log in the data directory, signed by the old key. Stop the daemon first. Then replace every copy of the old audit-key.pub with the new one.',
    options: { lost: { text: 'rotate without the old key, which then does not sign the new one' } },
    examples: { 'ambit audit rotate-key': 'with the daemon stopped' },
    async run({ loadConfig, print }, flags) {
      const config = await loadConfig(flags);
      const { rotateAuditKey } = await import('@ambit/server/local');
      const rotated = await rotateAuditKey(config, { isLost: flags.lost === true });
      if (print.json) print.document(rotated);
      else print.lines(`Rotated the signing key from ${rotated.from} to ${rotated.to}.`);
    },
  }),
];

function paths(
  { terminal }: CommandContext,
  flags: { log?: string; publicKey?: string; checkpoints?: string },
): Omit<VerifyRequest, 'onProgress' | 'signal'> {
  const paths = Object.entries({
    log: flags.log,
    publicKey: flags.publicKey,
    checkpoints: flags.checkpoints,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(paths.map(([name, path]) => [name, resolve(terminal.cwd(), path)]));
}

function verificationText(print: Printer, found: Verification): string[] {
  const { logId, first, last, events, checkpoints, signedThrough, trustedKeyId, indexedThrough } = found;
  const extent =
    last === null
      ? `No event of the log ${logId} is verified.`
      : `Verified ${plural(events, 'event')} of the log ${logId}, ${first} to ${last.sequence}. ${signedText(checkpoints, signedThrough)}`;
  const whose =
    trustedKeyId === null
      ? 'Only the keys in the log itself were used. To name a key that you trust, add: --public-key FILE'
      : `Checked with the key ${trustedKeyId}.`;
  const index =
    indexedThrough === null
      ? 'There is no index to compare.'
      : `The index matches the log up to event ${indexedThrough}.`;
  if (found.intact)
    return [
      print.style('green', 'The log is intact.'),
      events === 0 ? 'It has no events.' : extent,
      index,
      whose,
    ];
  const what = found.reason === 'index' ? 'The index does not match the log' : 'The log is not intact';
  return [
    print.style(
      'red',
      `${what}: ${found.reason}${found.sequence === null ? '' : ` at event ${found.sequence}`}.`,
    ),
    `${capitalized(found.message)}.`,
    extent,
    whose,
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function signedText(checkpoints: number, signedThrough: number): string {
  if (checkpoints === 0) return 'None of them is signed by a checkpoint yet.';
  return `They are signed up to event ${signedThrough} (${checkpoints} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}).`;
}

function treeText(inclusion: Inclusion | undefined, isCertified: boolean): string[] {
  if (inclusion === undefined)
    return isCertified ? ['It has no proof that the tree of a cluster covers it.'] : [];
  const [origin = '', size = ''] = inclusion.head.split('\n');
  const signed = `The tree ${origin} covers it: its head, of ${size} leaves, is signed by node ${inclusion.signer.node}`;
  return [
    printableLine(
      isCertified
        ? `${signed}, which the authority has certified.`
        : `${signed}. To check that the cluster certified this node, add: --authority FILE`,
    ),
  ];
}
