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
  putWorkspaceFiles: ['PUT', '/workspaces/{id}/files'],
  listSkills: ['GET', '/skills'],
  getSkill: ['GET', '/skills/{id}'],
  listTools: ['GET', '/tools'],
  getSkillBody: ['GET', '/skills/{id}/body'],
  listSkillFiles: ['GET', '/skills/{id}/files'],
  getSkillFile: ['GET', '/skills/{id}/files/{path}'],
  getProposal: ['GET', '/skills/{id}/proposal'],
  listInstalled: ['GET', '/installs'],
  addInstalled: ['POST', '/installs'],
  reviewInstalled: ['GET', '/installs/{id}'],
  approveInstalled: ['POST', '/installs/{id}/approve'],
  approveAllInstalled: ['POST', '/installs/approve'],
  checkInstalled: ['POST', '/installs/outdated'],
  updateInstalled: ['POST', '/installs/update'],
  syncInstalled: ['POST', '/installs/sync'],
  lockInstalledPackages: ['POST', '/installs/{id}/packages'],
  revokeInstalled: ['POST', '/installs/revoke'],
  restoreInstalled: ['POST', '/installs/restore'],
  removeInstalled: ['POST', '/installs/remove'],
  composePrompt: ['POST', '/prompt'],
  getConfiguration: ['GET', '/configuration'],
  listKeys: ['GET', '/keys'],
  decidePolicy: ['POST', '/policy/decide'],
  createConsoleCode: ['POST', '/console/codes'],
  openConsoleSession: ['POST', '/console/sessions'],
  listConsoleSessions: ['GET', '/console/sessions'],
  getConsoleSession: ['GET', '/console/session'],
  closeConsoleSession: ['DELETE', '/console/session'],
  unlockConsoleSession: ['POST', '/console/session/unlock'],
  revokeConsoleSession: ['DELETE', '/console/sessions/{id}'],
  getConsole: ['GET', '/console/{path}'],
  sendMcpMessage: ['POST', '/mcp'],
  listenToMcp: ['GET', '/mcp'],
  endMcpSession: ['DELETE', '/mcp'],
  listRecords: ['GET', '/audit'],
  countRecords: ['GET', '/audit/count'],
  getStats: ['GET', '/audit/stats'],
  listEvents: ['GET', '/audit/events'],
  getRecord: ['GET', '/audit/{executionId}'],
  exportRecords: ['GET', '/audit/export'],
  followEvents: ['GET', '/audit/follow'],
  getAuditChain: ['GET', '/audit/chain'],
  verifyAudit: ['GET', '/audit/verify'],
  getEventReceipt: ['GET', '/audit/events/{sequence}/receipt'],
  getReceipt: ['GET', '/audit/{executionId}/receipt'],
  getTreeHead: ['GET', '/audit/tree/checkpoint'],
  getTreeTile: ['GET', '/audit/tree/tile/{path}'],
  getHealth: ['GET', '/healthz'],
  getReadiness: ['GET', '/readyz'],
  listNodes: ['GET', '/cluster/nodes'],
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
  createWorkspace: 'id label quotaBytes usedBytes fileCount createdAt expiresAt files links folders',
  listWorkspaces: 'workspaces',
  getWorkspace: 'id label quotaBytes usedBytes fileCount createdAt expiresAt files links folders',
  putWorkspaceFile: 'path bytes sha256 modified',
  putWorkspaceFiles: 'id label quotaBytes usedBytes fileCount createdAt expiresAt',
  listSkills: 'skills broken brokenCount next',
  getSkill: 'id alias name description version tier digest executable requests warnings license compatibility allowedTools files scripts scriptLimits run entries',
  listTools: 'tools leftOut next',
  listSkillFiles: 'digest files',
  getProposal: 'skill digest tier records items grant requests excluded unused',
  listInstalled: 'skills',
  addInstalled: 'skills refused',
  reviewInstalled: 'skill digest review approved gets limits declaredRemedy wider narrower files provenance packages packageChanges namespaceSources reading',
  approveInstalled: 'id digest tier requests publisher identity dependencies by at sequence call',
  approveAllInstalled: 'approvals',
  checkInstalled: 'skills refused',
  updateInstalled: 'skills refused',
  syncInstalled: 'skills refused',
  lockInstalledPackages: 'skills refused',
  revokeInstalled: 'subject skills reason by at sequence',
  restoreInstalled: 'subject skills reason by at sequence',
  removeInstalled: 'skills refused',
  composePrompt: 'prompt tokens skills tools mcpServers warnings',
  getConfiguration: 'values',
  listKeys: 'keys',
  decidePolicy: 'allowed rule because remedy',
  createConsoleCode: 'code expiresAt',
  openConsoleSession: 'id createdAt expiresAt idleSeconds scopes half',
  listConsoleSessions: 'sessions',
  getConsoleSession: 'id createdAt expiresAt idleSeconds scopes actor unlockedUntil version',
  unlockConsoleSession: 'id createdAt expiresAt idleSeconds scopes actor unlockedUntil version',
  listRecords: 'records next',
  countRecords: 'count',
  getStats: 'all bySkill overTime',
  listEvents: 'events next',
  getRecord: 'sequence executionId via actor startedAt endedAt skill policyDigest capabilities connections limits sandbox input output stored outcome failure usage error request',
  getAuditChain: 'logId createdAt first last checkpoint unsigned copies keys verification',
  getEventReceipt: 'statement keyId signature',
  getReceipt: 'statement keyId signature',
  getHealth: 'status',
  getReadiness: 'status configuration checks',
  listNodes: 'node nodes',
  getOpenApi: 'openapi info paths',
};

