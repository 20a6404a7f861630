import { connect } from 'node:net';
import { bubblewrapSandbox, egress } from '@ambit/runtime';
import { openSource } from '../source/open-source.ts';
import { type ParsedSource, parseSource } from '../source/parse-source.ts';
import { surveySource } from '../stage/survey.ts';

/** The network that a source is read from. */
interface TestNetwork {
  /** The hosts that installs may reach. */
  network?: readonly string[];
  /** The addresses of names. A port of an address leads to the same port on loopback. */
  names?: Readonly<Record<string, readonly string[]>>;
  /** Gets each dialled address. */
  dialled?: string[];
  /** Instead of what was typed. */
  ref?: string;
}

/** Opens a source, and lists its skills with their files, and the skills that are refused. */
export async function openedSkills(
  typed: string,
  { network = [], names = {}, dialled = [], ref }: TestNetwork = {},
) {
  const own = egress(async () => '', {
    async resolve(host) {
      const addresses = names[host];
      if (addresses === undefined) throw Object.assign(new Error(host), { code: 'ENOTFOUND' });
      return addresses;
    },
    dial(address, port) {
      dialled.push(`${address}:${port}`);
      return connect({ host: '127.0.0.1', port });
    },
  });
  const sandbox = bubblewrapSandbox();
  try {
    const parsed: ParsedSource = parseSource(typed, (path) => path.startsWith('/'));
    const source = await openSource(ref === undefined ? parsed : { ...parsed, ref }, {
      sandbox,
      egress: own,
      network,
      deny: [],
      signal: new AbortController().signal,
    });
    try {
      const { skills, refused } = await surveySource(source, source.folder);
      return {
        skills: Object.fromEntries(
          skills.map(({ folder, files }) => [folder, files.map(({ path }) => path).sort()]),
        ),
        refused: [...source.leftOut, ...refused].map(({ folder, error: { code, message } }) => ({
          folder,
          code,
          message,
        })),
        resolved: source.resolved,
      };
    } finally {
      await source.close();
    }
  } finally {
    await sandbox.close?.();
    await own.close();
  }
}
