import { describe, expect, test } from 'vitest';
import { listedFile } from '../../../testing/some-skill.ts';
import { authorization, type HttpWorldOptions, httpWorld, skillOf } from '../../testing/http-world.ts';

const headers = { host: 'localhost:7433', authorization };

const skills = [
  skillOf('alpha', 'phases: [plan]\npriority: 90\ntags: [data]'),
  skillOf('beta', 'phases: [plan]\npriority: 10\nagents: [writer]\nrun: { runtime: wasm, entry: a.wasm }'),
  skillOf('gamma', 'phases: [test]', 'Looks at tables.'),
  skillOf('omega', 'phases: [plan]\npriority: 50\ntags: [text]'),
];

const broken = [{ id: 'bent', root: '/skills/bent', problem: 'no description' }];

async function list(query: string, options: HttpWorldOptions = {}) {
  const { app } = httpWorld({ skills, broken, ...options });
  const answer = (await app.inject({ url: `/skills?${query}`, headers })).json();
  const ids: string[] = answer.skills?.map(({ id }: { id: string }) => id);
  return { ...answer, ids };
}

test.each([
  ['', ['alpha', 'beta', 'gamma', 'omega']],
  ['phase=plan', ['beta', 'omega', 'alpha']],
  ['phase=PLAN', ['beta', 'omega', 'alpha']],
  ['phase=test', ['gamma']],
  ['phase=plan&agent=writer', ['beta', 'omega', 'alpha']],
  ['phase=plan&agent=reader', ['omega', 'alpha']],
  ['phase=plan&tag=data', ['alpha']],
  ['phase=plan&executable=true', ['beta']],
  ['phase=plan&executable=false&q=text', ['omega']],
  ['executable=false', ['alpha', 'gamma', 'omega']],
  ['executable=true', ['beta']],
  ['q=', ['alpha', 'beta', 'gamma', 'omega']],
  ['q=TABLES', ['gamma']],
  ['q=data', ['alpha']],
  ['q=looks+tables', ['gamma']],
  ['q=looks+data', ['gamma', 'alpha']],
  ['q=looks+data&limit=1', ['gamma']],
  ['q=looks+data&limit=1&after=gamma', ['alpha']],
  ['q=nothing', []],
])('GET /skills?%s returns the matching skills in order', async (query, ids) => {
  expect((await list(query)).ids).toEqual(ids);
});

describe('pages of skills', () => {
  test('follow one another, and only the first lists unusable folders', async () => {
    expect(await list('limit=3')).toMatchObject({ ids: ['alpha', 'beta', 'gamma'], broken, next: 'gamma' });
    expect(await list('limit=3&after=gamma')).toMatchObject({ ids: ['omega'], broken: [], next: null });
    expect(await list('limit=4')).toMatchObject({ ids: ['alpha', 'beta', 'gamma', 'omega'], next: null });
    expect(await list('limit=1&executable=false&after=alpha')).toMatchObject({
      ids: ['gamma'],
      next: 'gamma',
    });
    expect(await list('after=zeta')).toMatchObject({ ids: [], next: null });
  });

  test('ordered by id continue after the last skill of a page was removed', async () => {
    expect(await list('limit=2&after=delta')).toMatchObject({ ids: ['gamma', 'omega'], next: null });
  });

  test('of a selection continue in its order, after a skill that is in it', async () => {
    expect(await list('phase=plan&limit=2')).toMatchObject({ ids: ['beta', 'omega'], next: 'omega' });
    expect(await list('phase=plan&limit=2&after=omega')).toMatchObject({ ids: ['alpha'], next: null });
    const message = '"after" names no skill of this list; leave it out to start from the first page';
    expect(await list('phase=plan&limit=2&after=gamma')).toMatchObject({
      code: 'REQUEST_INVALID',
      detail: message,
      issues: [{ at: '/after', message }],
    });
  });

  test('have a thousand skills by default and at most', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => skillOf(`s${String(at).padStart(4, '0')}`, ''));
    expect(await list('', { skills: many })).toMatchObject({ ids: { length: 1000 }, next: 's0999' });
    expect(await list('after=s0999', { skills: many })).toMatchObject({ ids: ['s1000'], next: null });
    expect((await list('limit=1001')).detail).toBe('limit: a page has at most 1000 skills');
  });
});

