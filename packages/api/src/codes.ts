import type { SkillErrorCode } from '@ambit/core';
import type { InstallErrorCode } from '@ambit/core/outcome';

/** The exit codes of every `ambit` command. The help and docs/cli.md show this table. */
export const exitCodes = {
  0: 'success; for a call, its outcome is succeeded',
  1: 'the skill ran and did not succeed, or its program exited with a code other than 0',
  2: 'the command line, the configuration, a source (SOURCE_MISSING, SOURCE_UNSUPPORTED), the package index (DEPENDENCY_NO_INDEX) or ambit.lock is invalid; nothing was started',
  3: 'refused: CONFIG_UNTRUSTED, CAPABILITY_…, INPUT_INVALID, SKILL_…, other SOURCE_…, INSTALL_NOT_FOUND, REVIEW_REQUIRED, REVIEW_STALE, LOCK_MISMATCH, SIGNATURE_INVALID, TIER_NOT_ALLOWED, NAMESPACE_TAKEN, other DEPENDENCY_…, NODE_DUPLICATED, NODE_RETIRED, INVITATION_INVALID, CLUSTER_INVALID, a workspace that does not exist or is full, a skill that fails validation (or lint, with --strict), cannot be merged or has hidden text, or a log or receipt that fails verification',
  4: 'unavailable: SANDBOX_UNAVAILABLE, PROGRAM_MISSING, SECRET_UNAVAILABLE, AUDIT_UNAVAILABLE, STORE_UNAVAILABLE, LEASE_LOST, MEMORY_SHARE_EXCEEDED, OVERLOADED, SOURCE_UNREACHABLE, NODE_UNUSABLE, or an unusable key, trust store, address, data directory or output',
  5: 'an internal error of Ambit',
  130: 'interrupted by Ctrl-C or SIGTERM; the call was canceled and recorded (serve shuts down and exits with 0)',
} as const;

export type ExitCode = keyof typeof exitCodes;

interface HttpAnswer {
  status: number;
  title: string;
  /** The next step, for the reference. The `detail` of a problem names the specifics. */
  remedy: string;
}

/** The answer of every transport to a code. */
interface Refused extends HttpAnswer {
  exitCode: ExitCode;
  /** The next step, for refusals whose messages are independent of the transport. */
  next?: {
    /** For a person at the command line. `SKILL` stands for the skill that was called. */
    person?: string;
    /** For a model, with Ambit's tools. */
    model?: string;
    /** For a program: the request that lists what exists. */
    request?: string;
  };
}

/**
 * Every code that a request can be refused with: the only table of statuses, exit codes, titles and remedies. A skill that
 * ran and failed is not a refusal: the response is 200, and its outcome has the failure.
 */
