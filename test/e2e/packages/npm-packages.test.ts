// Threat model: T36

import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import ts from 'typescript';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packDebian } from '../../../scripts/pack/debian.mjs';
import { packDebianPython } from '../../../scripts/pack/debian-python.mjs';
import { describeFiles } from '../../../scripts/pack/provenance.mjs';
import { pack } from '../../../scripts/pack.mjs';
import { daemonProcess, repository, version } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isWhole } from '../../support/whole.ts';

const run = promisify(execFile);

/** The tests' own Node first, because `npm` and `npx` run what PATH names. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };

/** Packages without modules to import. */
const programs = ['cli', 'python'];

/** The packages that `npm test` makes, for the command and a program that calls it; the others are made in `npm run test:all`. */
const packed = isWhole ? undefined : ['cli', 'client'];

describe('the npm packages', () => {
  let packages: string;
  let tarballs: Map<string, string>;

  beforeAll(async () => {
    packages = await mkdtemp(join(tmpdir(), 'ambit-packages-'));
    const files = await pack(packages, packed);
    if (isWhole) await describeFiles(packages);
    tarballs = new Map(files.map((file) => [basename(file).replace(/^ambit-|-\d.*$/g, ''), file]));
    return () => rm(packages, { recursive: true });
  });

  /** An empty project in which packages are installed, without any script of theirs. */
  async function project(names: readonly string[], others: readonly string[] = []): Promise<string> {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const files = names.map((name) => tarballs.get(name) as string);
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', ['install', ...options, ...files, ...others], { cwd: folder, env });
    return folder;
  }

  test.runIf(isWhole)('publint and attw find no problems in the npm packages', async () => {
    const found = await Promise.all(
      [...tarballs].map(async ([name, file]) => {
        const data = new Uint8Array(await readFile(file));
        const { messages } = await publint({ pack: { tarball: data.slice().buffer } });
        const analysis = await checkPackage(createPackageFromTarballData(data));
        const problems = analysis.types === false ? [] : analysis.problems;
        // They are ES modules with exports, so neither CommonJS nor TypeScript before 4.7 is expected to read them.
        const ofModules = problems.filter(
          (each) => !('resolutionKind' in each && ['node10', 'node16-cjs'].includes(each.resolutionKind)),
        );
        return { name, hasTypes: analysis.types !== false, messages, problems: ofModules };
      }),
    );
    expect(found).toEqual(
      [...tarballs.keys()].map((name) => ({
        name,
        hasTypes: !programs.includes(name),
        messages: [],
        problems: [],
      })),
    );
  });

  test.runIf(isWhole)(
    'packages build reproducibly, contain no test files, list what is in them, and say which commit made them',
    async () => {
      const again = await pack(join(await temporaryFolder(), 'packages'), ['agents', 'cli']);
      for (const file of again)
        expect((await readFile(file)).equals(await readFile(join(packages, basename(file))))).toBe(true);
      const sbom = JSON.parse(await readFile(join(packages, `ambit-cli-${version}.cdx.json`), 'utf8'));
      const components = sbom.components.map(({ name }: { name: string }) => name);
      // In the bundle, in the console, and beside them.
      expect(components).toEqual(
        expect.arrayContaining(['fastify', 'preact', 'better-sqlite3', 'node-addon-api']),
      );
      const { stdout: notices } = await run('tar', [
        '-xzOf',
        tarballs.get('cli') as string,
        'package/NOTICES',
      ]);
      expect(notices).toMatch(/\nfastify \d.*\n(?:.*\n)*Permission is hereby granted/);
      for (const file of tarballs.values()) {
        const { stdout } = await run('tar', ['-tzf', file]);
        const unexpected = stdout
          .split('\n')
          .filter((path) => /\.test\.|\/testing\/|\/node_modules\/|\.tsbuildinfo|(?<!\.d)\.ts$/.test(path));
        expect([file, unexpected]).toEqual([file, []]);
      }
      const git = async (...args: string[]) => (await run('git', args, { cwd: repository })).stdout.trim();
      const statement = join(packages, `ambit-${version}.provenance.json`);
      if ((await git('status', '--porcelain', '--untracked-files=no')) !== '') {
        // The commit does not describe the build.
        expect(existsSync(statement)).toBe(false);
        return;
      }
      const { subject, predicate } = JSON.parse(await readFile(statement, 'utf8'));
      const sums = subject.map((each: { name: string; digest: { sha256: string } }) => [
        `${each.digest.sha256}  ${each.name}\n`,
      ]);
      expect(sums.join('')).toBe(await readFile(join(packages, 'SHA256SUMS'), 'utf8'));
      expect(predicate.buildDefinition.resolvedDependencies[0].digest).toEqual({
        gitCommit: await git('rev-parse', 'HEAD'),
      });
    },
  );

  const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;
  test.runIf(isWhole && hasDpkg)(
    'the Debian package builds reproducibly, and contains Node, the command and the service only',
    async () => {
      const file = await packDebian(tarballs.get('cli') as string);
      const first = await readFile(file);
      expect((await readFile(await packDebian(tarballs.get('cli') as string))).equals(first)).toBe(true);
      const python = await packDebianPython(tarballs.get('python') as string);
      const listed = (await run('dpkg-deb', ['--contents', python])).stdout.trimEnd().split('\n');
      const files = listed
        .map((line) => line.replace(/^.*? \.(?=\/)/, ''))
        .filter((path) => !path.endsWith('/'));
      expect(files.sort()).toEqual([
        ...[
          'NOTICES',
          'LICENSE',
          'README.md',
          'package.json',
          'python.wasm.br',
          'sources.json',
          'stdlib.zip.br',
        ]
          .map((name) => `/usr/lib/ambit/node_modules/@ambit/python/${name}`)
          .sort(),
        '/usr/share/doc/ambit-python/copyright',
      ]);
      const { stdout } = await run('dpkg-deb', ['--contents', file]);
      const entries = stdout.trimEnd().split('\n');
      expect(
        entries.filter((line) => !/^(?:[d-]rwxr-xr-x|-rw-r--r--|lrwxrwxrwx) root\/root /.test(line)),
      ).toEqual([]);
      const paths = entries.map((line) => line.replace(/^.*? \.(?=\/)/, ''));
      const outside = paths.filter(
        (path) => !path.endsWith('/') && !path.startsWith('/usr/lib/ambit/node_modules/'),
      );
      expect(outside.sort()).toEqual([
        '/etc/ambit/ambit.config.yaml',
        '/usr/bin/ambit',
        '/usr/lib/ambit/bin/node',
        '/usr/lib/sysctl.d/60-ambit.conf',
        '/usr/lib/systemd/system/ambit.service',
        '/usr/lib/systemd/system/ambit@.service',
        '/usr/lib/sysusers.d/ambit.conf',
        '/usr/share/doc/ambit/CHANGELOG.md',
        '/usr/share/doc/ambit/copyright',
        '/usr/share/doc/ambit/docs -> ../../../lib/ambit/node_modules/@ambit/cli/docs',
      ]);
      const unexpected =
        /\.(?:test|map|gyp|c|h)\b|\.d\.[mc]?ts$|\/node_modules\/.*\/node_modules\/.*\/node_modules\/|(?<!\/linux-x64)\.node$/;
      expect(paths.filter((path) => unexpected.test(path))).toEqual([]);
    },
  );

  test.runIf(isWhole)(
    'a strict TypeScript project compiles with all libraries, composes a prompt, and runs a skill without a daemon',
    async () => {
      const libraries = [...tarballs.keys()].filter((name) => !programs.includes(name));
      const read = async (path: string) => JSON.parse(await readFile(join(repository, path), 'utf8'));
      const types = (await read('package.json')).devDependencies['@types/node'];
      const sdk = (await read('packages/ai/package.json')).devDependencies.ai;
      // The types of the AI SDK import json-schema, whose types it does not depend on.
      const others = [`@types/node@${types}`, `ai@${sdk}`, '@types/json-schema@7'];
      const folder = await project(libraries, others);
      for (const example of ['prompt/compose.ts', 'in-process/run.ts', 'in-process/execute.ts'])
        await cp(join(repository, 'examples', example), join(folder, basename(example)));
      const manifests = await Promise.all(libraries.map((name) => read(`packages/${name}/package.json`)));
      const modules = manifests.flatMap(({ name, exports }) =>
        Object.keys(exports).map((path) => `${name}${path.slice(1)}`),
      );
      const uses = modules.map((name, at) => `import * as m${at} from '${name}';\nvoid m${at};\n`);
      await writeFile(join(folder, 'all.ts'), uses.join(''));
      const compilerOptions = {
        strict: true,
        module: 'nodenext',
        target: 'es2024',
        types: ['node'],
        outDir: 'out',
        skipLibCheck: false,
      };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const compiler = join(repository, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [compiler], { cwd: folder }).catch((error) => error);
      expect(stdout).toBe('');
      const composed = await run(
        process.execPath,
        ['out/compose.js', join(repository, 'skills'), 'implement'],
        { cwd: folder },
      );
      expect(composed.stdout).toContain('<name>test-driven-development</name>');
      expect(composed.stderr).toBe('');
      for (const [skill, input] of [
        ['csv-profile', '{"csv":"a\\n1\\n"}'],
        ['text-redact', '{"text":"x"}'],
      ] as const) {
        const executed = ['out/execute.js', join(repository, 'skills'), skill, input];
        const { stdout: ended } = await run(process.execPath, executed, { cwd: folder });
        expect(JSON.parse(ended)).toMatchObject({ status: 'succeeded' });
      }
      const data = await temporaryFolder();
      const recorded = ['out/run.js', join(repository, 'skills'), data, await temporaryFolder()];
      const called = await run(process.execPath, recorded, { cwd: folder });
      expect(called.stdout).toMatch(/^CAPABILITY_DENIED: git-summary needs filesystem\.read/);
      expect(existsSync(join(data, 'audit.db'))).toBe(true);
      await run(process.execPath, ['out/all.js'], { cwd: folder });
    },
  );

  test('the types of the client need no other package, refuse unknown fields and routes without JSON, and say what a field means', async () => {
    const folder = await temporaryFolder();
    const installed = join(folder, 'node_modules/@ambit/client');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', tarballs.get('client') as string, '-C', installed, '--strip-components', '1']);
    const main = join(folder, 'main.mts');
    const text = `import { ambitClient } from '@ambit/client';
const ambit = ambitClient({ url: 'http://127.0.0.1:7433' });
await ambit.installs.add({ source: './skills', typo: 1 });
await ambit.request('GET /metrics');
for (const skill of await ambit.installs.list()) document.title = skill.publisher ?? '';
`;
    await writeFile(main, text);
    // As in a browser: without the types of Node.
    const settings = ts.convertCompilerOptionsFromJson(
      { strict: true, module: 'nodenext', target: 'es2024', lib: ['es2024', 'dom'], types: [], noEmit: true },
      folder,
    );
    const program = ts.createProgram([main], settings.options);
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
    expect(messages).toEqual([
      expect.stringContaining("'typo' does not exist in type"),
      expect.stringContaining('"GET /metrics"'),
    ]);
    const ofFolder = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
    expect(ofFolder.map(({ fileName }) => basename(fileName))).toEqual([
      'common.d.ts',
      'index.d.ts',
      'main.mts',
    ]);
    const checker = program.getTypeChecker();
    const index = checker.getSymbolAtLocation(
      program.getSourceFile(join(installed, 'dist/index.d.ts')) as ts.Node,
    );
    const skill = index?.exports?.get(ts.escapeLeadingUnderscores('InstalledSkill')) as ts.Symbol;
    const field = checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(skill)).getProperty('publisher');
    expect(ts.displayPartsToString(field?.getDocumentationComment(checker))).toBe(
      'The configured publisher that signed it; `null`: none.',
    );
    const declared = await readFile(join(installed, 'dist/index.d.ts'), 'utf8');
    expect(declared).toMatch(/\/\*\* No response within `timeoutMs`\. \*\/\s*'TIMED_OUT'/);
  });

  test('npx runs the command, a JavaScript project calls its daemon, and no skill can change the installed program', async () => {
    const folder = await project(['cli', 'client']);
    const npx = (...args: readonly string[]) => run('npx', ['ambit', ...args], { cwd: folder, env });
    const skill = join(folder, 'skills/writer');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), '---\nname: writer\ndescription: Writes.\n---\n');
    const capabilities = { exec: ['sh'], filesystem: { write: [folder] } };
    const sidecar = { run: { runtime: 'process', entry: 'run.sh', protocol: 'command', capabilities } };
    await writeFile(join(skill, 'ambit.yaml'), JSON.stringify(sidecar));
    const targets = ['node_modules/@ambit/cli/bin/x', 'node_modules/better-sqlite3/x', 'allowed'];
    await writeFile(
      join(skill, 'run.sh'),
      `#!/bin/sh\nfor path in ${targets.map((path) => `${folder}/${path}`).join(' ')}; do\n  (echo x > "$path") 2>/dev/null && echo "wrote $path"\ndone\ntrue\n`,
    );
    const config = {
      skills: [{ path: join(folder, 'skills'), tier: 'local' }],
      grants: { writer: capabilities },
    };
    const program = join(folder, 'node_modules/@ambit/cli/bin/ambit.mjs');
    const daemon = await daemonProcess(folder, config, { program });
    onTestFinished(async () => {
      await daemon.stop('SIGKILL');
    });
    await writeFile(
      join(folder, 'main.js'),
      `import { ambitClient } from '@ambit/client';
import { findDaemon } from '@ambit/client/node';
const ambit = ambitClient(await findDaemon({ url: process.argv[2], keyFile: process.argv[3] }));
for (const [skill, input] of [
  ['text-redact', { text: 'mail me at ada@example.org' }],
  ['json-query', { query: 'a', document: { a: 1 } }],
  ['csv-profile', { csv: 'a,b\\n1,2\\n' }],
])
  console.log((await ambit.execute(skill, input)).outcome.status);
`,
    );
    const { stdout } = await run(process.execPath, ['main.js', daemon.url, join(daemon.dataDir, 'key')], {
      cwd: folder,
    });
    // WebAssembly, a script in QuickJS, and Python under bubblewrap.
    expect(stdout).toBe('succeeded\nsucceeded\nsucceeded\n');
    expect(await brokenLinks(join(folder, 'node_modules/@ambit/cli'))).toEqual([]);
    const page = await fetch(`${daemon.url}/console/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);

    const options = ['--config', join(folder, 'ambit.config.yaml')];
    const calling = spawn('npx', ['ambit', 'run', 'text-redact', '--input', '-', ...options], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    calling.stdin.end('{"text":"mail me at ada@example.org"}');
    const printed = calling.stdout.toArray();
    const [code] = await once(calling, 'close');
    expect([code, Buffer.concat(await printed).toString()]).toEqual([
      0,
      expect.stringContaining('[redacted-email]'),
    ]);
    expect((await npx('audit', 'verify', ...options)).stdout).toContain('The log is intact.');
    const doctor = JSON.parse((await npx('doctor', '--json', ...options)).stdout);
    expect(doctor).toMatchObject({ checks: expect.any(Array) });

    // Its grant is around the program and what that depends on, and so are the permissions.
    const writable = ['', ...targets.map((path) => dirname(path))].map((path) => join(folder, path));
    await run('chmod', ['a+rwx', ...writable]);
    const { body } = await daemon.execute('writer', {});
    expect(body).toMatchObject({ outcome: { output: { stdout: `wrote ${folder}/allowed\n` } } });

    const manifest = join(folder, 'node_modules/@ambit/cli/package.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('>=22.18', '>=99.1'));
    await expect(npx('--version')).rejects.toMatchObject({
      code: 1,
      stderr: `ambit needs Node 99.1 or newer; this is Node ${process.versions.node}. Install a newer Node, and run the command again.\n`,
    });
  });

  test.runIf(isWhole)(
    'Python in WebAssembly runs when its package is installed beside the command, and is missed before',
    async () => {
      const folder = await project(['cli']);
      const skill = join(folder, 'skills/adder');
      await mkdir(skill, { recursive: true });
      await writeFile(join(skill, 'SKILL.md'), '---\nname: adder\ndescription: Adds.\n---\n');
      await writeFile(
        join(skill, 'ambit.yaml'),
        JSON.stringify({ run: { runtime: 'wasm', entry: 'add.py' } }),
      );
      await writeFile(join(skill, 'add.py'), 'import json, sys\nprint(sum(json.load(sys.stdin)))\n');
      await writeFile(join(folder, 'input.json'), '[1, 2]');
      const config = { skills: [{ path: 'skills', tier: 'untrusted' }], dataDir: 'data' };
      await writeFile(join(folder, 'c.yaml'), JSON.stringify(config));
      const command = ['ambit', 'run', 'adder', '--input', 'input.json', '--config', 'c.yaml'];
      const calling = () => run('npx', command, { cwd: folder, env });
      await expect(calling()).rejects.toMatchObject({
        stderr: expect.stringContaining(
          "adder is Python in WebAssembly and needs the package @ambit/python, which is not installed. Install the package of Ambit's own version beside it (docs/python.md#installing), and restart the daemon, if one runs.",
        ),
      });
      const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
      await run('npm', ['install', ...options, tarballs.get('python') as string], { cwd: folder, env });
      expect((await calling()).stdout).toBe('3\n');
    },
  );
});

/** Links between pages of the documentation in a package that lead to no file. */
async function brokenLinks(folder: string): Promise<string[]> {
  const broken = [];
  for await (const page of glob('{docs/**/,}*.md', { cwd: folder }))
    for (const [, target = ''] of (await readFile(join(folder, page), 'utf8')).matchAll(
      /\]\((?!\w+:|#)([^)#]+)/g,
    ))
      if (!existsSync(join(folder, dirname(page), target))) broken.push(`${page}: ${target}`);
  return broken;
}
