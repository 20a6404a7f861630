import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { consoleContracts } from '@ambit/api';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../errors/refusal.ts';
import { answerEntity, etagOf } from '../../route/answer-entity.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { consoleUrl, pathOf } from '../../route/request-state.ts';
import { route } from '../../route/route.ts';

/** The page runs only its own scripts, makes no markup from text, and cannot be framed. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

/** No other site gets a handle on the page's window, or loads a part of it. */
const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** By extension: what the build writes. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The page of the web console, which the build has written to `consoleFolder`. It is the same for everybody, so it needs no
 * key. Its views are paths below `/console/`, all answered with the page itself.
 */
export function pageRoutes(app: FastifyInstance, { consoleFolder }: AppDeps): void {
  route(app, consoleContracts.getConsole, async ({ params: { path } }, request, reply) => {
    reply.headers(isolated);
    if (pathOf(request) === consoleUrl) return reply.code(308).header('location', '/console/').send();
    const [folder, name = '', ...deeper] = path.split('/');
    if (folder === 'assets') {
      const type = mediaTypes[extname(name)];
      const isName = /^[\w-]+(\.[\w-]+)+$/.test(name) && deeper.length === 0;
      const content =
        isName && type !== undefined ? await read(join(consoleFolder, 'assets', name)) : undefined;
      if (content === undefined || type === undefined)
        throw new Refusal(
          'FILE_NOT_FOUND',
          `the console has no file ${JSON.stringify(path.slice(0, 200))}; reload the page at /console/, which names the current ones`,
        );
      const entity = {
        etag: etagOf(content),
        cacheControl: 'public, max-age=31536000, immutable',
      } as const;
      return answerEntity(request, reply, entity, () => ({ headers: { 'content-type': type }, content }));
    }
    const content = await read(join(consoleFolder, 'index.html'));
    if (content === undefined)
      throw new Refusal(
        'CONSOLE_UNAVAILABLE',
        'the page of the console has not been built; run "npm run build:console" in the folder of Ambit, or start it with "npm start", which builds it',
      );
    reply.header('content-security-policy', policy);
    return answerEntity(request, reply, { etag: etagOf(content), cacheControl: 'no-cache' }, () => ({
      headers: { 'content-type': 'text/html; charset=utf-8' },
      content,
    }));
  });
}

/** `undefined`: there is no such file. */
async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