export const problemCodes = {
  // About a call: see `SkillErrorCode`.
  SKILL_NOT_FOUND: {
    status: 404,
    exitCode: 3,
    title: 'Skill not found',
    remedy: '`GET /skills` lists the skills that this key can see',
    next: {
      person: 'To list the skills, run: ambit skills list',
      model: 'list_skills lists the available skills.',
      request: 'GET /skills lists the skills that this key can see',
    },
  },
  SKILL_AMBIGUOUS: {
    status: 409,
    exitCode: 3,
    title: 'Ambiguous skill name',
    remedy: 'name the skill by one of the ids in `detail`',
  },
  SKILL_NOT_EXECUTABLE: {
    status: 422,
    exitCode: 3,
    title: 'Skill not executable',
    remedy: 'use its instructions in a prompt, or add a `run` section',
  },
  SKILL_INVALID: {
    status: 422,
    exitCode: 3,
    title: 'Skill invalid',
    remedy: 'fix the skill; `detail` says what is wrong with it',
  },
  SKILL_CHANGED: {
    status: 409,
    exitCode: 3,
    title: 'Skill changed',
    remedy: 'try again; the next request reads the changed files',
    next: { person: 'Nothing ran. Run the command again.' },
  },
  LOCK_MISMATCH: {
    status: 409,
    exitCode: 3,
    title: 'Not what was installed',
    remedy: "run `ambit skills sync` on the daemon's machine, which fetches the locked files again",
  },
  SKILL_REVOKED: {
    status: 403,
    exitCode: 3,
    title: 'Skill revoked',
    remedy: 'use another version of the skill; `detail` says who revoked this one, and why',
    next: { person: 'To look for another version, run: ambit skills outdated' },
  },
  INPUT_INVALID: {
    status: 422,
    exitCode: 3,
    title: 'Invalid input',
    remedy: "correct the input; `issues` says where, and `GET /skills/{id}` has the skill's schema",
    next: { person: 'To see how to call the skill, run: ambit skills show SKILL' },
  },
  CAPABILITY_DENIED: {
    status: 403,
    exitCode: 3,
    title: 'Capability not granted',
    remedy: 'add the line of configuration in `denials`, or request less',
  },
  CAPABILITY_UNSUPPORTED: {
    status: 501,
    exitCode: 3,
    title: 'Capability not supported',
    remedy: "remove the capability from `ambit.yaml`; the skill's runtime does not support it",
  },
  SANDBOX_UNAVAILABLE: {
    status: 503,
    exitCode: 4,
    title: 'Sandbox unavailable',
    remedy: "run `ambit doctor` on the daemon's machine",
    next: { person: 'To see what is missing and how to fix it, run: ambit doctor' },
  },
  /** Not 503, which clients and proxies retry: an operator has to install the program. */
  PROGRAM_MISSING: {
    status: 501,
    exitCode: 4,
    title: 'Program not installed',
    remedy: "install the program that `detail` names, with its Debian package, on the daemon's machine",
    next: { person: 'To see which common programs are installed, run: ambit doctor' },
  },
  SECRET_UNAVAILABLE: {
    status: 503,
    exitCode: 4,
    title: 'Secret unavailable',
    remedy: 'fix the source of the secret in the configuration',
  },
  AUDIT_UNAVAILABLE: {
    status: 503,
    exitCode: 4,
    title: 'Audit log unavailable',
    remedy: 'fix the audit log as `detail` says; `ambit doctor` checks it',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    exitCode: 4,
    title: 'Store unavailable',
    remedy:
      'fix the store as `detail` says; meanwhile, calls that use no idempotency key, no workspace and no state still run',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    exitCode: 3,
    title: 'Workspace not found',
    remedy: "`GET /workspaces` lists this key's workspaces; unused ones expire",
    next: {
      person: 'To list your workspaces, run: ambit workspace list',
      model: 'list_workspaces lists the workspaces of this key. create_workspace creates one.',
      request: "GET /workspaces lists this key's workspaces",
    },
  },
  WORKSPACE_FILE_NOT_FOUND: {
    status: 404,
    exitCode: 3,
    title: 'Workspace file not found',
    remedy: '`GET /workspaces/{id}` lists the files',
    next: {
      person: 'To list its files, run: ambit workspace list ID',
      model: 'list_workspaces with the id of the workspace lists its files.',
    },
  },
  WORKSPACE_BUSY: {
    status: 409,
    exitCode: 4,
    title: 'Workspace busy',
    remedy: 'try again when fewer calls wait for the workspace',
  },
  WORKSPACE_FULL: {
    status: 413,
    exitCode: 3,
    title: 'Workspace full',
    remedy: 'delete files, or create a workspace with a larger `quotaBytes`',
    next: {
      person: 'To free space, run: ambit workspace remove ID PATH',
      model: 'delete_from_workspace frees space.',
    },
  },
  WORKSPACE_LIMIT: {
    status: 409,
    exitCode: 3,
    title: 'Too many workspaces',
    remedy: 'delete a workspace, or raise `workspaces.maxPerKey`',
    next: {
      person: 'To remove a workspace, run: ambit workspace remove ID',
      model: 'list_workspaces lists them. delete_from_workspace deletes the ones you no longer need.',
    },
  },
  LEASE_LOST: {
    status: 503,
    exitCode: 4,
    title: 'Node without a lease',
    remedy: 'send the call to another node of the cluster, or again later',
  },
  MEMORY_SHARE_EXCEEDED: {
    status: 422,
    exitCode: 4,
    title: 'More memory than all runs share',
    remedy: 'call with less `limits.memoryBytes`; a person can raise `limits.memoryShareBytes`',
    next: {
      person:
        'Call it with less, such as --memory 512MiB, or raise limits.memoryShareBytes in ambit.config.yaml. "ambit doctor" shows the memory of this machine',
    },
  },
  OVERLOADED: {
    status: 503,
    exitCode: 4,
    title: 'Overloaded',
    remedy: 'try again after `Retry-After` seconds',
  },
  /** The address to listen on is in use, does not belong to this machine, or needs more permissions. */
  ADDRESS_UNAVAILABLE: {
    status: 503,
    exitCode: 4,
    title: 'Address unavailable',
    remedy: 'set another `listen.port` or `listen.host`, as `detail` says',
  },
  INTERNAL: {
    status: 500,
    exitCode: 5,
    title: 'Internal error',
    remedy: 'a bug in Ambit; its log has the cause under the execution id',
  },

  // About installed skills.
  /** No skill of this id is installed. */
  INSTALL_NOT_FOUND: {
    status: 404,
    exitCode: 3,
    title: 'Not installed',
    remedy: '`GET /installs` lists the installed skills',
  },
  /** The reviewed version has changed since. */
  REVIEW_STALE: {
    status: 409,
    exitCode: 3,
    title: 'Changed since the review',
    remedy: 'read `GET /installs/{id}` again, and decide about what it shows now',
  },
  /** A signature is missing or not valid. */
  SIGNATURE_INVALID: {
    status: 409,
    exitCode: 3,
    title: 'Signature not valid',
    remedy: 'use a version that its publisher has signed; `detail` says what is wrong',
  },
  /** The publisher's skills may not have this tier. */
  TIER_NOT_ALLOWED: {
    status: 409,
    exitCode: 3,
    title: 'Tier not allowed',
    remedy: 'approve it with the tier `verified`, or change the tier of its publisher',
  },
  /** The namespace that is made from the source is used by skills of another host or owner. */
  NAMESPACE_TAKEN: {
    status: 409,
    exitCode: 3,
    title: 'Namespace taken',
    remedy: 'choose a `namespace` for the source',
  },
  /** The lock file cannot be read or written. */
  LOCK_INVALID: {
    status: 500,
    exitCode: 2,
    title: 'Lock file unusable',
    remedy: 'correct or restore the lock file, as `detail` says',
  },

  // About a source or its packages: see `InstallErrorCode`.
  SOURCE_MISSING: {
    status: 422,
    exitCode: 2,
    title: 'Source missing',
    remedy: 'correct the source; `detail` says what cannot be read',
  },
  SOURCE_UNSUPPORTED: {
    status: 422,
    exitCode: 2,
    title: 'Source not supported',
    remedy: 'name a repository by https or an archive; `detail` says what is wrong',
  },
  SOURCE_UNREACHABLE: {
    status: 502,
    exitCode: 4,
    title: 'Source unreachable',
    remedy: 'try again later, or correct the source; `detail` says what its server answered',
  },
  SOURCE_NOT_ALLOWED: {
    status: 403,
    exitCode: 3,
    title: 'Source not allowed',
    remedy: 'allow the host in `installs.network`; `detail` has the line',
  },
  SOURCE_DAMAGED: {
    status: 422,
    exitCode: 3,
    title: 'Source damaged',
    remedy: 'fetch or pack the source again; `detail` says what is wrong',
  },
  SOURCE_UNSAFE_PATH: {
    status: 422,
    exitCode: 3,
    title: 'Unsafe path in the source',
    remedy: 'do not use this source: it would write outside its folder',
  },
  SOURCE_TOO_LARGE: {
    status: 422,
    exitCode: 3,
    title: 'Source too large',
    remedy: 'name a smaller part of the source',
  },
  DEPENDENCY_UNSUPPORTED: {
    status: 422,
    exitCode: 3,
    title: 'Package declaration not supported',
    remedy: 'ask the author to name a package of the index; `detail` has the declaration',
  },
  DEPENDENCY_NO_INDEX: {
    status: 422,
    exitCode: 2,
    title: 'No package index configured',
    remedy: 'configure `installs.dependencies`; `detail` has the lines',
  },
  DEPENDENCY_UNRESOLVED: {
    status: 422,
    exitCode: 3,
    title: 'No fitting package versions',
    remedy: '`detail` says which requirements no version meets',
  },
  DEPENDENCY_NEEDS_BUILD: {
    status: 422,
    exitCode: 3,
    title: 'Package without a wheel',
    remedy: 'allow the build in `installs.dependencies.allowBuild`, or use another version',
  },

  // From the HTTP transport alone. A command reports them as DAEMON_REFUSED.
  /** Not HTTP, or larger than Ambit reads. */
  REQUEST_UNREADABLE: {
    status: 400,
    title: 'Unreadable HTTP request',
    remedy: 'send a valid HTTP request; `detail` says what is wrong',
  },
  /** The `Host` header names another server, as in DNS rebinding. */
  HOST_REFUSED: {
    status: 403,
    title: 'Host not allowed',
    remedy: 'address the server by one of its names; see `listen.names`',
  },
  /** The request is from a web page of another origin. */
  ORIGIN_REFUSED: {
    status: 403,
    title: 'Origin not allowed',
    remedy: 'call from a program, not from a web page of another origin',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Missing or invalid key',
    remedy: 'send `Authorization: Bearer KEY`; `detail` says when a key expired or was revoked',
  },
  /** The one-time code of the web console is unknown, used or expired. */
  CODE_INVALID: {
    status: 401,
    title: 'One-time code not valid',
    remedy: "run `ambit console` in a terminal of the daemon's machine, and open the page within a minute",
  },
  /** The key is valid but lacks the scope. */
  SCOPE_MISSING: {
    status: 403,
    title: 'Missing scope',
    remedy: 'use a key with the scope that `detail` names',
  },
  /** A session of the web console lacks the code of a person at a terminal. */
  CONFIRMATION_REQUIRED: {
    status: 403,
    title: 'Confirmation required',
    remedy: 'run `ambit console confirm` in a terminal, and send its code as `detail` says',
  },
  /** A daemon on demand accepts only sessions of the web console at its address. */
  CONSOLE_ONLY: {
    status: 403,
    title: 'Only for the web console',
    remedy: 'use the `ambit` command, or start `ambit serve`, whose address accepts keys',
  },
  /** The key has exceeded its rate limit. */
  RATE_LIMITED: {
    status: 429,
    title: 'Rate limit exceeded',
    remedy: 'try again after `Retry-After` seconds',
  },
  SHUTTING_DOWN: { status: 503, title: 'Shutting down', remedy: 'try again after the daemon restarts' },
  ROUTE_NOT_FOUND: { status: 404, title: 'Route not found', remedy: '`detail` lists the routes' },
  /** The skill has no such file, or the file no longer matches its listed digest. */
  FILE_NOT_FOUND: {
    status: 404,
    title: 'Skill file not found',
    remedy: '`GET /skills/{id}/files` lists the files; write their paths exactly as listed',
  },
  /** The file does not match `If-Match` or `If-None-Match`. */
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    remedy: 'read the file again before you change it',
  },
  /** The log has no such record, or no receipt for it. */
  RECORD_NOT_FOUND: { status: 404, title: 'Record not found', remedy: '`GET /audit` lists the records' },
  /** The execution does not exist or belongs to another key. */
  EXECUTION_NOT_FOUND: {
    status: 404,
    title: 'Execution not found',
    remedy: 'use the id from the response that started the call, with the same key or an `admin` key',
  },
  /** The page of the web console has not been built. */
  CONSOLE_UNAVAILABLE: {
    status: 503,
    title: 'Console not built',
    remedy: 'run `npm run build:console` in the folder of Ambit',
  },
  /** The web console has no such session. */
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'Session not found',
    remedy: '`GET /console/sessions` lists the open sessions',
  },
  /** Another node of the cluster has the session of the web console. Not 401: the session is open. */
  SESSION_ELSEWHERE: {
    status: 421,
    title: 'Session of another node',
    remedy: 'open the console at the address of one node of the cluster, and not through a load balancer',
  },
  /** The request is about another node of the cluster, which cannot be reached. */
  NODE_UNREACHABLE: {
    status: 503,
    title: 'Node unreachable',
    remedy: 'try again after `Retry-After` seconds; `detail` names the node',
  },
  /** The idempotency key belongs to another request. */
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Idempotency key reused',
    remedy: 'send this request with a new idempotency key',
  },
  /** The call with this idempotency key was interrupted, or its response was not stored. */
  IDEMPOTENCY_INTERRUPTED: {
    status: 409,
    title: 'Response of this idempotency key not stored',
    remedy:
      'the call may have run: check the audit record of `originalExecutionId`, then decide whether to send the request with a new key',
  },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed', remedy: 'use a method in `Allow`' },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'Unsupported media type',
    remedy:
      'send JSON as `application/json`, a workspace file as `application/octet-stream`, and no `content-encoding`',
  },
  BODY_TOO_LARGE: { status: 413, title: 'Body too large', remedy: 'send less, or raise `bodyLimitBytes`' },
  /** Not UTF-8, not JSON, or JSON that parsers read in different ways, such as duplicate keys. */
  BODY_MALFORMED: { status: 400, title: 'Malformed body', remedy: 'correct the JSON; `detail` says where' },
  /** The JSON, query or headers do not match the route's schema. */
  REQUEST_INVALID: {
    status: 400,
    title: 'Invalid request',
    remedy: 'correct the request; `issues` says where',
  },
} satisfies Record<SkillErrorCode, Refused> & Record<string, HttpAnswer | Refused>;

