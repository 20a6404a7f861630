import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { localServer } from './local-server.ts';

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', '-c', 'init.defaultBranch=main'];

/** Runs git in a folder, without the user's configuration. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Commits files, by path, to a repository that is created if it does not exist. Returns the commit. */
export function commit(folder: string, files: Readonly<Record<string, string | { link: string }>>): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (typeof content === 'string') writeFileSync(join(folder, path), content);
    else symlinkSync(content.link, join(folder, path));
  }
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'a change');
  return git(folder, 'rev-parse', 'HEAD');
}

/** Serves the repositories below a folder over smart HTTP on loopback until the test ends. Returns its URL. */
export async function gitServer(root: string): Promise<string> {
  const { url, close } = await startGitServer(root);
  onTestFinished(close);
  return url;
}

/** As `gitServer`, until it is closed. */
export async function startGitServer(root: string): Promise<{ url: string; close: () => void }> {
  const { origin, close } = await localServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '', 'http://127.0.0.1');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '2',
        GIT_CONFIG_KEY_0: 'uploadpack.allowReachableSHA1InWant',
        GIT_CONFIG_VALUE_0: 'true',
        GIT_CONFIG_KEY_1: 'safe.directory',
        GIT_CONFIG_VALUE_1: '*',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(backend.stdin);
    const output: Buffer[] = [];
    backend.stdout.on('data', (piece: Buffer) => void output.push(piece));
    backend.on('close', () => {
      const whole = Buffer.concat(output);
      const end = whole.indexOf('\r\n\r\n');
      let status = 200;
      for (const line of whole.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(/: (.*)/);
        if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.writeHead(status).end(whole.subarray(end + 4));
    });
  });
  return { url: origin, close };
}
