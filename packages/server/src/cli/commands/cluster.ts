import { hostname } from 'node:os';
import { readSpan } from '@ambit/api';
import { type Command, InvalidArgumentError } from 'commander';
import { answerTo } from '../command/ask.ts';
import { type CommandContext, examples, flagsOf } from '../command/command-context.ts';
import { readInput } from '../command/read-input.ts';
import { printableLine } from '../output/printable.ts';
import { table } from '../output/table.ts';
import { verifyClusterCommand } from './audit/verify-cluster.ts';
import { addClusterPolicy } from './cluster-policy.ts';

const invitationBytesMax = 4096;
const nodeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** `ambit cluster`: the nodes that share a database. */
export function addCluster(program: Command, context: CommandContext): void {
  const cluster = program
    .command('cluster')
    .summary('run Ambit on several machines')
    .description(
      'Create a cluster, add nodes, drain and retire them. The configuration of each node names the same database in store.postgres, and its own address in cluster.advertise.',
    )
    .addHelpText('after', examples(['ambit cluster nodes', 'all nodes, and whether they run']));
  addInit(cluster, context);
  addInvite(cluster, context);
  addJoin(cluster, context);
  addNodes(cluster, context);
  addDrain(cluster, context);
  addRetire(cluster, context);
  addLog(cluster, context);
  addVerify(cluster, context);
  addClusterPolicy(cluster, context);
}

function addVerify(cluster: Command, context: CommandContext): void {
  cluster
    .command('verify')
    .summary('verify the audit logs of all nodes')
    .description(
      'Verify the audit logs of all nodes from the database: each chain and signature, the tree over their checkpoints, and whether a node ended without a trace. The same as ambit audit verify --cluster. Exits with 0 if there is no finding, otherwise with 3.',
    )
    .addHelpText('after', examples(['ambit cluster verify', 'all nodes']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      await verifyClusterCommand(context, flags, print);
    });
}

function addInit(cluster: Command, context: CommandContext): void {
  cluster
    .command('init')
    .summary('create a cluster with this machine as its first node')
    .description(
      'Create a cluster in the database of store.postgres, with this data directory as its first node. Stop the daemon first. The data directory gets the key of the authority that certifies nodes: keep a copy of cluster/authority.key in a safe place.',
    )
    .option('--name <name>', 'the name of the node (default: the name of this machine)', name)
    .addHelpText('after', examples(['ambit cluster init --name a', 'the first node is called a']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<{ name?: string }>(context, command);
      const config = await context.actions.loadConfig(flags);
      const made = await (await context.actions.cluster()).init(config, flags.name ?? name(hostname()));
      if (print.json) return print.document(made);
      print.lines(`Created the cluster ${made.cluster} with the node ${made.name}.`);
      print.note(
        `Keep a copy of ${config.dataDir}/cluster/authority.key in a safe place.`,
        'Next: ambit serve; then "ambit cluster invite NAME" for each further node.',
      );
    });
}

function addInvite(cluster: Command, context: CommandContext): void {
  cluster
    .command('invite')
    .summary('invite a node')
    .description(
      'Print an invitation for one node. The daemon of this node must be running when the new node joins. The invitation is a secret, and can be used once.',
    )
    .argument('<name>', 'the name of the new node', name)
    .option('--expires <time>', 'how long it can be used: 10m, 1h, 1d', span, 3_600_000)
    .addHelpText('after', examples(['ambit cluster invite b', 'for an hour']))
    .action(async (invited: string, _options, command: Command) => {
      const { flags, print } = flagsOf<{ expires: number }>(context, command);
      const config = await context.actions.loadConfig(flags);
      const made = await (await context.actions.cluster()).invite(config, invited, flags.expires);
      if (print.json) return print.document(made);
      print.lines(made.invitation);
      print.note(
        `On the new machine, before ${made.expiresAt}: run ambit cluster join, paste the invitation, and run ambit serve.`,
      );
    });
}

function addJoin(cluster: Command, context: CommandContext): void {
  cluster
    .command('join')
    .summary('make this machine a node')
    .description(
      'Make this data directory the node that an invitation is for. Stop the daemon first. Its address is cluster.advertise. The command reads the invitation from stdin, or asks for it on a terminal: an argument would show this secret to every user of the machine.',
    )
    .option('--invitation-file <file>', 'read the invitation from this file; - is stdin', '-')
    .addHelpText(
      'after',
      examples(
        ['ambit cluster join', 'paste what "ambit cluster invite" printed, then run: ambit serve'],
        ['ambit cluster join --invitation-file invitation', 'from a file'],
      ),
    )
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf<{ invitationFile: string }>(context, command);
      const { terminal } = context;
      const config = await context.actions.loadConfig(flags);
      const invitation =
        flags.invitationFile === '-' && terminal.stdin.isTTY === true
          ? await answerTo('Invitation: ', terminal)
          : await readInput(
              terminal,
              flags.invitationFile,
              invitationBytesMax,
              'the limit for an invitation',
            );
      const joined = await (await context.actions.cluster()).join(config, invitation.trim());
      if (print.json) return print.document(joined);
      print.lines(`Joined the cluster ${joined.cluster} as node ${joined.name}.`);
      print.note('Next: ambit serve');
    });
}

