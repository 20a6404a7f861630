// Threat model: T296

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { issuesOf, named, sources } from '../testing/config-sources.ts';
import { loadConfig } from '../testing/load-config.ts';

describe('listening', () => {
  test.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('on %s needs no permission', async (host) => {
    const config = await loadConfig(sources(await temporaryFolder(), { flags: { host } }));
    expect(config.listen).toEqual({ host, port: 7433, allowRemote: false, names: [], tls: null });
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])(
    'on %s is refused unless it is allowed explicitly',
    async (host) => {
      const cwd = await temporaryFolder();
      expect(await issuesOf(sources(cwd, { env: { AMBIT_HOST: host } }))).toEqual([
        `listen.host (env:AMBIT_HOST): other machines can reach ${host} over plain HTTP, which exposes the key to anyone who sees the traffic. Use TLS: listen.tls: { cert, key }; or listen on 127.0.0.1 behind a TLS proxy; or allow it: listen.allowRemote: true, or --allow-remote`,
      ]);
      const allowed = await loadConfig(
        sources(cwd, { env: { AMBIT_HOST: host }, flags: { allowRemote: true } }),
      );
      expect(allowed.listen).toEqual({ host, port: 7433, allowRemote: true, names: [], tls: null });
    },
  );

  test('on other addresses can be allowed in the file', async () => {
    const cwd = await temporaryFolder({
      'ambit.config.yaml': 'listen: { host: 0.0.0.0, allowRemote: true }',
    });
    expect((await loadConfig(named(cwd))).listen).toEqual({
      host: '0.0.0.0',
      port: 7433,
      allowRemote: true,
      names: [],
      tls: null,
    });
  });

  test('on other addresses needs no permission with a certificate, with paths relative to the file', async () => {
    const cwd = await temporaryFolder({
      'ambit.config.yaml': 'listen: { host: 0.0.0.0, tls: { cert: a.pem, key: ~/b.pem } }',
    });
    const given = named(cwd);
    expect((await loadConfig(given)).listen).toEqual({
      host: '0.0.0.0',
      port: 7433,
      allowRemote: false,
      names: [],
      tls: { cert: join(cwd, 'a.pem'), key: join(given.home, 'b.pem') },
    });
  });
});