/** Every code that a request can be refused with. */
export type ProblemCode = keyof typeof problemCodes;

/** The codes that only a command fails with, and its exit codes. */
export const commandCodes = {
  /** Without a terminal, a decision does not name what was shown. */
  REVIEW_REQUIRED: 3,
  /** The command line is invalid, or a file that it names cannot be read. */
  USAGE_INVALID: 2,
  CONFIG_INVALID: 2,
  /** A person has not trusted the configuration or the data directory that Ambit found. */
  CONFIG_UNTRUSTED: 3,
  /** The daemon refused the request. `details.code` is its code, `details.status` the HTTP status. */
  DAEMON_REFUSED: 3,
  DAEMON_UNREACHABLE: 4,
  /** The daemon that a command started ended before it listened, or takes too long. Its log says why. */
  DAEMON_START_FAILED: 4,
  /** Another process uses the data directory, and this command cannot call it. */
  DATA_DIR_TAKEN: 4,
  /** The key file cannot be used. */
  KEY_UNUSABLE: 4,
  /** Other users could have changed the trust store, or it cannot be written. */
  TRUST_STORE_UNUSABLE: 4,
  /** The output cannot be written to stdout. */
  OUTPUT_LOST: 4,
  /** Ctrl-C or SIGTERM. */
  INTERRUPTED: 130,
  /** The data directory, the certificate or the database has no usable node of the cluster. */
  NODE_UNUSABLE: 4,
  /** Another daemon has used this node's identity, or uses it now. */
  NODE_DUPLICATED: 3,
  /** The node was retired, and cannot return. */
  NODE_RETIRED: 3,
  /** The invitation is unknown, used or expired. */
  INVITATION_INVALID: 3,
  /** The database has no cluster, or has one already, or the cluster has no such node. */
  CLUSTER_INVALID: 3,
  // About one skill of a source: see `InstallErrorCode`.
  SKILL_UNSAFE_LINK: 3,
  SKILL_SPECIAL_FILE: 3,
  SKILL_UNSAFE_NAME: 3,
  SKILL_NAME_COLLISION: 3,
  SKILL_TOO_LARGE: 3,
} satisfies Record<Exclude<InstallErrorCode, ProblemCode>, ExitCode> & Record<string, ExitCode>;

/** The codes of a mistake of the person at the keyboard: see `UsageError`, `ConfigError` and `UntrustedError`. */
type MistakeCode = 'USAGE_INVALID' | 'CONFIG_INVALID' | 'CONFIG_UNTRUSTED';

/** The code of a refused request or command. */
export type RefusalCode = ProblemCode | Exclude<keyof typeof commandCodes, MistakeCode>;

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemCodes, code);
}

/** Returns the answer of every transport to a code; `undefined`: not every transport has one. */
export function refusedOf(code: string): Refused | undefined {
  const rows: Partial<Record<string, HttpAnswer | Refused>> = problemCodes;
  const row = rows[code];
  return row !== undefined && 'exitCode' in row ? row : undefined;
}
