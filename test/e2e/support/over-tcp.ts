import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Requests over TCP that claim the identity of the private socket: a name, headers and a query. */
export function claimsOfTheSocket(user: string): [string, Record<string, string>, string?][] {
  return [
    ['with headers that name the entry point', { via: 'cli', 'ambit-via': 'cli', 'x-ambit-via': 'cli' }],
    ['with the header of a node that passes a request on', { 'ambit-caller': user }],
    [
      'with headers of a proxy',
      { 'x-forwarded-for': 'unix:', 'x-forwarded-user': user, forwarded: 'for=unix' },
    ],
    ['with the headers that the command line sends', { host: 'localhost', connection: 'close' }],
    ['with a cookie and the half of a session', { cookie: 'ambit-session=cli', 'ambit-session': 'cli' }],
    ['with a query', {}, '?via=cli&actor=root&socket=1'],
  ];
}

/** The bytes of a request without a body. */
export function request(line: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Posts an input for a skill with exactly these headers. Resolves to the status. */
export async function sent(
  daemon: { url: string },
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const body = '{"input":{"text":"a"}}';
  const all = { 'content-type': 'application/json', 'content-length': String(body.length), ...headers };
  return (await overConnection(daemon, request(`POST ${path}`, { ...all, connection: 'close' }) + body))[0];
}

/** Sends bytes over one TCP connection. Resolves to the statuses of the answers. */
export async function overConnection({ url }: { url: string }, bytes: string): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(bytes);
  const answers = await text(socket);
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
