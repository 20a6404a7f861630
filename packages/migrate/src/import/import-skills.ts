import { UsageError } from '@ambit/core/outcome';
import { skillIdOf } from '@ambit/core/skill';
import { readFolder } from './folder/read-folder.ts';
import { openIsdlc } from './isdlc/open-isdlc.ts';
import { readIsdlc } from './isdlc/read-isdlc.ts';
import { readAgentium } from './read-agentium.ts';
import type { Contents, ReportLine, SettingsFragment } from './skill/imported.ts';
import { serverGrants } from './skill/server-grants.ts';
import { localSource } from './source/local-source.ts';
import { type ImportNetwork, isUrl, withRemoteSource } from './source/remote-source.ts';
import type { Source } from './source/source.ts';
import { openWreckit } from './wreckit/open-wreckit.ts';
import { convertWreckit, readWreckit } from './wreckit/read-wreckit.ts';
import { writeFolders } from './write-folders.ts';

/** The systems that skills can be imported from. */
export type ImportKind = 'wreckit' | 'agentium' | 'isdlc' | 'folder';

/** The source of an import, and its destination. */
export interface ImportRequest {
  kind: ImportKind;
  /** An absolute path; for wreckit and agentium also an `https://` URL. */
  from: string;
  /** The folder to write skill folders to, an absolute path. */
  out: string;
  /** Whether to replace existing folders. Absent: they stay. */
  force?: boolean;
  /** Whether to only report what would be written. Absent: no. */
  dryRun?: boolean;
  /** Begins the ids in the settings. Absent: they have no namespace. */
  namespace?: string | undefined;
  /** The hosts that an import may reach. Absent: none. */
  network?: ImportNetwork;
}

/** The result of an import. */
export interface ImportReport {
  /** Ids, in the order of the source. */
  written: readonly string[];
  /** Ids of skills that already existed. */
  existing: readonly string[];
  /** For `ambit.config.yaml`, which an import never changes itself. */
  settings: SettingsFragment;
  lines: readonly ReportLine[];
}

/**
 * Imports another system's skills as skill folders. Each change and each omission is one line of the
 * report; neither stops the import.
 *
 * Rejects with a `UsageError` if the source cannot be read, and with `CAPABILITY_DENIED` for a URL
 * that the operator has not allowed.
 */
export async function importSkills(request: ImportRequest): Promise<ImportReport> {
  const { skills, settings: read, lines } = await readSource(request);
  const report = [...lines];
  const settings = { ...read, grants: serverGrants(skills, report) };
  const { force = false, dryRun = false } = request;
  const folders = await writeFolders(request.out, skills, { force, dryRun }, report);
  return { ...folders, settings: withIds(settings, idIn(request.namespace)), lines: report };
}

function idIn(namespace: string | undefined): (name: string) => string {
  return (name) => (namespace === undefined ? name : skillIdOf(namespace, name));
}

function withIds(
  { phases, agents, grants }: SettingsFragment,
  idOf: (name: string) => string,
): SettingsFragment {
  const inEach = <Settings extends { skills?: readonly string[] }>(all: Readonly<Record<string, Settings>>) =>
    Object.fromEntries(
      Object.entries(all).map(([name, settings]) => [
        name,
        settings.skills === undefined ? settings : { ...settings, skills: settings.skills.map(idOf) },
      ]),
    );
  const named = Object.entries(grants).map(([name, grant]) => [idOf(name), grant]);
  return { phases: inEach(phases), agents: inEach(agents), grants: Object.fromEntries(named) };
}

async function readSource({ kind, from, network = {} }: ImportRequest): Promise<Contents> {
  switch (kind) {
    case 'wreckit':
      return isUrl(from)
        ? withRemoteSource(from, network, async ({ manifest }) => readWreckit(manifest))
        : readWreckitPlace(from);
    case 'agentium':
      return withSource(from, ['manifest.yaml', 'manifest.yml'], network, ({ manifest, readFile }) =>
        readAgentium(manifest, readFile),
      );
    case 'isdlc':
      return readIsdlcFolder(localOnly(kind, from));
    case 'folder':
      return readFolder(localOnly(kind, from));
    default:
      return kind satisfies never;
  }
}

async function withSource(
  from: string,
  names: readonly string[],
  network: ImportNetwork,
  use: (source: Source) => Promise<Contents>,
): Promise<Contents> {
  return isUrl(from) ? withRemoteSource(from, network, use) : use(await localSource(from, names));
}

async function readWreckitPlace(place: string): Promise<Contents> {
  const lines: ReportLine[] = [];
  return convertWreckit(await openWreckit(place, lines), lines);
}

async function readIsdlcFolder(place: string): Promise<Contents> {
  const unread: ReportLine[] = [];
  const imported = await readIsdlc(await openIsdlc(place, unread));
  return { ...imported, lines: [...unread, ...imported.lines] };
}

function localOnly(kind: ImportKind, from: string): string {
  if (!isUrl(from)) return from;
  throw new UsageError(`${kind} cannot be imported from a URL; download it and pass the folder`);
}
