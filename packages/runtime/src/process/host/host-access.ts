import { lstatSync, type Stats, statSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Grant } from '@ambit/core/execute';
import { thrownText } from '@ambit/core/outcome';
import { capabilityDenied, liesWithin } from '@ambit/core/policy';
import { type Environment, namedVariables } from '../../spawn/environment.ts';
import { searchPath } from '../../spawn/search-path.ts';
import { skillFolder } from '../entry.ts';
import { setpriv } from '../sandbox/bubblewrap/start-process.ts';
import { identityOf } from '../sandbox/mount-identity.ts';
import { notHidden } from '../sandbox/pins.ts';
import { type HostProcess, type Mount, ownFolder, type Pin } from '../sandbox/sandbox.ts';
import {
  checkedPins,
  checkLinks,
  doubtfulFolder,
  foldersAbove,
  isOutOfReach,
  linksIn,
  mayCreate,
  mayEnter,
  outermost,
  realPath,
} from './hidden-paths.ts';
import { type HostUser, hostUser, userProblem } from './host-user.ts';
import { type HostMount, kernelMounts, mountTable, otherPathsTo } from './mount-table.ts';

/** Settings of calls with the rights of a user: what is hidden or read-only, and who the user is. */
export interface HostSettings {
  /** The data directory, the configuration, the trust store, and files with secrets. */
  pins: readonly Pin[];
  /** The data directories that the trust store lists for this user's daemons, and the folders of their sockets. */
  dataDirs(): Promise<readonly string[]>;
  /** Read-only inside: the program, and the skills, whose grants are not this skill's. */
  readOnly: readonly string[];
  /** The same for paths that a program may create. */
  readOnlyIfPresent: readonly string[];
  /** Variables of the daemon's environment with secrets. All that begin with `AMBIT_` are left out as well. */
  secretVariables: readonly string[];
  /** By skill id: the user, for a daemon that is root. */
  users: Readonly<Record<string, string>>;
}

/** The parts of a sandbox that give a program the rights of a user. */
export interface HostAccess {
  process: HostProcess;
  env: Record<string, string>;
  /** A folder that it can enter. */
  home: string;
  mounts: readonly Mount[];
  links: Readonly<Record<string, string>>;
  /** Folders that are empty inside. */
  hidden: readonly string[];
}

/**
 * Prepares a call with the rights of a user. Throws `CAPABILITY_DENIED` if no user is configured for a daemon that is root,
 * and `SANDBOX_UNAVAILABLE` if something cannot be hidden.
 */
export async function hostAccess(
  grant: Grant,
  settings: HostSettings,
  environment: Environment,
): Promise<HostAccess> {
  const user = userOf(grant, settings, environment);
  const isRoot = process.getuid?.() === 0;
  const pinnedPaths = await checkedPins(settings.pins, user);
  const table = await mountTable();
  const hidden = outermost(
    [...pinnedPaths, ...(await otherDataDirs(settings)), ...grant.hostDenied.map(deniedPath)]
      .flatMap((path) => visiblePaths(path, table))
      .concat(kernelMounts(table).filter(exists)),
  ).filter((path) => mustMount(path, user));
  for (const path of settings.readOnly)
    if (!exists(path) && mayCreate(path, user))
      throw notHidden(
        `Ambit would trust ${path}, which does not exist and which ${user.name} could create`,
        'create it',
      );
  const skillLinks = linksIn(settings.readOnly);
  const realPaths = [...settings.readOnly, ...settings.readOnlyIfPresent, ...skillLinks].flatMap(
    (path) => realPath(path) ?? [],
  );
  await checkLinks([...settings.readOnly, ...grant.hostDenied], user);
  await checkLinks(skillLinks, user, realPaths);
  const readOnly = outermost(
    realPaths
      .flatMap((path) => visiblePaths(path, table))
      .filter((path) => !hidden.some((place) => liesWithin(path, place))),
  ).filter((path) => mustMount(path, user));
  const files = hidden.filter((path) => !statSync(path).isDirectory());
  const root = await wholeRoot();
  return {
    process: {
      uid: user.uid,
      gid: user.gid,
      name: user.name,
      groups: isRoot ? user.groups : undefined,
      pins: settings.pins,
      hidden,
    },
    env: isRoot
      ? { ...usualEnvironment(user, environment), ...namedVariables(grant.capabilities.env, environment) }
      : ownEnvironment(environment, settings.secretVariables, grant.variablesDenied),
    home: mayEnter(user.home, user) ? user.home : '/',
    mounts: [
      ...root.mounts,
      ...[...pinnedFolders([...hidden, ...readOnly]), ...readOnly.map(mountOf)].sort(
        (a, b) => a.target.length - b.target.length,
      ),
      // A device on a mount without devices cannot be opened.
      ...files.map((target) => ({ source: '/dev/null', target })),
    ],
    links: root.links,
    hidden: hidden.filter((path) => !files.includes(path)),
  };
}

