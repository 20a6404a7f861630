import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { localServer } from '../../../../test/support/local-server.ts';
import { type ArchiveEntry, tarGzOf } from './archives.ts';

/** A version of a package, as a registry serves it. */
export interface RegistryPackage {
  /** Its `package.json`. */
  manifest: { name: string; version: string } & Readonly<Record<string, unknown>>;
  tarball: Uint8Array;
  /** The hash that the registry declares; absent: the right one. */
  integrity?: string;
  /** The address of the tarball in the registry's answer; absent: on the registry. */
  url?: string;
}

/** A package with these files. `more` are further entries of its tarball, however wrong. */
export async function npmPackage(
  name: string,
  version: string,
  files: Readonly<Record<string, string>>,
  { more = [], ...manifest }: { more?: readonly ArchiveEntry[] } & Readonly<Record<string, unknown>> = {},
): Promise<RegistryPackage> {
  const all = { name, version, ...manifest };
  const entries = Object.entries({ 'package.json': JSON.stringify(all), ...files });
  const packed = entries.map(([path, content]) => ({ path: `package/${path}`, content }));
  return { manifest: all, tarball: await tarGzOf([...packed, ...more]) };
}

/** The hash of a tarball, as npm writes it. */
export function integrityOf(tarball: Uint8Array): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

/** A registry of npm packages on loopback. `packages` can change while it runs. The caller closes it. */
export async function npmRegistry(packages: RegistryPackage[]): Promise<{
  url: string;
  packages: RegistryPackage[];
  /** The paths that were asked for. */
  asked: string[];
  /** Answers instead of the registry, if it returns true. */
  intercept: { use?: (request: IncomingMessage, response: ServerResponse) => boolean };
  close(): void;
}> {
  const intercept: { use?: (request: IncomingMessage, response: ServerResponse) => boolean } = {};
  const asked: string[] = [];
  let url = '';
  const { origin, close } = await localServer((request, response) => {
    if (intercept.use?.(request, response) === true) return;
    const path = decodeURIComponent(new URL(request.url ?? '', url).pathname.slice('/npm/'.length));
    asked.push(path);
    const file = packages.find(({ manifest }) => path === tarballPath(manifest));
    if (file !== undefined) return void response.end(file.tarball);
    const found = packages.filter(({ manifest }) => manifest.name === path);
    if (found.length === 0) return void response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    const versions = found.map(({ manifest, tarball, integrity, url: elsewhere }) => {
      const dist = {
        integrity: integrity ?? integrityOf(tarball),
        tarball: elsewhere ?? `${url}/${tarballPath(manifest)}`,
      };
      return [manifest.version, { ...manifest, dist }];
    });
    const latest = found.at(-1)?.manifest.version;
    response.end(
      JSON.stringify({ name: path, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }),
    );
  });
  url = `${origin}/npm`;
  return { url, packages, asked, intercept, close };
}

/** Returns the path at which registries usually have the tarball of a version. */
export function tarballPath({ name, version }: { name: string; version: string }): string {
  return `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}