describe('unusable folders', () => {
  const bent = Array.from({ length: 1001 }, (_, at) => ({ ...broken[0], id: `b${at}` })) as typeof broken;

  test('are listed up to a thousand, with their total', async () => {
    expect(await list('limit=1', { broken: bent })).toMatchObject({
      broken: { length: 1000 },
      brokenCount: 1001,
      next: 'alpha',
    });
    expect(await list('', { broken: bent.slice(1) })).toMatchObject({
      broken: { length: 1000 },
      brokenCount: 1000,
    });
    expect(await list('limit=1&after=alpha', { broken: bent })).toMatchObject({
      broken: [],
      brokenCount: 1001,
    });
  });

  test('are counted as far as the key may see them', async () => {
    const rights = { skills: new Set(['alpha', 'b7']) };
    expect(await list('', { broken: bent, rights })).toMatchObject({
      broken: [{ id: 'b7' }],
      brokenCount: 1,
    });
  });
});

describe('cached responses', () => {
  const file = listedFile(import.meta.filename);
  const own = { ...skillOf('own', ''), root: import.meta.dirname, files: [file] };
  const urls = [
    '/skills',
    '/skills/own',
    '/skills/own/body',
    '/skills/own/files',
    `/skills/own/files/${file.path}`,
  ];

  test.each(urls)('%s has an ETag, and is not sent again to a client that has it', async (url) => {
    const { app, events } = httpWorld({ skills: [own] });
    const get = (more: object = {}, method: 'GET' | 'HEAD' = 'GET') =>
      app.inject({ method, url, headers: { ...headers, ...more } });
    const first = await get();
    const etag = String(first.headers.etag);
    expect({ status: first.statusCode, cache: first.headers['cache-control'], etag }).toEqual({
      status: 200,
      cache: 'private, no-cache',
      etag: expect.stringMatching(/^"[\w-]{27,64}"$/),
    });
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get({ 'if-none-match': known });
      expect([again.statusCode, again.body, again.headers.etag, again.headers['cache-control']]).toEqual([
        ...[304, '', etag, 'private, no-cache'],
      ]);
    }
    // A truncated list, and a value that is not an ETag.
    for (const unknown of ['"other"', etag.slice(0, -2), etag.replaceAll('"', ''), ''])
      expect((await get({ 'if-none-match': unknown })).body).toBe(first.body);

    const { 'content-length': length, date: _, ...rest } = first.headers;
    const head = await get({}, 'HEAD');
    expect([head.statusCode, head.body, Number(head.headers['content-length'])]).toEqual([
      ...[200, '', Buffer.byteLength(first.body)],
    ]);
    expect(head.headers).toMatchObject(rest);
    expect(Number(length)).toBe(Buffer.byteLength(first.body));
    expect(events).toEqual([]);
  });

  test.each(urls)('%s is the same for any Accept header: nothing is negotiated', async (url) => {
    const { app } = httpWorld({ skills: [own] });
    const fetched = async (more: object) => {
      const { body, headers: answered } = await app.inject({ url, headers: { ...headers, ...more } });
      return [body, answered.etag, answered['content-encoding'], answered['vary'], answered['content-type']];
    };
    const plain = await fetched({});
    expect(plain.slice(2, 4)).toEqual([undefined, undefined]);
    expect(await fetched({ 'accept-encoding': 'gzip, br, zstd' })).toEqual(plain);
    expect(await fetched({ accept: 'text/html' })).toEqual(plain);
  });

  test('a list has a different ETag per query, page and key, and the same ETag while it is unchanged', async () => {
    const etag = async (query: string, options: HttpWorldOptions = {}) => {
      const { app } = httpWorld({ skills, broken, ...options });
      return (await app.inject({ url: `/skills?${query}`, headers })).headers.etag;
    };
    const bound = { rights: { skills: new Set(['alpha']) } };
    const all = [await etag(''), await etag('q=tables'), await etag('limit=1'), await etag('', bound)];
    expect(new Set([...all, await etag('', { broken: [] })]).size).toBe(5);
    expect([await etag(''), await etag('limit=9')]).toEqual([all[0], all[0]]);
  });

  test('a refusal has no ETag and is not cached', async () => {
    const { app } = httpWorld({ skills: [{ ...own, root: '/nowhere' }] });
    for (const [url, status] of [
      ['/skills/none', 404],
      ['/skills/own/files/none', 404],
      [`/skills/own/files/${file.path}`, 409],
    ] as const) {
      const { statusCode, headers: answered } = await app.inject({ url, headers });
      expect([statusCode, answered.etag, answered['cache-control']]).toEqual([status, undefined, 'no-store']);
    }
  });
});
