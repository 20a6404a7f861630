import { deepEqual } from 'node:assert/strict';
import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from '../support/daemon-process.ts';
import { withinAMinute } from '../support/within-a-minute.ts';
import { image } from './build.ts';
import { redacted, table, text } from './container-claims.ts';
import { options, type Setup, succeeded } from './setup.ts';

/** The container of the StatefulSet, with volumes as Kubernetes prepares them, run by this engine. */
export async function checkKubernetes(setup: Setup): Promise<void> {
  const { engine, configuration, claim } = setup;
  const folder = join(dirname(configuration), `kubernetes-${engine.name}`);
  await mkdir(folder);
  const { data, pod } = await manifest();
  const [container] = pod.containers;
  await writeConfigMap(join(folder, 'config'), data);
  // As fsGroup makes it.
  await mkdir(join(folder, 'data'));
  await chown(join(folder, 'data'), 0, pod.securityContext.fsGroup);
  await chmod(join(folder, 'data'), 0o2770);

  await claim('the container of the Kubernetes manifest runs skills, with a volume of root', async () => {
    const mounts = [`${folder}/data:/var/lib/ambit`, `${folder}/config:/etc/ambit:ro`];
    const given = [
      ...(await options({ engine })),
      ...mounts.flatMap((mount) => ['-v', mount]),
      ...container.env.flatMap(({ name, value }) => ['-e', `${name}=${value}`]),
      `--user=${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`,
    ];
    for (const name of ['pod', 'restarted']) {
      succeeded(await engine.run(['run', '--detach', `--name=${name}`, ...given, image, ...container.args]));
      const ambit = async (...args: string[]): Promise<string> =>
        succeeded(await engine.run(['exec', name, 'ambit', ...args]));
      for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        await withinAMinute(`${httpGet.path} answers`, () => probe(name, httpGet));
      deepEqual(JSON.parse(await ambit('run', 'csv-profile', '--input', table)).rows, 1);
      deepEqual(JSON.parse(await ambit('run', 'text-redact', '--input', text)).text, redacted);
      succeeded(await engine.run(['stop', name]));
    }
    succeeded(await engine.run(['rm', 'pod', 'restarted']));
  });

  async function probe(name: string, { path, httpHeaders }: Probe['httpGet']): Promise<boolean> {
    const request = { host: '127.0.0.1', port: 7433, path, headers: {} };
    for (const header of httpHeaders) request.headers = { [header.name]: header.value };
    const script = `require('http').get(${JSON.stringify(request)}, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))`;
    return (await engine.run(['exec', name, 'node', '-e', script])).code === 0;
  }
}

interface Probe {
  httpGet: { path: string; httpHeaders: { name: string; value: string }[] };
}

interface Manifest {
  data: Record<string, string>;
  pod: {
    securityContext: { runAsUser: number; runAsGroup: number; fsGroup: number };
    containers: [
      {
        args: string[];
        env: { name: string; value: string }[];
        startupProbe: Probe;
        livenessProbe: Probe;
        readinessProbe: Probe;
      },
    ];
  };
}

async function manifest(): Promise<Manifest> {
  const file = await readFile(join(repository, 'packaging/kubernetes/ambit.yaml'), 'utf8');
  const documents = parseAllDocuments(file).map((document) => document.toJS());
  const of = (kind: string) => documents.find((document) => document.kind === kind);
  return { data: of('ConfigMap').data, pod: of('StatefulSet').spec.template.spec };
}

/** A folder whose files are links, through a link to the folder of their version. */
async function writeConfigMap(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(folder, '..version'), { recursive: true });
  await symlink('..version', join(folder, '..data'));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, '..version', name), content);
    await symlink(`..data/${name}`, join(folder, name));
  }
}
