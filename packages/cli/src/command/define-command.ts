import type { ExitCode } from '@ambit/api';
import type { AmbitClient } from '@ambit/client';
import type { Config, ConfigEntry, ConfigFlags, ConfigSources } from '@ambit/server/config';
import type { Printer } from '../output/printer.ts';
import type { Terminal } from '../output/terminal.ts';
import type { ValueOf, ValueSpec } from './value-spec.ts';

/** The parts of a process that a test replaces. */
export interface Surroundings {
  readonly terminal: Terminal;
  /**
   * `more` replaces what the configuration is searched with. Rejects with a `ConfigError` that lists every mistake, or with an
   * `UntrustedError` for a found file that is not trusted.
   */
  loadConfig(flags: ConfigFlags, more?: Pick<ConfigSources, 'outsideProjects'>): Promise<Config>;
  /** Every value of a loaded configuration, with its origin. */
  valuesOf(config: Config): readonly ConfigEntry[] | undefined;
  /** The daemon at `--url` or `AMBIT_URL`, or else the one of the data directory. */
  useDaemon(
    config: Config,
    command: Pick<CommandContext, 'terminal' | 'flags' | 'print'>,
    use: DaemonUse,
  ): Promise<UsedDaemon>;
}

/** The ways in which a command uses the daemon. */
export interface DaemonUse {
  /** Ends the wait for a start, and the requests. */
  signal?: AbortSignal | undefined;
  /** Whether a daemon that the command starts ends with it: where no background process may live. */
  isAlone?: boolean | undefined;
  /** Start none: rejects with `DAEMON_UNREACHABLE` if none runs. */
  onlyRunning?: boolean | undefined;
}

/** The daemon that a command uses. */
export interface UsedDaemon {
  client: AmbitClient;
  url: string;
  /** The path of its private socket; absent: it is called at its URL. */
  socketPath?: string | undefined;
  /** Ends it, as soon as nothing else uses it, if it was started for this command alone. */
  close(): Promise<void>;
}

/** The surroundings of a command, and the results that it sets. */
export interface CommandContext extends Omit<Surroundings, 'useDaemon'> {
  /** A client of the daemon, which is started if none runs, unless `use` says otherwise. */
  client(config: Config, use?: DaemonUse): Promise<AmbitClient>;
  /** The daemon of that client. */
  daemon?: UsedDaemon;
  /** The commands that the line can mean; every command for completion. */
  readonly commands: readonly Command[];
  /** Aborted when stdout is closed by its reader or cannot be written. */
  readonly readerGone: AbortSignal;
  /** Prints as the flags of the command say. */
  print: Printer;
  /** The global flags of the command. */
  flags: GlobalFlags;
  /** Set by the command. */
  exitCode: ExitCode;
  /** The skill that the command calls, for hints. */
  skillId?: string;
  /** The folder of that skill, if it is invalid. */
  skillFolder?: string;
  /** The configuration that needs no trust, for hints: a flag or a variable names it, or it is the user's own. */
  configFile?: string | undefined;
}

/** An option of a command. Its name, in camel case, is its key. */
export interface OptionSpec extends ValueSpec {
  /** Sentences in Markdown that follow its text in docs/cli.md. */
  details?: string;
  /** The placeholder of its value in the help. Absent: the option is a switch. */
  value?: string;
  /** The value if the option is not used. */
  default?: string | number;
  required?: true;
  /** Each use adds a value. */
  repeatable?: true;
  /** A switch that is on unless `--no-…` is used. */
  negated?: true;
}

