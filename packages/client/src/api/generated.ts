// Made by "npm run build:client" from the routes of packages/server; not to be edited.

/** Method and path of each route. */
export const routes = {
  executeSkill: ['POST', '/skills/{id}/execute'],
  executeChain: ['POST', '/chain'],
  executeBatch: ['POST', '/batch'],
  getExecution: ['GET', '/executions/{id}'],
  cancelExecution: ['DELETE', '/executions/{id}'],
  followExecution: ['GET', '/executions/{id}/events'],
  createWorkspace: ['POST', '/workspaces'],
  listWorkspaces: ['GET', '/workspaces'],
  getWorkspace: ['GET', '/workspaces/{id}'],
  deleteWorkspace: ['DELETE', '/workspaces/{id}'],
  getWorkspaceFile: ['GET', '/workspaces/{id}/files/{path}'],
  putWorkspaceFile: ['PUT', '/workspaces/{id}/files/{path}'],
  deleteWorkspaceFile: ['DELETE', '/workspaces/{id}/files/{path}'],
  listSkills: ['GET', '/skills'],
  getSkill: ['GET', '/skills/{id}'],
  getSkillBody: ['GET', '/skills/{id}/body'],
  listSkillFiles: ['GET', '/skills/{id}/files'],
  getSkillFile: ['GET', '/skills/{id}/files/{path}'],
  composePrompt: ['POST', '/prompt'],
  sendMcpMessage: ['POST', '/mcp'],
  listenToMcp: ['GET', '/mcp'],
  endMcpSession: ['DELETE', '/mcp'],
  listRecords: ['GET', '/audit'],
  countRecords: ['GET', '/audit/count'],
  getStats: ['GET', '/audit/stats'],
  getRecord: ['GET', '/audit/{executionId}'],
  exportRecords: ['GET', '/audit/export'],
  followEvents: ['GET', '/audit/follow'],
  verifyAudit: ['GET', '/audit/verify'],
  getReceipt: ['GET', '/audit/{executionId}/receipt'],
  getHealth: ['GET', '/healthz'],
  getReadiness: ['GET', '/readyz'],
  getMetrics: ['GET', '/metrics'],
  getOpenApi: ['GET', '/openapi.json'],
  getReference: ['GET', '/docs'],
} as const;

/** The fields that every JSON of a route's answer has, with blanks between them. */
export const answerFields: { readonly [Id in keyof operations]?: string } = {
  executeSkill: 'executionId',
  executeChain: 'executionId',
  executeBatch: 'executionId',
  getExecution: 'executionId skillId status startedAt endedAt',
  cancelExecution: 'executionId skillId status startedAt endedAt',
  createWorkspace: 'id label quotaBytes usedBytes fileCount createdAt expiresAt files',
  listWorkspaces: 'workspaces',
  getWorkspace: 'id label quotaBytes usedBytes fileCount createdAt expiresAt files',
  putWorkspaceFile: 'path bytes sha256 modified',
  listSkills: 'skills broken brokenCount next',
  getSkill: 'id name description version tier digest executable warnings license compatibility allowedTools files scripts run entries',
  listSkillFiles: 'digest files',
  composePrompt: 'prompt tokens skills tools mcpServers warnings',
  listRecords: 'records next',
  countRecords: 'count',
  getStats: 'all bySkill overTime',
  getRecord: 'sequence executionId via actor startedAt endedAt skill policyDigest capabilities connections limits sandbox input output kept outcome failure usage error request',
  getReceipt: 'statement keyId signature',
  getHealth: 'status',
  getReadiness: 'status configuration checks',
  getOpenApi: 'openapi info paths',
};

