import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import { repository } from '../support/daemon-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The design names seven packages. Vitest runs this file; the daemon uses the others.

test('a running daemon uses fastify, zod, Extism, execa, pino and better-sqlite3', async () => {
  const folder = await temporaryFolder();
  const record = join(folder, 'loaded');
  await writeFile(record, '');
  const hook = join(folder, 'record-packages.mjs');
  await writeFile(hook, recorder(record));

  const daemon = await startDaemon(
    { skills: [{ path: join(repository, 'skills'), tier: 'local' }] },
    {
      nodeArgs: ['--import', pathToFileURL(hook).href],
      program: join(repository, 'packages/cli/src/main.ts'),
    },
  );
  const answer = await daemon.execute('text-redact', { input: { text: 'mail a@example.com' } });
  await daemon.stop();

  expect(answer.body.outcome.status).toBe('succeeded');
  const loaded = new Set((await readFile(record, 'utf8')).split('\n'));
  // Extism is resolved here but loaded in the host process, which ran the skill above.
  const named = ['fastify', 'zod', '@extism/extism', 'execa', 'pino', 'better-sqlite3'];
  expect(named.filter((name) => loaded.has(name))).toEqual(named);
});

/** A module that appends to `file` the name of each package that the process or its threads resolve. */
function recorder(file: string): string {
  return `
    import { appendFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        if (/^[@a-z]/.test(specifier) && found.url.includes('/node_modules/'))
          appendFileSync(${JSON.stringify(file)}, specifier + '\\n');
        return found;
      },
    });
  `;
}
