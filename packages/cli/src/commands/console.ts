import type { AmbitClient } from '@ambit/client';
import { type CommandContext, defineCommand } from '../command/define-command.ts';
import { printableLine } from '../output/printable.ts';
import { table } from '../output/table.ts';

/** `ambit console`: signing in to the web console, confirming, and its sessions. */
export const consoleCommands = [
  defineCommand({
    name: 'console',
    summary: 'print an address that signs in to the web console',
    description:
      'Print the address of the web console, with a one-time code that signs in. It is valid for 60 seconds and once. If no daemon runs, the command starts one on demand, which listens on loopback until the last session ends. Other users of this machine could read it in the arguments of a browser that the command started, so open it yourself.',
    options: {
      readOnly: { text: 'the session can never run, decide or change anything, or see the configuration' },
    },
    examples: {
      'ambit console': 'the daemon of this folder',
      'ambit console --read-only': 'to look at runs with another person',
    },
    async run(context, flags) {
      const { print } = context;
      const console = await consoleOf(context);
      const { code, expiresAt, url } = await console.code('sign-in', { readOnly: flags.readOnly === true });
      const address = { url: `${pageOf(context.daemon, url)}#code=${code}`, expiresAt };
      if (print.json) return print.document(address);
      print.lines(address.url);
      print.note('Open this address within 60 seconds. It signs in once. Each tab has its own session.');
    },
  }),
  defineCommand({
    name: 'console confirm',
    summary: 'print a code that confirms what a session does',
    description:
      'Print a one-time code for the web console. It confirms the decision about installed skills that you name, and no other. Without one, it lets a session run skills for 15 minutes. It is valid for 60 seconds and once. Only give it to a page that you opened yourself.',
    args: {
      decision: {
        text: 'what to confirm, as the console shows it, such as: revoke acme:pdf-forms',
        optional: true,
        variadic: true,
      },
    },
    examples: {
      'ambit console confirm': 'to run skills in the console for 15 minutes',
      'ambit console confirm revoke acme:pdf-forms': 'to revoke a skill in the console',
    },
    async run(context, _flags, { decision: words }) {
      const { print } = context;
      const console = await consoleOf(context);
      const decision = words.join(' ');
      const code = await console.code('confirm', { decision: decision || undefined });
      if (print.json) return print.document(code);
      print.lines(code.code);
      print.note(
        decision === ''
          ? 'It lets a session run skills for 15 minutes, and confirms no decision about installed skills.'
          : `It confirms only this: ${printableLine(decision)}`,
      );
      print.note('Enter this code in the console within 60 seconds. It is valid once.');
    },
  }),
  defineCommand({
    name: 'console sessions',
    summary: 'list sessions of the web console',
    description: 'List the open sessions of the web console.',
    examples: { 'ambit console sessions --json': 'as JSON' },
    async run(context) {
      const { print } = context;
      const sessions = await (await consoleOf(context)).sessions();
      if (print.json) return print.document({ sessions });
      const rows = sessions.map(({ id, scopes, createdAt, lastUsedAt, expiresAt, unlockedUntil, node }) => [
        ...[id, `opened ${createdAt}`, `last used ${lastUsedAt}`, `expires ${expiresAt}`],
        accessText(scopes, unlockedUntil),
        ...(node === undefined ? [] : [`at node ${node}`]),
      ]);
      if (rows.length === 0) print.note('There are no open sessions.');
      else print.lines(...table(rows, print.width));
    },
  }),
  defineCommand({
    name: 'console revoke',
    summary: 'end a session of the web console',
    description: 'End a session of the web console. Its streams end, and its running calls are canceled.',
    args: { session: { text: 'the id of the session', completes: 'session' } },
    examples: { 'ambit console revoke 3f9ac1d2e4b5': 'an id of ambit console sessions' },
    async run(context, _flags, { session: id }) {
      const { print } = context;
      await (await consoleOf(context)).revoke(id);
      if (print.json) print.document({ id });
      else print.lines(`The session ${id} was ended.`);
    },
  }),
];

async function consoleOf(context: CommandContext): Promise<AmbitClient['console']> {
  return (await context.client(await context.loadConfig(context.flags))).console;
}

/** The address of the page. A daemon that is called over its private socket says where it listens for it. */
function pageOf(daemon: CommandContext['daemon'], answered: string | undefined): string {
  const here = `${daemon?.url.replace(/\/+$/, '')}/console/`;
  // A named address, such as a proxy's, works from here.
  return daemon?.socketPath === undefined ? here : (answered ?? here);
}

function accessText(scopes: readonly string[], unlockedUntil: string | null): string {
  if (!scopes.includes('admin')) return 'read-only';
  return unlockedUntil === null ? 'locked' : `unlocked until ${unlockedUntil}`;
}