export interface components {
    schemas: {
        /** @description An approval and what it is bound to. */
        readonly Approval: {
            readonly id: string;
            /** @description `sha256:…` */
            readonly digest: string;
            /** @enum {string} */
            readonly tier: "local" | "verified" | "untrusted";
            readonly requests: readonly string[];
            /** @description The configured publisher that signed it; `null`: none. */
            readonly publisher: string | null;
            /** @description The key (`ed25519:…`) or the workflow (`sigstore:…`) that signed it. */
            readonly identity: string | null;
            /** @description Of its locked packages; `null`: it has none. */
            readonly dependencies: string | null;
            readonly by: string;
            /** Format: date-time */
            readonly at: string;
            /** @description Of the event in the audit log; its receipt proves the approval. */
            readonly sequence: number;
            /**
             * Format: date-time
             * @description When it ends. Absent: never.
             */
            readonly until?: string;
            /** @description A call to try first; `null`: it has only instructions. */
            readonly call: {
                /** @description To name in the call; `null`: none. */
                readonly script: string | null;
                /** @enum {string} */
                readonly protocol: "json" | "command";
            } | null;
        };
        /** @description The state of the chain of this daemon's log. */
        readonly AuditChain: {
            readonly logId: string;
            readonly createdAt: string;
            /** @description Its sequence is more than 1 if older events were pruned. `null`: the log is empty. */
            readonly first: {
                readonly sequence: number;
                /** @description `null` if the event cannot be read. */
                readonly time: string | null;
            } | null;
            readonly last: {
                readonly sequence: number;
                readonly hash: string;
                /** @description `null` if the event cannot be read. */
                readonly time: string | null;
            } | null;
            /** @description The last one: the last event that it covers, its time, and the key that signed it. */
            readonly checkpoint: {
                readonly sequence: number;
                readonly time: string;
                readonly keyId: string;
            } | null;
            /** @description The number of events after the last checkpoint. */
            readonly unsigned: number;
            /** @description Where each checkpoint is copied to; `null`: nowhere. */
            readonly copies: ({
                readonly file: string;
            } | {
                readonly program: string;
            }) | null;
            /** @description The signing keys, oldest first. */
            readonly keys: readonly {
                readonly keyId: string;
                /** @description SPKI in PEM. */
                readonly publicKey: string;
                /** @description The first event that it signs. */
                readonly since: number | null;
            }[];
            /** @description The last verification over HTTP since the daemon started; `null`: none. */
            readonly verification: {
                /** Format: date-time */
                readonly at: string;
                /** @description The name of the key that requested it. */
                readonly actor: string;
                readonly result: components["schemas"]["Verification"];
            } | null;
        };
        /** @description One page of records, newest first. */
        readonly AuditPage: {
            readonly records: readonly components["schemas"]["CallRecord"][];
            /** @description Pass it as `before` to get the next page; `null` on the last page. */
            readonly next: number | null;
            /**
             * @description The page ended early because a longer search would have taken too long. Continue with `next`.
             * @constant
             */
            readonly partial?: true;
        };
        /** @description The position of an event in the log. */
        readonly AuditPosition: {
            readonly sequence: number;
            /** @description The chain's hash up to this event: `sha256:…`. */
            readonly hash: string;
            /**
             * @description Only with `cluster.audit: shipped`: the record is not in the database yet, because it did not answer in time. The node has it, and sends it later.
             * @constant
             */
            readonly shipped?: false;
        };
        /** @description Statistics of calls. */
        readonly AuditStats: {
            readonly all: {
                readonly calls: number;
                /** @description Calls that ran and did not succeed. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` if none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
            };
            readonly bySkill: readonly {
                readonly calls: number;
                /** @description Calls that ran and did not succeed. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` if none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
                readonly skill: string;
                /** @description When the last of them began, in milliseconds since the epoch. */
                readonly lastAt: number;
            }[];
            readonly overTime: readonly {
                readonly calls: number;
                /** @description Calls that ran and did not succeed. */
                readonly errors: number;
                readonly denied: number;
                readonly running: number;
                /** @description Of calls that ran; `null` if none did. */
                readonly durationMs: {
                    readonly p50: number;
                    readonly p95: number;
                    readonly p99: number;
                } | null;
                /** @description Start of the bucket, in milliseconds since the epoch. */
                readonly since: number;
            }[];
        };
        /** @description The results of a batch. */
        readonly BatchAnswer: {
            /** @description The parent of every call's record. */
            readonly executionId: string;
            /** @description The results in the order of the calls. */
            readonly results: readonly components["schemas"]["BatchResult"][];
        };
        /** @description One call of a batch: its answer or a summary, its refusal, or neither. */
        readonly BatchResult: {
            /** @constant */
            readonly status: 200;
            readonly answer: components["schemas"]["ExecuteAnswer"];
        } | {
            /** @constant */
            readonly status: 200;
            /** @description The call ran, but with its answer the batch would exceed its size limit. */
            readonly omitted: components["schemas"]["OmittedAnswer"];
        } | {
            /** @description The status of the problem. */
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
                /** @description The position of the link or call in its chain or batch, from 1. */
                readonly position?: number;
            };
        } | {
            /** @constant */
            readonly event: "started";
            readonly data: {
                /** @description The position of the link or call in its chain or batch, from 1. */
                readonly position?: number;
            };
        } | {
            /** @enum {string} */
            readonly event: "stdout" | "stderr" | "log";
            readonly data: {
                readonly text: string;
                /** @description The position of the link or call in its chain or batch, from 1. */
                readonly position?: number;
            };
        } | {
            /** @constant */
            readonly event: "progress";
            readonly data: {
                readonly done: number;
                /** @description The final value of `done`; absent: unknown. */
                readonly total?: number;
                readonly message?: string;
                /** @description The position of the link or call in its chain or batch, from 1. */
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
                /** @description Present if the chain names a workspace. */
                readonly workspace?: components["schemas"]["WorkspaceEnd"];
                readonly audit: components["schemas"]["AuditPosition"];
            };
        } | {
            /** @constant */
            readonly event: "call";
            readonly data: {
                /** @description The position in the batch, from 1. */
                readonly position: number;
                readonly skillId: string;
                readonly executionId: string;
                readonly outcome: components["schemas"]["OutcomeStatus"] | "denied";
                /**
                 * @description The code of the refusal.
                 * @enum {string}
                 */
                readonly code?: "SKILL_NOT_FOUND" | "SKILL_AMBIGUOUS" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "LOCK_MISMATCH" | "SKILL_REVOKED" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "STORE_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "LEASE_LOST" | "MEMORY_SHARE_EXCEEDED" | "OVERLOADED" | "INTERNAL";
            };
        } | {
            /** @constant */
            readonly event: "gap";
            readonly data: {
                readonly events: number;
            };
        } | {
            /** @constant */
            readonly event: "unstored";
            readonly data: {
                /** @description What that means for a retry. */
                readonly detail: string;
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
        /** @description What a call gets without `limits` of its own, and the most that it can ask for. */
        readonly CallLimits: {
            readonly default: components["schemas"]["Limits"];
            readonly max: components["schemas"]["Limits"];
        };
        /** @description One call as recorded in the log. */
        readonly CallRecord: {
            /** @description The sequence number of its first event. Records are ordered by it. */
            readonly sequence: number;
            /** @description The node of the cluster that recorded it. Absent without a cluster. */
            readonly node?: string;
            /** @description Only in a cluster: the place among the records of all nodes, which are ordered by it. `sequence` is the one in the log of `node`. */
            readonly place?: number;
            readonly executionId: string;
            /** @description The chain or batch that the call belongs to. */
            readonly parentId?: string;
            /** @enum {string} */
            readonly via: "http" | "mcp" | "cli" | "library";
            /** @description The name of the key, or the user of the command line. */
            readonly actor: string | null;
            /** Format: date-time */
            readonly startedAt: string;
            /** @description `null` while it runs. */
            readonly endedAt: string | null;
            /** @description `null` if the request was refused before it named a skill. */
            readonly skill: components["schemas"]["RecordedSkill"] | null;
            readonly policyDigest: string | null;
            readonly capabilities: {
                readonly requested: components["schemas"]["Capabilities"] | null;
                /** @description The part of `requested` that the operator's grant adds, for a skill without a sidecar. */
                readonly added?: components["schemas"]["Capabilities"];
                readonly granted: components["schemas"]["Capabilities"] | null;
                readonly denied: readonly components["schemas"]["Denial"][];
            };
            readonly connections: readonly components["schemas"]["Connection"][];
            /** @description Absent if the call called no host function. */
            readonly hostCalls?: components["schemas"]["HostCalls"];
            /** @description How often a secret of the skill was redacted in what the run received, wrote and returned; a text counts each time that it is shown. Absent: never. */
            readonly redactions?: number;
            /** @description Programs that its scripts name or tried to start, that the machine had and the grant lacked. Absent: none. */
            readonly missingPrograms?: readonly string[];
            /** @description Absent if the call did not finish. */
            readonly used?: components["schemas"]["UsedCapabilities"];
            readonly limits: components["schemas"]["Limits"] | null;
            /** @description The sandbox that the call ran in. */
            readonly sandbox: string | null;
            /** @description The workspace that the call names, with digests of its contents before and after the run. */
            readonly workspace?: {
                readonly id: string;
                readonly before?: string;
                readonly after?: string;
                /** @description What the run left and no workspace can store; at most 20. The rest is stored. */
                readonly leftOut?: readonly {
                    readonly path: string;
                    readonly why: string;
                }[];
            };
            readonly input: components["schemas"]["ContentDigest"] | null;
            readonly output: components["schemas"]["ContentDigest"] | null;
            /** @description The stored part of the input and the output, until it is pruned. */
            readonly stored: {
                readonly input?: {
                    readonly text: string;
                    /** @description Whether more was sent than is stored. */
                    readonly isCut: boolean;
                };
                readonly output?: {
                    readonly text: string;
                    /** @description Whether more was sent than is stored. */
                    readonly isCut: boolean;
                };
            };
            /**
             * @description The outcome of the run; `denied` if the call was refused or could not start; `running` until it ends.
             * @enum {string}
             */
            readonly outcome: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
            /** @description Who or what canceled the call. */
            readonly reason?: string;
            /** @description For the operator: what raises the limit that ended the run. Absent: no limit did. */
            readonly remedy?: string;
            readonly failure: components["schemas"]["Failure"] | null;
            readonly usage: components["schemas"]["Usage"] | null;
            readonly error: {
                readonly code: string;
                readonly message: string;
            } | null;
            /** @description Method and path of a request that the HTTP transport refused. */
            readonly request: string | null;
        };
        /** @description What a call may access, or requests. An empty list grants nothing. */
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
            readonly host?: boolean;
        };
        /** @description The result of a chain. */
        readonly ChainAnswer: {
            /** @description The parent of every link's record. */
            readonly executionId: string;
            /** @description The outcome of the last link that ran. */
            readonly outcome: components["schemas"]["Outcome"];
            readonly usage: components["schemas"]["Usage"];
            /** @description The link that failed; absent if none did. */
            readonly failedAt?: {
                readonly position: number;
                readonly skillId: string;
            };
            /** @description The links that ran. */
            readonly links: readonly {
                /** @description From 1. */
                readonly position: number;
                readonly skillId: string;
                readonly executionId: string;
                readonly outcome: components["schemas"]["OutcomeStatus"];
                readonly usage: components["schemas"]["Usage"];
                /** @description Present if the chain names a workspace. */
                readonly workspace?: components["schemas"]["WorkspaceEnd"];
                readonly audit: components["schemas"]["AuditPosition"];
            }[];
        };
        /** @description A node of a cluster. */
        readonly ClusterNode: {
            readonly id: number;
            readonly name: string;
            /**
             * @description `running` and `draining` have a lease; `lost` has let it end; `stopped` has none, which a lost node soon becomes.
             * @enum {string}
             */
            readonly status: "running" | "draining" | "stopped" | "lost" | "retired";
            /** @description HOST:PORT, where other nodes reach it. */
            readonly advertise: string;
            /** @description Of Ambit; empty before its first start. */
            readonly version: string;
            /** @description Grows with each start, and whenever its lease has ended. */
            readonly epoch: number;
            /** @description The nodes with a lease whose port it could not reach at its last look. Requests about their calls fail at this node. */
            readonly cannotReach: readonly string[];
            /** @description ISO 8601. */
            readonly joinedAt: string;
            /** @description ISO 8601, by the database's clock; `null` without a lease. A running node renews it. */
            readonly leaseUntil: string | null;
            /** @description `null`: it has no lease, or did not answer within a second. */
            readonly load: {
                /** @description Calls that run. */
                readonly running: number;
                /** @description Calls in the queue. */
                readonly waiting: number;
                /** @description Events of its log that the database does not have yet. */
                readonly unshippedEvents: number;
                /** @description The age of the oldest of them; 0 without any. */
                readonly shippingLagMs: number;
            } | null;
        };
        /** @description The nodes of a cluster; none without one. */
        readonly ClusterNodes: {
            /** @description The node that answers; `null`: this daemon is in no cluster. */
            readonly node: string | null;
            /** @description In the order in which they joined. */
            readonly nodes: readonly components["schemas"]["ClusterNode"][];
        };
        /** @description A value of the configuration in force. */
        readonly ConfigurationValue: {
            /** @description As in the file: `listen.port`, `grants.git-summary`. */
            readonly key: string;
            /** @description `null` for secrets, of which only the name is shown. */
            readonly value: unknown;
            /** @description `default`, `file:` and a path, `env:` and a variable, or `flag:` and a flag. */
            readonly origin: string;
        };
        /** @description A network connection that a call made or tried to make. */
        readonly Connection: {
            readonly host: string;
            readonly port: number;
            /** @description `null` if it was not observed. */
            readonly method: string | null;
            /** @description Without the query; `null` if it was not observed. */
            readonly path: string | null;
            readonly bytesUp: number;
            readonly bytesDown: number;
            /** @enum {string} */
            readonly decision: "allowed" | "denied";
            /** @description The rule that decided; `null` if no rule matched. */
            readonly rule: string | null;
            /** @description When it began, in milliseconds since the epoch. */
            readonly at: number;
            /** @description Until the response, the tunnel or the call ended. */
            readonly durationMs: number;
            /** @description The HTTP status of the response. Absent if no response was observed. */
            readonly status?: number;
            /** @description The names of the secrets that were inserted into it. Absent: none. */
            readonly secrets?: readonly string[];
        };
        /** @description A one-time code of the web console. */
        readonly ConsoleCode: {
            /** @description 256 random bits in base64url. Valid once. */
            readonly code: string;
            /** @description ISO 8601. */
            readonly expiresAt: string;
        };
        /** @description An open session of the web console. */
        readonly ConsoleSessionSummary: {
            readonly id: string;
            /** @description Its name in the audit log. */
            readonly actor: string;
            /** @description As of a key. */
            readonly scopes: readonly string[];
            /** @description ISO 8601. */
            readonly createdAt: string;
            /** @description ISO 8601. */
            readonly lastUsedAt: string;
            /** @description ISO 8601. */
            readonly expiresAt: string;
            /** @description Until then it may run skills; `null`: it only reads. */
            readonly unlockedUntil: string | null;
            /** @description The node of the cluster that has the session. */
            readonly node?: string;
        };
        /** @description SHA-256 and size of a payload. */
        readonly ContentDigest: {
            /** @description `sha256:…` */
            readonly digest: string;
            readonly bytes: number;
        };
        /** @description The number of matching records. */
        readonly Count: {
            readonly count: number;
        };
        /** @description A capability that a call requested or tried to use and does not get. */
        readonly Denial: {
            /**
             * @description `run` is the permission to run as a program of the host.
             * @enum {string}
             */
            readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "host" | "run";
            /** @description The requested item: a path, a host, a name. */
            readonly requested: string;
            /** @description The rule that denied it. */
            readonly reason: string;
            /** @description The line of configuration that grants it, or what else to do. */
            readonly remedy: string;
        };
        /** @description The MCP servers of the agent and of its skills. */
        readonly EffectiveMcpServers: {
            readonly servers: {
                readonly [key: string]: {
                    readonly [key: string]: unknown;
                };
            };
            /** @description By server: the skill that provides it. */
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
        /** @description The allowed and withheld tools of an agent. */
        readonly EffectiveTools: {
            /** @description In the phase's order. `all`: every tool of the agent. */
            readonly allowed: "all" | readonly string[];
            /** @description The phase's tools that no selected skill asks for. */
            readonly withheld: readonly string[];
            /** @description Tools that selected skills ask for and the phase does not have. The agent never gets them. */
            readonly beyondPhase: readonly {
                readonly tool: string;
                readonly skills: readonly string[];
            }[];
            /** @enum {string} */
            readonly from: "configured" | "unnarrowed" | "unknown-phase" | "no-phase";
        };
        /** @description A page of events outside calls, newest first. */
        readonly EventPage: {
            readonly events: readonly components["schemas"]["FollowedEvent"][];
            /** @description Pass it as `before` to get the next page; `null` on the last page. */
            readonly next: number | null;
            /**
             * @description The page ended early because a longer search would have taken too long. Continue with `next`.
             * @constant
             */
            readonly partial?: true;
        };
        /** @description One event outside calls, such as an approval, for readers without access to the log. */
        readonly EventReceipt: {
            /** @constant */
            readonly type: "ambit/event-receipt/1";
            readonly logId: string;
            readonly sequence: number;
            readonly hash: string;
            /** @description The event as in the log. */
            readonly event: {
                readonly kind: string;
                /** @description Milliseconds since the epoch. */
                readonly time: number;
            } & {
                readonly [key: string]: unknown;
            };
        };
        /** @description An item that calls lacked and that no grant covers. */
        readonly ExcludedItem: {
            /**
             * @description `run` is the permission to run as a program of the host.
             * @enum {string}
             */
            readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "host" | "run";
            readonly item: string;
            /** @description The number of calls. */
            readonly calls: number;
            /**
             * Format: date-time
             * @description The start of the first of these calls.
             */
            readonly first: string;
            /** Format: date-time */
            readonly last: string;
            /** @description The predicate of a sentence about the item. */
            readonly reason: string;
            /** @description What would have to change. */
            readonly remedy: string;
        };
        /** @description The result of a call that ran. */
        readonly ExecuteAnswer: {
            /** @description The id in the audit log. */
            readonly executionId: string;
            readonly outcome: components["schemas"]["Outcome"];
            readonly usage: components["schemas"]["Usage"];
            readonly used: components["schemas"]["UsedCapabilities"];
            /** @description What the skill wrote besides its output, truncated. */
            readonly log: string;
            /** @description Present for a skill with a workspace. */
            readonly files?: readonly components["schemas"]["FileChange"][];
            /** @description Present for a call that names a workspace. */
            readonly workspace?: components["schemas"]["WorkspaceEnd"];
            /** @description What the run tried to access without a grant. */
            readonly denials?: readonly components["schemas"]["Denial"][];
            /** @description How to fix a failed run, if its output names a missing module, program, path or host. A skill controls its output, so check a `hint` before you grant what it names. */
            readonly hint?: string;
            /** @description For the operator: what raises the limit that ended the run. Do not give it to a model. */
            readonly remedy?: string;
            /** @description Programs that its scripts name or tried to start, that this machine has and the grant lacks. A run can succeed without them, with less in its result. A person can grant them: `ambit skills propose` prints how. */
            readonly missingPrograms?: readonly string[];
            readonly audit: components["schemas"]["AuditPosition"];
            /** @description Present if the call asked for it; `null` if it is unavailable. */
            readonly receipt?: components["schemas"]["SignedReceipt"] | null;
        };
        /** @description A call, chain or batch that is queued, running or finished. */
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
             * @description When finished: how the run ended, or `denied`. For a batch: the outcome of the first call that did not succeed.
             * @enum {string}
             */
            readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running";
            /** @description The response of a finished execution that ran. */
            readonly result?: unknown;
            /** @description The problem of an execution that was refused. */
            readonly problem?: unknown;
            /**
             * @description Present if the response could not be stored: a retry with the idempotency key may be refused.
             * @constant
             */
            readonly stored?: false;
            /** @description Why the response is unavailable, and where to find the rest. */
            readonly detail?: string;
        };
        /** @description How a program reported failure. */
        readonly Failure: {
            readonly exitCode: number;
        } | {
            readonly signal: string;
        } | {
            /** @description The message of the engine or the plug-in. */
            readonly trap: string;
        };
        /** @description A file that a run created, changed or deleted in its workspace. */
        readonly FileChange: {
            readonly path: string;
            /** @enum {string} */
            readonly change: "created" | "changed" | "deleted";
            /** @description The size; 0 for a deleted file, a link and a folder. */
            readonly bytes: number;
            /**
             * @description Present if its user can execute it.
             * @constant
             */
            readonly executable?: true;
            /** @description The target of a symbolic link within the workspace. */
            readonly link?: string;
            /**
             * @description Present for a folder that is empty, or was.
             * @constant
             */
            readonly folder?: true;
            /** @description Why the content is left out. */
            readonly omitted?: string;
            /**
             * @description Present if no workspace can store what `omitted` names. A workspace stores the rest.
             * @constant
             */
            readonly leftOut?: true;
            /**
             * @description Present if its path or content has a secret of the skill, which is redacted.
             * @constant
             */
            readonly redacted?: true;
            /** @description The content, if it is UTF-8 with few control characters. */
            readonly text?: string;
            /** @description The content of any other file. */
            readonly base64?: string;
            /** @description Hex. Instead of the content, if a workspace stores the file. */
            readonly sha256?: string;
        };
        /** @description An event of the log, as it was written. */
        readonly FollowedEvent: {
            /** @description The node whose log it is in; absent without a cluster. */
            readonly node?: string;
            readonly sequence: number;
            readonly hash: string;
            /** @description The event as written. Its other fields depend on its kind. */
            readonly event: {
                readonly kind: string;
                /** @description Milliseconds since the epoch. */
                readonly time: number;
            } & {
                readonly [key: string]: unknown;
            };
        };
        /** @description The daemon is alive. */
        readonly Health: {
            /** @constant */
            readonly status: "ok";
        };
        /** @description A call of a host function. */
        readonly HostCall: {
            readonly name: string;
            /** @description When it began, in milliseconds since the epoch. */
            readonly at: number;
            readonly durationMs: number;
            /**
             * @description `failed`: the skill received an error. `denied`: the grant does not allow it. `unanswered`: the call ended first.
             * @enum {string}
             */
            readonly result: "returned" | "failed" | "denied" | "unanswered";
        };
        /** @description The host functions that a WASM skill called. */
        readonly HostCalls: {
            /** @description The first ones, in order of time. */
            readonly listed: readonly components["schemas"]["HostCall"][];
            /** @description The number of further calls; `null` if unknown, because the process of the run was ended before it reported. */
            readonly unlisted: number | null;
        };
        /** @description Proof that the tree of a cluster covers the events of a receipt. */
        readonly Inclusion: {
            /** @description The leaf of the tree, with the signed checkpoint. Hash this text unchanged. */
            readonly leaf: string;
            /** @description Of the leaf. */
            readonly index: number;
            /** @description The signed head of the tree: a C2SP checkpoint. */
            readonly head: string;
            /** @description Who signed the head. */
            readonly signer: {
                /** @description The id of the node that signed the head. */
                readonly node: number;
                /** @description Of that node, from the authority of the cluster, PEM. */
                readonly certificate: string;
            };
            /** @description The hashes from the leaf to the root (RFC 6962), base64. */
            readonly proof: readonly string[];
        };
        /** @description What a change did with one skill. */
        readonly InstallChange: {
            readonly id: string;
            /**
             * @description `waiting`: a later version waits for approval. `approved`: it took over the approval, by `installs.updates: auto`. `fetched`: its files were restored. `missing`: its source no longer has it.
             * @enum {string}
             */
            readonly change: "added" | "unchanged" | "updated" | "waiting" | "approved" | "removed" | "fetched" | "missing";
            readonly description: string | null;
            readonly digest: string | null;
            /** @description The digest before. */
            readonly from: string | null;
            readonly executable: boolean;
            /** @description Its Python scripts that run before it is approved, in WebAssembly, as far as their text shows, as values of `script`. Absent: none, or it is approved. */
            readonly runsInWasm?: readonly string[];
            readonly requests: readonly string[];
            /** @description What it asks for or gets beyond the approved version, and scripts that only one of them has. */
            readonly wider: readonly string[];
            /** @description The findings of the review, by severity. */
            readonly findings: {
                readonly [key: string]: number;
            };
            /** @description The configured publisher that signed it; `null`: none. */
            readonly publisher: string | null;
            /** @description How its signer differs from the signer that was approved or seen first, in words. */
            readonly provenance: string | null;
            /** @description Its locked packages, each with its version, sorted: `numpy 1.26.0` of Python, `npm:chalk 5.3.0` of npm. */
            readonly packages: readonly string[];
            /** @description Why its packages are not locked; `null`: they are, or it needs none. */
            readonly packageProblem: {
                readonly code: string;
                readonly message: string;
            } | null;
        };
        /** @description What a change did with each skill. */
        readonly InstallChanges: {
            readonly skills: readonly components["schemas"]["InstallChange"][];
            readonly refused: readonly components["schemas"]["RefusedInstall"][];
        };
        /** @description What a person needs to decide about an installed skill. */
        readonly InstallReview: {
            readonly skill: components["schemas"]["InstalledSkill"];
            /** @description Of the version to decide about: the waiting one, if there is one. */
            readonly digest: string;
            /** @description Names what was reviewed. An approval that passes it is refused if any of it has changed. */
            readonly review: string;
            /** @description The digest of the approved version. */
            readonly approved: string | null;
            /** @description What each of its scripts gets once it is approved, a line each, under the configuration in force. */
            readonly gets: readonly string[];
            /** @description The limits of its calls once it is approved: what a call gets without `limits` of its own, and the most that it can ask for. Scripts with the same limits are together. */
            readonly limits: readonly {
                readonly scripts: readonly string[];
                readonly default: components["schemas"]["Limits"];
                readonly max: components["schemas"]["Limits"];
            }[];
            /** @description For the operator: the line of configuration that grants what `declares` has and the skill lacks. Do not give it to a model. `null`: it lacks nothing of it, or its `ambit.yaml` says what it can be granted. */
            readonly declaredRemedy: string | null;
            /** @description What it asks for or gets beyond the approved version, and scripts that only one of them has. */
            readonly wider: readonly string[];
            /** @description What it no longer asks for. */
            readonly narrower: readonly string[];
            /** @description The files that differ from the approved version. */
            readonly files: readonly {
                readonly path: string;
                /** @enum {string} */
                readonly change: "added" | "removed" | "changed";
                /** @description In the unified format; `null` for a file that is no short text. */
                readonly diff: string | null;
            }[];
            readonly provenance: {
                /** @description The configured publisher that signed it; `null`: none. */
                readonly publisher: string | null;
                /** @description The key (`ed25519:…`) or the workflow (`sigstore:…`) that signed it. */
                readonly identity: string | null;
                /** @description How the signer differs from the signer that was approved or seen first, in words. */
                readonly change: string | null;
                /** @description Why the signature in the lock file is not verified; `null`: it is, or there is none. */
                readonly problem: string | null;
            };
            /** @description Its locked packages, each with its version, sorted: `numpy 1.26.0` of Python, `npm:chalk 5.3.0` of npm. */
            readonly packages: readonly string[];
            /** @description How its packages differ from the approved ones: `+ NAME VERSION` or `- NAME VERSION`. */
            readonly packageChanges: readonly string[];
            /** @description Sources with another host or owner whose installed skills have its namespace, because that namespace was chosen. */
            readonly namespaceSources: readonly string[];
            readonly reading: components["schemas"]["SkillReading"];
        };
        /** @description A skill from the lock file. */
        readonly InstalledSkill: {
            readonly id: string;
            /**
             * @description `approved`: runs with its tier. `unapproved`: untrusted, so only WebAssembly of it runs, Python scripts included. `expired`: untrusted too, because its approval has ended. `waiting`: a later version waits for approval. `revoked`: refused. `damaged`: its files are not what the lock file says.
             * @enum {string}
             */
            readonly state: "approved" | "unapproved" | "expired" | "waiting" | "revoked" | "damaged";
            /** @description As typed when it was added. */
            readonly source: string;
            /** @description Where it is in the source; empty for the source itself. */
            readonly folder: string;
            /** @description `commit:…`, or `sha256:…` of the archive, or of the list of a server. */
            readonly resolved: string | null;
            /** @description `sha256:…` */
            readonly digest: string;
            /**
             * @description That it runs with.
             * @enum {string}
             */
            readonly tier: "local" | "verified" | "untrusted";
            /** @description What it asks for, a line each. */
            readonly requests: readonly string[];
            /** @description The findings of the review, by severity. */
            readonly findings: {
                readonly [key: string]: number;
            };
            /** @description The configured publisher that signed it; `null`: none. */
            readonly publisher: string | null;
            /** @description The key (`ed25519:…`) or the workflow (`sigstore:…`) that signed it. */
            readonly identity: string | null;
            /** @description The digest of the version that waits for approval. */
            readonly waiting: string | null;
            /** @description Of its locked packages; `null`: it has none. */
            readonly dependencies: string | null;
            /** @description When the approval of this digest ends or has ended; `null`: never, or it has none. */
            readonly until: string | null;
        };
        /** @description Something that was left out of the prompt. */
        readonly LeftOut: {
            readonly id: string;
            /** @enum {string} */
            readonly what: "skill" | "listing" | "body" | "context";
            readonly because: string;
        };
        /** @description The limits that applied to a call. */
        readonly Limits: {
            /** @description Wall-clock time. */
            readonly timeoutMs: number;
            readonly memoryBytes: number;
            readonly cpuMs: number;
            readonly processes: number;
            /** @description Maximum size of each file that the call writes. */
            readonly fileBytes: number;
            /** @description For the output and for the log separately. */
            readonly outputBytes: number;
            /** @description Weighted WebAssembly instructions; `null`: unlimited. */
            readonly fuel: number | null;
        };
        /** @description A key and its rights, without the key or its digest. */
        readonly ListedKey: {
            /** @description `first` is the key of the first start. */
            readonly name: string;
            /** @enum {string} */
            readonly status: "good" | "expired" | "revoked";
            readonly scopes: readonly ("skills:read" | "skills:execute" | "prompt" | "audit:read" | "metrics" | "approve" | "admin")[];
            readonly skills?: readonly string[];
            readonly ceiling?: {
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
                    /** @description Capabilities without it remove it: every limit must name it. */
                    readonly host?: boolean;
                };
                readonly limits?: {
                    readonly timeoutMs?: number;
                    readonly memoryBytes?: number;
                    readonly cpuMs?: number;
                    readonly processes?: number;
                    readonly fileBytes?: number;
                    readonly outputBytes?: number;
                    readonly fuel?: number;
                };
            };
            readonly ratePerMinute?: number;
            /** Format: date-time */
            readonly expiresAt?: string;
            /** Format: date-time */
            readonly revokedAt?: string;
            /** Format: date-time */
            readonly createdAt?: string;
        };
        /** @description A message of JSON-RPC 2.0, as the protocol defines it. */
        readonly McpMessage: {
            readonly [key: string]: unknown;
        } | readonly {
            readonly [key: string]: unknown;
        }[];
        /** @description A skill as a tool of a model. */
        readonly ModelTool: {
            /** @description The skill's id with `__` in place of `:`, which providers refuse, and at most 64 characters. */
            readonly name: string;
            /** @description The id to call it by. */
            readonly skill: string;
            /** @description For a model: one line, escaped, with a mark for an untrusted skill. */
            readonly description: string;
            /** @description A JSON Schema of an object. Its titles and descriptions are for a model, like the description of the tool. */
            readonly inputSchema: {
                readonly [key: string]: unknown;
            };
            /**
             * @description How the arguments are sent. `input`: as the `input` of a call. `wrapped`: send the field `input` of the arguments as `input`. `command`: as the body of a call (`input`, `args`, `stdin`, `stdinBase64`, `files`, `script`).
             * @enum {string}
             */
            readonly takes: "input" | "wrapped" | "command";
            /** @description Requests no capability that can change anything. */
            readonly readOnly: boolean;
            /** @description Requests network access. */
            readonly openWorld: boolean;
            readonly tier: components["schemas"]["Tier"];
            /** @description `sha256:…` of its files. */
            readonly digest: string;
        };
        /** @description The summary of an answer that exceeds the size limit of its batch. */
        readonly OmittedAnswer: {
            /** @description The id of its record in the audit log. */
            readonly executionId: string;
            readonly outcome: components["schemas"]["OutcomeStatus"];
            readonly audit: components["schemas"]["AuditPosition"];
        };
        /** @description An OpenAPI 3.1 document. */
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
        /** @description A new session of the web console. */
        readonly OpenedConsoleSession: {
            readonly id: string;
            /** @description ISO 8601. */
            readonly createdAt: string;
            /** @description ISO 8601. */
            readonly expiresAt: string;
            /** @description It also ends after so many seconds without use. Requests with the header `ambit-background` are no use. */
            readonly idleSeconds: number;
            /** @description As of a key. */
            readonly scopes: readonly string[];
            /** @description Send it in the header `ambit-session`, with the cookie that this response sets. */
            readonly half: string;
        };
        /** @description How a run ended; `status` names the variant. */
        readonly Outcome: {
            /** @constant */
            readonly status: "succeeded";
            /** @description The skill's JSON. For protocol `command`: an object with `exitCode`, `stdout` and `stderr`, and `encoding` if `stdout` is in base64; after `input`, its stdout. */
            readonly output: unknown;
            /** @description Present if a script without a sidecar got `input`, and `output` is its text: why it is not JSON. */
            readonly notJson?: string;
            /**
             * @description Present if `output` is not JSON and its bytes are not UTF-8: it is in base64.
             * @constant
             */
            readonly encoding?: "base64";
        } | {
            /** @constant */
            readonly status: "failed";
            readonly failure: components["schemas"]["Failure"];
            readonly stdout?: string;
            /** @description What the program wrote to stderr, truncated. */
            readonly stderr: string;
        } | {
            /** @constant */
            readonly status: "timed-out";
            readonly timeoutMs: number;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "timed-out";
            readonly cpuMs: number;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "out-of-memory";
            readonly memoryBytes: number;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "out-of-fuel";
            readonly fuel: number;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "output-too-large";
            readonly outputBytes: number;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "output-invalid";
            readonly detail: string;
            /** @description What the program wrote to stderr, truncated. */
            readonly stderr: string;
        } | {
            /** @constant */
            readonly status: "capability-violated";
            readonly capability: string;
            readonly detail: string;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
            readonly stderr?: string;
        } | {
            /** @constant */
            readonly status: "canceled";
            readonly reason: string;
            /** @description Protocol `command`: what it had written to stdout. */
            readonly stdout?: string;
            /** @description Protocol `command`: what it had written to stderr. */
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
        /** @description The session of the web console that sent the request. */
        readonly OwnConsoleSession: {
            readonly id: string;
            /** @description ISO 8601. */
            readonly createdAt: string;
            /** @description ISO 8601. */
            readonly expiresAt: string;
            /** @description It also ends after so many seconds without use. Requests with the header `ambit-background` are no use. */
            readonly idleSeconds: number;
            /** @description As of a key. */
            readonly scopes: readonly string[];
            /** @description Its name in the audit log: `console:` and the id. */
            readonly actor: string;
            /** @description Until then it may run skills; `null`: it only reads. */
            readonly unlockedUntil: string | null;
            /** @description The daemon's version. */
            readonly version: string;
            /** @description The node of the cluster that has the session. */
            readonly node?: string;
        };
        /** @description Whether a call may use a capability, and the rule that decides. */
        readonly PolicyDecision: {
            readonly allowed: boolean;
            /**
             * @description What decides: the request of the skill, a rule or a missing grant, a grant, the tier, the ceiling or the rights of the key.
             * @enum {string}
             */
            readonly rule: "request" | "policy" | "grant" | "tier" | "ceiling" | "key";
            readonly because: string;
            /** @description What to do to allow it; `null`: it is allowed. */
            readonly remedy: string | null;
        };
        /** @description Why a request was refused (RFC 9457). */
        readonly Problem: {
            /** @description `urn:ambit:problem:` and the code. */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description What happened, why, and what to do. */
            readonly detail: string;
            /** @description `urn:uuid:` and the execution id. */
            readonly instance: string;
            /**
             * @description A stable code for programs.
             * @enum {string}
             */
            readonly code: "SKILL_NOT_FOUND" | "SKILL_AMBIGUOUS" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "LOCK_MISMATCH" | "SKILL_REVOKED" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "STORE_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "LEASE_LOST" | "MEMORY_SHARE_EXCEEDED" | "OVERLOADED" | "INTERNAL" | "INSTALL_NOT_FOUND" | "REVIEW_STALE" | "SIGNATURE_INVALID" | "TIER_NOT_ALLOWED" | "NAMESPACE_TAKEN" | "LOCK_INVALID" | "SOURCE_MISSING" | "SOURCE_UNSUPPORTED" | "SOURCE_UNREACHABLE" | "SOURCE_NOT_ALLOWED" | "SOURCE_DAMAGED" | "SOURCE_UNSAFE_PATH" | "SOURCE_TOO_LARGE" | "DEPENDENCY_UNSUPPORTED" | "DEPENDENCY_NO_INDEX" | "DEPENDENCY_UNRESOLVED" | "DEPENDENCY_NEEDS_BUILD" | "REQUEST_UNREADABLE" | "HOST_REFUSED" | "ORIGIN_REFUSED" | "UNAUTHENTICATED" | "CODE_INVALID" | "SCOPE_MISSING" | "CONFIRMATION_REQUIRED" | "RATE_LIMITED" | "SHUTTING_DOWN" | "ROUTE_NOT_FOUND" | "FILE_NOT_FOUND" | "PRECONDITION_FAILED" | "RECORD_NOT_FOUND" | "EXECUTION_NOT_FOUND" | "CONSOLE_UNAVAILABLE" | "SESSION_NOT_FOUND" | "SESSION_ELSEWHERE" | "NODE_UNREACHABLE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_INTERRUPTED" | "METHOD_NOT_ALLOWED" | "MEDIA_TYPE_UNSUPPORTED" | "BODY_TOO_LARGE" | "BODY_MALFORMED" | "REQUEST_INVALID";
            /** @description The id in the audit log and the daemon's log. */
            readonly executionId: string;
            /** @description What is wrong with the input or the request. */
            readonly issues?: readonly ({
                /** @description JSON pointer to the value; empty for the whole input or request. */
                readonly at: string;
                readonly message: string;
            } & {
                readonly [key: string]: unknown;
            })[];
            /** @description The missing capabilities, each with the configuration that grants it. */
            readonly denials?: readonly components["schemas"]["Denial"][];
            /** @description The signed receipt of the refusal, if the call asked for one; `null` if it is unavailable. */
            readonly receipt?: components["schemas"]["SignedReceipt"] | null;
            /** @description The call that used the idempotency key. */
            readonly originalExecutionId?: string;
            /** @description The value of the `Retry-After` header, for problems that arrive as an event. */
            readonly retryAfterSeconds?: number;
        };
        /** @description A prompt and its sources. */
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
            /** @description Present if `for` names an agent. */
            readonly settings?: components["schemas"]["TargetSettings"];
            /** @description Present with `explain`, like `leftOut`. */
            readonly parts?: readonly components["schemas"]["PromptPart"][];
            readonly leftOut?: readonly components["schemas"]["LeftOut"][];
        };
        /** @description A piece of the prompt. All parts, concatenated in order, are the prompt. */
        readonly PromptPart: {
            /** @enum {string} */
            readonly kind: "base" | "metadata" | "index" | "skill" | "context";
            readonly origin: string;
            /** @description Why it is included. */
            readonly because: string;
            readonly text: string;
            readonly tokens: number;
            /** @description In UTF-16 code units. */
            readonly characters: number;
            /** @description From 1. */
            readonly order: number;
            readonly isCut: boolean;
        };
        /** @description The smallest change of a grant that covers what recorded calls of a skill lacked. */
        readonly Proposal: {
            readonly skill: string;
            readonly digest: string;
            readonly tier: components["schemas"]["Tier"];
            /** @description The records of the skill that were read, newest first. */
            readonly records: {
                /** @description The number of records that were read. */
                readonly count: number;
                /** @description How many of them lack something. */
                readonly refused: number;
                /** @description The start of the oldest; `null` without records. */
                readonly first: string | null;
                readonly last: string | null;
                /** @description Whether there are older records that were not read. */
                readonly more: boolean;
                /** @description Whether there are more than 100 different refusals; the oldest are left out. */
                readonly cut: boolean;
            };
            /** @description Narrow items first, broad items last. */
            readonly items: readonly components["schemas"]["ProposedItem"][];
            /** @description What to add to the operator's grant. */
            readonly grant: components["schemas"]["Capabilities"];
            /** @description What to add in its `ambit.yaml`. */
            readonly requests: readonly {
                /** @description The name in `run.scripts`; `null` for the default run. */
                readonly script: string | null;
                /** @description What to add to its request. */
                readonly capabilities: components["schemas"]["Capabilities"];
            }[];
            readonly excluded: readonly components["schemas"]["ExcludedItem"][];
            /** @description Granted items that none of the calls used. Items whose use cannot be observed are not listed. */
            readonly unused: readonly {
                /**
                 * @description `run` is the permission to run as a program of the host.
                 * @enum {string}
                 */
                readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "host" | "run";
                readonly item: string;
            }[];
        };
        /** @description An item that calls of a skill lacked. */
        readonly ProposedItem: {
            /**
             * @description `run` is the permission to run as a program of the host.
             * @enum {string}
             */
            readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "host" | "run";
            /** @description As a grant names it; a network rule or a secret on one line. */
            readonly item: string;
            /** @description The number of calls. */
            readonly calls: number;
            /**
             * Format: date-time
             * @description The start of the first of these calls.
             */
            readonly first: string;
            /** Format: date-time */
            readonly last: string;
            /**
             * @description `refusal`: Ambit refused it. `output`: only the error message of a failed run names it, and a skill can print anything. `script`: the text of its scripts names it, and the machine of the call had it.
             * @enum {string}
             */
            readonly from: "refusal" | "output" | "script";
            /** @description Whether the grant lacks it. */
            readonly grant: boolean;
            /** @description The runs in its `ambit.yaml` whose request lacks it; `null` is the default run. */
            readonly scripts: readonly (string | null)[];
            /** @description What it opens, if that is more than it seems. */
            readonly warning: string | null;
            /** @description Whether it opens much more than one call needs. */
            readonly broad: boolean;
        };
        /** @description Calls are accepted. */
        readonly Ready: {
            /** @constant */
            readonly status: "ready";
            /**
             * @description `refused` if the file was read again and is invalid. The previous configuration stays in force.
             * @enum {string}
             */
            readonly configuration: "current" | "refused";
            /** @description By component: `ok`; `low` if calls are still accepted but may soon be refused; otherwise the code that calls are refused with. */
            readonly checks: {
                readonly [key: string]: "ok" | "low" | "SKILL_NOT_FOUND" | "SKILL_AMBIGUOUS" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "LOCK_MISMATCH" | "SKILL_REVOKED" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "STORE_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "LEASE_LOST" | "MEMORY_SHARE_EXCEEDED" | "OVERLOADED" | "INTERNAL";
            };
        };
        /** @description What one execution did, for readers without access to the log. */
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
        /** @description The skill of a call, or only the requested name if no such skill was found. */
        readonly RecordedSkill: {
            readonly id: string;
        } | {
            readonly id: string;
            readonly version: string | null;
            readonly digest: string;
            readonly tier: components["schemas"]["Tier"];
            /** @description Of its locked packages: `sha256:…`, as in the lock file. Absent: it has none. */
            readonly dependencies?: string;
        };
        /** @description A skill of a source that was left out, and why. */
        readonly RefusedInstall: {
            readonly folder: string;
            /** @description A code of `ambit skills review`, or `INSTALL_CONFLICT`: its id belongs to another source; `SIGNATURE_INVALID`: its signature is missing or not valid; `SKILL_HIDDEN_TEXT`: it has text that only models can read. */
            readonly code: string;
            readonly message: string;
            /** @description The version that was left out; absent: it could not be read, or its name is taken. */
            readonly skill?: {
                readonly id: string;
                /** @description `sha256:…` */
                readonly digest: string;
            };
        };
        /** @description Limits that a skill requests. An absent one is the default of its tier. */
        readonly RequestedLimits: {
            readonly timeoutMs?: number;
            readonly memoryBytes?: number;
            readonly cpuMs?: number;
            readonly processes?: number;
            readonly fileBytes?: number;
            readonly outputBytes?: number;
            readonly fuel?: number;
        };
        /** @description A revocation. */
        readonly Revocation: {
            /** @description A digest, or `publisher:` and a name. */
            readonly subject: string;
            /** @description The installed skills that it concerns. */
            readonly skills: readonly string[];
            readonly reason: string | null;
            readonly by: string;
            /** Format: date-time */
            readonly at: string;
            /** @description Of the event in the audit log. */
            readonly sequence: number;
        };
        /** @description How to call a skill, and what it requests. */
        readonly Run: {
            /** @enum {string} */
            readonly runtime: "process" | "wasm";
            /**
             * @description `json` is called with `input`, `command` with `args` and `stdin`.
             * @enum {string}
             */
            readonly protocol: "json" | "command";
            /** @description A JSON Schema (2020-12); `null` accepts anything. */
            readonly input: (boolean | {
                readonly [key: string]: unknown;
            }) | null;
            /** @description A JSON Schema (2020-12); `null` accepts anything. */
            readonly output: (boolean | {
                readonly [key: string]: unknown;
            }) | null;
            readonly capabilities: components["schemas"]["Capabilities"];
            readonly limits: components["schemas"]["RequestedLimits"];
            /** @description What a call gets without `limits` of its own, and the most that it can ask for, by the configuration and the key. */
            readonly callLimits: components["schemas"]["CallLimits"];
        };
        /** @description A receipt of an event with its signature. */
        readonly SignedEventReceipt: {
            readonly statement: components["schemas"]["EventReceipt"];
            /** @description SHA-256 of the public key's DER, hex. */
            readonly keyId: string;
            /** @description Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64. */
            readonly signature: string;
        };
        /** @description A receipt with its signature. */
        readonly SignedReceipt: {
            readonly statement: components["schemas"]["Receipt"];
            /** @description SHA-256 of the public key's DER, hex. */
            readonly keyId: string;
            /** @description Ed25519 over the canonical JSON (RFC 8785) of `statement`, in base64. */
            readonly signature: string;
            /** @description Only in a cluster, once a checkpoint that covers the call is in its tree. */
            readonly inclusion?: components["schemas"]["Inclusion"];
        };
        /** @description Everything that a caller needs to call a skill. */
        readonly SkillDetail: {
            /** @description The name to call it by; unique. */
            readonly id: string;
            /** @description Another id to call it by: `metadata.skill-id` of its `SKILL.md`. `null` if it has none in force. */
            readonly alias: string | null;
            readonly name: string;
            /** @description What it does and when to use it, exactly as its author wrote it, and not escaped for models. Lists cut it at 1024 characters. */
            readonly description: string;
            /** @description `null` if its sidecar has none. */
            readonly version: string | null;
            readonly tier: components["schemas"]["Tier"];
            /** @description `sha256:…` of its files. */
            readonly digest: string;
            /** @description Whether it has anything to run. */
            readonly executable: boolean;
            /** @description What it asks for, a line each, sorted: `network a.example:443`; of an untrusted skill, what it asks for once it is trusted. At most 100 lines. */
            readonly requests: readonly string[];
            readonly warnings: readonly string[];
            /** @description Who is not offered it, by its `SKILL.md`: models, or the menus of people. Absent: everybody is. */
            readonly hiddenFrom?: readonly ("models" | "menus")[];
            /** @description The license in its `SKILL.md`; `null` if there is none. */
            readonly license: string | null;
            /** @description The requirements in its `SKILL.md`; `null` if there are none. */
            readonly compatibility: string | null;
            /** @description `allowed-tools` of its `SKILL.md`. Informational: it grants nothing. */
            readonly allowedTools: readonly string[];
            readonly files: readonly components["schemas"]["SkillFile"][];
            /** @description What `script` accepts besides the names in `entries`, without tests, templates and the like. Each script has its interpreter and a workspace, and takes `args` and `stdin`. */
            readonly scripts: readonly {
                readonly path: string;
                /** @description The program that runs it; `null` for a compiled program. */
                readonly interpreter: string | null;
                /**
                 * @description How it runs at the tier of the skill: as a program, or as Python in WebAssembly.
                 * @enum {string}
                 */
                readonly runtime: "process" | "wasm";
            }[];
            /** @description The same as `callLimits`, for each of `scripts`. */
            readonly scriptLimits: components["schemas"]["CallLimits"];
            /** @description What runs without `script`; `null` if its sidecar has no `run.entry`. */
            readonly run: components["schemas"]["Run"] | null;
            /** @description The `run.scripts` of its sidecar. */
            readonly entries: readonly {
                /** @description The value for `script`. */
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
            /** @description Hex. For a link, of its target path. */
            readonly sha256: string;
        };
        /** @description All files of a skill. */
        readonly SkillFiles: {
            /** @description `sha256:…` of its files. */
            readonly digest: string;
            /** @description Sorted by path. */
            readonly files: readonly components["schemas"]["SkillFile"][];
        };
        /** @description The skills that a key can see. */
        readonly SkillList: {
            readonly skills: readonly components["schemas"]["SkillSummary"][];
            /** @description Skill folders that cannot be used: up to 1000 on the first page, none on the others. */
            readonly broken: readonly {
                /** @description The folder's name. */
                readonly id: string;
                readonly root: string;
                /** @description What is wrong and how to fix it. */
                readonly problem: string;
            }[];
            /** @description The total number of such folders. */
            readonly brokenCount: number;
            /** @description Pass it as `after` to get the next page; `null` on the last page. */
            readonly next: string | null;
        };
        /** @description What was read in the files of a skill, as advice. */
        readonly SkillReading: {
            readonly description: string | null;
            readonly version: string | null;
            readonly executable: boolean;
            /** @description Why it cannot be loaded; `null` if it can. */
            readonly problem: string | null;
            /** @description What loading reads differently from other tools, or ignores. */
            readonly warnings: readonly string[];
            /** @description Who is not offered it: models, or the menus of people. Empty: everybody is. */
            readonly hiddenFrom: readonly ("models" | "menus")[];
            readonly files: readonly {
                readonly path: string;
                readonly bytes: number;
            }[];
            readonly bytes: number;
            /** @description The packages that it needs, as its files say. */
            readonly dependencies: {
                readonly declared: readonly {
                    /** @enum {string} */
                    readonly kind: "python" | "npm";
                    readonly text: string;
                    readonly file: string;
                }[];
                /** @description Declarations that cannot be locked. */
                readonly refused: readonly {
                    readonly file: string;
                    readonly text: string;
                    readonly reason: string;
                }[];
                /** @description What scripts seem to import and the skill does not declare. */
                readonly guessed: readonly {
                    /** @enum {string} */
                    readonly kind: "python" | "npm";
                    readonly name: string;
                }[];
            };
            /** @description What it asks for, in sentences. */
            readonly requests: readonly string[];
            /** @description What it declares for other tools: nothing of it is granted. */
            readonly declares: readonly {
                /** @enum {string} */
                readonly kind: "program" | "any-program" | "environment" | "system" | "mcp-server" | "python" | "node";
                readonly name: string;
                readonly file: string;
            }[];
            readonly scripts: readonly {
                readonly path: string;
                readonly language: string;
                readonly imports: readonly string[];
                readonly packages: readonly string[];
                readonly programs: readonly string[];
                readonly hosts: readonly string[];
                readonly environment: readonly string[];
                readonly paths: readonly string[];
                /** @description What a Python script that runs in WebAssembly needs and does not have there, as far as its text shows. `null`: it does not run there. */
                readonly wasm: {
                    /** @description What it certainly uses, such as `package requests`, `module bz2`, `program git`, `threads` and `sockets`. */
                    readonly needs: readonly string[];
                    /** @description What it uses in some cases. */
                    readonly mayNeed: readonly string[];
                } | null;
            }[];
            /** @description The worst first. Advice: no finding does not mean that a skill is safe. */
            readonly findings: readonly {
                /** @enum {string} */
                readonly rule: "unicode-tags" | "unicode-bidi" | "unicode-invisible" | "unicode-look-alike" | "file-archive" | "file-binary" | "file-bytecode" | "file-disguised" | "file-link" | "file-not-read" | "file-unreadable" | "hidden-settings" | "install-pipe" | "install-download" | "install-url" | "install-unpinned" | "install-package" | "load-command" | "agent-memory" | "persistence" | "prompt-override" | "prompt-conceal" | "prompt-comment" | "approval-bypass" | "payload-encoded" | "payload-remote" | "reverse-shell" | "data-beacon" | "data-collector" | "data-credentials" | "data-environment" | "data-combination" | "secret" | "name-similar" | "request-broad" | "undeclared-network" | "undeclared-program" | "undeclared-environment" | "undeclared-path" | "package-missing" | "file-missing" | "declaration-unread";
                /** @enum {string} */
                readonly severity: "refuse" | "high" | "medium" | "note";
                readonly file: string | null;
                readonly line: number | null;
                readonly excerpt: string | null;
                readonly sentence: string;
                /** @description How many places the rule found in that file. */
                readonly count: number;
            }[];
        };
        /** @description A skill in a list. */
        readonly SkillSummary: {
            /** @description The name to call it by; unique. */
            readonly id: string;
            /** @description Another id to call it by: `metadata.skill-id` of its `SKILL.md`. `null` if it has none in force. */
            readonly alias: string | null;
            readonly name: string;
            /** @description What it does and when to use it, exactly as its author wrote it, and not escaped for models. Lists cut it at 1024 characters. */
            readonly description: string;
            /** @description `null` if its sidecar has none. */
            readonly version: string | null;
            readonly tier: components["schemas"]["Tier"];
            /** @description `sha256:…` of its files. */
            readonly digest: string;
            /** @description Whether it has anything to run. */
            readonly executable: boolean;
            /** @description What it asks for, a line each, sorted: `network a.example:443`; of an untrusted skill, what it asks for once it is trusted. At most 100 lines. */
            readonly requests: readonly string[];
            readonly warnings: readonly string[];
            /** @description Who is not offered it, by its `SKILL.md`: models, or the menus of people. Absent: everybody is. */
            readonly hiddenFrom?: readonly ("models" | "menus")[];
        };
        /** @description The settings that make one agent follow the selection. */
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
            /** @description What cannot be enforced for this agent. */
            readonly limits: readonly string[];
        };
        /**
         * @description How far the operator trusts the source of a skill.
         * @enum {string}
         */
        readonly Tier: "local" | "verified" | "untrusted";
        /** @description The skills that a model can be offered as tools. */
        readonly ToolList: {
            readonly tools: readonly components["schemas"]["ModelTool"][];
            /** @description Executable skills that are not offered. */
            readonly leftOut: readonly {
                readonly skill: string;
                readonly why: string;
            }[];
            /** @description Pass it as `after` to get the next page; `null` on the last page. */
            readonly next: string | null;
        };
        /** @description Calls are refused. */
        readonly Unready: {
            /** @constant */
            readonly status: "unavailable";
            /**
             * @description The code that calls are refused with.
             * @enum {string}
             */
            readonly code: "SKILL_NOT_FOUND" | "SKILL_AMBIGUOUS" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "LOCK_MISMATCH" | "SKILL_REVOKED" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "STORE_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "LEASE_LOST" | "MEMORY_SHARE_EXCEEDED" | "OVERLOADED" | "INTERNAL" | "SHUTTING_DOWN";
            /** @description By component: `ok`; `low` if calls are still accepted but may soon be refused; otherwise the code that calls are refused with. */
            readonly checks: {
                readonly [key: string]: "ok" | "low" | "SKILL_NOT_FOUND" | "SKILL_AMBIGUOUS" | "SKILL_NOT_EXECUTABLE" | "SKILL_INVALID" | "SKILL_CHANGED" | "LOCK_MISMATCH" | "SKILL_REVOKED" | "INPUT_INVALID" | "CAPABILITY_DENIED" | "CAPABILITY_UNSUPPORTED" | "SANDBOX_UNAVAILABLE" | "PROGRAM_MISSING" | "SECRET_UNAVAILABLE" | "AUDIT_UNAVAILABLE" | "STORE_UNAVAILABLE" | "WORKSPACE_NOT_FOUND" | "WORKSPACE_FILE_NOT_FOUND" | "WORKSPACE_BUSY" | "WORKSPACE_FULL" | "WORKSPACE_LIMIT" | "LEASE_LOST" | "MEMORY_SHARE_EXCEEDED" | "OVERLOADED" | "INTERNAL";
            };
        };
        /** @description Measured resource usage of a run; `null` if it cannot be measured. */
        readonly Usage: {
            /** @description From the start of the sandbox to its end. */
            readonly durationMs: number;
            /** @description From joining the queue to getting a slot. */
            readonly queueMs: number;
            readonly cpuMs: number | null;
            readonly memoryPeakBytes: number | null;
            readonly fuelConsumed: number | null;
        };
        /** @description What a run used of its grant. An empty list means nothing was used; `null` means that it cannot be observed on this platform. */
        readonly UsedCapabilities: {
            readonly filesystem: {
                readonly read: readonly components["schemas"]["UsedItem"][] | null;
                /** @description `workspace` counts the path operations of a WASI command, or the files that a program changed. */
                readonly write: readonly components["schemas"]["UsedItem"][] | null;
            };
            /** @description Hosts that it connected to, with the number of requests or tunnels. */
            readonly network: readonly components["schemas"]["UsedItem"][] | null;
            readonly env: readonly components["schemas"]["UsedItem"][] | null;
            /** @description Secrets whose value was inserted into a request, with the number of requests. */
            readonly secrets: readonly components["schemas"]["UsedItem"][] | null;
            /** @description The program that ran its entry. */
            readonly exec: readonly components["schemas"]["UsedItem"][] | null;
            readonly state: ("none" | "read" | "write") | null;
            readonly memory: ("none" | "read") | null;
            /** @description Host functions that it called, regardless of the result. */
            readonly functions: readonly components["schemas"]["UsedItem"][] | null;
            /** @description Lists above that may be incomplete. */
            readonly unlisted: readonly {
                /** @enum {string} */
                readonly capability: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec";
                /** @description The number of uses that are left out; `null` if unknown. */
                readonly uses: number | null;
            }[];
        };
        /** @description An item that a run used. */
        readonly UsedItem: {
            /** @description As a grant names it. */
            readonly item: string;
            /** @description How often. */
            readonly count: number;
        };
        /** @description Whether the log is unchanged, and if not, the first flaw. */
        readonly Verification: {
            readonly logId: string;
            readonly first: number | null;
            /** @description The last event that verified. */
            readonly last: components["schemas"]["AuditPosition"] | null;
            readonly events: number;
            /** @description The number of valid checkpoints. */
            readonly checkpoints: number;
            readonly signedThrough: number;
            readonly trustedKeyId: string | null;
            /** @description The last event up to which the index was compared with the log; `null` if it was not compared. */
            readonly indexedThrough: number | null;
            /** @constant */
            readonly intact: true;
        } | {
            readonly logId: string;
            readonly first: number | null;
            /** @description The last event that verified. */
            readonly last: components["schemas"]["AuditPosition"] | null;
            readonly events: number;
            /** @description The number of valid checkpoints. */
            readonly checkpoints: number;
            readonly signedThrough: number;
            readonly trustedKeyId: string | null;
            /** @description The last event up to which the index was compared with the log; `null` if it was not compared. */
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
            /** @description The limit for all files together. */
            readonly quotaBytes: number;
            readonly usedBytes: number;
            readonly fileCount: number;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Each use extends it.
             */
            readonly expiresAt: string;
            /** @description Sorted by path. */
            readonly files: readonly components["schemas"]["WorkspaceFile"][];
            /** @description Symbolic links, which lead to places within the workspace. */
            readonly links: readonly {
                readonly path: string;
                /** @description Its target. */
                readonly link: string;
            }[];
            /** @description Empty folders. */
            readonly folders: readonly string[];
        };
        /** @description What a call did to its workspace: either all changes of the run are stored, or none. */
        readonly WorkspaceEnd: {
            readonly id: string;
            /** @constant */
            readonly stored: true;
            /** @description The size of all its files together. */
            readonly usedBytes: number;
            /** @description What the run left and no workspace can store; at most 20. The rest is stored. */
            readonly leftOut?: readonly {
                readonly path: string;
                readonly why: string;
            }[];
        } | {
            readonly id: string;
            /** @constant */
            readonly stored: false;
            readonly why: string;
        };
        /** @description A file of a workspace, without its bytes. */
        readonly WorkspaceFile: {
            readonly path: string;
            readonly bytes: number;
            /** @description Hex. Its `ETag` is the same in quotation marks. */
            readonly sha256: string;
            /**
             * Format: date-time
             * @description When its content last changed.
             */
            readonly modified: string;
            /**
             * @description Present if its user can execute it.
             * @constant
             */
            readonly executable?: true;
        };
        /** @description A workspace in a list. */
        readonly WorkspaceSummary: {
            readonly id: string;
            readonly label: string | null;
            /** @description The limit for all files together. */
            readonly quotaBytes: number;
            readonly usedBytes: number;
            readonly fileCount: number;
            /** Format: date-time */
            readonly createdAt: string;
            /**
             * Format: date-time
             * @description Each use extends it.
             */
            readonly expiresAt: string;
        };
        /** @description The workspaces of a key. */
        readonly Workspaces: {
            /** @description The workspaces of this key, oldest first. */
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
                /** @description `text/event-stream`: events while the call runs, and the response as the last event. */
                readonly accept?: string;
                /** @description `respond-async`: respond immediately with the location of the result. With `wait=10`, wait that many seconds for the result (RFC 7240). */
                readonly prefer?: string;
                /** @description A repeated request with the same key gets the same response and does not run again, even after a restart. */
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
                    /** @description For protocol `json`: any JSON value. A script without a sidecar gets it as JSON on its stdin. */
                    readonly input?: unknown;
                    /** @description For protocol `command`: the text of stdin. */
                    readonly stdin?: string;
                    /** @description Instead of `stdin`: any bytes, in base64. */
                    readonly stdinBase64?: string;
                    /** @description Files to add to the workspace before the run. */
                    readonly files?: readonly ({
                        readonly path: string;
                        readonly text: string;
                        /**
                         * @description Lets programs execute the file.
                         * @constant
                         */
                        readonly executable?: true;
                    } | {
                        readonly path: string;
                        readonly base64: string;
                        /**
                         * @description Lets programs execute the file.
                         * @constant
                         */
                        readonly executable?: true;
                    } | {
                        readonly path: string;
                        /** @description The target of a symbolic link, within the workspace. */
                        readonly link: string;
                    } | {
                        readonly path: string;
                        /** @constant */
                        readonly folder: true;
                    })[];
                    /** @description Context for skills that can read it; `memory` is searchable. */
                    readonly context?: {
                        readonly memory?: readonly (string | ({
                            readonly text: string;
                        } & {
                            readonly [key: string]: unknown;
                        }))[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description The id of the key's workspace to run in. Default: a new one for this run. */
                    readonly workspace?: string;
                    /** @description For protocol `command`: the arguments. */
                    readonly args?: readonly string[];
                    /** @description The skill's script to run: a name in `run.scripts` of its `ambit.yaml`, a program by its path or unique file name, or `-m package.module`. */
                    readonly script?: string;
                    /** @description In place of `script` and `args`: both as one command, such as `python3 scripts/x.py --all`. It is split into words like a shell does, but no shell runs. */
                    readonly command?: string;
                    /** @description An upper bound on the grant; never adds to it. An absent kind is not narrowed. */
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
                        /** @description Capabilities without it remove it: every limit must name it. */
                        readonly host?: boolean;
                    };
                    /** @description Limits of the call, in place of the limits that its skill asks for. A value above the maximum is cut to it. */
                    readonly limits?: {
                        readonly timeoutMs?: number;
                        readonly memoryBytes?: number;
                        readonly cpuMs?: number;
                        readonly processes?: number;
                        readonly fileBytes?: number;
                        readonly outputBytes?: number;
                        readonly fuel?: number;
                    };
                    /**
                     * @description Runs the skill with nothing that needs a grant, also if it requests or has one, and records what it tries to reach. `GET /skills/{id}/proposal?execution=ID` proposes a grant for that.
                     * @constant
                     */
                    readonly trial?: true;
                    /** @description Whether the response includes the contents of changed files. Default: only without `workspace`. */
                    readonly fileContents?: boolean;
                    /** @description Whether a skill that has no workspace runs without `workspace`. Default: its call is refused. */
                    readonly workspaceOptional?: boolean;
                    /**
                     * @description Whether the response, or the problem of a refusal, includes a signed receipt.
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
                    /** @description `true` if the response is from an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    /** @description `false` if the response could not be stored: a retry with the idempotency key may be refused. */
                    readonly "Idempotency-Stored"?: string;
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
            /** @description The call is running. */
            readonly 202: {
                headers: {
                    /** @description The location of the result. */
                    readonly Location?: string;
                    /** @description The applied preferences. */
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
                /** @description `text/event-stream`: events while the call runs, and the response as the last event. */
                readonly accept?: string;
                /** @description `respond-async`: respond immediately with the location of the result. With `wait=10`, wait that many seconds for the result (RFC 7240). */
                readonly prefer?: string;
                /** @description A repeated request with the same key gets the same response and does not run again, even after a restart. */
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
                    /** @description The first skill's input, for protocol `json` or a script without a sidecar. */
                    readonly input?: unknown;
                    /** @description The first skill's stdin, for protocol `command`. */
                    readonly stdin?: string;
                    /** @description Instead of `stdin`: any bytes, in base64. */
                    readonly stdinBase64?: string;
                    /** @description Files to add to the workspace before the run. */
                    readonly files?: readonly ({
                        readonly path: string;
                        readonly text: string;
                        /**
                         * @description Lets programs execute the file.
                         * @constant
                         */
                        readonly executable?: true;
                    } | {
                        readonly path: string;
                        readonly base64: string;
                        /**
                         * @description Lets programs execute the file.
                         * @constant
                         */
                        readonly executable?: true;
                    } | {
                        readonly path: string;
                        /** @description The target of a symbolic link, within the workspace. */
                        readonly link: string;
                    } | {
                        readonly path: string;
                        /** @constant */
                        readonly folder: true;
                    })[];
                    /** @description Context for skills that can read it; `memory` is searchable. */
                    readonly context?: {
                        readonly memory?: readonly (string | ({
                            readonly text: string;
                        } & {
                            readonly [key: string]: unknown;
                        }))[];
                    } & {
                        readonly [key: string]: unknown;
                    };
                    /** @description The id of the key's workspace to run in. Default: a new one for this run. */
                    readonly workspace?: string;
                    /** @description The skills, in order. */
                    readonly steps: readonly {
                        /** @description The skill's id. */
                        readonly skill: string;
                        /** @description For protocol `command`: the arguments. */
                        readonly args?: readonly string[];
                        /** @description The skill's script to run: a name in `run.scripts` of its `ambit.yaml`, a program by its path or unique file name, or `-m package.module`. */
                        readonly script?: string;
                        /** @description In place of `script` and `args`: both as one command, such as `python3 scripts/x.py --all`. It is split into words like a shell does, but no shell runs. */
                        readonly command?: string;
                        /** @description An upper bound on the grant; never adds to it. An absent kind is not narrowed. */
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
                            /** @description Capabilities without it remove it: every limit must name it. */
                            readonly host?: boolean;
                        };
                        /** @description Limits of the call, in place of the limits that its skill asks for. A value above the maximum is cut to it. */
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
            /** @description The chain ran; `links` lists the links that ran. */
            readonly 200: {
                headers: {
                    /** @description `true` if the response is from an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    /** @description `false` if the response could not be stored: a retry with the idempotency key may be refused. */
                    readonly "Idempotency-Stored"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChainAnswer"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call is running. */
            readonly 202: {
                headers: {
                    /** @description The location of the result. */
                    readonly Location?: string;
                    /** @description The applied preferences. */
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
                /** @description `text/event-stream`: events while the call runs, and the response as the last event. */
                readonly accept?: string;
                /** @description `respond-async`: respond immediately with the location of the result. With `wait=10`, wait that many seconds for the result (RFC 7240). */
                readonly prefer?: string;
                /** @description A repeated request with the same key gets the same response and does not run again, even after a restart. */
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
                    /** @description The calls, each with the fields of a single call except `receipt`. */
                    readonly calls: readonly {
                        /** @description For protocol `json`: any JSON value. A script without a sidecar gets it as JSON on its stdin. */
                        readonly input?: unknown;
                        /** @description For protocol `command`: the text of stdin. */
                        readonly stdin?: string;
                        /** @description Instead of `stdin`: any bytes, in base64. */
                        readonly stdinBase64?: string;
                        /** @description Files to add to the workspace before the run. */
                        readonly files?: readonly ({
                            readonly path: string;
                            readonly text: string;
                            /**
                             * @description Lets programs execute the file.
                             * @constant
                             */
                            readonly executable?: true;
                        } | {
                            readonly path: string;
                            readonly base64: string;
                            /**
                             * @description Lets programs execute the file.
                             * @constant
                             */
                            readonly executable?: true;
                        } | {
                            readonly path: string;
                            /** @description The target of a symbolic link, within the workspace. */
                            readonly link: string;
                        } | {
                            readonly path: string;
                            /** @constant */
                            readonly folder: true;
                        })[];
                        /** @description Context for skills that can read it; `memory` is searchable. */
                        readonly context?: {
                            readonly memory?: readonly (string | ({
                                readonly text: string;
                            } & {
                                readonly [key: string]: unknown;
                            }))[];
                        } & {
                            readonly [key: string]: unknown;
                        };
                        /** @description The id of the key's workspace to run in. Default: a new one for this run. */
                        readonly workspace?: string;
                        /** @description For protocol `command`: the arguments. */
                        readonly args?: readonly string[];
                        /** @description The skill's script to run: a name in `run.scripts` of its `ambit.yaml`, a program by its path or unique file name, or `-m package.module`. */
                        readonly script?: string;
                        /** @description In place of `script` and `args`: both as one command, such as `python3 scripts/x.py --all`. It is split into words like a shell does, but no shell runs. */
                        readonly command?: string;
                        /** @description An upper bound on the grant; never adds to it. An absent kind is not narrowed. */
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
                            /** @description Capabilities without it remove it: every limit must name it. */
                            readonly host?: boolean;
                        };
                        /** @description Limits of the call, in place of the limits that its skill asks for. A value above the maximum is cut to it. */
                        readonly limits?: {
                            readonly timeoutMs?: number;
                            readonly memoryBytes?: number;
                            readonly cpuMs?: number;
                            readonly processes?: number;
                            readonly fileBytes?: number;
                            readonly outputBytes?: number;
                            readonly fuel?: number;
                        };
                        /** @description Whether the response includes the contents of changed files. Default: only without `workspace`. */
                        readonly fileContents?: boolean;
                        /** @description Whether a skill that has no workspace runs without `workspace`. Default: its call is refused. */
                        readonly workspaceOptional?: boolean;
                        /** @description The skill's id. */
                        readonly skill: string;
                    }[];
                    /**
                     * @description Runs the calls one after another, and skips the rest after the first that does not succeed.
                     * @default false
                     */
                    readonly stopOnFailure?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description The result of each call. */
            readonly 200: {
                headers: {
                    /** @description `true` if the response is from an earlier request. */
                    readonly "Idempotency-Replayed"?: string;
                    /** @description `false` if the response could not be stored: a retry with the idempotency key may be refused. */
                    readonly "Idempotency-Stored"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BatchAnswer"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The call is running. */
            readonly 202: {
                headers: {
                    /** @description The location of the result. */
                    readonly Location?: string;
                    /** @description The applied preferences. */
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
                /** @description Seconds to wait for the call to end before the response. */
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
                /** @description Resume after this event. Default: start at the first stored event. */
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
                    /** @description The limit for all files together. */
                    readonly quotaBytes?: number;
                    /** @description How long after its last use it expires. */
                    readonly expiresInSeconds?: number;
                    /** @description A label for its owner. */
                    readonly label?: string;
                };
            };
        };
        readonly responses: {
            /** @description The workspace. */
            readonly 201: {
                headers: {
                    /** @description The URL of the workspace. */
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
            /** @description The workspace was deleted. */
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
                /** @description The `ETag` that the file must have; `*` matches any existing file. */
                readonly "if-match"?: string;
                /** @description The `ETag` that the file must not have; `*` matches any existing file. */
                readonly "if-none-match"?: string;
                /** @description A range of bytes, `bytes=START-END`, `bytes=START-` or `bytes=-LENGTH`. */
                readonly range?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path, with each name percent-encoded separately and slashes between them. */
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
                    /** @description When its content last changed. */
                    readonly "Last-Modified"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            /** @description A range of the file. */
            readonly 206: {
                headers: {
                    /** @description The file's digest, in quotation marks. */
                    readonly ETag?: string;
                    /** @description The range, and the size of the file. */
                    readonly "Content-Range"?: string;
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
                /** @description The `ETag` that the file must have; `*` matches any existing file. */
                readonly "if-match"?: string;
                /** @description The `ETag` that the file must not have; `*` matches any existing file. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path, with each name percent-encoded separately and slashes between them. */
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
            /** @description The file was replaced. */
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
            /** @description The file was created. */
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
                /** @description The `ETag` that the file must have; `*` matches any existing file. */
                readonly "if-match"?: string;
                /** @description The `ETag` that the file must not have; `*` matches any existing file. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
                /** @description The file's path, with each name percent-encoded separately and slashes between them. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file was deleted. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly putWorkspaceFiles: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The workspace's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description The workspace. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WorkspaceSummary"];
                };
            };
        };
    };
    readonly listSkills: {
        readonly parameters: {
            readonly query?: {
                /** @description Whether the skill has something to run. */
                readonly executable?: boolean;
                /** @description Words that must all occur in the id, the alias, the description or a tag, regardless of case. */
                readonly q?: string;
                /** @description Skills that a prompt for this phase would get, including their requirements. */
                readonly phase?: string;
                /** @description Skills that a prompt for this agent would get. */
                readonly agent?: string;
                /** @description Skills that a prompt for this tag would get. */
                readonly tag?: string;
                /** @description Skills per page. */
                readonly limit?: number;
                /** @description The `next` of the previous page: continue after that skill. */
                readonly after?: string;
            };
            readonly header?: {
                /** @description The `ETag` of a cached response. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The matching skills. */
            readonly 200: {
                headers: {
                    /** @description Changes when the response does. */
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
                /** @description The `ETag` of a cached response. */
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
                    /** @description Changes when the response does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SkillDetail"];
                };
            };
        };
    };
    readonly listTools: {
        readonly parameters: {
            readonly query?: {
                /** @description Words that must all occur in the id, the alias, the description or a tag, regardless of case. */
                readonly q?: string;
                /** @description Skills that a prompt for this phase would get, including their requirements. */
                readonly phase?: string;
                /** @description Skills that a prompt for this agent would get. */
                readonly agent?: string;
                /** @description Skills that a prompt for this tag would get. */
                readonly tag?: string;
                /** @description Skills per page. */
                readonly limit?: number;
                /** @description The `next` of the previous page: continue after that skill. */
                readonly after?: string;
                /** @description Whether to include untrusted skills. A model chooses among tools by their own descriptions. */
                readonly untrusted?: boolean;
            };
            readonly header?: {
                /** @description The `ETag` of a cached response. */
                readonly "if-none-match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tools. */
            readonly 200: {
                headers: {
                    /** @description Changes when the response does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tools": [],
                     *       "leftOut": [],
                     *       "next": null
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ToolList"];
                };
            };
        };
    };
    readonly getSkillBody: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of a cached response. */
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
                    /** @description Changes when the response does. */
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
                /** @description The `ETag` of a cached response. */
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
                    /** @description Changes when the response does. */
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
                /** @description The `ETag` of a cached response. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
                /** @description As in the list, with each part percent-encoded separately. Write the slashes between parts as `/`. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    /** @description Changes when the response does. */
                    readonly etag?: string;
                    /** @description For files that are not text: a file name. */
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
    readonly getProposal: {
        readonly parameters: {
            readonly query?: {
                /** @description Calls since then. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Only this call, such as a trial. */
                readonly execution?: string;
            };
            readonly header?: never;
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The proposal. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    readonly listInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The skills. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly skills: readonly components["schemas"]["InstalledSkill"][];
                    };
                };
            };
        };
    };
    readonly addInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "source": "acme/skills#v1.2"
                 *     }
                 */
                readonly "application/json": {
                    /** @description A source, as for `ambit skills add`. */
                    readonly source: string;
                    /** @description Begins their ids. Default: made from the source. */
                    readonly namespace?: string;
                    /** @description Only these skills of the source, by name. Default: all. */
                    readonly skills?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description What was done with each skill. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
                };
            };
        };
    };
    readonly reviewInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The review. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallReview"];
                };
            };
        };
    };
    readonly approveInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path: {
                /** @description The skill's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What was reviewed: `digest` of `GET /installs/{id}`. */
                    readonly digest: string;
                    /** @description `review` of that answer: refused if anything it depends on has changed. Required if the version has locked packages, or the same files as the approved version. */
                    readonly review?: string;
                    /**
                     * @description Absent: the tier of its publisher in the configuration, or `verified`.
                     * @enum {string}
                     */
                    readonly tier?: "verified" | "local";
                    /**
                     * Format: date-time
                     * @description When the approval ends by itself: the skill is then untrusted again. Default: never.
                     */
                    readonly until?: string;
                };
            };
        };
        readonly responses: {
            /** @description The approval. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    readonly approveAllInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "skills": [
                 *         {
                 *           "id": "acme:pdf-forms",
                 *           "digest": "sha256:…"
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    readonly skills: readonly {
                        /** @description The skill's id. */
                        readonly id: string;
                        /** @description What was reviewed: `digest` of `GET /installs/{id}`. */
                        readonly digest: string;
                        /** @description `review` of that answer: refused if anything it depends on has changed. Required if the version has locked packages, or the same files as the approved version. */
                        readonly review?: string;
                    }[];
                    /**
                     * @description Absent: the tier of its publisher in the configuration, or `verified`.
                     * @enum {string}
                     */
                    readonly tier?: "verified" | "local";
                    /**
                     * Format: date-time
                     * @description When the approval ends by itself: the skill is then untrusted again. Default: never.
                     */
                    readonly until?: string;
                };
            };
        };
        readonly responses: {
            /** @description The approvals. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly approvals: readonly components["schemas"]["Approval"][];
                    };
                };
            };
        };
    };
    readonly checkInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Only these skills, by id or name. Default: all.
                     * @default []
                     */
                    readonly skills?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description What an update would do with each skill. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
                };
            };
        };
    };
    readonly updateInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Only these skills, by id or name. Default: all.
                     * @default []
                     */
                    readonly skills?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description What was done with each skill. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
                };
            };
        };
    };
    readonly syncInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @default false */
                    readonly frozen?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description What was fetched. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
                };
            };
        };
    };
    readonly lockInstalledPackages: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
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
                 *       "add": [
                 *         "PyYAML"
                 *       ]
                 *     }
                 */
                readonly "application/json": {
                    /**
                     * @description Further packages: `name` or `name>=1.0` of Python, `npm:name` or `npm:name@^1.0` of npm. A plain name is of npm too, if the skill has only JavaScript.
                     * @default []
                     */
                    readonly add?: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description What was done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
                };
            };
        };
    };
    readonly revokeInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The id of a skill, a digest (`sha256:…`), or `publisher:` and a name. */
                    readonly subject: string;
                    /** @default null */
                    readonly reason?: string | null;
                };
            };
        };
        readonly responses: {
            /** @description The revocation. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Revocation"];
                };
            };
        };
    };
    readonly restoreInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description The id of a skill, a digest (`sha256:…`), or `publisher:` and a name. */
                    readonly subject: string;
                };
            };
        };
        readonly responses: {
            /** @description The revocation that was taken back. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Revocation"];
                };
            };
        };
    };
    readonly removeInstalled: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description For a session of the web console: a code of `ambit console confirm`, for this one request. */
                readonly "ambit-confirmation"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description By id or name. */
                    readonly skills: readonly string[];
                };
            };
        };
        readonly responses: {
            /** @description What was removed. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InstallChanges"];
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
                    /** @description Select skills for this phase, and skills for any phase. */
                    readonly phase?: string;
                    /** @description Select skills for this agent, and skills for any agent. */
                    readonly agent?: string;
                    /** @description Select skills with at least one of these tags. */
                    readonly tags?: readonly string[];
                    readonly campaign?: string;
                    readonly section?: string;
                    /** @description Select only these skills and their requirements; an empty list selects none. */
                    readonly only?: readonly string[];
                    /** @description Always select these skills. */
                    readonly include?: readonly string[];
                    /** @description Never select these skills; wins over every other field. */
                    readonly exclude?: readonly string[];
                    /** @description The limit for the bodies of the selected skills together. Each body is included whole or not at all, in order. */
                    readonly budgetTokens?: number;
                    /** @description The agent's own MCP servers, by name. A skill's server never replaces one. */
                    readonly mcpServers?: {
                        readonly [key: string]: {
                            readonly [key: string]: unknown;
                        };
                    };
                    /**
                     * @description The template that the skills are inserted into. If absent, the prompt consists of the skills alone.
                     * @default
                     */
                    readonly systemPrompt?: string;
                    /** @description The turn of the agent's loop through the phase, from 1: `{{iteration}}` in the system prompt. */
                    readonly iteration?: number;
                    /** @description The prompt to use, unchanged, when there is neither a system prompt nor a skill. */
                    readonly fallbackPrompt?: string;
                    /** @description The selected skills whose bodies are included. */
                    readonly active?: readonly string[];
                    /**
                     * @description How much to include of the other skills; `metadata` by default.
                     * @enum {string}
                     */
                    readonly disclosure?: "metadata" | "index" | "bodies";
                    /**
                     * @description The format of bodies; `xml` by default.
                     * @enum {string}
                     */
                    readonly format?: "xml" | "plain";
                    /** @description Values for `{{name}}` in the system prompt. */
                    readonly variables?: {
                        readonly [key: string]: string | boolean;
                    };
                    /** @description The limit for the whole prompt. */
                    readonly promptTokens?: number;
                    /**
                     * @description How to leave out what does not fit.
                     * @enum {string}
                     */
                    readonly cut?: "whole" | "at-line";
                    /** @description Where to gather the context that the selected skills ask for. If absent, none is gathered. */
                    readonly context?: {
                        /** @description The project's folder, as an absolute path. Over HTTP it must be below one of the operator's `contextRoots`. */
                        readonly root: string;
                        /** @description The work item, in the caller's format. */
                        readonly item?: unknown;
                        /** @description The folder with the artifacts of earlier phases, below `root`. */
                        readonly itemFolder?: string;
                    };
                    /**
                     * @description Also return the settings for this agent.
                     * @enum {string}
                     */
                    readonly for?: "claude-code" | "claude-sdk" | "codex" | "opencode" | "amp" | "aider" | "process";
                    /** @description The model, as that agent names it. */
                    readonly model?: string;
                    /**
                     * @description Whether to return the source of each part, and what was left out.
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
    readonly getConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The values. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly values: readonly components["schemas"]["ConfigurationValue"][];
                    };
                };
            };
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly keys: readonly components["schemas"]["ListedKey"][];
                    };
                };
            };
        };
    };
    readonly decidePolicy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "skill": "web-fetch",
                 *       "capability": {
                 *         "kind": "network",
                 *         "item": "api.example:443"
                 *       }
                 *     }
                 */
                readonly "application/json": {
                    /** @description A skill, by id or name. */
                    readonly skill: string;
                    /** @description The name of a key; absent: a key without bounds. */
                    readonly key?: string;
                    readonly capability: {
                        /** @enum {string} */
                        readonly kind: "filesystem.read" | "filesystem.write" | "network" | "env" | "secrets" | "exec" | "state" | "memory" | "host";
                        /** @description As in a grant: a path, a host, a name. A secret by its name. */
                        readonly item: string;
                    };
                };
            };
        };
        readonly responses: {
            /** @description The decision. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PolicyDecision"];
                };
            };
        };
    };
    readonly createConsoleCode: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "purpose": "sign-in"
                 *     }
                 */
                readonly "application/json": {
                    /** @enum {string} */
                    readonly purpose: "sign-in" | "confirm";
                    /** @description `true`: the session only ever reads. Its scopes are skills:read, prompt, audit:read, metrics. */
                    readonly readOnly?: boolean;
                    /** @description The only decision that the code confirms: the last part of its route, what it is about, and every other field of the request, such as `approve acme:pdf-forms@sha256:…@1f0c6a9d2b7e4c55 tier=local` or `revoke publisher:acme`. The refusal of a request without a code has it. Absent: the code unlocks a session, and confirms no decision. */
                    readonly decision?: string;
                };
            };
        };
        readonly responses: {
            /** @description The code. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ConsoleCode"];
                };
            };
        };
    };
    readonly listConsoleSessions: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The sessions. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly sessions: readonly components["schemas"]["ConsoleSessionSummary"][];
                    };
                };
            };
        };
    };
    readonly openConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A one-time code. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    /** @description The first half: `ambit-console-PORT-ID`, for this site and not for scripts. */
                    readonly "set-cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenedConsoleSession"];
                };
            };
        };
    };
    readonly getConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnConsoleSession"];
                };
            };
        };
    };
    readonly closeConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session has ended. */
            readonly 204: {
                headers: {
                    /** @description Removes the cookie. */
                    readonly "set-cookie"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly unlockConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description A one-time code. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description The session. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnConsoleSession"];
                };
            };
        };
    };
    readonly revokeConsoleSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The session's id. */
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The session has ended. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly getConsole: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description The `ETag` of a cached response. */
                readonly "if-none-match"?: string;
            };
            readonly path: {
                /** @description A view, or a file in `assets/`. Empty: the first view. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The page, or the file. */
            readonly 200: {
                headers: {
                    /** @description Changes when the response does. */
                    readonly etag?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                    readonly "text/javascript": string;
                    readonly "text/css": string;
                    readonly "image/svg+xml": string;
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
            /** @description The protocol's response. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The notification was accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has ended. */
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
            /** @description The protocol's response. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The notification was accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has ended. */
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
            /** @description The protocol's response. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["McpMessage"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description The notification was accepted. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The session has ended. */
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
                /** @description Calls with the key of this name. */
                readonly actor?: string;
                /** @description Calls with this outcome; `unsuccessful`: calls that ran and did not succeed. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running" | "unsuccessful";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Calls through this entry point. */
                readonly via?: "http" | "mcp" | "cli" | "library";
                /** @description Calls that were denied this capability: `network`. */
                readonly denied?: string;
                /** @description Calls since then. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that time. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Text in the stored input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain, or the calls of this batch. */
                readonly parentId?: string;
                /** @description Calls at the node of this name, in a cluster. */
                readonly node?: string;
                /** @description Records per page. */
                readonly limit?: number;
                /** @description The `next` of the previous page. */
                readonly before?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of records. */
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
                /** @description Calls with the key of this name. */
                readonly actor?: string;
                /** @description Calls with this outcome; `unsuccessful`: calls that ran and did not succeed. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running" | "unsuccessful";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Calls through this entry point. */
                readonly via?: "http" | "mcp" | "cli" | "library";
                /** @description Calls that were denied this capability: `network`. */
                readonly denied?: string;
                /** @description Calls since then. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that time. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Text in the stored input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain, or the calls of this batch. */
                readonly parentId?: string;
                /** @description Calls at the node of this name, in a cluster. */
                readonly node?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The number of matching records. */
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
                /** @description Only this skill. */
                readonly skill?: string;
                /** @description Calls since then. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that time. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description The width of a time bucket, for at most 2000 buckets; needs "since". */
                readonly bucketMs?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The statistics. */
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
    readonly listEvents: {
        readonly parameters: {
            readonly query?: {
                /** @description Events of these kinds, separated by commas: `skill.approved,skill.revoked`. */
                readonly kind?: string;
                /** @description Events per page. */
                readonly limit?: number;
                /** @description The `next` of the previous page. */
                readonly before?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of events. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    readonly getRecord: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The id from the response to the call. */
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
                /** @description Calls with the key of this name. */
                readonly actor?: string;
                /** @description Calls with this outcome; `unsuccessful`: calls that ran and did not succeed. */
                readonly outcome?: "succeeded" | "failed" | "timed-out" | "out-of-memory" | "out-of-fuel" | "output-too-large" | "output-invalid" | "capability-violated" | "canceled" | "interrupted" | "denied" | "running" | "unsuccessful";
                /** @description Calls of skills of this tier. */
                readonly tier?: "local" | "verified" | "untrusted";
                /** @description Calls through this entry point. */
                readonly via?: "http" | "mcp" | "cli" | "library";
                /** @description Calls that were denied this capability: `network`. */
                readonly denied?: string;
                /** @description Calls since then. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly since?: string;
                /** @description Calls before that time. ISO 8601, milliseconds since the epoch, or an age: `30m`, `12h`, `7d`. */
                readonly until?: string;
                /** @description Text in the stored input or output. */
                readonly text?: string;
                /** @description The record of this execution. */
                readonly executionId?: string;
                /** @description The links of this chain, or the calls of this batch. */
                readonly parentId?: string;
                /** @description Calls at the node of this name, in a cluster. */
                readonly node?: string;
                /** @description Lines of JSON, or CSV. */
                readonly format?: "ndjson" | "csv";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The records, in the given format. */
            readonly 200: {
                headers: {
                    /** @description A file name. */
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
                /** @description Resume after this event. Without it, the stream starts with the next event that is written. */
                readonly "last-event-id"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events, until either side disconnects. */
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
    readonly getAuditChain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The state of the chain. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditChain"];
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
            /** @description The result, also if the log has a flaw. */
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
    readonly getEventReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Of the event in the log. */
                readonly sequence: number;
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
                    readonly "application/json": components["schemas"]["SignedEventReceipt"];
                };
            };
        };
    };
    readonly getReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description The id from the response to the call. */
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
    readonly getTreeHead: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The signed note. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
        };
    };
    readonly getTreeTile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description Below `tile/`. */
                readonly path: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The tile. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
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
            /** @description The daemon is alive. */
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
            /** @description Calls are accepted. */
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
    readonly listNodes: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The nodes. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "node": null,
                     *       "nodes": []
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ClusterNodes"];
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
            /** @description The metrics. */
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
                /** @description The `ETag` of a cached response. */
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
                    /** @description Changes when the response does. */
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
                /** @description The `ETag` of a cached response. */
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
                    /** @description Changes when the response does. */
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