function addNodes(cluster: Command, context: CommandContext): void {
  cluster
    .command('nodes')
    .summary('list the nodes')
    .description(
      'List all nodes. "lost": its lease has just ended. "stopped": it was stopped, has lost its lease, or has not started yet. "ambit cluster verify" tells a lost node from a stopped one. "cannot reach": a running node gets no answer from others at their cluster.advertise.',
    )
    .addHelpText('after', examples(['ambit cluster nodes --json', 'as JSON']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const nodes = await (await context.actions.cluster()).nodes(await context.actions.loadConfig(flags));
      if (print.json) return print.document({ nodes });
      if (nodes.length === 0)
        return print.lines('The database has no cluster yet. To create one: ambit cluster init');
      const rows = nodes.map((node) => [
        ...[node.name, node.status, node.advertise, node.version || 'not started yet'],
        `epoch ${node.epoch}`,
        node.cannotReach.length === 0 ? '' : `cannot reach ${node.cannotReach.join(', ')}`,
      ]);
      print.lines(...table(rows, print.width));
    });
}

function addLog(cluster: Command, context: CommandContext): void {
  cluster
    .command('log')
    .summary('list what happened to the nodes and the policy')
    .description(
      'List the entries of the log of the cluster: nodes that joined, were retired, lost or duplicated, and changes of the policy, each with the node that signed it. "ambit cluster verify" checks the signatures.',
    )
    .addHelpText('after', examples(['ambit cluster log --json', 'as JSON']))
    .action(async (_options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      const entries = await (await context.actions.cluster()).log(await context.actions.loadConfig(flags));
      if (print.json) return print.document({ entries });
      const rows = entries.map(({ sequence, time, kind, node, revision, by }) =>
        [
          ...[String(sequence), time ?? '-', kind ?? 'unreadable'],
          ...[node ?? (revision === null ? '-' : `revision ${revision}`), `by ${by}`],
        ].map(printableLine),
      );
      print.lines(...table(rows, print.width));
    });
}

function addDrain(cluster: Command, context: CommandContext): void {
  cluster
    .command('drain')
    .summary('stop a node from taking calls')
    .description(
      'Stop a node from taking calls, from its next renewal on. Its running calls continue, and GET /readyz answers 503, so that a load balancer uses the other nodes.',
    )
    .argument('<name>', 'the name of the node')
    .option('--undo', 'let it take calls again')
    .addHelpText('after', examples(['ambit cluster drain b', 'before its machine is updated']))
    .action(async (drained: string, _options, command: Command) => {
      const { flags, print } = flagsOf<{ undo?: boolean }>(context, command);
      const isUndone = flags.undo === true;
      await (await context.actions.cluster()).drain(
        await context.actions.loadConfig(flags),
        drained,
        isUndone,
      );
      if (print.json) return print.document({ name: drained, draining: !isUndone });
      print.lines(
        isUndone
          ? `The node ${drained} takes calls again.`
          : `Draining the node ${drained}: it refuses calls after its next renewal.`,
      );
    });
}

function addRetire(cluster: Command, context: CommandContext): void {
  cluster
    .command('retire')
    .summary('remove a node permanently')
    .description(
      'Remove a node permanently: its certificate and its lease are no longer accepted, and its running calls end. Its name cannot be used again. Its records stay. Drain it before, and stop it afterwards.',
    )
    .argument('<name>', 'the name of the node')
    .addHelpText('after', examples(['ambit cluster retire b', 'after its machine was lost']))
    .action(async (retired: string, _options, command: Command) => {
      const { flags, print } = flagsOf(context, command);
      await (await context.actions.cluster()).retire(await context.actions.loadConfig(flags), retired);
      if (print.json) return print.document({ name: retired, status: 'retired' });
      print.lines(`The node ${retired} is retired.`);
    });
}

function name(text: string): string {
  if (nodeName.test(text)) return text;
  throw new InvalidArgumentError(
    'A node\'s name has up to 63 letters, digits, ".", "_" and "-", and starts with a letter or digit.',
  );
}

function span(text: string): number {
  const found = readSpan(text);
  if (found !== undefined) return found;
  throw new InvalidArgumentError('Write a duration: 10m, 1h, 1d.');
}
