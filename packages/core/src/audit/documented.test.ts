import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { CallEvent } from './audit-event.ts';
import { daemonEventKinds } from './daemon-event-kinds.ts';

/** Typed, so that it does not compile if one is missing. */
const callKinds = {
  'call.started': true,
  'call.finished': true,
  'call.denied': true,
  'call.interrupted': true,
  'request.denied': true,
  'auth.rejected': true,
} satisfies Record<CallEvent['kind'], true>;

test('docs/audit.md has a row for each kind of event, and no others', async () => {
  const page = await readFile(new URL('../../../../docs/audit.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| ((?:`[a-z]+\.[a-z]+`(?:, )?)+) \| /gm)];
  const written = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '));
  expect(written.toSorted()).toEqual([...Object.keys(callKinds), ...daemonEventKinds].toSorted());
});
