/** The groups of routes in the order of the reference, each with its description. */
export const groups = {
  Skills: 'List skills and learn how to call them.',
  Calls: 'Run skills. A call that ran returns 200 regardless of its result; `outcome` has the result.',
  Workspaces: 'Files of a key that persist across calls.',
  Prompts: 'Select skills for a phase or an agent and compose a prompt.',
  'Audit log': 'Records of calls: who called what, the outcome, and its proof.',
  MCP: 'The Model Context Protocol.',
  Daemon: 'Health, metrics and the reference of the daemon.',
} as const;

export type Group = keyof typeof groups;
