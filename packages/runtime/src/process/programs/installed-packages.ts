import { readFile } from 'node:fs/promises';

/** An installed package of Debian. */
export interface InstalledPackage {
  /** The packages that it depends on; any of several alternatives. */
  needs: readonly string[];
  /** The packages that it uses where they are installed. */
  uses: readonly string[];
  /** Whether it is for every architecture. */
  isForAll: boolean;
  /** Whether several architectures of it can be installed together, as only libraries can. */
  isLibrary: boolean;
  /** The paths of its files and folders. */
  paths(): Promise<readonly string[]>;
}

/** The installed packages by name, from the database of dpkg; none if this machine has none. */
export async function installedPackages(database: string): Promise<ReadonlyMap<string, InstalledPackage>> {
  const status = await readFile(`${database}/status`, 'utf8').catch(() => '');
  return new Map(
    status.split('\n\n').flatMap((text): [string, InstalledPackage][] => {
      const fields = new Map(
        [
          ...text.matchAll(/^(Package|Status|Architecture|Multi-Arch|Depends|Recommends|Suggests): (.*)$/gm),
        ].map(([, field = '', value = '']) => [field, value]),
      );
      const name = fields.get('Package');
      if (name === undefined || fields.get('Status') !== 'install ok installed') return [];
      const isLibrary = fields.get('Multi-Arch') === 'same';
      const list = isLibrary ? `${name}:${fields.get('Architecture')}` : name;
      let paths: Promise<string[]> | undefined;
      return [
        [
          name,
          {
            needs: namesIn(fields.get('Depends')),
            uses: [...namesIn(fields.get('Recommends')), ...namesIn(fields.get('Suggests'))],
            isForAll: fields.get('Architecture') === 'all',
            isLibrary,
            paths: () => (paths ??= linesOf(`${database}/info/${list}.list`)),
          },
        ],
      ];
    }),
  );
}

/** The names in a field of relations, without versions and architectures. */
function namesIn(relations = ''): string[] {
  return relations.split(/[,|]/).flatMap((each) => each.match(/[\w.+-]+/)?.[0] ?? []);
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n');
}