/** The user that a program runs as. Throws `CAPABILITY_DENIED`. */
function userOf({ skill }: Grant, { users }: HostSettings, environment: Environment): HostUser {
  const refused = (reason: string, remedy: string) =>
    capabilityDenied(skill.id, [{ capability: 'host', requested: 'true', reason, remedy }]);
  const name = Object.hasOwn(users, skill.id) ? users[skill.id] : undefined;
  const line = `grants: { ${skill.id}: { host: true, user: NAME } }`;
  if (process.getuid?.() === 0) {
    if (name === undefined)
      throw refused('needs a user, because Ambit runs as root', `add to ambit.config.yaml: ${line}`);
    const user = hostUser(name);
    const problem =
      userProblem(name, user) ?? (exists(setpriv) ? undefined : `${setpriv} is missing; install util-linux`);
    if (problem !== undefined || user === undefined)
      throw refused(`has no usable user: ${problem}`, `correct the user in ambit.config.yaml: ${line}`);
    return user;
  }
  const own = ownUser(environment);
  if (name === undefined || name === own.name) return own;
  throw refused(
    `names the user ${name}, and Ambit runs as ${own.name}`,
    `run Ambit as ${name}, or remove user from grants.${skill.id} in ambit.config.yaml`,
  );
}

/** The user that runs the daemon, which need not have an entry in `/etc/passwd`. */
function ownUser(environment: Environment): HostUser {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  const groups = process.getgroups?.() ?? [gid];
  try {
    const { username, homedir, shell } = userInfo();
    return {
      name: username,
      uid,
      gid,
      groups,
      home: environment['HOME'] ?? homedir,
      shell: shell ?? '/bin/sh',
    };
  } catch {
    return { name: `uid ${uid}`, uid, gid, groups, home: environment['HOME'] ?? '/', shell: '/bin/sh' };
  }
}

/** The variables of a login of the user, without root's environment except `LANG`. */
function usualEnvironment({ name, home, shell }: HostUser, environment: Environment): Record<string, string> {
  return {
    HOME: home,
    USER: name,
    LOGNAME: name,
    SHELL: shell,
    PATH: searchPath,
    LANG: environment['LANG'] ?? 'C.UTF-8',
  };
}

/** Variables that connect the daemon to its service manager or its parent, or that can hold keys of its exporters. */
const ownVariables =
  /^(?:AMBIT_.*|NOTIFY_SOCKET|LISTEN_.*|WATCHDOG_.*|JOURNAL_STREAM|CREDENTIALS_DIRECTORY|NODE_CHANNEL_.*|OTEL_EXPORTER_.*HEADERS)$/i;

/** A shorter value of a secret is in other values by chance. */
const secretCharactersMin = 8;

/** The daemon's environment, without its own variables and any other that has the value of a secret. */
function ownEnvironment(
  environment: Environment,
  secretVariables: readonly string[],
  denied: readonly string[],
): Record<string, string> {
  const secrets = [...secretVariables, 'AMBIT_KEY']
    .map((name) => environment[name] ?? '')
    .filter((secret) => secret.length >= secretCharactersMin);
  const leftOut = new Set([...secretVariables, ...denied]);
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || leftOut.has(name) || ownVariables.test(name)) continue;
    if (!secrets.some((secret) => value.includes(secret))) variables[name] = value;
  }
  return variables;
}