export interface components {
    schemas: {
        /** @description One page of records, newest first. */
        readonly AuditPage: {
            readonly records: readonly components["schemas"]["CallRecord"][];
            /** @description Pass it as `before` for the next page; `null` on the last. */
            readonly next: number | null;
            /**
             * @description Looking further would have taken long; `next` goes on from there.
             * @constant
             */
            readonly partial?: true;
        };
        /** @description Where an event stands in the log. */
        readonly AuditPosition: {
            readonly sequence: number;
            /** @description The chain's hash up to here: `sha256:…`. */
            readonly hash: string;
        };
        /** @description How calls went. */
        readonly AuditStats: {
            readonly all: {
                readonly calls: number;
                /** @description Ran, and ended in any other way than succeeded. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` where none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
            };
            readonly bySkill: readonly {
                readonly calls: number;
                /** @description Ran, and ended in any other way than succeeded. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` where none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
                readonly skill: string;
            }[];
            readonly overTime: readonly {
                readonly calls: number;
                /** @description Ran, and ended in any other way than succeeded. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` where none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
                /** @description Milliseconds since the epoch. */
                readonly since: number;
            }[];
        };
        /** @description What came of a batch. */
        readonly BatchAnswer: {
            /** @description The parent of every call's record. */
            readonly executionId: string;
            /** @description In the order of the calls. */
            readonly results: readonly components["schemas"]["BatchResult"][];
        };
        /** @description One call of a batch: its answer or what is left of it, its refusal, or neither. */
        readonly BatchResult: {
            /** @constant */
            readonly status: 200;
            readonly answer: components["schemas"]["ExecuteAnswer"];
        } | {
            /** @constant */
            readonly status: 200;
            /** @description It ran. Its answer, and those before it, are more than a batch answers. */
            readonly omitted: components["schemas"]["OmittedAnswer"];
        } | {
            /** @description As the problem has it. */
            readonly status: number;
            readonly problem: components["schemas"]["Problem"];
        } | {
            readonly status: null;
            /** @constant */
            readonly skipped: true;
        };
        /** @description An event of a call: its name, and its `data` as JSON. */
        readonly CallEvent: {
            /** @constant */
            readonly event: "queued";
            readonly data: {
                /** @description Of a chain or a batch: which of its links or calls, from 1. */
                readonly position?: number;
            };
        } | {
            /** @constant */
            readonly event: "started";
            readonly data: {
                /** @description Of a chain or a batch: which of its links or calls, from 1. */
                readonly position?: number;
            };
        } | {
            /** @enum {string} */
            readonly event: "stdout" | "stderr" | "log";
            readonly data: {
                readonly text: string;
                /** @description Of a chain or a batch: which of its links or calls, from 1. */
                readonly position?: number;
            };
        } | {
            /** @constant */
            readonly event: "progress";
            readonly data: {
                readonly done: number;
                /** @description What `done` will be at the end; absent: nobody knows. */
                readonly total?: number;
                readonly message?: string;
                /** @description Of a chain or a batch: which of its links or calls, from 1. */
                readonly position?: number;
            };
        } | {
            /** @constant */
            readonly event: "link";
            readonly data: {
                /** @description From 1. */
                readonly position: number;
                readonly skillId: string;
                readonly executionId: string;
                readonly outcome: components["schemas"]["OutcomeStatus"];
                readonly usage: components["schemas"]["Usage"];
                /** @description There where the chain names one. */
                readonly workspace?: components["schemas"]["WorkspaceEnd"];
                readonly audit: components["schemas"]["AuditPosition"];
            };
        } | {
            /** @constant */
            readonly event: "call";
            readonly data: {
                /** @description From 1. */
                readonly position: number;
                readonly skillId: string;
                readonly executionId: string;
                readonly outcome: components["schemas"]["OutcomeStatus"] | "denied";
                /**
                 * @description What it was refused with.
                 * @enum {string}
                 */
                readonly code?: "SKILL_NOT_FOUND" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "SKILL_CYCLE" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "OVERLOADED" | "INTERNAL";
            };
        } | {
            /** @constant */
            readonly event: "gap";
            readonly data: {
                readonly events: number;
            };
        } | {
            /** @constant */
            readonly event: "result";
            readonly data: components["schemas"]["ExecuteAnswer"] | components["schemas"]["ChainAnswer"] | components["schemas"]["BatchAnswer"];
        } | {
            /** @constant */
            readonly event: "problem";
            readonly data: components["schemas"]["Problem"];
        } | {
            /** @constant */
            readonly event: "record";
            readonly data: components["schemas"]["Execution"];
        };
        /** @description One call as the log has it. */
        readonly CallRecord: {
            /** @description The position of its first event; records are ordered by it. */
            readonly sequence: number;
            readonly executionId: string;
            /** @description The chain or the batch that it is part of. */
            readonly parentId?: string;
            /** @enum {string} */
            readonly via: "http" | "mcp" | "cli";
            /** @description The key's name, or the user of the command line. */
            readonly actor: string | null;
            /** Format: date-time */
            readonly startedAt: string;
            /** @description `null` while it runs. */
            readonly endedAt: string | null;
            /** @description `null` for a request that was refused before it named one. */
            readonly skill: components["schemas"]["RecordedSkill"] | null;
            readonly policyDigest: string | null;
            readonly capabilities: {
                readonly requested: components["schemas"]["Capabilities"] | null;
                /** @description The part of `requested` that the operator's grant adds, for a skill that requests nothing itself. */
                readonly added?: components["schemas"]["Capabilities"];
                readonly granted: components["schemas"]["Capabilities"] | null;
                readonly denied: readonly components["schemas"]["Denial"][];
            };
            readonly connections: readonly components["schemas"]["Connection"][];
            /** @description Absent for a call that did not run to an end, and in records made before this field existed. */
            readonly used?: components["schemas"]["UsedCapabilities"];
            readonly limits: components["schemas"]["Limits"] | null;
            /** @description The walls that stood. */
            readonly sandbox: string | null;
            /** @description The one that it names, and digests of what was in it before and after the run. */
            readonly workspace?: {
                readonly id: string;
                readonly before?: string;
                readonly after?: string;
            };
            readonly input: components["schemas"]["ContentDigest"] | null;
            readonly output: components["schemas"]["ContentDigest"] | null;
            /** @description What was kept of them, where something was and has not been pruned since. */
            readonly kept: {
                readonly input?: {
                    readonly text: string;
                    /** @description Whether there was more than is kept. */
                    readonly isCut: boolean;
                };
                readonly output?: {
                    readonly text: string;
                    /** @description Whether there was more than is kept. */
                    readonly isCut: boolean;
                };
            };
            /**
             * @description An outcome, `denied` when it was refused or could not start, `running` while it has no end.
             * @enum {string}
             */
            readonly outcome: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
            /** @description Who or what canceled it. */
            readonly reason?: string;
            readonly failure: components["schemas"]["Failure"] | null;
            readonly usage: components["schemas"]["Usage"] | null;
            readonly error: {
                readonly code: string;
                readonly message: string;
            } | null;
            /** @description What a request that was refused before routing asked for: method and path. */
            readonly request: string | null;
        };
        /** @description What a call may touch, or asks to; an empty list is nothing. */
        readonly Capabilities: {
            /**
             * @default {
             *       "read": [],
             *       "write": []
             *     }
             */
            readonly filesystem: {
                /** @default [] */
                readonly read: readonly ("workspace" | "granted" | string)[];
                /** @default [] */
                readonly write: readonly ("workspace" | "granted" | string)[];
            };
            /** @default [] */
            readonly network: readonly (string | {
                readonly host: string;
                readonly methods?: readonly string[];
                readonly paths?: readonly string[];
            })[];
            /** @default [] */
            readonly env: readonly string[];
            /** @default [] */
            readonly secrets: readonly {
                readonly name: string;
                readonly hosts: readonly string[];
            }[];
            /** @default [] */
            readonly exec: readonly string[];
            /**
             * @default none
             * @enum {string}
             */
            readonly state: "none" | "read" | "write";
            /**
             * @default none
             * @enum {string}
             */
            readonly memory: "none" | "read";
        };
        /** @description What came of a chain. */
        readonly ChainAnswer: {
            /** @description The parent of every link's record. */
            readonly executionId: string;
            /** @description The last link's that ran. */
            readonly outcome: components["schemas"]["Outcome"];
            readonly usage: components["schemas"]["Usage"];
            /** @description Where the chain broke; absent when it did not. */
            readonly failedAt?: {
                readonly position: number;
                readonly skillId: string;
            };
            /** @description Those that ran. */
            readonly links: readonly {
                /** @description From 1. */
                readonly position: number;
                readonly skillId: string;
                readonly executionId: string;
                readonly outcome: components["schemas"]["OutcomeStatus"];
                readonly usage: components["schemas"]["Usage"];
                /** @description There where the chain names one. */
                readonly workspace?: components["schemas"]["WorkspaceEnd"];
                readonly audit: components["schemas"]["AuditPosition"];
            }[];
        };
        /** @description What a call reached on the network, or tried to. */
        readonly Connection: {
            readonly host: string;
            readonly port: number;
            /** @description `null` where it was not seen. */
            readonly method: string | null;
            /** @description Without the query; `null` where it was not seen. */
            readonly path: string | null;
            readonly bytesUp: number;
            readonly bytesDown: number;
            /** @enum {string} */
            readonly decision: "allowed" | "denied";
            /** @description The rule that decided; `null` when there was none. */
            readonly rule: string | null;
        };
        /** @description What bytes that are not kept were. */
        readonly ContentDigest: {
            /** @description `sha256:…` */
            readonly digest: string;
            readonly bytes: number;
        };
        /** @description How many records fit. */
        readonly Count: {
            readonly count: number;
        };
        /** @description Something that a call asked for or reached for, and was not given. */
        readonly Denial: {
            /**
             * @description `run` is the right to run as a program of the host at all.
             * @enum {string}
             */
            readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "run";
            /** @description The item as it was requested: a path, a host, a name. */
            readonly requested: string;
            /** @description Which rule refused it. */
            readonly reason: string;
            /** @description The line of configuration that would grant it, or what else to do. */
            readonly remedy: string;
        };
        /** @description The agent's MCP servers, and those that skills bring. */
        readonly EffectiveMcpServers: {
            readonly servers: {
                readonly [key: string]: {
                    readonly [key: string]: unknown;
                };
            };
            /** @description By server: the skill that brought it. */
            readonly origins: {
                readonly [key: string]: string;
            };
            readonly refused: readonly {
                readonly server: string;
                readonly skill: string;
                readonly reason: string;
                /** @description The line of configuration that grants it. */
                readonly remedy: string | null;
            }[];
        };
        /** @description What an agent may use, and what it may not. */
        readonly EffectiveTools: {
            /** @description In the phase's order. */
            readonly allowed: readonly string[];
            /** @description The phase's tools that no selected skill asks for. */
            readonly withheld: readonly string[];
            /** @description What selected skills ask for and the phase does not have: never given. */
            readonly beyondPhase: readonly {
                readonly tool: string;
                readonly skills: readonly string[];
            }[];
            /** @enum {string} */
            readonly from: "configured" | "unnarrowed" | "unknown-phase" | "no-phase";
        };
        /** @description What came of a call that ran. */
        readonly ExecuteAnswer: {
            /** @description Under which the log has it. */
            readonly executionId: string;
            readonly outcome: components["schemas"]["Outcome"];
            readonly usage: components["schemas"]["Usage"];
            readonly used: components["schemas"]["UsedCapabilities"];
            /** @description What the skill wrote beside its output, bounded. */
            readonly log: string;
            /** @description There for a skill with a workspace. */
            readonly files?: readonly components["schemas"]["FileChange"][];
            /** @description There for a call that names one. */
            readonly workspace?: components["schemas"]["WorkspaceEnd"];
            /** @description What the run tried to touch and was not let. */
            readonly denials?: readonly components["schemas"]["Denial"][];
            /** @description What to do about a run that failed, where what it wrote tells, with the line of configuration that would grant what is missing. */
            readonly hint?: string;
            readonly audit: components["schemas"]["AuditPosition"];
            /** @description There when it was asked for; `null` when it could not be made just now. */
            readonly receipt?: components["schemas"]["SignedReceipt"] | null;
        };
        /** @description A call, or a chain or batch of them, that runs or has run. */
        readonly Execution: {
            readonly executionId: string;
            /** @description `null` for a chain or a batch. */
            readonly skillId: string | null;
            /** @enum {string} */
            readonly status: "queued" | "running" | "finished";
            /** Format: date-time */
            readonly startedAt: string;
            /** @description `null` until it is finished. */
            readonly endedAt: string | null;
            /**
             * @description Of one that is finished: how its run ended, or `denied`; of a batch, how the first call did that did not succeed.
             * @enum {string}
             */
            readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
            /** @description Of one that ran: the very answer. */
            readonly result?: unknown;
            /** @description Of one that was refused: the very problem. */
            readonly problem?: unknown;
            /** @description Where the answer is not here any more, or never was: why, and where the rest is. */
            readonly detail?: string;
        };
        /** @description In what way a program said no. */
        readonly Failure: {
            readonly exitCode: number;
        } | {
            readonly signal: string;
        } | {
            /** @description The engine's or the plug-in's own message. */
            readonly trap: string;
        };
        /** @description What a run left different in its workspace. */
        readonly FileChange: {
            readonly path: string;
            /** @enum {string} */
            readonly change: "created" | "changed" | "deleted";
            /** @description The size; 0 for what was deleted. */
            readonly bytes: number;
            /** @description Why the content is left out. */
            readonly omitted?: string;
            /** @description The content, where it is UTF-8 and not full of control characters. */
            readonly text?: string;
            /** @description The content, otherwise. */
            readonly base64?: string;
            /** @description Hex, where the content is not here and a workspace keeps it. */
            readonly sha256?: string;
        };
        /** @description An event of the log, as it was written. */
        readonly FollowedEvent: {
            readonly sequence: number;
            readonly hash: string;
            /** @description What was written; what else it holds depends on its kind. */
            readonly event: {
                readonly kind: string;
                /** @description Milliseconds since the epoch. */
                readonly time: number;
            } & {
                readonly [key: string]: unknown;
            };
        };
        /** @description That the daemon lives. */
        readonly Health: {
            /** @constant */
            readonly status: "ok";
        };
        /** @description What could have been in a prompt and is not. */
        readonly LeftOut: {
            readonly id: string;
            /** @enum {string} */
            readonly what: "skill" | "listing" | "body" | "context";
            readonly because: string;
        };
        /** @description The bounds that held for a call. */
        readonly Limits: {
            /** @description Wall time. */
            readonly timeoutMs: number;
            readonly memoryBytes: number;
            readonly cpuMs: number;
            readonly processes: number;
            /** @description Maximum size of each file the call writes. Absent in records made before this limit existed. */
            readonly fileBytes?: number;
            /** @description For the output and for the log, each. */
            readonly outputBytes: number;
            /** @description WebAssembly instructions, weighted; `null`: unlimited. */
            readonly fuel: number | null;
        };
        /** @description A message of JSON-RPC 2.0, as the protocol has it. */
        readonly McpMessage: {
            readonly [key: string]: unknown;
        } | readonly {
            readonly [key: string]: unknown;
        }[];
        /** @description What is left of an answer that its batch has no room for. */
        readonly OmittedAnswer: {
            /** @description Under which the log has it. */
            readonly executionId: string;
            readonly outcome: components["schemas"]["OutcomeStatus"];
            readonly audit: components["schemas"]["AuditPosition"];
        };
        /** @description A document of OpenAPI 3.1. */
        readonly OpenApi: {
            readonly openapi: string;
            readonly info: {
                readonly [key: string]: unknown;
            };
            readonly paths: {
                readonly [key: string]: unknown;
            };
        } & {
            readonly [key: string]: unknown;
        };
        /** @description How a run ended; `status` says which of these it is. */
        readonly Outcome: {
            /** @constant */
            readonly status: "succeeded";
            /** @description The skill's JSON; for protocol `command` an object of `exitCode`, `stdout`, `stderr`. */
            readonly output: unknown;
        } | {
            /** @constant */
            readonly status: "failed";
            readonly failure: components["schemas"]["Failure"];
            readonly stdout?: string;
            /** @description What the program wrote there, bounded. */
            readonly stderr: string;
        } | {
            /** @constant */
            readonly status: "timed-out";
            readonly timeoutMs: number;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "timed-out";
            readonly cpuMs: number;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "out-of-memory";
            readonly memoryBytes: number;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "out-of-fuel";
            readonly fuel: number;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "output-too-large";
            readonly outputBytes: number;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "output-invalid";
            readonly detail: string;
            /** @description What the program wrote there, bounded. */
            readonly stderr: string;
        } | {
            /** @constant */
            readonly status: "capability-violated";
            readonly capability: string;
            readonly detail: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "canceled";
            readonly reason: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stdout?: string;
            /** @description For protocol `command`: what it had written there. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "interrupted";
        };
        /**
         * @description How a run ended.
         * @enum {string}
         */
        readonly OutcomeStatus: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted";
        /** @description Why a request was refused (RFC 9457). */
        readonly Problem: {
            /** @description `urn:ambit:problem:` and the code once more. */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description What is wrong and what to do. */
            readonly detail: string;
            /** @description `urn:uuid:` and the execution's id. */
            readonly instance: string;
            /**
             * @description Stable, for machines.
             * @enum {string}
             */
            readonly code: "SKILL_NOT_FOUND" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "SKILL_CYCLE" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "OVERLOADED" | "INTERNAL" | "REQUEST_UNREADABLE" | "HOST_REFUSED" | "ORIGIN_REFUSED" | "UNAUTHENTICATED" | "SCOPE_MISSING" | "RATE_LIMITED" | "SHUTTING_DOWN" | "ROUTE_NOT_FOUND" | "FILE_NOT_FOUND" | "PRECONDITION_FAILED" | "RECORD_NOT_FOUND" | "EXECUTION_NOT_FOUND" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_INTERRUPTED" | "IDEMPOTENCY_UNAVAILABLE" | "METHOD_NOT_ALLOWED" | "MEDIA_TYPE_UNSUPPORTED" | "BODY_TOO_LARGE" | "BODY_MALFORMED" | "REQUEST_INVALID";
            /** @description Under which the audit log and the daemon's log have it. */
            readonly executionId: string;
            /** @description Where the input or the request is wrong. */
            readonly issues?: readonly ({
                /** @description A JSON pointer to the place; empty: the whole. */
                readonly at: string;
                readonly message: string;
            } & {
                readonly [key: string]: unknown;
            })[];
            /** @description Each capability that is missing, with what would grant it. */
            readonly denials?: readonly components["schemas"]["Denial"][];
            /** @description Of a call that asked for one: that it was refused, signed. */
            readonly receipt?: components["schemas"]["SignedReceipt"] | null;
            /** @description The call that has the idempotency key. */
            readonly originalExecutionId?: string;
            /** @description As in the header `Retry-After`, for those who get the problem as an event. */
            readonly retryAfterSeconds?: number;
        };
        /** @description A prompt, and what it came from. */
        readonly PromptAnswer: {
            readonly prompt: string;
            readonly tokens: number;
            /** @description The selected skills, in order. */
            readonly skills: readonly {
                readonly id: string;
                readonly version: string | null;
                readonly digest: string;
                readonly because: string;
            }[];
            readonly tools: components["schemas"]["EffectiveTools"];
            readonly mcpServers: components["schemas"]["EffectiveMcpServers"];
            readonly warnings: readonly string[];
            /** @description There when `for` names an agent. */
            readonly settings?: components["schemas"]["TargetSettings"];
            /** @description There with `explain`, as is `leftOut`. */
            readonly parts?: readonly components["schemas"]["PromptPart"][];
            readonly leftOut?: readonly components["schemas"]["LeftOut"][];
        };
        /** @description A stretch of a prompt; all of them in order are it. */
        readonly PromptPart: {
            /** @enum {string} */
            readonly kind: "base" | "metadata" | "index" | "skill" | "context";
            readonly origin: string;
            /** @description Why it is there. */
            readonly because: string;
            readonly text: string;
            readonly tokens: number;
            /** @description In UTF-16 code units. */
            readonly characters: number;
            /** @description From 1. */
            readonly order: number;
            readonly isCut: boolean;
        };
        /** @description Calls are taken. */
        readonly Ready: {
            /** @constant */
            readonly status: "ready";
            /**
             * @description `refused` while the file that was last read cannot be used, and the one before holds.
             * @enum {string}
             */
            readonly configuration: "current" | "refused";
            /** @description By the name of a part: `ok`, `low` while calls are taken and soon may not be, or the code that they are refused with. */
            readonly checks: {
                readonly [key: string]: "ok" | "low" | "SKILL_NOT_FOUND" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "SKILL_CYCLE" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "OVERLOADED" | "INTERNAL";
            };
        };
        /** @description What came of one execution, for somebody who does not have the log. */
        readonly Receipt: {
            /** @constant */
            readonly type: "ambit/receipt/1";
            readonly logId: string;
            readonly executionId: string;
            readonly skill: components["schemas"]["RecordedSkill"];
            readonly actor: string | null;
            readonly policyDigest: string;
            readonly decision: ("granted" | "denied") | null;
            readonly requested: components["schemas"]["Capabilities"] | null;
            readonly granted: components["schemas"]["Capabilities"] | null;
            readonly input: components["schemas"]["ContentDigest"];
            readonly output: components["schemas"]["ContentDigest"] | null;
            readonly outcome: components["schemas"]["OutcomeStatus"] | "denied";
            /** @description The code of a refusal. */
            readonly error: string | null;
            /** Format: date-time */
            readonly startedAt: string;
            /** Format: date-time */
            readonly endedAt: string;
            readonly events: readonly components["schemas"]["AuditPosition"][];
        };
        /** @description The skill as it was found, or only the name that was asked for. */
        readonly RecordedSkill: {
            readonly id: string;
        } | {
            readonly id: string;
            readonly version: string | null;
            readonly digest: string;
            readonly tier: components["schemas"]["Tier"];
        };
        /** @description Upper bounds that a skill asks for; one that is absent is its tier's. */
        readonly RequestedLimits: {
            readonly timeoutMs?: number;
            readonly memoryBytes?: number;
            readonly cpuMs?: number;
            readonly processes?: number;
            readonly fileBytes?: number;
            readonly outputBytes?: number;
            readonly fuel?: number;
        };
        /** @description How a skill is called, and what it asks for. */
        readonly Run: {
            /** @enum {string} */
            readonly runtime: "process" | "wasm";
            /**
             * @description `json` is called with `input`, `command` with `args` and `stdin`.
             * @enum {string}
             */
            readonly protocol: "json" | "command";
            /** @description A JSON Schema (2020-12); `null`: anything goes. */
            readonly input: (boolean | {
                readonly [key: string]: unknown;
            }) | null;
            /** @description A JSON Schema (2020-12); `null`: anything goes. */
            readonly output: (boolean | {
                readonly [key: string]: unknown;
            }) | null;
            readonly capabilities: components["schemas"]["Capabilities"];
            readonly limits: components["schemas"]["RequestedLimits"];
        };
        /** @description A receipt with its signature. */
        readonly SignedReceipt: {
            readonly statement: components["schemas"]["Receipt"];
            /** @description SHA-256 of the public key's DER, hex. */
            readonly keyId: string;
            /** @description Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64. */
            readonly signature: string;
        };
        /** @description A skill with all that a caller needs to call it. */
        readonly SkillDetail: {
            /** @description What it is called by; of one skill alone. */
            readonly id: string;
            readonly name: string;
            /** @description What it does and when to use it, exactly as its author wrote it; in a list at most 1024 characters. Not disarmed for models. */
            readonly description: string;
            /** @description `null` when its sidecar has none. */
            readonly version: string | null;
            readonly tier: components["schemas"]["Tier"];
            /** @description `sha256:…` over its files. */
            readonly digest: string;
            /** @description Whether there is anything to run. */
            readonly executable: boolean;
            readonly warnings: readonly string[];
            /** @description As its `SKILL.md` says; `null` when it says nothing. */
            readonly license: string | null;
            /** @description What its `SKILL.md` says that it needs; `null` when it says nothing. */
            readonly compatibility: string | null;
            /** @description `allowed-tools` of its `SKILL.md`. For information: nothing is granted by it. */
            readonly allowedTools: readonly string[];
            readonly files: readonly components["schemas"]["SkillFile"][];
            /** @description What can be called with `script` beside the entries: each has its interpreter and a workspace, and takes `args` and `stdin`. */
            readonly scripts: readonly {
                readonly path: string;
                /** @description The program that runs it; `null` for a compiled program. */
                readonly interpreter: string | null;
            }[];
            /** @description What is called without `script`; `null` for a skill whose sidecar has no `run.entry`. */
            readonly run: components["schemas"]["Run"] | null;
            /** @description The `run.scripts` of its sidecar. */
            readonly entries: readonly {
                /** @description What `script` takes. */
                readonly name: string;
                readonly description: string | null;
                /** @description Its file. */
                readonly entry: string;
                readonly run: components["schemas"]["Run"];
            }[];
        };
        /** @description A file of a skill. */
        readonly SkillFile: {
            /** @description Relative to the skill's folder. */
            readonly path: string;
            readonly bytes: number;
            /** @description Of the content, hex; of a link, of where it leads. */
            readonly sha256: string;
        };
        /** @description The files of a skill, all of them. */
        readonly SkillFiles: {
            /** @description `sha256:…` over its files. */
            readonly digest: string;
            /** @description In order of path. */
            readonly files: readonly components["schemas"]["SkillFile"][];
        };
        /** @description The skills that there are for a key. */
        readonly SkillList: {
            readonly skills: readonly components["schemas"]["SkillSummary"][];
            /** @description Folders that were meant to be skills and cannot be used: up to 1000 on the first page, none on the others. */
            readonly broken: readonly {
                /** @description The folder's name. */
                readonly id: string;
                readonly root: string;
                /** @description What is wrong and what to do. */
                readonly problem: string;
            }[];
            /** @description How many of those there are in all. */
            readonly brokenCount: number;
            /** @description What `after` takes for the next page; `null`: this was the last. */
            readonly next: string | null;
        };
        /** @description A skill as a listing shows it. */
        readonly SkillSummary: {
            /** @description What it is called by; of one skill alone. */
            readonly id: string;
            readonly name: string;
            /** @description What it does and when to use it, exactly as its author wrote it; in a list at most 1024 characters. Not disarmed for models. */
            readonly description: string;
            /** @description `null` when its sidecar has none. */
            readonly version: string | null;
            readonly tier: components["schemas"]["Tier"];
            /** @description `sha256:…` over its files. */
            readonly digest: string;
            /** @description Whether there is anything to run. */
            readonly executable: boolean;
            readonly warnings: readonly string[];
        };
        /** @description How one agent is started so that a selection holds. */
        readonly TargetSettings: {
            readonly args?: readonly string[];
            readonly env?: {
                readonly [key: string]: string;
            };
            readonly files?: readonly {
                readonly path: string;
                readonly content: string;
            }[];
            readonly options?: {
                readonly [key: string]: unknown;
            };
            /** @description What this agent cannot be held to. */
            readonly limits: readonly string[];
        };
        /**
         * @description How far a skill's source is trusted.
         * @enum {string}
         */
        readonly Tier: "local" | "verified" | "untrusted";
        /** @description Calls are refused. */
        readonly Unready: {
            /** @constant */
            readonly status: "unavailable";
            /**
             * @description With which calls are refused.
             * @enum {string}
             */
            readonly code: "SKILL_NOT_FOUND" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "SKILL_CYCLE" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "OVERLOADED" | "INTERNAL" | "SHUTTING_DOWN";
            /** @description By the name of a part: `ok`, `low` while calls are taken and soon may not be, or the code that they are refused with. */
            readonly checks: {
                readonly [key: string]: "ok" | "low" | "SKILL_NOT_FOUND" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "SKILL_CYCLE" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "OVERLOADED" | "INTERNAL";
            };
        };
        /** @description What a run consumed, as it was measured; `null` where nobody can tell. */
        readonly Usage: {
            /** @description From the start of the sandbox to its end. */
            readonly durationMs: number;
            /** @description From joining the queue to having a place to run in. */
            readonly queueMs: number;
            readonly cpuMs: number | null;
            readonly memoryPeakBytes: number | null;
            readonly fuelConsumed: number | null;
        };
        /** @description What a run used of what it was granted. An empty list means none of it; `null` means that the platform cannot tell. */
        readonly UsedCapabilities: {
            readonly filesystem: {
                readonly read: readonly components["schemas"]["UsedItem"][] | null;
                /** @description `workspace` counts what a WASI command did with its paths, or the files that a program left different. */
                readonly write: readonly components["schemas"]["UsedItem"][] | null;
            };
            /** @description Hosts that it connected to, with the number of requests or tunnels. */
            readonly network: readonly components["schemas"]["UsedItem"][] | null;
            readonly env: readonly components["schemas"]["UsedItem"][] | null;
            /** @description Secrets whose value was put into a request, with the number of requests. */
            readonly secrets: readonly components["schemas"]["UsedItem"][] | null;
            /** @description The program that ran its entry. */
            readonly exec: readonly components["schemas"]["UsedItem"][] | null;
            readonly state: ("none" | "read" | "write") | null;
            readonly memory: ("none" | "read") | null;
            /** @description Host functions that it called, whatever they answered. */
            readonly functions: readonly components["schemas"]["UsedItem"][] | null;
            /** @description Lists above that may leave something out. */
            readonly unlisted: readonly {
                /** @enum {string} */
                readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec";
                /** @description How many uses are left out; `null` where nobody can tell. */
                readonly uses: number | null;
            }[];
        };
        /** @description One thing that a run used. */
        readonly UsedItem: {
            /** @description As a grant names it. */
            readonly item: string;
            /** @description How often. */
            readonly count: number;
        };
        /** @description Whether the log is what was written, and where it is not. */
        readonly Verification: {
            readonly logId: string;
            readonly first: number | null;
            /** @description The last event that was found as it was written. */
            readonly last: components["schemas"]["AuditPosition"] | null;
            readonly events: number;
            /** @description Those that hold. */
            readonly checkpoints: number;
            readonly signedThrough: number;
            readonly trustedKeyId: string | null;
            /** @description The last event up to which the index was compared with the log; `null` where it was not. */
            readonly indexedThrough: number | null;
            /** @constant */
            readonly intact: true;
        } | {
            readonly logId: string;
            readonly first: number | null;
            /** @description The last event that was found as it was written. */
            readonly last: components["schemas"]["AuditPosition"] | null;
            readonly events: number;
            /** @description Those that hold. */
            readonly checkpoints: number;
            readonly signedThrough: number;
            readonly trustedKeyId: string | null;
            /** @description The last event up to which the index was compared with the log; `null` where it was not. */
            readonly indexedThrough: number | null;
            /** @constant */
            readonly intact: false;
            /** @enum {string} */
            readonly reason: "edited" | "removed" | "inserted" | "reordered" | "truncated" | "rewritten" | "unsigned" | "swapped" | "checkpoint-forged" | "key-unknown" | "pruning-forged" | "payload-changed" | "payload-missing" | "open-records" | "side-tables" | "index";
            readonly sequence: number | null;
            readonly message: string;
        };
        /** @description A workspace with its files. */
        readonly Workspace: {
            readonly id: string;
            readonly label: string | null;
            /** @description For the contents of all files together. */
            readonly quotaBytes: number;
            readonly usedBytes: number;
            readonly fileCount: number;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Each use moves it.
             */
            readonly expiresAt: string;
            /** @description By path. */
            readonly files: readonly components["schemas"]["WorkspaceFile"][];
        };
        /** @description What became of the workspace: all that the run left is kept, or nothing of it. */
        readonly WorkspaceEnd: {
            readonly id: string;
            /** @constant */
            readonly kept: true;
            /** @description The contents of all its files together. */
            readonly usedBytes: number;
        } | {
            readonly id: string;
            /** @constant */
            readonly kept: false;
            readonly why: string;
        };
        /** @description A file of a workspace, without its bytes. */
        readonly WorkspaceFile: {
            readonly path: string;
            readonly bytes: number;
            /** @description Hex. It is the file's `ETag` too, in quotation marks. */
            readonly sha256: string;
            /**
             * Format: date-time
             * @description When it got these bytes.
             */
            readonly modified: string;
        };
        /** @description A workspace in a list. */
        readonly WorkspaceSummary: {
            readonly id: string;
            readonly label: string | null;
            /** @description For the contents of all files together. */
            readonly quotaBytes: number;
            readonly usedBytes: number;
            readonly fileCount: number;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Each use moves it.
             */
            readonly expiresAt: string;
        };
        /** @description The workspaces of a key. */
        readonly Workspaces: {
            /** @description Those of the key, oldest first. */
            readonly workspaces: readonly components["schemas"]["WorkspaceSummary"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    readonly executeSkill: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `text/event-stream`: events as they come, and the answer as the last of them. */
                readonly accept?: string;
                /** @description `respond-async`: an answer at once, with where the result will be; `wait=10` beside it waits so many seconds for the result itself (RFC 7240). */
                readonly prefer?: string;
                /** @description The same key and the same request are answered with the same answer, and run once, also across a restart. */
                readonly "idempotency-key"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "input": {
                 *         "text": "mail me at ada@example.org"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description For protocol `json`: any JSON value. */
                    readonly input?: unknown;
                    /** @description For protocol `command`, as are `args`. */
                    readonly stdin?: string;
                    /** @description What is put into the workspace before the run. */
                    readonly files?: readonly ({
                        readonly path: string;
                        readonly text: string;
                    } | {
                        readonly path: string;
                        readonly base64: string;
                    })[];
                    /** @description Where the call comes from; its `memory` can be recalled. */
                    readonly context?: {
                        readonly memory?: readonly (string | ({
                            readonly text: string;
                        } & {
                            readonly [key: string]: unknown;
                        }))[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description The id of a workspace of the key's that it runs in; without it, in one of its own, for this run. */
                    readonly workspace?: string;
                    /** @description For protocol `command`: its arguments. */
                    readonly args?: readonly string[];
                    /** @description Which of its scripts: a name in `run.scripts` of its `ambit.yaml`, a file in `scripts/`, or `-m package.module`. */
                    readonly script?: string;
                    /** @description What the call may have at most; takes away, never adds. A kind that is absent loses nothing. */
                    readonly capabilities?: {
                        readonly filesystem?: {
                            readonly read?: readonly ("workspace" | "granted" | string)[];
                            readonly write?: readonly ("workspace" | "granted" | string)[];
                        };
                        readonly network?: readonly (string | {
                            readonly host: string;
                            readonly methods?: readonly string[];
                            readonly paths?: readonly string[];
                        })[];
                        readonly env?: readonly string[];
                        readonly secrets?: readonly {
                            readonly name: string;
                            readonly hosts: readonly string[];
                        }[];
                        readonly exec?: readonly string[];
                        /** @enum {string} */
                        readonly state?: "none" | "read" | "write";
                        /** @enum {string} */
                        readonly memory?: "none" | "read";
                    };
                    /** @description The least of what is asked for anywhere holds. */
                    readonly limits?: {
                        readonly timeoutMs?: number;
                        readonly memoryBytes?: number;
                        readonly cpuMs?: number;
                        readonly processes?: number;
                        readonly fileBytes?: number;
                        readonly outputBytes?: number;
                        readonly fuel?: number;
                    };
                    /** @description Whether the answer holds the contents of changed files; by itself, where no workspace keeps them. */
                    readonly fileContents?: boolean;
                    /**
                     * @description Whether the answer, or the problem of a refusal, is to hold a signed receipt.
                     * @default false
                     */
                    readonly receipt?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description The call ran. */
            readonly 200: {
                headers: {
                    /** @description `true` where the answer is that of an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "executionId": "01a12b6f-7c3e-7a51-9d02-4f3c8d5b6e70",
                     *       "outcome": {
                     *         "status": "succeeded",
                     *         "output": {
                     *           "text": "mail me at [redacted-email]",
                     *           "total": 1
                     *         }
                     *       },
                     *       "usage": {
                     *         "durationMs": 16.2,
                     *         "queueMs": 0.1,
                     *         "cpuMs": 14.7,
                     *         "memoryPeakBytes": 65892,
                     *         "fuelConsumed": 42527
                     *       },
                     *       "used": {
                     *         "filesystem": {
                     *           "read": [],
                     *           "write": []
                     *         },
                     *         "network": [],
                     *         "env": [],
                     *         "secrets": [],
                     *         "exec": [],
                     *         "state": "none",
                     *         "memory": "none",
                     *         "functions": [],
                     *         "unlisted": []
                     *       },
                     *       "log": "",
                     *       "audit": {
                     *         "sequence": 5,
                     *         "hash": "sha256:0000000000000000000000000000000000000000000000000000000000000000"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ExecuteAnswer"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call is under way. */
            readonly 202: {
                headers: {
                    /** @description Where its result will be. */
                    readonly Location?: string;
                    /** @description What was preferred, and done. */
                    readonly "Preference-Applied"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    readonly executeChain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `text/event-stream`: events as they come, and the answer as the last of them. */
                readonly accept?: string;
                /** @description `respond-async`: an answer at once, with where the result will be; `wait=10` beside it waits so many seconds for the result itself (RFC 7240). */
                readonly prefer?: string;
                /** @description The same key and the same request are answered with the same answer, and run once, also across a restart. */
                readonly "idempotency-key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "input": {
                 *         "text": "mail me at ada@example.org"
                 *       },
                 *       "steps": [
                 *         {
                 *           "skill": "text-redact"
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description What the first skill gets, with protocol `json`. */
                    readonly input?: unknown;
                    /** @description What the first skill gets, with protocol `command`. */
                    readonly stdin?: string;
                    /** @description What is put into the workspace before the run. */
                    readonly files?: readonly ({
                        readonly path: string;
                        readonly text: string;
                    } | {
                        readonly path: string;
                        readonly base64: string;
                    })[];
                    /** @description Where the call comes from; its `memory` can be recalled. */
                    readonly context?: {
                        readonly memory?: readonly (string | ({
                            readonly text: string;
                        } & {
                            readonly [key: string]: unknown;
                        }))[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description The id of a workspace of the key's that it runs in; without it, in one of its own, for this run. */
                    readonly workspace?: string;
                    /** @description The skills, in order. */
                    readonly steps: readonly {
                        /** @description The skill's id. */
                        readonly skill: string;
                        /** @description For protocol `command`: its arguments. */
                        readonly args?: readonly string[];
                        /** @description Which of its scripts: a name in `run.scripts` of its `ambit.yaml`, a file in `scripts/`, or `-m package.module`. */
                        readonly script?: string;
                        /** @description What the call may have at most; takes away, never adds. A kind that is absent loses nothing. */
                        readonly capabilities?: {
                            readonly filesystem?: {
                                readonly read?: readonly ("workspace" | "granted" | string)[];
                                readonly write?: readonly ("workspace" | "granted" | string)[];
                            };
                            readonly network?: readonly (string | {
                                readonly host: string;
                                readonly methods?: readonly string[];
                                readonly paths?: readonly string[];
                            })[];
                            readonly env?: readonly string[];
                            readonly secrets?: readonly {
                                readonly name: string;
                                readonly hosts: readonly string[];
                            }[];
                            readonly exec?: readonly string[];
                            /** @enum {string} */
                            readonly state?: "none" | "read" | "write";
                            /** @enum {string} */
                            readonly memory?: "none" | "read";
                        };
                        /** @description The least of what is asked for anywhere holds. */
                        readonly limits?: {
                            readonly timeoutMs?: number;
                            readonly memoryBytes?: number;
                            readonly cpuMs?: number;
                            readonly processes?: number;
                            readonly fileBytes?: number;
                            readonly outputBytes?: number;
                            readonly fuel?: number;
                        };
                    }[];
                };
            };
        };
        readonly responses: {
            /** @description The chain ran, as far as `links` says. */
            readonly 200: {
                headers: {
                    /** @description `true` where the answer is that of an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChainAnswer"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call is under way. */
            readonly 202: {
                headers: {
                    /** @description Where its result will be. */
                    readonly Location?: string;
                    /** @description What was preferred, and done. */
                    readonly "Preference-Applied"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    readonly executeBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description `text/event-stream`: events as they come, and the answer as the last of them. */
                readonly accept?: string;
                /** @description `respond-async`: an answer at once, with where the result will be; `wait=10` beside it waits so many seconds for the result itself (RFC 7240). */
                readonly prefer?: string;
                /** @description The same key and the same request are answered with the same answer, and run once, also across a restart. */
                readonly "idempotency-key"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "calls": [
                 *         {
                 *           "skill": "text-redact",
                 *           "input": {
                 *             "text": "mail me at ada@example.org"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /** @description Each with what a call by itself takes, but `receipt`. */
                    readonly calls: readonly {
                        /** @description For protocol `json`: any JSON value. */
                        readonly input?: unknown;
                        /** @description For protocol `command`, as are `args`. */
                        readonly stdin?: string;
                        /** @description What is put into the workspace before the run. */
                        readonly files?: readonly ({
                            readonly path: string;
                            readonly text: string;
                        } | {
                            readonly path: string;
                            readonly base64: string;
                        })[];
                        /** @description Where the call comes from; its `memory` can be recalled. */
                        readonly context?: {
                            readonly memory?: readonly (string | ({
                                readonly text: string;
                            } & {
                                readonly [key: string]: unknown;
                            }))[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @description The id of a workspace of the key's that it runs in; without it, in one of its own, for this run. */
                        readonly workspace?: string;
                        /** @description For protocol `command`: its arguments. */
                        readonly args?: readonly string[];
                        /** @description Which of its scripts: a name in `run.scripts` of its `ambit.yaml`, a file in `scripts/`, or `-m package.module`. */
                        readonly script?: string;
                        /** @description What the call may have at most; takes away, never adds. A kind that is absent loses nothing. */
                        readonly capabilities?: {
                            readonly filesystem?: {
                                readonly read?: readonly ("workspace" | "granted" | string)[];
                                readonly write?: readonly ("workspace" | "granted" | string)[];
                            };
                            readonly network?: readonly (string | {
                                readonly host: string;
                                readonly methods?: readonly string[];
                                readonly paths?: readonly string[];
                            })[];
                            readonly env?: readonly string[];
                            readonly secrets?: readonly {
                                readonly name: string;
                                readonly hosts: readonly string[];
                            }[];
                            readonly exec?: readonly string[];
                            /** @enum {string} */
                            readonly state?: "none" | "read" | "write";
                            /** @enum {string} */
                            readonly memory?: "none" | "read";
                        };
                        /** @description The least of what is asked for anywhere holds. */
                        readonly limits?: {
                            readonly timeoutMs?: number;
                            readonly memoryBytes?: number;
                            readonly cpuMs?: number;
                            readonly processes?: number;
                            readonly fileBytes?: number;
                            readonly outputBytes?: number;
                            readonly fuel?: number;
                        };
                        /** @description Whether the answer holds the contents of changed files; by itself, where no workspace keeps them. */
                        readonly fileContents?: boolean;
                        /** @description The skill's id. */
                        readonly skill: string;
                    }[];
                    /**
                     * @description Whether they run one after another, and none any more after the first that is refused or does not succeed.
                     * @default false
                     */
                    readonly stopOnFailure?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description What came of each call. */
            readonly 200: {
                headers: {
                    /** @description `true` where the answer is that of an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BatchAnswer"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call is under way. */
            readonly 202: {
                headers: {
                    /** @description Where its result will be. */
                    readonly Location?: string;
                    /** @description What was preferred, and done. */
                    readonly "Preference-Applied"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    readonly getExecution: {
        readonly parameters: {
            readonly query?: {
                /** @description Seconds in which it may come to its end before the answer. */
                readonly wait?: number;
            };
            readonly header?: never;
            readonly path: {
                /** @description The execution's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The status of the call. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    readonly cancelExecution: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The execution's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The status of the call. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Execution"];
                };
            };
        };
    };
    readonly followExecution: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Go on after this event; without it, from the first that is kept. */
                readonly "last-event-id"?: string;
            };
            readonly path: {
                /** @description The execution's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events, up to the last. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call has ended, and there are no events after that id. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listWorkspaces: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The workspaces. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Workspaces"];
                };
            };
        };
    };
    readonly createWorkspace: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "label": "report",
                 *       "expiresInSeconds": 604800
                 *     }
                 */
                readonly "application/json": {
                    /** @description For the contents of all files together. */
                    readonly quotaBytes?: number;
                    /** @description So long after its last use it is gone. */
                    readonly expiresInSeconds?: number;
                    /** @description What its owner calls it. */
                    readonly label?: string;
                };
            };
        };
        readonly responses: {
            /** @description The workspace. */
            readonly 201: {
                headers: {
                    /** @description Where it is. */
                    readonly Location?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    readonly getWorkspace: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The workspace. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    readonly deleteWorkspace: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly getWorkspaceFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` that the file has to have; `*`: any, but a file. */
                readonly "if-match"?: string;
                /** @description The `ETag` of what is known already, or is not to be changed; `*`: any file. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path: each name percent-encoded by itself, with slashes between. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    /** @description The file's digest, in quotation marks. */
                    readonly ETag?: string;
                    /** @description When it got these bytes. */
                    readonly "Last-Modified"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
        };
    };
    readonly putWorkspaceFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` that the file has to have; `*`: any, but a file. */
                readonly "if-match"?: string;
                /** @description The `ETag` of what is known already, or is not to be changed; `*`: any file. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path: each name percent-encoded by itself, with slashes between. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description It is in the place of another. */
            readonly 200: {
                headers: {
                    /** @description The file's digest, in quotation marks. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WorkspaceFile"];
                };
            };
            /** @description It is new. */
            readonly 201: {
                headers: {
                    /** @description The file's digest, in quotation marks. */
                    readonly ETag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WorkspaceFile"];
                };
            };
        };
    };
    readonly deleteWorkspaceFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` that the file has to have; `*`: any, but a file. */
                readonly "if-match"?: string;
                /** @description The `ETag` of what is known already, or is not to be changed; `*`: any file. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path: each name percent-encoded by itself, with slashes between. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listSkills: {
        readonly parameters: {
            readonly query?: {
                /** @description Only those with something to run, or without. */
                readonly executable?: boolean;
                /** @description Words, each of which has to stand in the id, the description or a tag; compared without case. */
                readonly q?: string;
                /** @description Those that a prompt would get for this phase, dependencies among them. */
                readonly phase?: string;
                /** @description Those that a prompt would get for this agent. */
                readonly agent?: string;
                /** @description Those that a prompt would get for this tag. */
                readonly tag?: string;
                /** @description How many on a page; at most 1000. */
                readonly limit?: number;
                /** @description The `next` of the page before: goes on after that skill. */
                readonly after?: string;
            };
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The skills that fit. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "skills": [],
                     *       "broken": [],
                     *       "brokenCount": 0,
                     *       "next": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SkillList"];
                };
            };
        };
    };
    readonly getSkill: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The skill. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillDetail"];
                };
            };
        };
    };
    readonly getSkillBody: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The instructions. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/markdown": string;
                };
            };
        };
    };
    readonly listSkillFiles: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The files. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillFiles"];
                };
            };
        };
    };
    readonly getSkillFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
                /** @description As the list has it, every part percent-encoded by itself: a slash between two parts is written as it is. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    /** @description Of bytes: a name for the file. */
                    readonly "content-disposition"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/markdown": string;
                    readonly "text/plain": string;
                    readonly "application/octet-stream": string;
                };
            };
        };
    };
    readonly composePrompt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "phase": "implement",
                 *       "systemPrompt": "You are a careful engineer.",
                 *       "explain": true
                 *     }
                 */
                readonly "application/json": {
                    /** @description Skills for this phase, and those for any. */
                    readonly phase?: string;
                    /** @description Skills for this agent, and those for any. */
                    readonly agent?: string;
                    /** @description One in common is enough. */
                    readonly tags?: readonly string[];
                    readonly campaign?: string;
                    readonly section?: string;
                    /** @description The only skills that are selected, with what they require; empty: none. */
                    readonly only?: readonly string[];
                    /** @description Skills that are selected whatever the rest says. */
                    readonly include?: readonly string[];
                    /** @description Skills that are not; wins over everything. */
                    readonly exclude?: readonly string[];
                    /** @description What the bodies of the selected skills may come to: all or nothing each, in order. */
                    readonly budgetTokens?: number;
                    /** @description The agent's own MCP servers, by name; a skill's never takes the place of one. */
                    readonly mcpServers?: {
                        readonly [key: string]: {
                            readonly [key: string]: unknown;
                        };
                    };
                    /**
                     * @description The prompt that skills are put into, a template; absent: there is nothing but them.
                     * @default
                     */
                    readonly systemPrompt?: string;
                    /** @description The turn of the agent's loop through the phase, from 1; `{{iteration}}` in the system prompt. */
                    readonly iteration?: number;
                    /** @description What the prompt is, as it is, when nothing was composed: no system prompt and no skill. */
                    readonly fallbackPrompt?: string;
                    /** @description Selected skills whose bodies are to be in it. */
                    readonly active?: readonly string[];
                    /**
                     * @description What is told of the others; `metadata` unless given.
                     * @enum {string}
                     */
                    readonly disclosure?: "metadata" | "index" | "bodies";
                    /**
                     * @description How bodies stand in it; `xml` unless given.
                     * @enum {string}
                     */
                    readonly format?: "xml" | "plain";
                    /** @description For `{{name}}` in the system prompt. */
                    readonly variables?: {
                        readonly [key: string]: string | boolean;
                    };
                    /** @description What the whole prompt may take. */
                    readonly promptTokens?: number;
                    /**
                     * @description How what does not fit is left out.
                     * @enum {string}
                     */
                    readonly cut?: "whole" | "at-line";
                    /** @description Where what the selected skills want to know is gathered. Absent: nothing is. */
                    readonly context?: {
                        /** @description The project's folder, absolute. Over HTTP within one of the operator's `contextRoots`. */
                        readonly root: string;
                        /** @description The piece of work, as the caller keeps it. */
                        readonly item?: unknown;
                        /** @description Where the artefacts of earlier phases are; within `root`. */
                        readonly itemFolder?: string;
                    };
                    /**
                     * @description The agent for which the selection is to be written down, too.
                     * @enum {string}
                     */
                    readonly for?: "claude-code" | "claude-sdk" | "codex" | "opencode" | "amp" | "aider" | "process";
                    /** @description As that agent calls it. */
                    readonly model?: string;
                    /**
                     * @description Whether to say where every part comes from, and what was left out.
                     * @default false
                     */
                    readonly explain?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description The prompt. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PromptAnswer"];
                };
            };
        };
    };
    readonly listenToMcp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The protocol's answer. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description A notice was taken. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session is over. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly sendMcpMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": 1,
                 *       "method": "ping"
                 *     }
                 */
                readonly "application/json": unknown;
            };
        };
        readonly responses: {
            /** @description The protocol's answer. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description A notice was taken. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session is over. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly endMcpSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The protocol's answer. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description A notice was taken. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session is over. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly listRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Calls of this skill. */
                readonly skill?: string;
                /** @description Calls with this key, by its name. */
                readonly actor?: string;
                /** @description How they ended. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Only calls from this entry point. */
                readonly via?: "http" | "mcp" | "cli";
                /** @description A capability of which something was denied: `network`. */
                readonly denied?: string;
                /** @description Calls from then on. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Stands in what was kept of input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain. */
                readonly parentId?: string;
                /** @description At most 200; 50 unless it is given. */
                readonly limit?: number;
                /** @description The `next` of the page before. */
                readonly before?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [],
                     *       "next": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditPage"];
                };
            };
        };
    };
    readonly countRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Calls of this skill. */
                readonly skill?: string;
                /** @description Calls with this key, by its name. */
                readonly actor?: string;
                /** @description How they ended. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Only calls from this entry point. */
                readonly via?: "http" | "mcp" | "cli";
                /** @description A capability of which something was denied: `network`. */
                readonly denied?: string;
                /** @description Calls from then on. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Stands in what was kept of input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain. */
                readonly parentId?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Their number. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 12
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Count"];
                };
            };
        };
    };
    readonly getStats: {
        readonly parameters: {
            readonly query?: {
                /** @description Of this one alone. */
                readonly skill?: string;
                /** @description Calls from then on. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description The width of a bucket over time, at most 2000 of them; needs a "since". */
                readonly bucketMs?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditStats"];
                };
            };
        };
    };
    readonly getRecord: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description As the answer to a call has it. */
                readonly executionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The record. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CallRecord"];
                };
            };
        };
    };
    readonly exportRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Calls of this skill. */
                readonly skill?: string;
                /** @description Calls with this key, by its name. */
                readonly actor?: string;
                /** @description How they ended. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Only calls from this entry point. */
                readonly via?: "http" | "mcp" | "cli";
                /** @description A capability of which something was denied: `network`. */
                readonly denied?: string;
                /** @description Calls from then on. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that. ISO 8601, milliseconds since the epoch, or how long ago: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Stands in what was kept of input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain. */
                readonly parentId?: string;
                /** @description As lines of JSON, or as CSV. */
                readonly format?: "ndjson" | "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The records, as `format` has it. */
            readonly 200: {
                headers: {
                    /** @description A name for the file. */
                    readonly "content-disposition"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": string;
                    readonly "text/csv": string;
                };
            };
        };
    };
    readonly followEvents: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Go on after this event; without it, with the next that is written. */
                readonly "last-event-id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events, until one side ends it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
        };
    };
    readonly verifyAudit: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What came of it, whatever that is. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Verification"];
                };
            };
        };
    };
    readonly getReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description As the answer to a call has it. */
                readonly executionId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedReceipt"];
                };
            };
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It lives. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readonly getReadiness: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Calls are taken. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "configuration": "current",
                     *       "checks": {
                     *         "audit": "ok"
                     *       }
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    readonly getMetrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                    readonly "application/openmetrics-text": string;
                };
            };
        };
    };
    readonly getOpenApi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The document. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenApi"];
                };
            };
        };
    };
    readonly getReference: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of an answer that is there already. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page. */
            readonly 200: {
                headers: {
                    /** @description Changes when the answer does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
        };
    };
}
