import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../../errors/refusal.ts';
import { bare, stream } from '../../route/answer.ts';
import { answerEntity, EntityHeaders, etagOf, tagged } from '../../route/answer-entity.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { defineRoute } from '../../route/define-route.ts';
import { consoleUrl, pathOf } from '../../route/request-state.ts';

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
  defineRoute(app, {
    method: 'GET',
    url: '/console/*',
    head: true,
    query: 'anything',
    scope: 'open',
    group: 'Console',
    id: 'getConsole',
    summary: 'Open the console',
    description:
      'The page of the web console, for each of its views. Below `assets/`, its scripts and its style, which never change under their name.',
    params: z.strictObject({
      path: z.string().describe('A view, or a file in `assets/`. Empty: the first view.'),
    }),
    headers: EntityHeaders,
    answers: {
      200: stream(
        'The page, or the file.',
        {
          'text/html': { description: 'The page.' },
          'text/javascript': { description: 'A script.' },
          'text/css': { description: 'A style.' },
          'image/svg+xml': { description: 'An image.' },
        },
        tagged,
      ),
      304: bare('Not modified.', tagged),
      308: bare('`/console` has moved.', { headers: { location: '`/console/`.' } }),
    },
    problems: ['CONSOLE_UNAVAILABLE', 'FILE_NOT_FOUND'],
    async handle({ params: { path } }, request, reply) {
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
    },
  });
}

/** `undefined`: there is no such file. */
async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
