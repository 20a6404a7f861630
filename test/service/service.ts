import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pythonSkill, writeSkills } from '../support/skills.ts';
import type { Machine, Printed } from './machine.ts';

/** A call over HTTP, from inside the machine, as the caller whose key is the first one. */
const callProgram = `#!/usr/bin/python3
import json, sys, urllib.error, urllib.request
port, skill, body = sys.argv[1:]
folder = '/var/lib/ambit' if port == '7433' else '/var/lib/ambit-a'
headers = {'authorization': 'Bearer ' + open(folder + '/key').read().strip(), 'content-type': 'application/json'}
url = f'http://127.0.0.1:{port}/skills/{skill}/execute'
request = urllib.request.Request(url, body.encode(), headers)
try:
    print(urllib.request.urlopen(request).read().decode())
except urllib.error.HTTPError as error:
    print(error.read().decode())
`;

/** A report to systemd, as systemd-notify sends it. */
const report = `import socket
try:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'STATUS=changed', '/run/systemd/notify')
    print(json.dumps('sent'))
except OSError as error:
    print(json.dumps(error.strerror))`;

/** The path of the service's configuration in the machine. */
const configFile = 'etc/ambit/ambit.config.yaml';

/** The installed service, and what the claims do with it. */
export interface Service {
  /** Runs a script as root, which must succeed. Resolves to its output. */
  run(script: string): Promise<string>;
  /** Runs a script that may fail. */
  attempt: Machine['run'];
  /** A property of the unit. */
  property(name: string, unit?: string): Promise<string>;
  /** The answer to a call with this body. */
  call(
    skill: string,
    body: object,
    port?: number,
  ): Promise<{ outcome?: { status: string; output?: unknown } } & Record<string, unknown>>;
  configure(config: object): Promise<void>;
}

/** Prepares skills and a program in the machine. */
export async function openService(machine: Machine): Promise<Service> {
  await writeSkills(join(machine.folder, 'srv/skills'), {
    'read-key': shellSkill('cat /var/lib/ambit/key /etc/ambit/ambit.config.yaml 2>&1; true'),
    'read-data': shellSkill('cat /srv/data/file', { filesystem: { read: ['/srv/data'] } }),
    'report-state': pythonSkill(report, {
      capabilities: { exec: ['python3'], filesystem: { read: ['/run/systemd'] } },
    }),
    'take-memory': pythonSkill(
      'kept = [bytearray(1 << 20) for _ in range(1024)]\nprint(json.dumps(len(kept)))',
    ),
    'wait-seconds': pythonSkill('time.sleep(given["seconds"])\nprint(json.dumps("waited"))'),
  });
  await writeSkills(join(machine.folder, 'srv/others'), { 'say-hello': shellSkill('echo hello') });
  await writeFile(join(machine.folder, 'usr/local/bin/call'), callProgram);
  await chmod(join(machine.folder, 'usr/local/bin/call'), 0o755);
  await mkdir(join(machine.folder, 'srv/data'));
  await writeFile(join(machine.folder, 'srv/data/file'), 'contents');
  const run = async (script: string): Promise<string> => succeeded(script, await machine.run(script));
  return {
    run,
    attempt: machine.run,
    property: (name, unit = 'ambit') => run(`systemctl show --value --property=${name} ${unit}`),
    async call(skill, body, port = 7433) {
      return JSON.parse(await run(`call ${port} ${skill} '${JSON.stringify(body)}'`));
    },
    configure: (config) => writeFile(join(machine.folder, configFile), JSON.stringify(config)),
  };
}

function shellSkill(body: string, capabilities: object = {}): Record<string, string> {
  const run = { runtime: 'process', entry: 'scripts/run.sh', protocol: 'command' };
  return {
    'ambit.yaml': JSON.stringify({ run: { ...run, capabilities: { exec: ['sh', 'cat'], ...capabilities } } }),
    'scripts/run.sh': `#!/bin/sh\n${body}\n`,
  };
}

function succeeded(script: string, { code, stdout, stderr }: Printed): string {
  assert.equal(code, 0, `${script}\nexited with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
