import type { SkillGrant } from '@ambit/core/policy';
import type { McpServers } from '@ambit/core/skill';
import type { Environment, SkillRoot } from '@ambit/runtime';
import type { InstalledSkill } from '../lock/installed.ts';
import type { ConfigScope, ScopeSearch } from '../trust/config-scope.ts';
import type { Capacity, Settings } from './file/settings.ts';

/** The settings that are in force as the file has them. */
type PlainSettings = Omit<
  Settings,
  'dataDir' | 'skills' | 'bundledSkills' | 'discoveredSkills' | 'grants' | 'limits'
>;

/** The part of the configuration that the keys of the file decide, wherever the file is. */
export interface GeneralConfig extends PlainSettings {
  /** By skill id. */
  grants: Readonly<Record<string, SkillGrant>>;
  /** By id of a skill with `host`: the user that it runs as. Only the file of this machine sets it. */
  hostUsers: Readonly<Record<string, string>>;
  /** By skill id: the granted MCP servers with their definitions. */
  mcpServers: Readonly<Record<string, McpServers>>;
  /** Upper bounds for every call. */
  limits: Omit<Settings['limits'], keyof Capacity>;
  capacity: Capacity;
}

/** The validated configuration with absolute paths and all defaults. */
export interface Config extends GeneralConfig {
  /** The absolute path of its file; `undefined` without a file. */
  file: string | undefined;
  /** The rule that decided which configuration is in force. */
  scope: ConfigScope;
  /** The path of the user's own configuration, in force or not, which need not exist. Nothing that runs may write it. */
  userFile: string | undefined;
  dataDir: string;
  /**
   * Whether the data directory needs trust. `project` is the folder that `ambit trust` reviews it for; the trust store in
   * `dataHome` must list it as the user's own. `null`: the user named it, so it needs no trust.
   */
  dataDirTrust: { project: string | null; dataHome: string | undefined };
  /**
   * If two skills have the same name, the first root wins: the roots of the file, the bundled skills, then the discovered
   * roots. A discovered skill therefore never takes the name, and with it the grants, of a configured one.
   */
  skills: readonly SkillRoot[];
  /** The absolute path of the lock file, which need not exist. */
  lockFile: string;
  /** The skills of the lock file, by id. */
  installed: Readonly<Record<string, InstalledSkill>>;
  /** The policy of the cluster in force here, of which `grants`, `deny`, `limits`, `tiers` and `mcp` are; absent: none was published. */
  clusterPolicy?: {
    revision: number;
    /** The sections of its own file that it replaces; `null`: the policy was withdrawn. */
    own: PolicySections | null;
  };
  /** The daemon that flags or variables name; absent: the daemon of the data directory. The file cannot set it. */
  daemon?: NamedDaemon;
}

/** The sections of a configuration that a published policy sets: what calls may do, and nothing of one machine. */
export type PolicySections = Pick<Config, 'grants' | 'deny' | 'limits' | 'tiers' | 'mcp'>;

/** A revision of the policy of a cluster; `sections` is `null` if it was withdrawn. */
export interface ClusterPolicyRevision {
  revision: number;
  sections: PolicySections | null;
}

/** The address of a daemon, and the absolute path of the file with its key. */
export interface NamedDaemon {
  url: string | undefined;
  keyFile: string | undefined;
}

/** Absolute paths of the certificate chain and its private key, both PEM. */
export type TlsFiles = NonNullable<Settings['listen']['tls']>;

/** The stored payloads, the retention, the disk space, and the copies of checkpoints. */
export type AuditSettings = Settings['audit'];

/** The configuration flags of the command line, unparsed. */
export interface ConfigFlags {
  config?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  allowRemote?: boolean | undefined;
  dataDir?: string | undefined;
  logLevel?: string | undefined;
  url?: string | undefined;
  keyFile?: string | undefined;
}

/** The origin of a value: `default`, `file:/srv/ambit.config.yaml`, `env:AMBIT_PORT` or `flag:--port`. */
export type Origin =
  | 'default'
  | `file:${string}`
  | `env:${string}`
  | `flag:--${string}`
  | `cluster policy, revision ${number}`;

/** A value with its origin. */
export interface Sourced<T> {
  value: T;
  origin: Origin;
}

/** One value of the configuration. `key` is its path in the file, such as `listen.port` or `grants.git-summary`. */
export interface ConfigEntry extends Sourced<unknown> {
  key: string;
}

/** The sources of the configuration. Only the command's `program.ts` reads them from the process. */
export interface ConfigSources extends ScopeSearch {
  flags: ConfigFlags;
  env: Environment;
  /** The user id of this process; absent: unknown. */
  uid?: number | undefined;
  /** Reads the policy of its cluster in the data directory of a node. Rejects with a `ConfigError`. */
  readPolicy(dataDir: string): Promise<ClusterPolicyRevision | undefined>;
}
