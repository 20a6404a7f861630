import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';

/** Typed, so that it does not compile if one is missing. */
const kinds = {
  'call.started': true,
  'call.finished': true,
  'call.denied': true,
  'call.interrupted': true,
  'request.denied': true,
  'auth.rejected': true,
  'daemon.started': true,
  'daemon.stopped': true,
  'config.reloaded': true,
  'config.refused': true,
  'policy.changed': true,
  'skill.changed': true,
  'skill.installed': true,
  'skill.approved': true,
  'skill.revoked': true,
  'skill.restored': true,
  'skill.removed': true,
  'denylist.applied': true,
  'denylist.refused': true,
  'install.refused': true,
  'console.issued': true,
  'console.opened': true,
  'console.unlocked': true,
  'console.closed': true,
  'workspace.created': true,
  'workspace.written': true,
  'workspace.deleted': true,
  'workspace.expired': true,
  'log.pruned': true,
  'key.rotated': true,
} satisfies Record<AuditEvent['kind'], true>;

test('docs/audit.md has a row for each kind of event, and no others', async () => {
  const page = await readFile(new URL('../../../../docs/audit.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| ((?:`[a-z]+\.[a-z]+`(?:, )?)+) \| /gm)];
  const written = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
  expect(written.toSorted()).toEqual(Object.keys(kinds).toSorted());
});