/** An argument of a command. Its name, in camel case, is its key. */
export interface ArgumentSpec extends ValueSpec {
  optional?: true;
  /** It takes all remaining arguments. */
  variadic?: true;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

/** A command as data: its help, its completions and the types of its flags and arguments follow from it. */
export interface Command {
  /** Its words without the program's name, such as `audit show`. */
  readonly name: string;
  /** A few words for lists. */
  readonly summary: string;
  readonly description: string;
  /** In the order in which they are typed. */
  readonly args?: ArgumentSpecs;
  /** Commands below it accept them too. */
  readonly options?: OptionSpecs;
  /** Lines of a shell, each with what it does. */
  readonly examples?: Readonly<Record<string, string>>;
  /** It works on the daemon at `--url`. The others refuse `--url`. */
  readonly remote?: true;
  readonly hidden?: true;
  /** Absent: it only groups the commands below it. */
  run?(context: CommandContext, flags: object, args: object): Promise<void> | void;
}

/** The flags of options: a switch or an option that is not used is absent. */
export type FlagsOf<Options> = {
  [Name in keyof Options as Options[Name] extends Given ? Name : never]: FlagOf<Options[Name]>;
} & { [Name in keyof Options as Options[Name] extends Given ? never : Name]?: FlagOf<Options[Name]> };

type Given = { required: true } | { default: unknown };
type FlagOf<Spec> = Spec extends { value: string }
  ? Spec extends { repeatable: true }
    ? ValueOf<Spec>[]
    : ValueOf<Spec>
  : boolean;

type ArgumentsOf<Args> = {
  [Name in keyof Args]: Args[Name] extends { variadic: true }
    ? ValueOf<Args[Name]>[]
    : ValueOf<Args[Name]> | (Args[Name] extends { optional: true } ? undefined : never);
};

/**
 * A command whose `run` gets the flags of its options and its arguments by name. `inherited` are the options of the command
 * above it that it reads.
 */
export function defineCommand<
  const Options extends OptionSpecs = Record<never, never>,
  const Args extends ArgumentSpecs = Record<never, never>,
  const Inherited extends OptionSpecs = Record<never, never>,
>(
  command: Omit<Command, 'args' | 'options' | 'run'> & {
    args?: Args;
    options?: Options;
    inherited?: Inherited;
    run?(
      context: CommandContext,
      flags: FlagsOf<Options> & FlagsOf<Inherited> & GlobalFlags,
      args: ArgumentsOf<Args>,
    ): Promise<void> | void;
  },
): Command {
  return command;
}

/** Options of several commands, or of a command whose functions need the type of its flags. */
export function defineOptions<const Options extends OptionSpecs>(options: Options): Options {
  return options;
}

/** The options of every command, accepted before and after it. */
export const globalOptions = defineOptions({
  config: {
    value: 'file',
    text: "use this configuration (default: the project's, or your own)",
    details:
      'An empty value is an error. Without it, three rules decide [which configuration is in force](configuration.md#which-configuration-is-in-force). The configuration of a project has to be [trusted](configuration.md#trust)',
  },
  dataDir: {
    value: 'dir',
    text: "use this data directory (default: the project's .ambit, or your own)",
    details: 'It has the key and the audit log. See [data directory](configuration.md#data-directory)',
  },
  url: {
    value: 'address',
    text: 'call the daemon at this address (or set AMBIT_URL)',
    details: 'An example is `https://ambit.example.org:7433`. See [choosing a daemon](#choosing-a-daemon)',
  },
  keyFile: {
    value: 'file',
    text: 'read the daemon key from this file (or set AMBIT_KEY_FILE or AMBIT_KEY)',
    details: '`AMBIT_KEY` is the key itself',
  },
  json: {
    text: 'print one JSON document; errors are JSON on stderr',
    details:
      '`audit --follow` and `audit export` print one a line. An error is `{"error": {"code", "message", "details"}}`',
  },
  color: {
    negated: true,
    text: 'print without colors (or set NO_COLOR=1)',
    details: 'By default only a terminal gets colors. `FORCE_COLOR` forces them, except `FORCE_COLOR=0`',
  },
});

export type GlobalFlags = FlagsOf<typeof globalOptions>;

/** The name of an option or argument as it is typed: `dataDir` is `data-dir`. */
export function nameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** An option as it is typed: `--data-dir`. */
export function longOf(key: string, { negated }: OptionSpec): string {
  return `--${negated ? 'no-' : ''}${nameOf(key)}`;
}