/** The real path of a denied path, which must exist: a program could create it. */
function deniedPath(path: string): string {
  const real = realPath(path);
  if (real === undefined)
    throw notHidden(
      `the deny rule ${path} names a path that does not exist`,
      'create it, or remove the rule',
    );
  if (real === '/') throw notHidden('the deny rule / names every file', 'grant the paths that it needs');
  if (['/proc', '/sys', '/dev'].some((folder) => liesWithin(real, folder)))
    throw notHidden(`the deny rule ${path} names a path of the kernel`, 'grant the paths that it needs');
  return real;
}

function exists(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** `undefined` also for a path that this user, and so the program, cannot reach. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** The paths that lead to a file or folder, or to a part of it. Other places of its file system are below another mount. */
function visiblePaths(path: string, mounts: readonly HostMount[]): string[] {
  const identity = identityOf(statSync(path));
  const others = otherPathsTo(path, mounts).filter(({ path: other, isPart }) => {
    const stats = statsOf(other);
    return stats !== undefined && (isPart || identityOf(stats) === identity);
  });
  return [path, ...others.map((other) => other.path)].filter((each) => !isReplaced(each));
}

/** Data directories and sockets of the user's other daemons, which give the same rights. */
async function otherDataDirs({ dataDirs }: HostSettings): Promise<string[]> {
  try {
    return (await dataDirs()).flatMap((path) => realPath(path) ?? []);
  } catch (cause) {
    throw notHidden(
      `the data directories of this user are unknown (${thrownText(cause)})`,
      'run: ambit doctor',
    );
  }
}

/** The entries of the root that the sandbox has for itself, or binds without a part of them hidden. */
const replaced = ['proc', 'dev', 'sys', ownFolder.slice(1), skillFolder.slice(1), 'workspace'];

/** Whether a path is not visible anyway, because the sandbox has something of its own there. */
function isReplaced(path: string): boolean {
  return replaced.some((name) => liesWithin(path, `/${name}`));
}

/** Throws if it is unclear whether `user` can reach a path and, as that user, something can be mounted there. */
function mustMount(path: string, user: HostUser): boolean {
  if (user.uid === process.getuid?.()) return true;
  if (isOutOfReach(path, user)) return false;
  const folder = doubtfulFolder(path, user);
  if (folder === undefined) return true;
  throw notHidden(
    `${path} is in ${folder}, and only its permissions for a group say whether ${user.name} may enter it`,
    `chmod go-x ${folder}, or let ${user.name} enter it: chmod o+x ${folder}`,
  );
}

/** Every file and folder in the host's root. Its links are made again. */
async function wholeRoot(): Promise<{ mounts: Mount[]; links: Record<string, string> }> {
  const mounts: Mount[] = [{ source: '/sys', target: '/sys' }];
  const links: Record<string, string> = {};
  for (const entry of await readdir('/', { withFileTypes: true })) {
    const path = `/${entry.name}`;
    if (replaced.includes(entry.name)) continue;
    if (entry.isSymbolicLink()) links[path] = await readlink(path);
    else mounts.push({ source: path, target: path, writable: true });
  }
  return { mounts, links };
}

function mountOf(path: string): Mount {
  return { source: path, target: path };
}

/**
 * The folders above hidden and read-only places, each as a mount of its own: a mount point cannot be renamed, and a folder
 * below it that was renamed would uncover what a later call hides by its path.
 */
function pinnedFolders(places: readonly string[]): Mount[] {
  // The folders in the root are mounts already.
  const above = places.flatMap(foldersAbove).filter((folder) => dirname(folder) !== '/');
  return [...new Set(above)]
    .filter((folder) => !places.some((place) => liesWithin(folder, place)))
    .map((folder) => ({ source: folder, target: folder, writable: true }));
}
