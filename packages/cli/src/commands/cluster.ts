import { hostname } from 'node:os';
import { readSpan } from '@ambit/api';
import { UsageError } from '@ambit/core/outcome';
import { answerTo } from '../command/ask.ts';
import { defineCommand } from '../command/define-command.ts';
import { readInput } from '../command/read-input.ts';
import { printableLine } from '../output/printable.ts';
import { table } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { verifyCluster } from './audit/verify-cluster.ts';
import { clusterOf, clusterPolicyCommands } from './cluster-policy.ts';

const invitationBytesMax = 4096;
const nodeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** `ambit cluster`: the nodes that share a database. */
export const clusterCommands = [
  defineCommand({
    name: 'cluster',
    summary: 'run Ambit on several machines',
    description:
      'Create a cluster, add nodes, drain and retire them. The configuration of each node names the same database in store.postgres, and its own address in cluster.advertise.',
    examples: { 'ambit cluster nodes': 'all nodes, and whether they run' },
  }),
  defineCommand({
    name: 'cluster init',
    summary: 'create a cluster with this machine as its first node',
    description:
      'Create a cluster in the database of store.postgres, with this data directory as its first node. Stop the daemon first. The data directory gets the key of the authority that certifies nodes: keep a copy of cluster/authority.key in a safe place.',
    options: {
      name: { value: 'name', text: 'the name of the node (default: the name of this machine)', parse: name },
    },
    examples: { 'ambit cluster init --name a': 'the first node is called a' },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const made = await (await clusterOf(terminal)).init(config, flags.name ?? name(hostname()));
      if (print.json) return print.document(made);
      print.lines(`Created the cluster ${made.cluster} with the node ${made.name}.`);
      print.note(
        `Keep a copy of ${config.dataDir}/cluster/authority.key in a safe place.`,
        'Next: ambit serve; then "ambit cluster invite NAME" for each further node.',
      );
    },
  }),
  defineCommand({
    name: 'cluster invite',
    summary: 'invite a node',
    description:
      'Print an invitation for one node. The daemon of this node must be running when the new node joins. The invitation is a secret, and can be used once.',
    args: { name: { text: 'the name of the new node', parse: name } },
    options: {
      expires: {
        value: 'time',
        text: 'how long it can be used: 10m, 1h, 1d',
        parse: span,
        default: 3_600_000,
      },
    },
    examples: { 'ambit cluster invite b': 'for an hour' },
    async run({ loadConfig, terminal, print }, flags, { name: invited }) {
      const config = await loadConfig(flags);
      const made = await (await clusterOf(terminal)).invite(config, invited, flags.expires);
      if (print.json) return print.document(made);
      print.lines(made.invitation);
      print.note(
        `On the new machine, before ${made.expiresAt}: run ambit cluster join, paste the invitation, and run ambit serve.`,
      );
    },
  }),
  defineCommand({
    name: 'cluster join',
    summary: 'make this machine a node',
    description:
      'Make this data directory the node that an invitation is for. Stop the daemon first. Its address is cluster.advertise. The command reads the invitation from stdin, or asks for it on a terminal: an argument would show this secret to every user of the machine.',
    options: {
      invitationFile: { value: 'file', text: 'read the invitation from this file; - is stdin', default: '-' },
    },
    examples: {
      'ambit cluster join': 'paste what "ambit cluster invite" printed, then run: ambit serve',
      'ambit cluster join --invitation-file invitation': 'from a file',
    },
    async run({ loadConfig, terminal, print }, flags) {
      const config = await loadConfig(flags);
      const invitation = await invitationIn(terminal, flags.invitationFile);
      const joined = await (await clusterOf(terminal)).join(config, invitation);
      if (print.json) return print.document(joined);
      print.lines(`Joined the cluster ${joined.cluster} as node ${joined.name}.`);
      print.note('Next: ambit serve');
    },
  }),
  defineCommand({
    name: 'cluster nodes',
    summary: 'list the nodes',
    description:
      'List all nodes. "lost": its lease has just ended. "stopped": it was stopped, has lost its lease, or has not started yet. "ambit cluster verify" tells a lost node from a stopped one. "cannot reach": a running node gets no answer from others at their cluster.advertise.',
    examples: { 'ambit cluster nodes --json': 'as JSON' },
    async run({ loadConfig, terminal, print }, flags) {
      const nodes = await (await clusterOf(terminal)).nodes(await loadConfig(flags));
      if (print.json) return print.document({ nodes });
      if (nodes.length === 0)
        return print.lines('The database has no cluster yet. To create one: ambit cluster init');
      const rows = nodes.map((node) => [
        ...[node.name, node.status, node.advertise, node.version || 'not started yet'],
        `epoch ${node.epoch}`,
        node.cannotReach.length === 0 ? '' : `cannot reach ${node.cannotReach.join(', ')}`,
      ]);
      print.lines(...table(rows, print.width));
    },
  }),
  defineCommand({
    name: 'cluster drain',
    summary: 'stop a node from taking calls',
    description:
      'Stop a node from taking calls, from its next renewal on. Its running calls continue, and GET /readyz answers 503, so that a load balancer uses the other nodes.',
    args: { name: { text: 'the name of the node' } },
    options: { undo: { text: 'let it take calls again' } },
    examples: { 'ambit cluster drain b': 'before its machine is updated' },
    async run({ loadConfig, terminal, print }, flags, { name: drained }) {
      const isUndone = flags.undo === true;
      await (await clusterOf(terminal)).drain(await loadConfig(flags), drained, isUndone);
      if (print.json) return print.document({ name: drained, draining: !isUndone });
      print.lines(
        isUndone
          ? `The node ${drained} takes calls again.`
          : `Draining the node ${drained}: it refuses calls after its next renewal.`,
      );
    },
  }),
  defineCommand({
    name: 'cluster retire',
    summary: 'remove a node permanently',
    description:
      'Remove a node permanently: its certificate and its lease are no longer accepted, and its running calls end. Its name cannot be used again. Its records stay. Drain it before, and stop it afterwards.',
    args: { name: { text: 'the name of the node' } },
    examples: { 'ambit cluster retire b': 'after its machine was lost' },
    async run({ loadConfig, terminal, print }, flags, { name: retired }) {
      await (await clusterOf(terminal)).retire(await loadConfig(flags), retired);
      if (print.json) return print.document({ name: retired, status: 'retired' });
      print.lines(`The node ${retired} is retired.`);
    },
  }),
  defineCommand({
    name: 'cluster log',
    summary: 'list what happened to the nodes and the policy',
    description:
      'List the entries of the log of the cluster: nodes that joined, were retired, lost or duplicated, and changes of the policy, each with the node that signed it. "ambit cluster verify" checks the signatures.',
    examples: { 'ambit cluster log --json': 'as JSON' },
    async run({ loadConfig, terminal, print }, flags) {
      const entries = await (await clusterOf(terminal)).log(await loadConfig(flags));
      if (print.json) return print.document({ entries });
      const rows = entries.map(({ sequence, time, kind, node, revision, by }) =>
        [
          ...[String(sequence), time ?? '-', kind ?? 'unreadable'],
          ...[node ?? (revision === null ? '-' : `revision ${revision}`), `by ${by}`],
        ].map(printableLine),
      );
      print.lines(...table(rows, print.width));
    },
  }),
  defineCommand({
    name: 'cluster verify',
    summary: 'verify the audit logs of all nodes',
    description:
      'Verify the audit logs of all nodes from the database: each chain and signature, the tree over their checkpoints, and whether a node ended without a trace. The same as ambit audit verify --cluster. Exits with 0 if there is no finding, otherwise with 3.',
    examples: { 'ambit cluster verify': 'all nodes' },
    run: verifyCluster,
  }),
  ...clusterPolicyCommands,
];

/** The invitation in a file or in stdin, or that a person pastes at a terminal. */
export async function invitationIn(
  terminal: Pick<Terminal, 'stdin' | 'stderr' | 'cwd'>,
  file: string,
): Promise<string> {
  const text =
    file === '-' && terminal.stdin.isTTY === true
      ? await answerTo('Invitation: ', terminal)
      : await readInput(terminal, file, invitationBytesMax, 'the limit for an invitation');
  return text.trim();
}

function name(text: string): string {
  if (nodeName.test(text)) return text;
  throw new UsageError(
    'A node\'s name has up to 63 letters, digits, ".", "_" and "-", and starts with a letter or digit.',
  );
}

function span(text: string): number {
  const found = readSpan(text);
  if (found !== undefined) return found;
  throw new UsageError('Write a duration: 10m, 1h, 1d.');
}
