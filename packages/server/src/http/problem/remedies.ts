import type { ProblemCode } from './answers.ts';

/** What to do about each code, for the reference. The `detail` of a problem names the specifics. */
export const remedies: Readonly<Record<ProblemCode, string>> = {
  SKILL_NOT_FOUND: '`GET /skills` lists the skills that this key can see',
  SKILL_AMBIGUOUS: 'name the skill by one of the ids in `detail`',
  SKILL_NOT_EXECUTABLE: 'use its instructions in a prompt, or add a `run` section',
  SKILL_INVALID: 'fix the skill; `detail` says what is wrong with it',
  SKILL_CHANGED: 'try again; the next request reads the changed files',
  LOCK_MISMATCH: "run `ambit skills sync` on the daemon's machine, which fetches the locked files again",
  SKILL_REVOKED: 'use another version of the skill; `detail` says who revoked this one, and why',
  SKILL_CYCLE: 'break the cycle: remove one of the `requires` in `detail`',
  INPUT_INVALID: "correct the input; `issues` says where, and `GET /skills/{id}` has the skill's schema",
  CAPABILITY_DENIED: 'add the line of configuration in `denials`, or request less',
  CAPABILITY_UNSUPPORTED: "remove the capability from `ambit.yaml`; the skill's runtime does not support it",
  SANDBOX_UNAVAILABLE: "run `ambit doctor` on the daemon's machine",
  PROGRAM_MISSING:
    "install the program that `detail` names, with its Debian package, on the daemon's machine",
  SECRET_UNAVAILABLE: 'fix the source of the secret in the configuration',
  AUDIT_UNAVAILABLE: 'fix the audit log as `detail` says; `ambit doctor` checks it',
  STORE_UNAVAILABLE:
    'fix the store as `detail` says; meanwhile, calls that use no idempotency key, no workspace and no state still run',
  WORKSPACE_NOT_FOUND: "`GET /workspaces` lists this key's workspaces; unused ones expire",
  WORKSPACE_FILE_NOT_FOUND: '`GET /workspaces/{id}` lists the files',
  WORKSPACE_BUSY: 'try again when fewer calls wait for the workspace',
  WORKSPACE_FULL: 'delete files, or create a workspace with a larger `quotaBytes`',
  WORKSPACE_LIMIT: 'delete a workspace, or raise `workspaces.maxPerKey`',
  OVERLOADED: 'try again after `Retry-After` seconds',
  INTERNAL: 'a bug in Ambit; its log has the cause under the execution id',
  REQUEST_UNREADABLE: 'send a valid HTTP request; `detail` says what is wrong',
  HOST_REFUSED: 'address the server by one of its names; see `listen.names`',
  ORIGIN_REFUSED: 'call from a program, not from a web page of another origin',
  UNAUTHENTICATED: 'send `Authorization: Bearer KEY`; `detail` says when a key expired or was revoked',
  SCOPE_MISSING: 'use a key with the scope that `detail` names',
  RATE_LIMITED: 'try again after `Retry-After` seconds',
  SHUTTING_DOWN: 'try again after the daemon restarts',
  ROUTE_NOT_FOUND: '`detail` lists the routes',
  FILE_NOT_FOUND: '`GET /skills/{id}/files` lists the files; write their paths exactly as listed',
  PRECONDITION_FAILED: 'read the file again before you change it',
  RECORD_NOT_FOUND: '`GET /audit` lists the records',
  EXECUTION_NOT_FOUND:
    'use the id from the response that started the call, with the same key or an `admin` key',
  IDEMPOTENCY_KEY_REUSED: 'send this request with a new idempotency key',
  IDEMPOTENCY_INTERRUPTED:
    'the call may have run: check the audit record of `originalExecutionId`, then decide whether to send the request with a new key',
  METHOD_NOT_ALLOWED: 'use a method in `Allow`',
  MEDIA_TYPE_UNSUPPORTED:
    'send JSON as `application/json`, a workspace file as `application/octet-stream`, and no `content-encoding`',
  BODY_TOO_LARGE: 'send less, or raise `bodyLimitBytes`',
  BODY_MALFORMED: 'correct the JSON; `detail` says where',
  REQUEST_INVALID: 'correct the request; `issues` says where',
};
